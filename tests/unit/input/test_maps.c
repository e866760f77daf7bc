// SPDX-License-Identifier: GPL-2.0
/* What processes have mapped, by events, and how long it is kept. */
#include "maps_rig.h"

static void knows_bounds(void **state)
{
	struct maps *maps = maps_of(state);

	map(maps, PID, 0x2000, 0x1000, 0x5000, "/bin/b");
	map(maps, PID, 0x1000, 0x1000, 0, "/bin/a");
	map(maps, PID, 0x9000, 0x1000, 0, "/bin/c");
	is_at(maps, PID, 0xfff, "-", 0xfff);
	is_at(maps, PID, 0x1000, "a", 0);
	is_at(maps, PID, 0x1fff, "a", 0xfff);
	is_at(maps, PID, 0x2000, "b", 0x5000);
	is_at(maps, PID, 0x2fff, "b", 0x5fff);
	is_at(maps, PID, 0x3000, "-", 0x3000);
	is_at(maps, PID, 0x9fff, "c", 0xfff);
	is_at(maps, PID, 0xa000, "-", 0xa000);
	is_at(maps, OTHER, 0x1000, "-", 0x1000);
	is_at(maps, 0, 0x1000, "-", 0x1000);
	is_at(maps, -1, 0x1000, "-", 0x1000);
}

static void a_new_mapping_replaces(void **state)
{
	struct maps *maps = maps_of(state);

	map(maps, PID, 0x1000, 0x9000, 0x10000, "/lib/old");
	/* inside, then over an edge, then over several, then all of one */
	map(maps, PID, 0x3000, 0x1000, 0, "/lib/inner");
	is_at(maps, PID, 0x2fff, "old", 0x11fff);
	is_at(maps, PID, 0x3000, "inner", 0);
	is_at(maps, PID, 0x4000, "old", 0x13000);
	map(maps, PID, 0x9800, 0x1000, 0, "/lib/edge");
	is_at(maps, PID, 0x97ff, "old", 0x187ff);
	is_at(maps, PID, 0x9800, "edge", 0);
	map(maps, PID, 0x2000, 0x7000, 0, "/lib/over");
	is_at(maps, PID, 0x1fff, "old", 0x10fff);
	is_at(maps, PID, 0x2000, "over", 0);
	is_at(maps, PID, 0x8fff, "over", 0x6fff);
	is_at(maps, PID, 0x9000, "old", 0x18000);
	map(maps, PID, 0x2000, 0x7000, 0x77000, "/lib/again");
	is_at(maps, PID, 0x8fff, "again", 0x7dfff);
	map(maps, PID, 0, 0x100000, 0, "/lib/all");
	is_at(maps, PID, 0x1000, "all", 0x1000);
	is_at(maps, PID, 0x9800, "all", 0x9800);
}

/* Against an array that holds the answer for every page. */
static void overlaps_as_a_plain_array_has_it(void **state)
{
	struct maps *maps = maps_of(state);
	u64 offsets[64];
	char names[64] = { 0 };
	unsigned int seed = 1;

	for (int round = 0; round < 3000; round++) {
		unsigned int first = rand_r(&seed) % 64, count = 1 + rand_r(&seed) % 12;
		char path[] = "/x/a";

		if (first + count > 64)
			count = 64 - first;
		path[3] += rand_r(&seed) % 26;
		map(maps, PID, (first + 1) * 0x1000, count * 0x1000, round * 0x100000ULL, path);
		for (unsigned int i = 0; i < count; i++) {
			names[first + i] = path[3];
			offsets[first + i] = round * 0x100000ULL + i * 0x1000;
		}
		for (unsigned int i = 0; i < 64; i++) {
			char name[2] = { names[i] };

			if (names[i])
				is_at(maps, PID, (i + 1) * 0x1000 + 0xabc, name,
				      offsets[i] + 0xabc);
		}
		/* a child has what its parent had then */
		if (round % 100 == 0)
			maps_fork(maps, OTHER, PID);
	}
}

