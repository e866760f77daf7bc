// SPDX-License-Identifier: GPL-2.0
/* Which path gets the blame, and that no share is lost on the way. */
#include "fake_code.h"

#include "profile/profile_private.h"

static double critical_of(const struct ranking *ranking, const char *function)
{
	const struct ranked *row = row_of(ranking, PATH_RAN, function);

	return row ? row->critical_ns : 0;
}

static void samples_carry_their_growth(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2 _start:1"), SHARE(MS(10)));
	struct ranking ranking;

	(void)state;
	made_sample(&made, path_of("parse:1 main:3 _start:1"), SHARE(MS(2)));
	made_sample(&made, path_of("hash:1 main:4 _start:1"), SHARE(MS(5)));
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 2);
	/* the rest, 3 ms, came after the last sample */
	near(critical_of(&ranking, "hash"), MS(8));
	near(critical_of(&ranking, "parse"), MS(2));
	near(ranking.rows[0].inferred_ns, 0);
	assert_int_equal(ranking.rows[0].samples, 1);
	assert_int_equal(ranking.rows[0].slices, 1);
	assert_int_equal(ranking.rows[1].slices, 1);
	assert_false(ranking.rows[0].lines[0].stack_top);
	ranking_free(&ranking);
}

/* 2 us slices that no sample hits, three times as often on one path as on the other. */
static void three_to_one_without_samples(void **state)
{
	struct made hot = made_slice(11, 10, path_of("unlock:1 hot:1 main:2"), SHARE(US(2)));
	struct made cold = made_slice(11, 10, path_of("unlock:1 cold:1 main:3"), SHARE(US(2)));
	struct ranking ranking;

	(void)state;
	for (u32 i = 0; i < 1000; i++) {
		fold(profile, &hot);
		fold(profile, &hot);
		fold(profile, &hot);
		fold(profile, &cold);
	}
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 2);
	assert_string_equal(ranking.rows[0].frames[1].function, "hot");
	near(ranking.rows[0].critical_ns, MS(6));
	near(ranking.rows[1].critical_ns, MS(2));
	near(ranking.rows[0].inferred_ns, MS(6));
	assert_int_equal(ranking.rows[0].slices, 3000);
	assert_int_equal(ranking.rows[0].then[GAPP_WAIT_OTHER], 3000);
	assert_true(ranking.rows[0].lines[0].stack_top);
	ranking_free(&ranking);
}

/* A record's @then is of its last slice: what ended the earlier ones it does not say. */
static void why_earlier_slices_ended_is_not_known(void **state)
{
	u32 wait = path_of("unlock:1 f:2 main:1"), sampled = path_of("g:1 main:1");
	struct made made = made_slice(11, 10, wait, SHARE(MS(8)));
	struct ranking ranking;

	(void)state;
	made.slice.slices = 8;
	made.slice.own_critical_share = SHARE(MS(1));
	fold(profile, &made);
	/* only earlier ones, too */
	made.slice.flags |= GAPP_SLICE_REST;
	made.slice.own_critical_share = 0;
	fold(profile, &made);
	made.slice.flags &= ~GAPP_SLICE_REST;
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.rows[0].slices, 16);
	assert_int_equal(ranking.rows[0].then[GAPP_WAIT_OTHER], 1);
	ranking_free(&ranking);

	made.slice.own_critical_share = SHARE(MS(4));
	made_sample(&made, sampled, SHARE(MS(4)));
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 2);
	assert_int_equal(ranking.rows[0].slices + ranking.rows[1].slices, 24);
	assert_int_equal(
		ranking.rows[0].then[GAPP_WAIT_OTHER] + ranking.rows[1].then[GAPP_WAIT_OTHER], 2);
	ranking_free(&ranking);
}

static void made_samples(struct made *made, u32 path, u64 share, u32 count)
{
	while (count--)
		made_sample(made, path, share);
}

