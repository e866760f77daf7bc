// SPDX-License-Identifier: GPL-2.0
/* Paths that were walked by what the module was told of code that had gone. */
#include "call_paths_rig.h"

#include <fcntl.h>

#define LIBRARY 0x2000
#define BY_TABLE (GAPP_PATH_BY_TABLE | GAPP_UNWIND_COMPLETE)

static const u64 frames[] = { 0x1010, 0x2020, 0x1030, 0x1040 };
static bool starved;

/* In place of libc's. */
void *reallocarray(void *old, size_t count, size_t size)
{
	return starved ? NULL : realloc(old, count * size);
}

static void map(struct rig *rig, u64 start, const char *path)
{
	maps_mmap(rig->maps, PID, start, 0x1000, 0x100, 1, start, path);
}

static int map_library(void **state)
{
	struct rig *rig;

	if (set_up(state))
		return -1;
	rig = *state;
	call_paths_set_outdated(rig->paths, rig->stale);
	map(rig, 0x1000, "/bin/program");
	map(rig, LIBRARY, "/lib/old");
	return 0;
}

static const struct call_path *get(struct rig *rig, u32 path, u64 begin_ns, u64 time_ns)
{
	const struct call_path *stack = call_paths_get(rig->paths, path, PID, begin_ns, time_ns);

	assert_non_null(stack);
	return stack;
}

static void is_whole(const struct call_path *stack)
{
	assert_int_equal(stack->count, ARRAY_SIZE(frames));
	assert_int_equal(call_path_end(stack), GAPP_UNWIND_COMPLETE);
	assert_int_equal(stack->method, PATH_BY_TABLE);
}

static void is_cut(const struct call_path *stack)
{
	assert_int_equal(stack->count, 2);
	assert_int_equal(call_path_end(stack), GAPP_UNWIND_UNMAPPED);
	assert_int_equal(stack->method, PATH_BY_TABLE);
}

static void replace(struct rig *rig, u64 begin_ns, u64 told_ns)
{
	map(rig, LIBRARY, "/lib/new");
	outdated_add(rig->stale, PID, LIBRARY, 0x1000, begin_ns, OUTDATED_OPEN);
	outdated_sent(rig->stale, PID, told_ns, told_ns);
}

static void of_a_record_not_of_a_number(void **state)
{
	const struct call_path *before, *cut, *after;
	struct rig *rig = *state;

	fake_path(&rig->fake, 3, BY_TABLE, frames, ARRAY_SIZE(frames));
	before = get(rig, 3, 90, 99);
	is_whole(before);
	replace(rig, 100, 200);
	cut = get(rig, 3, 150, 150);
	is_cut(cut);
	/* what is there now, not what had been there */
	assert_string_equal(cut->addresses[1].object->name, "new");
	assert_ptr_equal(get(rig, 3, 150, 151), cut);
	after = get(rig, 3, 201, 210);
	is_whole(after);
	assert_string_equal(after->addresses[1].object->name, "new");
	is_whole(before);
	assert_string_equal(before->addresses[1].object->name, "old");
	/* samples are of any time of their slice */
	is_cut(get(rig, 3, 50, 150));
	is_cut(get(rig, 3, 200, 220));
	is_cut(get(rig, 3, 50, 230));
	assert_ptr_equal(get(rig, 3, 240, 250), after);
}

static void a_number_that_is_seen_first_then(void **state)
{
	struct rig *rig = *state;
	const struct call_path *cut;

	fake_path(&rig->fake, 3, BY_TABLE, frames, ARRAY_SIZE(frames));
	replace(rig, 100, 200);
	cut = get(rig, 3, 150, 150);
	is_cut(cut);
	assert_int_equal(cut->id, 0);
	is_whole(get(rig, 3, 300, 300));
	is_cut(cut);
}

/* The walk went astray at its last frame, and took it for the end. */
static void a_path_that_ends_there(void **state)
{
	struct rig *rig = *state;
	const struct call_path *cut, *whole;

	fake_path(&rig->fake, 3, BY_TABLE, frames, ARRAY_SIZE(frames));
	fake_path(&rig->fake, 4, BY_TABLE, frames, 2);
	replace(rig, 100, 200);
	cut = get(rig, 3, 150, 150);
	is_cut(cut);
	assert_ptr_equal(get(rig, 4, 150, 160), cut);
	whole = get(rig, 4, 300, 300);
	assert_int_equal(whole->count, 2);
	assert_int_equal(call_path_end(whole), GAPP_UNWIND_COMPLETE);
	is_cut(cut);
	is_cut(get(rig, 3, 150, 170));
}

