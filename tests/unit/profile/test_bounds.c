// SPDX-License-Identifier: GPL-2.0
/* The tables of a profile: that they find what is in them, and do not grow for ever. */
#include "fake_code.h"

#include "profile/profile_private.h"
#include "starve.h"

static void lengths_in_steps(void **state)
{
	u32 last = 0;

	(void)state;
	assert_int_equal(step_length(length_step(0)), 0);
	assert_int_equal(step_length(length_step(7)), 7);
	for (u64 ns = 1; ns < 1ULL << 59; ns += ns / 50 + 1) {
		u32 step = length_step(ns);

		assert_true(step == last || step == last + 1);
		assert_true(step_length(step) * 16 >= ns * 15 && step_length(step) * 16 <= ns * 17);
		last = step;
	}
	assert_true(length_step(UINT64_MAX) < 512);
	assert_true(step_length(length_step(UINT64_MAX)) > 1ULL << 63);
}

static double ranked_ns(enum by by)
{
	struct ranking ranking = ranking_by(profile, by);
	double sum = 0;

	for (size_t i = 0; i < ranking.count; i++)
		sum += ranking.rows[i].critical_ns;
	ranking_free(&ranking);
	return sum;
}

/* More pairs of paths, threads and sets than there is room for. */
static void memory_is_bounded(void **state)
{
	u32 paths = 512, records = 2 * MAX_CELLS;
	struct profile_sums sums;
	u64 share = 0;

	(void)state;
	for (u32 i = 0; i < paths; i++) {
		char frames[64];

		snprintf(frames, sizeof(frames), "f:%u main:%u", i % 490 + 1, i / 490 + 1);
		path_of(frames);
	}
	for (u32 i = 0; i < records; i++) {
		struct made made = made_slice(i, i % 5000, i % paths, SHARE(MS(1)) + i);

		made_sample(&made, i / paths % paths, SHARE(US(1)));
		made_sample(&made, i * 7 % paths, SHARE(US(1)));
		fold(profile, &made);
		share += made.slice.critical_share;
	}
	assert_true(profile->cells.index.count <= MAX_CELLS);
	assert_true(profile->cells.index.count > SOFT_CELLS);
	assert_true(profile->entries.index.count <= MAX_ENTRIES);
	assert_true(profile->entries.index.count > SOFT_ENTRIES);
	assert_int_equal(profile->sets.index.count, MAX_SETS);
	assert_true(profile->tallies.index.count <= MAX_TALLIES);
	profile_sums(profile, &sums);
	assert_true(sums.attributed_ns == share / 4096.0);
	assert_true(sums.slices == records);
	near(ranked_ns(BY_PATH) / 1e6, share / 4096e6);
	near(ranked_ns(BY_THREAD) / 1e6, share / 4096e6);
}

/* What finds no place at all is told, and counts. */
static void no_room_is_told(void **state)
{
	struct made made = made_slice(11, 10, path_of("f:1 main:1"), SHARE(MS(1)));
	struct gapp_record_wait wait = made_wait(11, 10, made.slice.path, 5, GAPP_WAIT_DISK);
	struct profile_sums sums;

	(void)state;
	for (u32 i = 0; i < MAX_CELLS + 10; i++) {
		made.slice.target = i;
		fold(profile, &made);
	}
	wait.target = MAX_CELLS + 10;
	fold_wait(profile, &wait);
	assert_int_equal(profile->cells.index.count, MAX_CELLS);
	profile_sums(profile, &sums);
	assert_true(sums.attributed_ns == (double)MAX_CELLS * MS(1));
	assert_true(sums.table_full_ns == MS(10));
	near(sums.waited_lost_ns, 5);
}

