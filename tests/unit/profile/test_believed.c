// SPDX-License-Identifier: GPL-2.0
/* How much of a path is believed, and who found it. */
#include "fake_code.h"

#include "profile/profile_private.h"

static void take(u32 path, u64 ns)
{
	struct made made = made_slice(11, 10, path, SHARE(ns));

	fold(profile, &made);
}

static void what_cannot_be_believed_is_cut(void **state)
{
	struct profile_sums sums;
	struct ranking ranking;

	(void)state;
	take(path_of("a:1 !b:1 wrong:1 _start:1"), MS(8));
	take(path_of("c:1 $d:1 beyond:1"), MS(4));
	take(path_of("e:1 main:1 _libc_start:1 _start:1"), MS(2));
	take(path_of("f:1 main:1"), MS(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 4);
	assert_int_equal(ranking.rows[0].frame_count, 2);
	assert_false(ranking.rows[0].complete);
	assert_int_equal(ranking.rows[1].frame_count, 2);
	assert_true(ranking.rows[1].complete);
	assert_int_equal(ranking.rows[2].frame_count, 2);
	assert_true(ranking.rows[2].complete);
	assert_true(ranking.rows[3].complete);
	profile_sums(profile, &sums);
	near(sums.complete_ns, MS(7));
	ranking_free(&ranking);
}

static void a_walk_that_found_no_frame_is_cut(void **state)
{
	struct made made = made_slice(11, 10, cut_path_of("a:1 b:1"), SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_false(ranking.rows[0].complete);
	ranking_free(&ranking);
}

/* Tables and copies follow the rule of each frame: nothing of theirs is left out. */
static void paths_by_tables_and_copies_are_believed(void **state)
{
	struct profile_sums sums;
	struct ranking ranking;

	(void)state;
	take(path_by(PATH_BY_TABLE, "a:1 !b:1 right:1 main:1 _start:1", GAPP_UNWIND_COMPLETE),
	     MS(8));
	take(path_by(PATH_BY_COPY, "c:1 !d:1 main:1", GAPP_UNWIND_COMPLETE), MS(7));
	take(path_by(PATH_BY_TABLE, "_clone:1 spawn:1 main:1 _start:1", GAPP_UNWIND_COMPLETE),
	     MS(6));
	/* the C library says nothing of where threads begin */
	take(path_by(PATH_BY_TABLE, "e:1 _thread:1", GAPP_UNWIND_NO_FRAME), MS(5));
	take(path_by(PATH_BY_COPY, "f:1 g:1", PATH_END_COPY), MS(4));
	take(path_by(PATH_BY_TABLE, "h:1 i:1", GAPP_UNWIND_FULL), MS(3));
	take(path_by(PATH_BY_FP, "j:1 !k:1 wrong:1", GAPP_UNWIND_COMPLETE), MS(2));
	take(path_by(PATH_BY_FP, "l:1 main:1 _start:1", GAPP_UNWIND_NO_FRAME), MS(1));
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 8);
	/* what begins programs and threads is left out, but where the path is in it */
	assert_int_equal(ranking.rows[0].frame_count, 4);
	assert_int_equal(ranking.rows[1].frame_count, 3);
	assert_int_equal(ranking.rows[2].frame_count, 3);
	for (int i = 0; i < 8; i++)
		assert_int_equal(ranking.rows[i].complete, i < 4 || i == 7);
	assert_int_equal(ranking.rows[6].frame_count, 2);
	profile_sums(profile, &sums);
	near(sums.complete_ns, MS(27));
	near(sums.complete_by_ns[PATH_BY_TABLE], MS(19));
	near(sums.complete_by_ns[PATH_BY_COPY], MS(7));
	near(sums.complete_by_ns[PATH_BY_FP], MS(1));
	near(sums.cut_ns[PATH_END_COPY], MS(4));
	near(sums.cut_ns[GAPP_UNWIND_FULL], MS(3));
	near(sums.cut_ns[PATH_END_NO_FP], MS(2));
	near(sums.cut_ns[GAPP_UNWIND_NO_FRAME], 0);
	ranking_free(&ranking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_cannot_be_believed_is_cut),
		TEST(a_walk_that_found_no_frame_is_cut),
		TEST(paths_by_tables_and_copies_are_believed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("believed", tests, NULL, NULL);
}
