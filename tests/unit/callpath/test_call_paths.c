// SPDX-License-Identifier: GPL-2.0
/* Call paths by what their frames are in. */
#include "call_paths_rig.h"

static void map(struct rig *rig, pid_t pid, u64 start, u64 length, const char *path)
{
	maps_mmap(rig->maps, pid, start, length, 0x100, 1, 2, path);
}

static void is_place(const struct call_path *stack, u16 i, const char *name, u64 offset)
{
	assert_true(i < stack->count);
	assert_string_equal(stack->addresses[i].object->name, name);
	assert_int_equal(stack->addresses[i].offset, offset);
}

static const struct call_path *get(struct rig *rig, u32 path, pid_t pid, u64 time_ns)
{
	return call_paths_get(rig->paths, path, pid, time_ns, time_ns);
}

static void the_same_path_of_two_processes_is_one(void **state)
{
	static const u64 frames[] = { 0x1010, 0x2020 }, elsewhere[] = { 0x51010, 0x62020 };
	static const u64 longer[] = { 0x1010, 0x2020, 0x2020 };
	struct rig *rig = *state;
	const struct call_path *one, *two, *three;

	map(rig, PID, 0x1000, 0x1000, "/lib/a");
	map(rig, PID, 0x2000, 0x1000, "/lib/b");
	map(rig, OTHER, 0x51000, 0x1000, "/lib/a");
	map(rig, OTHER, 0x62000, 0x1000, "/lib/b");
	fake_path(&rig->fake, 3, GAPP_UNWIND_FULL, frames, 2);
	fake_path(&rig->fake, 60, GAPP_UNWIND_COMPLETE, elsewhere, 2);
	fake_path(&rig->fake, 5, GAPP_UNWIND_COMPLETE, longer, 3);

	one = get(rig, 3, PID, 1);
	assert_non_null(one);
	assert_int_equal(one->id, 0);
	assert_int_equal(one->count, 2);
	assert_int_equal(one->flags, GAPP_UNWIND_FULL);
	is_place(one, 0, "a", 0x110);
	is_place(one, 1, "b", 0x120);
	two = get(rig, 60, OTHER, 2);
	assert_ptr_equal(one, two);
	assert_int_equal(one->flags, GAPP_UNWIND_COMPLETE);
	three = get(rig, 5, PID, 3);
	assert_ptr_not_equal(three, one);
	assert_int_equal(three->id, 1);
	/* as they were when first seen */
	maps_exec(rig->maps, PID);
	assert_ptr_equal(get(rig, 3, PID, SECONDS(50)), one);
}

static void a_call_may_end_a_mapping(void **state)
{
	static const u64 frames[] = { 0x2000, 0x2000, 0 };
	struct rig *rig = *state;
	const struct call_path *stack;

	map(rig, PID, 0x1000, 0x1000, "/lib/a");
	map(rig, PID, 0x2000, 0x1000, "/lib/b");
	fake_path(&rig->fake, 0, GAPP_UNWIND_COMPLETE, frames, 3);
	stack = get(rig, 0, PID, 1);
	assert_non_null(stack);
	is_place(stack, 0, "b", 0x100);
	/* a return address: behind the last byte of a */
	is_place(stack, 1, "a", 0x1100);
	is_place(stack, 2, "[unknown]", 0);
}

static void kernel_addresses_are_the_kernels(void **state)
{
	static const u64 frames[] = { 0xffffffff81000010, 0x1010 };
	struct rig *rig = *state;
	const struct call_path *stack;

	map(rig, PID, 0x1000, 0x1000, "/lib/a");
	fake_path(&rig->fake, 0, GAPP_PATH_KERNEL, frames, 2);
	stack = get(rig, 0, PID, 1);
	assert_non_null(stack);
	assert_int_equal(stack->flags, GAPP_PATH_KERNEL);
	is_place(stack, 0, "[kernel]", 0xffffffff81000010);
	is_place(stack, 1, "[kernel]", 0x1010);
	assert_int_equal(stack->addresses[1].object->kind, OBJECT_KERNEL);
}

static void paths_that_are_not_there(void **state)
{
	static const u64 frame = 0x1010;
	struct rig *rig = *state;

	assert_null(get(rig, GAPP_PATH_NONE, PID, 1));
	assert_null(get(rig, GAPP_PATH_LOST, PID, 1));
	assert_null(get(rig, FAKE_SLOTS, PID, 1));
	assert_null(get(rig, 9, PID, 1));
	fake_path(&rig->fake, 10, 0, &frame, 0);
	assert_null(get(rig, 10, PID, 1));
	/* filled in a moment later */
	fake_path(&rig->fake, 9, 0, &frame, 1);
	assert_non_null(get(rig, 9, PID, 1));
	assert_non_null(get(rig, 9, 0, 1));
}

static void what_is_unknown_is_looked_up_again(void **state)
{
	static const u64 frame = 0x1010;
	struct rig *rig = *state;

	fake_path(&rig->fake, 0, 0, &frame, 1);
	is_place(get(rig, 0, PID, MS(1)), 0, "[unknown]", 0x1010);
	map(rig, PID, 0x1000, 0x1000, "/lib/late");
	is_place(get(rig, 0, PID, MS(50)), 0, "[unknown]", 0x1010);
	is_place(get(rig, 0, PID, MS(101)), 0, "late", 0x110);
	/* and not for ever */
	fake_path(&rig->fake, 1, 0, &(u64){ 0x9010 }, 1);
	for (u64 time = MS(200); time < SECONDS(20); time += MS(100))
		is_place(get(rig, 1, PID, time), 0, "[unknown]", 0x9010);
	map(rig, PID, 0x9000, 0x1000, "/lib/later");
	is_place(get(rig, 1, PID, SECONDS(60)), 0, "[unknown]", 0x9010);
}

static void many_are_found_again(void **state)
{
	const struct call_path *first[FAKE_SLOTS];
	struct rig *rig = *state;

	map(rig, PID, 0x1000, 0x10000, "/lib/a");
	map(rig, OTHER, 0x1000, 0x10000, "/lib/a");
	for (u32 i = 0; i < FAKE_SLOTS; i++)
		fake_path(&rig->fake, i, 0, &(u64){ 0x1000 + i % 1500 }, 1);
	for (u32 i = 0; i < FAKE_SLOTS; i++) {
		first[i] = get(rig, i, PID, 1);
		assert_non_null(first[i]);
		assert_int_equal(first[i]->id, i % 1500);
		is_place(first[i], 0, "a", 0x100 + i % 1500);
	}
	for (u32 i = 0; i < FAKE_SLOTS; i++)
		assert_ptr_equal(get(rig, i, OTHER, 2), first[i % 1500]);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_same_path_of_two_processes_is_one), TEST(a_call_may_end_a_mapping),
		TEST(kernel_addresses_are_the_kernels),	     TEST(paths_that_are_not_there),
		TEST(what_is_unknown_is_looked_up_again),    TEST(many_are_found_again),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("stacks", tests, NULL, NULL);
}