static void unsampled_go_where_sampled_ran(void **state)
{
	u32 wait = path_of("wait:1 main:2"), here = path_of("here:1 main:3");
	u32 there = path_of("there:1 main:4");
	struct made sampled = made_slice(11, 10, wait, SHARE(MS(4)));
	struct made unsampled = made_slice(12, 10, wait, SHARE(MS(8)));
	struct made foreign = made_slice(21, 20, wait, SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	made_samples(&sampled, here, SHARE(MS(1)), 3);
	made_samples(&sampled, there, SHARE(US(500)), 2);
	unsampled.slice.slices = 8;
	unsampled.slice.own_critical_share = SHARE(MS(1));
	fold(profile, &unsampled);
	fold(profile, &foreign);
	fold(profile, &sampled);

	ranking = ranking_by(profile, BY_PATH);
	near(critical_of(&ranking, "here"), MS(9));
	near(critical_of(&ranking, "there"), MS(3));
	/* no slice of that process was sampled */
	near(critical_of(&ranking, "wait"), MS(1));
	near(row_of(&ranking, PATH_RAN, "here")->inferred_ns, MS(6));
	assert_int_equal(row_of(&ranking, PATH_RAN, "here")->slices, 7);
	assert_int_equal(row_of(&ranking, PATH_RAN, "there")->slices, 3);
	assert_int_equal(row_of(&ranking, PATH_RAN, "here")->samples, 3);
	assert_int_equal(row_of(&ranking, PATH_RAN, "wait")->slices, 1);
	ranking_free(&ranking);
}

/* What ran before there were threads kept nobody waiting, though its slices ended on that path. */
static void share_during_waits_goes_where_others_waited(void **state)
{
	u32 wait = path_of("wait:1 main:2"), start = path_of("start:1 main:3");
	u32 round = path_of("round:1 main:4");
	struct made before = made_slice(11, 10, wait, SHARE(MS(10)));
	struct made during = made_slice(11, 10, wait, SHARE(MS(5)));
	struct made unsampled = made_slice(12, 10, wait, SHARE(MS(8)));
	struct ranking ranking;

	(void)state;
	made_samples(&before, start, SHARE(MS(1)), 10);
	unsampled.slice.waiting[GAPP_WAIT_DISK] = 3;
	fold(profile, &before);
	fold(profile, &unsampled);
	ranking = ranking_by(profile, BY_PATH);
	near(critical_of(&ranking, "start"), MS(10));
	near(row_of(&ranking, PATH_RAN, "start")->waiting_ns[GAPP_WAIT_DISK], 0);
	near(critical_of(&ranking, "wait"), MS(8));
	near(row_of(&ranking, PATH_RAN, "wait")->waiting_ns[GAPP_WAIT_DISK], MS(8));
	ranking_free(&ranking);

	/* what ran meanwhile gets it, all of it */
	made_samples(&during, round, SHARE(MS(1)), 5);
	for (u32 i = 0; i < 5; i++)
		during.samples[i].waiting[GAPP_WAIT_DISK] = 3;
	fold(profile, &during);
	ranking = ranking_by(profile, BY_PATH);
	near(critical_of(&ranking, "start"), MS(10));
	near(row_of(&ranking, PATH_RAN, "start")->waiting_ns[GAPP_WAIT_DISK], 0);
	near(critical_of(&ranking, "round"), MS(13));
	assert_null(row_of(&ranking, PATH_RAN, "wait"));
	ranking_free(&ranking);
}

/* A slice of the same thread, path and length as those before it, but with a sample. */
static void a_sample_among_slices_alike_counts(void **state)
{
	u32 wait = path_of("wait:1 main:2"), here = path_of("here:1 main:3");
	struct made unsampled = made_slice(11, 10, wait, SHARE(MS(1)));
	struct made sampled = made_slice(11, 10, wait, SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	made_sample(&sampled, here, SHARE(MS(1)));
	for (u32 i = 0; i < 4; i++) {
		fold(profile, &unsampled);
		fold(profile, &unsampled);
		fold(profile, &sampled);
	}
	ranking = ranking_by(profile, BY_PATH);
	near(critical_of(&ranking, "here"), MS(4));
	near(critical_of(&ranking, "wait"), MS(8));
	ranking_free(&ranking);
}

/* One sample must not take thousands of slices with it. */
static void few_samples_tell_nothing_of_others(void **state)
{
	u32 wait = path_of("wait:1 main:2"), here = path_of("here:1 main:3");
	struct made sampled = made_slice(11, 10, wait, SHARE(MS(1)));
	struct made unsampled = made_slice(12, 10, wait, SHARE(US(2)));
	struct ranking ranking;

	(void)state;
	made_sample(&sampled, here, SHARE(MS(1)));
	for (u32 i = 0; i < 22000; i++)
		fold(profile, &unsampled);
	for (u32 i = 0; i < 4; i++)
		fold(profile, &sampled);
	ranking = ranking_by(profile, BY_PATH);
	near(critical_of(&ranking, "wait"), MS(44));
	near(critical_of(&ranking, "here"), MS(4));
	near(row_of(&ranking, PATH_RAN, "wait")->inferred_ns, MS(44));
	assert_int_equal(row_of(&ranking, PATH_RAN, "wait")->slices, 22000);
	assert_true(row_of(&ranking, PATH_RAN, "wait")->lines[0].stack_top);
	assert_int_equal(row_of(&ranking, PATH_RAN, "here")->slices, 4);
	near(row_of(&ranking, PATH_RAN, "here")->inferred_ns, 0);
	ranking_free(&ranking);

	/* the fifth, of whatever slice */
	fold(profile, &sampled);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	near(critical_of(&ranking, "here"), MS(49));
	near(ranking.rows[0].inferred_ns, MS(44));
	assert_int_equal(ranking.rows[0].slices, 22005);
	ranking_free(&ranking);
}

/* What was carried over is of slices without samples, even where this one has some. */
static void carried_share_is_unsampled(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(7)));
	struct ranking ranking;
	struct profile_sums sums;

	(void)state;
	made.slice.own_critical_share = SHARE(MS(4));
	made.slice.slices = 5;
	made_samples(&made, path_of("here:1 main:3"), SHARE(US(200)), 5);
	fold(profile, &made);
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	near(ranking.rows[0].critical_ns, MS(7));
	near(ranking.rows[0].inferred_ns, MS(3));
	assert_int_equal(ranking.rows[0].slices, 5);
	profile_sums(profile, &sums);
	assert_int_equal(sums.slices, 5);
	assert_int_equal(sums.unsampled, 4);
	ranking_free(&ranking);
}