static void only_behind_what_is_stale(void **state)
{
	static const u64 before[] = { 0x1010, 0x1020 }, last[] = { 0x1010, 0x2020 };
	/* the call is the last instruction of the library, or of what is before it */
	static const u64 called[] = { 0x1010, 0x3000, 0x1030 };
	static const u64 beside[] = { 0x1010, 0x2000, 0x1030 };
	struct rig *rig = *state;

	replace(rig, 100, 200);
	fake_path(&rig->fake, 1, BY_TABLE, before, 2);
	fake_path(&rig->fake, 2, BY_TABLE, last, 2);
	fake_path(&rig->fake, 3, BY_TABLE, called, 3);
	fake_path(&rig->fake, 4, BY_TABLE, beside, 3);
	fake_path(&rig->fake, 5, BY_TABLE | GAPP_PATH_BY_FP, frames, 4);
	fake_path(&rig->fake, 6, GAPP_PATH_BY_FP | GAPP_UNWIND_COMPLETE, frames, 4);
	assert_int_equal(call_path_end(get(rig, 1, 150, 150)), GAPP_UNWIND_COMPLETE);
	is_cut(get(rig, 2, 150, 150));
	is_cut(get(rig, 3, 150, 150));
	assert_int_equal(get(rig, 4, 150, 150)->count, 3);
	assert_int_equal(get(rig, 5, 150, 150)->count, 2);
	/* frame pointers lead to where they lead, whatever the module knows */
	assert_int_equal(get(rig, 6, 150, 150)->count, 4);
	/* another process */
	assert_int_equal(call_paths_get(rig->paths, 5, PID + 1, 150, 150)->count, 4);
	assert_null(call_paths_get(rig->paths, 9, PID, 150, 150));
	assert_null(call_paths_get(rig->paths, GAPP_PATH_NONE, PID, 150, 150));
}

/* What goes along is of the last frame: which is wrong if it was found by what is stale. */
static void copies(void **state)
{
	static const u64 last[] = { 0x1010, 0x2030 };
	struct gapp_record_stack_copy tail = {
		.head = { .type = GAPP_RECORD_STACK_COPY, .size = sizeof(tail), .time_ns = 150 },
		.tgid = PID,
	};
	struct rig *rig = *state;

	replace(rig, 100, 200);
	fake_path(&rig->fake, 1, GAPP_PATH_BY_TABLE | GAPP_UNWIND_NO_RULE, frames, 4);
	fake_path(&rig->fake, 2, GAPP_PATH_BY_TABLE | GAPP_UNWIND_NO_RULE, last, 2);
	for (u32 i = 1; i <= 2; i++) {
		tail.copy = i;
		tail.path = i;
		assert_int_equal(call_paths_add_copy(rig->paths, &tail), 0);
	}
	tail.copy = 3;
	tail.path = 1;
	tail.head.time_ns = 250;
	assert_int_equal(call_paths_add_copy(rig->paths, &tail), 0);
	is_cut(get(rig, GAPP_PATH_COPY | 1, 150, 300));
	assert_int_equal(get(rig, GAPP_PATH_COPY | 2, 150, 300)->count, 2);
	assert_int_equal(get(rig, GAPP_PATH_COPY | 3, 150, 300)->count, 4);
	/* what was finished is not cut again */
	assert_int_equal(get(rig, GAPP_PATH_COPY | 3, 150, 150)->count, 4);
}

/* Lines that looking up path 1 writes to stderr. */
static unsigned int complaints(struct rig *rig)
{
	int ends[2], old = dup(STDERR_FILENO);
	const struct call_path *found;
	unsigned int lines = 0;
	char said[512];
	ssize_t bytes;

	assert_true(old >= 0);
	assert_int_equal(pipe2(ends, O_NONBLOCK | O_CLOEXEC), 0);
	dup2(ends[1], STDERR_FILENO);
	found = call_paths_get(rig->paths, 1, PID, 150, 150);
	dup2(old, STDERR_FILENO);
	bytes = read(ends[0], said, sizeof(said));
	for (ssize_t i = 0; i < bytes; i++)
		lines += said[i] == '\n';
	close(ends[0]);
	close(ends[1]);
	close(old);
	assert_null(found);
	return lines;
}

/* It is said, but not for each record; and what has no path then may have one later. */
static void no_memory(void **state)
{
	struct gapp_record_stack_copy tail = {
		.head = { .type = GAPP_RECORD_STACK_COPY, .size = sizeof(tail), .time_ns = 150 },
		.tgid = PID,
		.copy = 1,
		.path = 1,
	};
	struct rig *rig = *state;

	replace(rig, 100, 200);
	fake_path(&rig->fake, 1, GAPP_PATH_BY_TABLE | GAPP_UNWIND_NO_RULE, frames, 4);
	starved = true;
	assert_int_equal(complaints(rig), 1);
	assert_int_equal(complaints(rig), 0);
	assert_int_equal(call_paths_add_copy(rig->paths, &tail), -1);
	starved = false;
	assert_int_equal(call_paths_add_copy(rig->paths, &tail), 0);
	is_cut(get(rig, GAPP_PATH_COPY | 1, 150, 300));
	is_cut(get(rig, 1, 150, 150));
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, map_library, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(of_a_record_not_of_a_number),
		TEST(a_number_that_is_seen_first_then),
		TEST(a_path_that_ends_there),
		TEST(only_behind_what_is_stale),
		TEST(copies),
		TEST(no_memory),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stacks_stale", tests, NULL, NULL);
}
