// SPDX-License-Identifier: GPL-2.0
/* Paths through something that was mapped in place of another thing: at the same addresses. */
#include "call_paths_rig.h"

#include <limits.h>

#include "profile/profile_private.h"

#define PROGRAM 0x1000
#define PLUGIN 0x2000
#define SELF "/proc/self/exe"

static const u64 frames[] = { PLUGIN + 0x20, PROGRAM + 0x30 };

static void map_at(struct rig *rig, pid_t pid, u64 start, u64 offset, const char *path)
{
	maps_mmap(rig->maps, pid, start, 0x1000, offset, 1, path[5], path);
}

static void map(struct rig *rig, pid_t pid, const char *path)
{
	map_at(rig, pid, PLUGIN, 0x100, path);
}

static int map_both(void **state)
{
	struct rig *rig;

	if (set_up(state))
		return -1;
	rig = *state;
	fake_path(&rig->fake, 3, GAPP_UNWIND_COMPLETE, frames, 2);
	fake_path(&rig->fake, 4, GAPP_UNWIND_COMPLETE, frames, 2);
	for (pid_t pid = PID; pid <= OTHER; pid++) {
		map_at(rig, pid, PROGRAM, 0, "/bin/program");
		map(rig, pid, "/lib/a");
	}
	return 0;
}

static void is_in(struct rig *rig, u32 path, pid_t pid, u64 time_ns, const char *name, u64 offset)
{
	const struct call_path *stack = call_paths_get(rig->paths, path, pid, time_ns, time_ns);

	assert_non_null(stack);
	assert_string_equal(stack->addresses[0].object->name, name);
	assert_int_equal(stack->addresses[0].offset, offset);
}

static void what_comes_in_its_place(void **state)
{
	struct rig *rig = *state;

	is_in(rig, 3, PID, 1, "a", 0x120);
	is_in(rig, 4, OTHER, 2, "a", 0x120);
	map(rig, PID, "/lib/b");
	is_in(rig, 4, OTHER, 3, "a", 0x120);
	is_in(rig, 3, PID, 4, "b", 0x120);
	map(rig, OTHER, "/lib/c");
	is_in(rig, 3, PID, 5, "b", 0x120);
	is_in(rig, 4, OTHER, 6, "c", 0x120);
	map(rig, PID, "/lib/a");
	is_in(rig, 3, PID, 7, "a", 0x120);
	/* other code of the same file */
	map_at(rig, PID, PLUGIN, 0x400, "/lib/a");
	is_in(rig, 3, PID, 8, "a", 0x420);
}

/* Protected otherwise, or with a neighbour. */
static void the_same_again_is_no_change(void **state)
{
	struct rig *rig = *state;
	u64 changes = *maps_changes(rig->maps);

	map(rig, PID, "/lib/a");
	map_at(rig, PID, PLUGIN + 0x1000, 0x1100, "/lib/a");
	maps_mmap(rig->maps, PID, PLUGIN, 0x2000, 0x100, 1, 'a', "/lib/a");
	map_at(rig, PID, 0x9000, 0, "/lib/b");
	map_at(rig, PID, 0x20000, 0, "//anon");
	map_at(rig, PID, 0x20800, 0, "//anon");
	assert_int_equal(*maps_changes(rig->maps), changes);
	map_at(rig, PID, 0x20800, 0, "/lib/b");
	assert_int_equal(*maps_changes(rig->maps), changes + 1);
}

static void paths_outlive_their_process(void **state)
{
	struct rig *rig = *state;

	is_in(rig, 3, PID, 1, "a", 0x120);
	map(rig, PID, "/lib/b");
	is_in(rig, 3, PID, 2, "b", 0x120);
	maps_exit(rig->maps, PID);
	map(rig, OTHER, "/lib/c");
	is_in(rig, 3, PID, SECONDS(60), "b", 0x120);
	/* there is none by now, so there is no reading what it maps */
	is_in(rig, 4, OTHER, SECONDS(61), "c", 0x120);
	maps_missed(rig->maps);
	is_in(rig, 4, OTHER, SECONDS(62), "c", 0x120);
}