/* A place has the time of all its threads, but counts only so many. */
static void more_threads_than_are_counted(void **state)
{
	u32 threads = MAX_THREADS_OF_CELL + 1000;
	struct ranking ranking;

	(void)state;
	for (u32 i = 0; i < threads; i++) {
		struct made made = made_slice(11 + i, 10, path_of("f:1 main:1"), SHARE(US(1)));

		fold(profile, &made);
	}
	ranking = ranking_by(profile, BY_PATH);
	assert_int_equal(ranking.count, 1);
	assert_int_equal(ranking.rows[0].threads, MAX_THREADS_OF_CELL);
	assert_int_equal(ranking.rows[0].slices, threads);
	near(ranking.rows[0].critical_ns, (double)threads * US(1));
	ranking_free(&ranking);
}

/* Each time another request finds no memory, until there are no more: what is lost is told. */
static void no_memory(void **state)
{
	struct made made = made_slice(11, 10, path_of("f:1 main:1"), SHARE(MS(3)));
	struct gapp_record_wait wait = made_wait(11, 10, made.slice.path, 5, GAPP_WAIT_DISK);
	struct made sampled = made_slice(12, 10, made.slice.path, SHARE(MS(4)));
	size_t failures = 0;
	bool starved = true;

	made_sample(&sampled, path_of("g:1 main:1"), SHARE(MS(1)));
	for (size_t requests = 0; starved; requests++) {
		struct profile_sums sums;
		bool failed;

		memory = requests;
		failed = profile_add_slice(profile, &made.slice) ||
			 profile_add_slice(profile, &sampled.slice) ||
			 profile_add_wait(profile, &wait);
		starved = memory > requests;
		memory = SIZE_MAX;
		profile_sums(profile, &sums);
		if (!failed) {
			assert_true(sums.attributed_ns == MS(7));
			assert_int_equal(sums.slices, 2);
			near(sums.waited_ns, 5);
		}
		failures += failed;
		profile_free(profile);
		assert_int_equal(profile_begin(state), 0);
	}
	assert_true(failures >= 5);
}

/* Slices that are alike are added up before they go to the tables, as long as there is room. */
static void alike_is_added_up(void **state)
{
	u32 threads = 3000, rounds = 6;
	struct profile_sums sums;
	struct ranking ranking;
	u64 share = 0;

	(void)state;
	for (u32 i = 0; i < rounds * threads; i++) {
		u32 tid = 1 + (u64)i * 7919 % threads, round = i / threads;
		struct made made = made_slice(
			tid, 10, path_of(tid % 2 ? "f:1 main:1" : "g:2 main:1"), SHARE(US(tid)));

		memset(made.slice.waiting, 0, sizeof(made.slice.waiting));
		made.slice.waiting[round % 3 ? GAPP_WAIT_LOCK : GAPP_WAIT_PIPE] = 1 + round;
		fold(profile, &made);
		share += US(tid);
		if (i % 5000)
			continue;
		/* whenever it is looked at */
		profile_sums(profile, &sums);
		assert_true(sums.attributed_ns == share && sums.slices == i + 1);
	}
	ranking = ranking_by(profile, BY_THREAD);
	assert_int_equal(ranking.count, threads);
	for (u32 i = 0; i < threads; i++) {
		const struct ranked *row = &ranking.rows[i];

		assert_true(row->critical_ns == (double)rounds * US(row->tid));
		assert_int_equal(row->slices, rounds);
		assert_int_equal(row->then[GAPP_WAIT_LOCK], rounds);
		near(row->waiting_ns[GAPP_WAIT_LOCK], 4.0 * US(row->tid));
		near(row->waiting_ns[GAPP_WAIT_PIPE], 2.0 * US(row->tid));
	}
	ranking_free(&ranking);
	ranking = ranking_by(profile, BY_PATH);
	near(row_of(&ranking, PATH_RAN, "f")->critical_ns +
		     row_of(&ranking, PATH_RAN, "g")->critical_ns,
	     share);
	assert_int_equal(row_of(&ranking, PATH_RAN, "f")->threads, threads / 2);
	ranking_free(&ranking);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(lengths_in_steps), TEST(memory_is_bounded),
		TEST(no_room_is_told),	TEST(more_threads_than_are_counted),
		TEST(no_memory),	TEST(alike_is_added_up),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("bounds", tests, NULL, NULL);
}