static void interrupted_slices_ran_where_they_were(void **state)
{
	static const u8 thens[] = { GAPP_THEN_ON, GAPP_THEN_STOPPED, GAPP_THEN_EXITED,
				    GAPP_THEN_WAIT };
	u32 at = path_of("loop:1 main:2");
	struct made sampled = made_slice(11, 10, at, SHARE(MS(1)));
	struct ranking ranking;

	(void)state;
	made_samples(&sampled, path_of("other:1 main:3"), SHARE(US(200)), 5);
	fold(profile, &sampled);
	for (u32 i = 0; i < ARRAY_SIZE(thens); i++) {
		struct made made = made_slice(11, 10, at, SHARE(MS(1)));

		made.slice.then = thens[i];
		made.slice.slices = thens[i] != GAPP_THEN_ON;
		if (thens[i] == GAPP_THEN_WAIT)
			made.slice.flags = GAPP_SLICE_REST;
		fold(profile, &made);
	}
	ranking = ranking_by(profile, BY_PATH);
	near(critical_of(&ranking, "loop"), MS(4));
	near(row_of(&ranking, PATH_RAN, "loop")->inferred_ns, MS(4));
	assert_true(row_of(&ranking, PATH_RAN, "loop")->lines[0].stack_top);
	near(critical_of(&ranking, "other"), MS(1));
	near(row_of(&ranking, PATH_RAN, "other")->inferred_ns, 0);
	assert_int_equal(row_of(&ranking, PATH_RAN, "loop")->slices, 3);
	assert_int_equal(row_of(&ranking, PATH_RAN, "loop")->then[THEN_ON], 1);
	assert_int_equal(row_of(&ranking, PATH_RAN, "loop")->then[THEN_STOPPED], 1);
	ranking_free(&ranking);
}

static void sums_are_exact(void **state)
{
	struct gapp_record_lost lost = { .head = { GAPP_RECORD_LOST, sizeof(lost), 0, 5 },
					 .records = 3,
					 .critical_share = SHARE(MS(2)) + 1,
					 .wait_ns = 17 };
	struct made none = made_slice(11, 10, GAPP_PATH_NONE, SHARE(MS(3)) + 7);
	struct made full = made_slice(11, 10, GAPP_PATH_LOST, SHARE(MS(4)) + 9);
	struct made mixed = made_slice(11, 10, GAPP_PATH_NONE, SHARE(MS(10)));
	struct made unknown = made_slice(11, 10, 4000, 4096);
	struct profile_sums sums;

	(void)state;
	mixed.slice.own_critical_share = SHARE(MS(9));
	made_sample(&mixed, path_of("here:1 main:3"), SHARE(MS(2)));
	made_sample(&mixed, GAPP_PATH_LOST, SHARE(MS(1)));
	made_sample(&mixed, GAPP_PATH_NONE, SHARE(MS(3)));
	fold(profile, &none);
	fold(profile, &full);
	fold(profile, &mixed);
	fold(profile, &unknown);
	profile_add_lost(profile, &lost);
	profile_sums(profile, &sums);
	near(sums.attributed_ns, MS(2));
	assert_true(sums.no_path_ns == MS(3) + 7 / 4096.0 + MS(6) + MS(1) + 1);
	assert_true(sums.table_full_ns == MS(4) + 9 / 4096.0 + MS(1));
	assert_true(sums.lost_ns == MS(2) + 1 / 4096.0);
	near(sums.waited_lost_ns, 17);
	assert_int_equal(sums.records, 5);
	assert_int_equal(sums.stacks, 1);
}