static void refuses_lengths_that_wrap(void **state)
{
	struct maps *maps = maps_of(state);

	map(maps, PID, 0x1000, 0, 0, "/lib/none");
	map(maps, PID, 0x1000, UINT64_MAX, 0, "/lib/wraps");
	map(maps, -1, 0x1000, 0x1000, 0, "/lib/nobody");
	map(maps, 0, 0x1000, 0x1000, 0, "/lib/nobody");
	is_at(maps, PID, 0x1000, "-", 0x1000);
}

static void fork_copies_and_exec_clears(void **state)
{
	struct maps *maps = maps_of(state);

	maps_exec(maps, PID);
	map(maps, PID, 0x1000, 0x1000, 0, "/bin/sh");
	maps_fork(maps, OTHER, PID);
	is_at(maps, OTHER, 0x1000, "sh", 0);
	map(maps, PID, 0x5000, 0x1000, 0, "/lib/parents");
	map(maps, OTHER, 0x6000, 0x1000, 0, "/lib/own");
	is_at(maps, OTHER, 0x5000, "-", 0x5000);
	is_at(maps, PID, 0x6000, "-", 0x6000);
	maps_exec(maps, OTHER);
	is_at(maps, OTHER, 0x1000, "-", 0x1000);
	is_at(maps, PID, 0x1000, "sh", 0);
	map(maps, OTHER, 0x1000, 0x1000, 0, "/bin/ls");
	is_at(maps, OTHER, 0x1000, "ls", 0);
	is_at(maps, PID, 0x1000, "sh", 0);
	/* nonsense does no harm */
	maps_fork(maps, PID, PID);
	maps_fork(maps, -1, PID);
	maps_fork(maps, PID, -1);
	maps_exec(maps, -1);
	maps_exit(maps, -1);
}

static void exited_ones_are_kept_a_while(void **state)
{
	struct maps *maps = maps_of(state);

	maps_advance(maps, SECONDS(100));
	maps_exec(maps, PID);
	map(maps, PID, 0x1000, 0x1000, 0, "/bin/short");
	maps_advance(maps, SECONDS(101));
	maps_exit(maps, PID);
	maps_advance(maps, SECONDS(110));
	is_at(maps, PID, 0x1000, "short", 0);
	maps_advance(maps, SECONDS(112));
	is_at(maps, PID, 0x1000, "-", 0x1000);
}

static void ids_are_used_again(void **state)
{
	struct maps *maps = maps_of(state);

	maps_advance(maps, SECONDS(100));
	maps_exec(maps, PID);
	map(maps, PID, 0x1000, 0x1000, 0, "/bin/first");
	maps_exit(maps, PID);
	maps_advance(maps, SECONDS(105));
	maps_exec(maps, OTHER);
	map(maps, OTHER, 0x1000, 0x1000, 0, "/bin/parent");
	maps_fork(maps, PID, OTHER);
	is_at(maps, PID, 0x1000, "parent", 0);
	maps_exec(maps, PID);
	map(maps, PID, 0x2000, 0x1000, 0, "/bin/second");
	/* the first one's exit does not end the second */
	maps_advance(maps, SECONDS(111));
	is_at(maps, PID, 0x2000, "second", 0);
	is_at(maps, PID, 0x1000, "-", 0x1000);
}

/* A thread that is not the leader execs: the leader's exit comes first. */
static void exec_after_the_leaders_exit(void **state)
{
	struct maps *maps = maps_of(state);

	maps_advance(maps, SECONDS(100));
	map(maps, PID, 0x1000, 0x1000, 0, "/bin/before");
	maps_exit(maps, PID);
	maps_advance(maps, SECONDS(101));
	maps_exec(maps, PID);
	map(maps, PID, 0x1000, 0x1000, 0, "/bin/next");
	/* before it is asked whether it is there: no process has this id */
	maps_advance(maps, SECONDS(110) + MS(500));
	is_at(maps, PID, 0x1000, "next", 0);
}

static void kind_of(struct maps *maps, const char *path, enum object_kind kind, const char *name)
{
	struct code_address place;

	map(maps, PID, 0x40000, 0x1000, 0x3000, path);
	place = maps_find(maps, PID, 0x40010);
	assert_int_equal(place.object->kind, kind);
	assert_string_equal(place.object->name, name);
	if (kind == OBJECT_FILE)
		assert_int_equal(place.offset, 0x3010);
	else
		assert_int_equal(place.offset, kind == OBJECT_VDSO ? 0x10 : 0x40010);
}

