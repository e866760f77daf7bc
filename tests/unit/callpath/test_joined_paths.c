// SPDX-License-Identifier: GPL-2.0
/* Call paths of the kernel and of a program, joined. */
#include "call_paths_rig.h"

static const u64 in_kernel[] = { 0xffffffff81000010, 0xffffffff82000020 };
static const u64 in_program[] = { 0x1010, 0x1020, 0x1030 };

#define KERNEL_PATH 3
#define OTHER_KERNEL_PATH 4
#define USER_PATH 5

static const struct call_path *make_paths(struct rig *rig)
{
	maps_mmap(rig->maps, PID, 0x1000, 0x1000, 0x100, 1, 2, "/lib/a");
	fake_path(&rig->fake, KERNEL_PATH, GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL, in_kernel, 2);
	fake_path(&rig->fake, OTHER_KERNEL_PATH, GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL, in_kernel,
		  1);
	fake_path(&rig->fake, USER_PATH, GAPP_UNWIND_FULL | GAPP_PATH_BY_TABLE, in_program, 3);
	return call_paths_get(rig->paths, USER_PATH, PID, 1, 1);
}

static void frames_of_both_follow_each_other(void **state)
{
	struct rig *rig = *state;
	const struct call_path *user = make_paths(rig), *joined;

	joined = call_paths_join(rig->paths, KERNEL_PATH, user);
	assert_non_null(joined);
	assert_int_equal(joined->count, 5);
	assert_int_equal(joined->kernel_count, 2);
	assert_int_equal(joined->flags, user->flags);
	assert_int_equal(joined->method, PATH_BY_TABLE);
	assert_int_not_equal(joined->id, user->id);
	for (u16 i = 0; i < 2; i++) {
		assert_int_equal(joined->addresses[i].object->kind, OBJECT_KERNEL);
		assert_true(joined->addresses[i].offset == in_kernel[i]);
	}
	for (u16 i = 0; i < 3; i++)
		assert_int_equal(joined->addresses[2 + i].offset, 0x110 + 0x10 * i);
	/* where the interrupt came, and where the program entered the kernel, nothing was called */
	for (u16 i = 0; i < 5; i++)
		assert_int_equal(call_path_is_return(joined, i), i != 0 && i != 2);
	assert_ptr_equal(call_paths_get(rig->paths, USER_PATH, PID, 1, 2), user);
}

static void the_same_pair_is_one_path(void **state)
{
	struct rig *rig = *state;
	const struct call_path *user = make_paths(rig), *one, *other;

	one = call_paths_join(rig->paths, KERNEL_PATH, user);
	other = call_paths_join(rig->paths, OTHER_KERNEL_PATH, user);
	assert_ptr_not_equal(one, other);
	assert_int_equal(other->count, 4);
	assert_ptr_equal(call_paths_join(rig->paths, KERNEL_PATH, user), one);
	assert_ptr_equal(call_paths_join(rig->paths, OTHER_KERNEL_PATH, user), other);
}

static void one_of_both_may_be_missing(void **state)
{
	static const u32 none[] = { GAPP_PATH_NONE, GAPP_PATH_LOST, GAPP_PATH_COPY | 7, USER_PATH,
				    FAKE_SLOTS };
	struct rig *rig = *state;
	const struct call_path *user = make_paths(rig), *alone;

	for (size_t i = 0; i < ARRAY_SIZE(none); i++) {
		assert_ptr_equal(call_paths_join(rig->paths, none[i], user), user);
		assert_null(call_paths_join(rig->paths, none[i], NULL));
	}
	alone = call_paths_join(rig->paths, KERNEL_PATH, NULL);
	assert_int_equal(alone->count, 2);
	assert_int_equal(alone->kernel_count, 2);
	assert_int_equal(alone->flags, GAPP_PATH_KERNEL | GAPP_UNWIND_UNREADABLE);
	assert_ptr_equal(call_paths_join(rig->paths, KERNEL_PATH, NULL), alone);
}

/* Of two looks at a path of the same frames one may find that it is whole. */
static void an_end_that_is_found_later_counts(void **state)
{
	struct rig *rig = *state;
	const struct call_path *user = make_paths(rig), *joined;

	joined = call_paths_join(rig->paths, KERNEL_PATH, user);
	assert_int_equal(call_path_end(joined), GAPP_UNWIND_FULL);
	fake_path(&rig->fake, 6, GAPP_UNWIND_COMPLETE | GAPP_PATH_BY_TABLE, in_program, 3);
	assert_ptr_equal(call_paths_get(rig->paths, 6, PID, 1, 2), user);
	assert_int_equal(call_paths_finish_copies(rig->paths), 0);
	assert_int_equal(call_path_end(joined), GAPP_UNWIND_COMPLETE);
	assert_int_equal(joined->count, 5);
}

#define KERNEL_PATHS 1500
#define USER_PATHS 24

/* Beyond the bound a path is the program's alone. */
static void pairs_are_bounded(void **state)
{
	struct rig *rig = *state;
	const struct call_path *users[USER_PATHS];
	u32 made = 0;

	_Static_assert(KERNEL_PATHS * USER_PATHS > JOINED_MAX, "more than there may be");
	make_paths(rig);
	for (u32 i = 0; i < USER_PATHS; i++) {
		const u64 frame = 0x1100 + i;

		fake_path(&rig->fake, 8 + i, GAPP_UNWIND_COMPLETE, &frame, 1);
		users[i] = call_paths_get(rig->paths, 8 + i, PID, 1, 1);
	}
	for (u32 i = 0; i < KERNEL_PATHS; i++) {
		const u64 frame = 0xffffffff81000000 + i;
		u32 number = 8 + USER_PATHS + i;

		fake_path(&rig->fake, number, GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL, &frame, 1);
		for (u32 j = 0; j < USER_PATHS; j++)
			made += call_paths_join(rig->paths, number, users[j]) != users[j];
	}
	assert_int_equal(made, JOINED_MAX);
	/* what was joined is found still */
	assert_ptr_not_equal(call_paths_join(rig->paths, 8 + USER_PATHS, users[0]), users[0]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(frames_of_both_follow_each_other, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(the_same_pair_is_one_path, set_up, tear_down),
		cmocka_unit_test_setup_teardown(one_of_both_may_be_missing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(an_end_that_is_found_later_counts, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(pairs_are_bounded, set_up, tear_down),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("joined_paths", tests, NULL, NULL);
}