static u64 map_self(const char *path, u64 where)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), flags = MAP_PRIVATE | (where ? MAP_FIXED : 0);
	void *at = mmap((void *)(uintptr_t)where, FAKE_PAGE, PROT_READ | PROT_EXEC, flags, fd, 0);

	close(fd);
	assert_true(at != MAP_FAILED);
	return (uintptr_t)at;
}

/* Of what is mapped of it. */
static const char *name_of(const char *path)
{
	static char whole[PATH_MAX];

	assert_non_null(realpath(path, whole));
	return basename(whole);
}

static void what_came_unseen(void **state)
{
	u64 at = map_self("/bin/sh", 0);
	struct rig *rig = *state;

	fake_path(&rig->fake, 5, GAPP_UNWIND_COMPLETE, &at, 1);
	is_in(rig, 5, getpid(), 1, name_of("/bin/sh"), 0);
	map_self(SELF, at);
	is_in(rig, 5, getpid(), 2, name_of("/bin/sh"), 0);
	maps_missed(rig->maps);
	is_in(rig, 5, getpid(), 3, name_of(SELF), 0);
	/* what has gone has left its name */
	munmap((void *)(uintptr_t)at, FAKE_PAGE);
	maps_missed(rig->maps);
	is_in(rig, 5, getpid(), 4, name_of(SELF), 0);
}

static void fold(struct profile *profile, u64 time_ns)
{
	struct gapp_record_slice slice = {
		.head = { .type = GAPP_RECORD_SLICE, .size = sizeof(slice), .time_ns = time_ns },
		.begin_ns = time_ns - 1000,
		.tid = PID,
		.tgid = PID,
		.path = 3,
		.critical_share = SHARE(1000),
		.own_critical_share = SHARE(1000),
		.slices = 1,
		.n = 1,
	};

	assert_int_equal(profile_add_slice(profile, &slice), 0);
}

static double ns_of(const struct profile *profile, u32 stack)
{
	u64 share = 0;

	for (u32 i = 0; i < profile->cells.index.count; i++)
		if (profile->cells.rows[i].key.end == stack)
			share += profile->cells.rows[i].figures.critical_share;
	return share_ns_exactly(share);
}

static void slices_that_are_alike_but_for_that(void **state)
{
	struct rig *rig = *state;
	struct profile *profile = profile_new(rig->paths);
	struct profile_sums sums;

	assert_non_null(profile);
	for (u64 i = 0; i < 60; i++) {
		if (i == 20)
			map(rig, PID, "/lib/b");
		if (i == 50)
			map(rig, PID, "/lib/a");
		fold(profile, MS(1 + i));
	}
	profile_sums(profile, &sums);
	assert_int_equal(sums.stacks, 2);
	assert_true(ns_of(profile, 0) == 30000 && ns_of(profile, 1) == 30000);
	profile_free(profile);
}

/* A number is a path of the program of its time, whatever that had replaced. */
static void another_program_at_the_same_addresses(void **state)
{
	struct rig *rig = *state;

	is_in(rig, 3, PID, 1, "a", 0x120);
	is_in(rig, 3, OTHER, 2, "a", 0x120);
	map_at(rig, PID, 0x5000, 0, "/lib/b");
	map_at(rig, PID, 0x5000, 0, "/lib/c");
	maps_exec(rig->maps, PID);
	map_at(rig, PID, PROGRAM, 0, "/bin/program");
	map(rig, PID, "/lib/d");
	is_in(rig, 3, PID, 3, "a", 0x120);
	is_in(rig, 4, PID, 4, "d", 0x120);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, map_both, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_comes_in_its_place),
		TEST(the_same_again_is_no_change),
		TEST(paths_outlive_their_process),
		TEST(another_program_at_the_same_addresses),
		TEST(what_came_unseen),
		TEST(slices_that_are_alike_but_for_that),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stacks_replaced", tests, NULL, NULL);
}