static void tells_files_from_memory(void **state)
{
	struct maps *maps = maps_of(state);

	kind_of(maps, "/usr/lib/libc.so.6", OBJECT_FILE, "libc.so.6");
	kind_of(maps, "/tmp/gone.so (deleted)", OBJECT_FILE, "gone.so");
	kind_of(maps, " (deleted)", OBJECT_ANONYMOUS, "[anon]");
	kind_of(maps, "//toolong", OBJECT_FILE, "toolong");
	kind_of(maps, "/", OBJECT_FILE, "/");
	kind_of(maps, "/memfd", OBJECT_FILE, "memfd");
	kind_of(maps, "/dev/zeros", OBJECT_FILE, "zeros");
	kind_of(maps, "[vdso]", OBJECT_VDSO, "[vdso]");
	kind_of(maps, "//anon", OBJECT_ANONYMOUS, "[anon]");
	kind_of(maps, "", OBJECT_ANONYMOUS, "[anon]");
	kind_of(maps, "[anon:jit code]", OBJECT_ANONYMOUS, "[anon]");
	kind_of(maps, "[heap]", OBJECT_ANONYMOUS, "[heap]");
	kind_of(maps, "[stack]", OBJECT_ANONYMOUS, "[stack]");
	kind_of(maps, "[vsyscall]", OBJECT_ANONYMOUS, "[vsyscall]");
	kind_of(maps, "/dev/zero (deleted)", OBJECT_ANONYMOUS, "[anon]");
	kind_of(maps, "/dev/zero", OBJECT_ANONYMOUS, "[anon]");
	kind_of(maps, "/SYSV0000002a (deleted)", OBJECT_ANONYMOUS, "[shm]");
	kind_of(maps, "/memfd:doublemapper (deleted)", OBJECT_ANONYMOUS, "[memfd]");
	kind_of(maps, "anon_inode:[x]", OBJECT_ANONYMOUS, "[anon]");
}

static void a_replaced_file_is_another(void **state)
{
	struct maps *maps = maps_of(state);
	struct object *before, *after, *again;

	map(maps, PID, 0x1000, 0x1000, 0, "/lib/x");
	before = maps_find(maps, PID, 0x1000).object;
	map(maps, PID, 0x1000, 0x1000, 0, "/lib/x (deleted)");
	assert_ptr_equal(maps_find(maps, PID, 0x1000).object, before);
	maps_mmap(maps, PID, 0x1000, 0x1000, 0, DISK, 8, "/lib/x");
	after = maps_find(maps, PID, 0x1000).object;
	assert_ptr_not_equal(after, before);
	map(maps, OTHER, 0x9000, 0x1000, 0, "/lib/x");
	again = maps_find(maps, OTHER, 0x9000).object;
	assert_ptr_equal(again, before);
	assert_int_equal(before->inode, 7);
	assert_true(before->dev == DISK);
	assert_int_equal(before->pid, OTHER);
}

/* Memory that is mapped ever again elsewhere, and whose end no event tells. */
static void forgets_before_it_grows_too_far(void **state)
{
	struct maps *maps = maps_of(state);

	maps_exec(maps, PID);
	for (u64 i = 1; i <= 70000; i++)
		map(maps, PID, i * 0x2000, 0x1000, 0, "//anon");
	is_at(maps, PID, 0x2000, "-", 0x2000);
	is_at(maps, PID, 70000 * 0x2000ULL, "[anon]", 70000 * 0x2000ULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(knows_bounds),
		TEST(a_new_mapping_replaces),
		TEST(overlaps_as_a_plain_array_has_it),
		TEST(refuses_lengths_that_wrap),
		TEST(fork_copies_and_exec_clears),
		TEST(exited_ones_are_kept_a_while),
		TEST(ids_are_used_again),
		TEST(exec_after_the_leaders_exit),
		TEST(tells_files_from_memory),
		TEST(a_replaced_file_is_another),
		TEST(forgets_before_it_grows_too_far),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("maps", tests, NULL, NULL);
}