static void shares_never_pass_the_records(void **state)
{
	struct made made = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(5)));
	struct profile_sums sums;

	(void)state;
	made.slice.own_critical_share = UINT64_MAX;
	made_sample(&made, path_of("a:1 main:3"), SHARE(MS(4)));
	made_sample(&made, path_of("b:1 main:3"), UINT64_MAX);
	made_sample(&made, path_of("c:1 main:3"), SHARE(MS(9)));
	fold(profile, &made);
	profile_sums(profile, &sums);
	near(sums.attributed_ns, MS(5));
}

static void values_out_of_range_do_no_harm(void **state)
{
	struct made odd = made_slice(11, 10, path_of("wait:1 main:2"), SHARE(MS(5)));
	struct profile_sums sums;

	(void)state;
	odd.slice.then = 200;
	odd.slice.wait = 255;
	odd.slice.begin_ns = UINT64_MAX;
	odd.slice.slices = UINT32_MAX;
	odd.slice.n = UINT32_MAX;
	odd.slice.thread_ns = UINT64_MAX;
	fold(profile, &odd);
	profile_sums(profile, &sums);
	near(sums.attributed_ns, MS(5));
}

static void unsampled_slices_are_counted_once(void **state)
{
	u32 at = path_of("loop:1 main:2");
	struct made part = made_slice(11, 10, at, SHARE(MS(1)));
	struct made last = made_slice(11, 10, at, SHARE(MS(1)));
	struct gapp_record_lost lost = { 0 };
	struct profile_sums sums;
	struct ranking ranking;

	(void)state;
	part.slice.then = GAPP_THEN_ON;
	part.slice.slices = 0;
	part.slice.begin_ns = SECONDS(1) - MS(800);
	made_sample(&part, at, SHARE(MS(1)));
	fold(profile, &part);
	fold(profile, &last);
	profile_sums(profile, &sums);
	assert_int_equal(sums.slices, 1);
	assert_int_equal(sums.unsampled, 0);
	fold(profile, &last);
	profile_sums(profile, &sums);
	assert_int_equal(sums.unsampled, 1);

	/* what ended meanwhile is lost, so the last one is not the end of that part */
	fold(profile, &part);
	lost.head.type = GAPP_RECORD_LOST;
	lost.head.size = sizeof(lost);
	profile_add_lost(profile, &lost);
	fold(profile, &last);
	profile_sums(profile, &sums);
	assert_int_equal(sums.unsampled, 2);

	/* the first slice is as long as both its parts, the others a millisecond */
	ranking = ranking_by(profile, BY_THREAD);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].slices, 3);
	assert_int_equal(ranking.rows[0].then[THEN_ON], 2);
	assert_int_equal(ranking.rows[0].median_ns, step_length(length_step(MS(1))));
	ranking_free(&ranking);
}

static u64 random_state;

static u32 draw(u32 range)
{
	random_state += 0x9e3779b97f4a7c15ULL;
	return gapp_scale(gapp_mix(random_state), range);
}

#define RANDOM_PATHS 40

static u32 random_path(void)
{
	u32 path = draw(RANDOM_PATHS + 3);

	return path < RANDOM_PATHS ? path : path == RANDOM_PATHS ? GAPP_PATH_LOST : GAPP_PATH_NONE;
}

static void random_waiting(u16 *waiting)
{
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		waiting[i] = draw(4) ? 0 : draw(65536);
}

static u64 random_slice(void)
{
	s32 tgid = 100 + draw(4);
	struct made made = made_slice(tgid + draw(5), tgid, random_path(), draw(1 << 30));

	made.slice.own_critical_share = draw(3) ? made.slice.critical_share : draw(1 << 30);
	made.slice.slices = draw(5);
	made.slice.flags = draw(16);
	made.slice.then = draw(6);
	made.slice.wait = draw(17);
	made.slice.target = draw(2);
	made.slice.thread_ns = draw(2) ? 0 : UINT64_MAX;
	made.slice.begin_ns = (u64)draw(UINT32_MAX) << draw(30);
	random_waiting(made.slice.waiting);
	if (draw(2)) {
		for (u32 samples = draw(30); samples; samples--) {
			made_sample(&made, random_path(), draw(1 << 28));
			random_waiting(made.samples[samples].waiting);
		}
	}
	fold(profile, &made);
	return made.slice.critical_share;
}

