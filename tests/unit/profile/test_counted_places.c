// SPDX-License-Identifier: GPL-2.0
/* What the module counted in critical slices, beside the places that they ran. */
#include "fake_code.h"

#include "profile/profile_private.h"

/* Adds what was counted in a slice, with two tallies. Comes after all samples. */
static void made_tallies(struct made *made, u64 first, u64 second, u32 uncounted)
{
	const u32 count = made->slice.sample_count;
	const u64 words[] = { (u64)2 << 32 | uncounted, first, second };
	u8 *behind = (u8 *)&made->samples[count] + (count + 1) / 2 * sizeof(u64);

	memcpy(behind, words, sizeof(words));
	made->slice.head.size += behind - (u8 *)&made->samples[count] + sizeof(words);
	made->slice.flags |= GAPP_SLICE_TALLIES;
}

/* A slice of a millisecond that ended in main(). */
static void fold_counted(u64 share, u64 first, u64 second, u32 uncounted)
{
	struct made made = made_slice(11, 10, path_of("main:2"), share);

	made_tallies(&made, first, second, uncounted);
	fold(profile, &made);
}

static void check_row(const struct ranked *row, double ns, double first, double second)
{
	assert_non_null(row);
	near(row->counted.ns, ns);
	near(row->counted.counts[0], first);
	near(row->counted.counts[1], second);
}

static void slices_count_where_they_ended(void **state)
{
	static const enum by bys[] = { BY_PLACE, BY_PATH, BY_FUNCTION, BY_LINE, BY_THREAD };

	(void)state;
	fold_counted(SHARE(MS(1)), 300, 7, 0);
	fold_counted(SHARE(MS(1)), 100, 0, 0);
	for (size_t i = 0; i < ARRAY_SIZE(bys); i++) {
		struct ranking ranking = ranking_by(profile, bys[i]);

		assert_int_equal(ranking.count, 1);
		check_row(&ranking.rows[0], MS(2), 400, 7);
		assert_int_equal(ranking.rows[0].counted.missing, 0);
		ranking_free(&ranking);
	}
}

/* Its paths have the parts of what was counted that they have of its share; the thread has all. */
static void a_sampled_slice_is_divided(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(4)));
	struct ranking ranking;

	(void)state;
	made_sample(&made, path_of("read:1 main:2"), SHARE(MS(1)));
	made_sample(&made, path_of("hash:1 main:2"), SHARE(MS(3)));
	made_tallies(&made, 1000, 1, 0);
	fold(profile, &made);
	ranking = ranking_by(profile, BY_FUNCTION);
	check_row(row_of(&ranking, PATH_RAN, "read"), MS(1) / 4.0, 250, 0.25);
	check_row(row_of(&ranking, PATH_RAN, "hash"), 3 * MS(1) / 4.0, 750, 0.75);
	ranking_free(&ranking);
	ranking = ranking_by(profile, BY_THREAD);
	check_row(&ranking.rows[0], MS(1), 1000, 1);
	ranking_free(&ranking);
}

static void slices_that_were_not_critical_do_not_count(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_counted(0, 1000000, 1000000, 3);
	fold_counted(SHARE(MS(1)), 5, 6, 0);
	ranking = ranking_by(profile, BY_PATH);
	check_row(&ranking.rows[0], MS(1), 5, 6);
	assert_int_equal(ranking.rows[0].counted.missing, 0);
	ranking_free(&ranking);
}

static void what_is_missing_is_said(void **state)
{
	struct ranking ranking;

	(void)state;
	fold_counted(SHARE(MS(1)), 5, 6, 0);
	fold_counted(SHARE(MS(1)), 5, 0, 2);
	ranking = ranking_by(profile, BY_PATH);
	check_row(&ranking.rows[0], MS(2), 10, 6);
	assert_int_equal(ranking.rows[0].counted.missing, 2);
	ranking_free(&ranking);
}

/* The record says that it has more tallies than it has room for, or more than there may be. */
static void made_up_records_are_harmless(void **state)
{
	struct made made = made_slice(11, 10, path_of("main:2"), SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	made_tallies(&made, 1, 2, 0);
	made.slice.head.size -= sizeof(u64);
	fold(profile, &made);
	made.slice.head.size -= sizeof(u64);
	made.slice.head.size -= sizeof(u64);
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	check_row(&ranking.rows[0], 0, 0, 0);
	near(ranking.rows[0].critical_ns, MS(2));
	ranking_free(&ranking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(slices_count_where_they_ended),
		TEST(a_sampled_slice_is_divided),
		TEST(slices_that_were_not_critical_do_not_count),
		TEST(what_is_missing_is_said),
		TEST(made_up_records_are_harmless),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("counted_places", tests, NULL, NULL);
}