static u64 random_wait(void)
{
	struct gapp_record_wait wait =
		made_wait(100 + draw(9), 100 + draw(4), random_path(), draw(1 << 30), draw(20));

	wait.target = draw(2);
	random_waiting(wait.waiting);
	fold_wait(profile, &wait);
	return wait.wait_ns;
}

static void check_row(const struct ranked *row)
{
	double waiting = 0;

	assert_true(row->critical_ns >= 0);
	assert_true(row->inferred_ns >= 0 && row->inferred_ns <= row->critical_ns * 1.000001 + 1);
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++) {
		assert_true(row->waiting_ns[i] >= 0);
		waiting += row->waiting_ns[i];
	}
	assert_true(waiting <= row->critical_ns * 1.000001 + 1);
	assert_true(row->running >= 0);
	assert_true(row->frame_count <= 2 * 16);
}

static bool sleeps(const struct ranked *row)
{
	return row->kind == PATH_WAITED && row->wait == GAPP_WAIT_SLEEP;
}

static bool in_order(const struct ranked *first, const struct ranked *second)
{
	if (sleeps(first) != sleeps(second))
		return sleeps(second);
	return first->critical_ns >= second->critical_ns;
}

/* Sums over the rows are those of the records, however they are ranked. */
static void check_ranking(enum by by, const struct profile_sums *sums, double share, double waited)
{
	struct ranking ranking = ranking_by(profile, by);
	bool all = by == BY_THREAD || by == BY_PROCESS;
	double critical[2] = { 0 };

	for (size_t i = 0; i < ranking.count; i++) {
		check_row(&ranking.rows[i]);
		critical[ranking.rows[i].kind] += ranking.rows[i].critical_ns;
		if (i)
			assert_true(in_order(&ranking.rows[i - 1], &ranking.rows[i]));
	}
	if (by == BY_SLICE_END) {
		assert_true(critical[PATH_RAN] <= sums->attributed_ns * 1.000001);
		assert_true(critical[PATH_WAITED] == 0);
	} else {
		near(critical[PATH_RAN] / 1e6, (all ? share : sums->attributed_ns) / 1e6);
		near(critical[PATH_WAITED] / 1e6, (all ? waited : sums->waited_ns) / 1e6);
	}
	ranking_free(&ranking);
}

static void random_records(u32 count, u64 *share, u64 *waited)
{
	while (count--) {
		if (draw(8))
			*share += random_slice();
		else
			*waited += random_wait();
	}
}

static void hundred_thousand_random_records(void **state)
{
	struct profile_sums sums;
	u64 share = 0, waited = 0;
	u32 cells, entries;

	(void)state;
	random_state = 42;
	for (u32 i = 0; i < RANDOM_PATHS; i++) {
		char frames[64];

		snprintf(frames, sizeof(frames), "%sf%u:%u g%u:1 main:%u", i % 7 ? "" : "!",
			 draw(10), draw(999), draw(5), draw(9));
		path_of(frames);
		snprintf(frames, sizeof(frames), "?u%u:%u", i, i);
		cut_path_of(frames);
	}
	random_records(50000, &share, &waited);
	cells = profile->cells.index.count;
	entries = profile->entries.index.count;
	random_records(50000, &share, &waited);
	/* nearly all pairs were there half-way */
	assert_true(profile->cells.index.count < cells + cells / 4);
	assert_true(profile->entries.index.count <= entries + entries / 4);
	assert_true(profile->sets.index.count <= MAX_SETS);

	profile_sums(profile, &sums);
	assert_true(sums.attributed_ns + sums.no_path_ns + sums.table_full_ns ==
		    (double)share / 4096);
	assert_true(sums.waited_ns + sums.waited_lost_ns == waited);
	for (enum by by = BY_PATH; by <= BY_PROCESS; by++)
		check_ranking(by, &sums, share / 4096.0, waited);
	profile_sums(profile, &sums);
	assert_true(sums.complete_ns > 0 && sums.complete_ns < sums.attributed_ns);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(samples_carry_their_growth),
		TEST(three_to_one_without_samples),
		TEST(why_earlier_slices_ended_is_not_known),
		TEST(unsampled_go_where_sampled_ran),
		TEST(share_during_waits_goes_where_others_waited),
		TEST(a_sample_among_slices_alike_counts),
		TEST(few_samples_tell_nothing_of_others),
		TEST(carried_share_is_unsampled),
		TEST(interrupted_slices_ran_where_they_were),
		TEST(sums_are_exact),
		TEST(shares_never_pass_the_records),
		TEST(values_out_of_range_do_no_harm),
		TEST(unsampled_slices_are_counted_once),
		TEST(hundred_thousand_random_records),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
