// SPDX-License-Identifier: GPL-2.0
/*
 * The bound on what mending a place saves, against schedules that are computed again without the
 * place. The model is that of docs/decisions/016-bound-on-the-gain.md: threads run pieces of places
 * one after the other; a piece begins as soon as the one before it in its thread has ended, and the
 * piece of another thread that it waits for, if any. There are enough CPUs.
 */
#include <string.h>

#include "fake_code.h"

#define THREADS 5
#define PIECES 12
#define PLACES 4
#define POINTS (2 * THREADS * PIECES + 2)
#define RUNS 3000
/* Piece of a thread that is asleep: a disk. */
#define ASLEEP PLACES

struct piece {
	u32 place;
	u64 length;
	s32 waits_thread; /* -1: for nothing */
	u32 waits_piece;
	u64 begin;
	u64 end;
};

struct run {
	u32 threads;
	u32 count[THREADS];
	struct piece pieces[THREADS][PIECES];
	u64 wall;
};

/* What is so from one point of time to the next. */
struct interval {
	u64 begin;
	u64 end;
	u32 n;
	u32 of_place[PLACES];
};

static u32 seed;

static u32 draw(u32 below)
{
	seed = seed * 1664525 + 1013904223;
	return (u64)(seed >> 4) * below >> 28;
}

/* A piece waits for one that was made before it, so there is no circle. */
static void make_run(struct run *run)
{
	u32 left = 0;

	memset(run, 0, sizeof(*run));
	run->threads = 1 + draw(THREADS);
	for (u32 i = 0; i < run->threads; i++)
		left += PIECES;
	while (left--) {
		u32 thread = draw(run->threads), other = draw(run->threads);
		struct piece *piece;

		if (run->count[thread] == PIECES)
			continue;
		piece = &run->pieces[thread][run->count[thread]];
		piece->place = draw(8) ? draw(PLACES) : ASLEEP;
		piece->length = MS(1) * (1 + draw(draw(4) ? 20 : 300));
		piece->waits_thread = -1;
		if (other != thread && run->count[other] && draw(2)) {
			piece->waits_thread = other;
			piece->waits_piece = run->count[other] - 1;
		}
		run->count[thread]++;
	}
}

static u64 greater_of(u64 a, u64 b)
{
	return a > b ? a : b;
}

/* Computes when each piece runs; those of @without take no time. Returns when the last one ends. */
static u64 schedule(struct run *run, u32 without)
{
	u32 done[THREADS] = { 0 };
	bool more = true;
	u64 wall = 0;

	while (more) {
		more = false;
		for (u32 i = 0; i < run->threads; i++) {
			struct piece *piece = &run->pieces[i][done[i]];
			u64 begin = done[i] ? piece[-1].end : 0;

			if (done[i] == run->count[i])
				continue;
			more = true;
			if (piece->waits_thread >= 0) {
				if (done[piece->waits_thread] <= piece->waits_piece)
					continue;
				begin = greater_of(
					begin,
					run->pieces[piece->waits_thread][piece->waits_piece].end);
			}
			piece->begin = begin;
			piece->end = begin + (piece->place == without ? 0 : piece->length);
			wall = greater_of(wall, piece->end);
			done[i]++;
		}
	}
	return wall;
}

static int compare(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return three_way(*x, *y);
}

/* Divides the run where anything changes. Returns how many intervals there are. */
static u32 divide(const struct run *run, struct interval *intervals)
{
	u64 points[POINTS];
	u32 count = 0, made = 0;

	for (u32 i = 0; i < run->threads; i++) {
		for (u32 j = 0; j < run->count[i]; j++) {
			points[count++] = run->pieces[i][j].begin;
			points[count++] = run->pieces[i][j].end;
		}
	}
	qsort(points, count, sizeof(*points), compare);
	for (u32 i = 1; i < count; i++) {
		struct interval *interval = &intervals[made];

		if (points[i] == points[i - 1])
			continue;
		*interval = (struct interval){ .begin = points[i - 1], .end = points[i] };
		for (u32 t = 0; t < run->threads; t++) {
			for (u32 j = 0; j < run->count[t]; j++) {
				const struct piece *piece = &run->pieces[t][j];

				if (piece->place == ASLEEP || piece->begin >= interval->end ||
				    piece->end <= interval->begin)
					continue;
				interval->n++;
				interval->of_place[piece->place]++;
			}
		}
		made++;
	}
	return made;
}

static u32 path_of_place(u32 place)
{
	char path[32];

	snprintf(path, sizeof(path), "place%u:1 main:2", place);
	return path_of(path);
}

/* G or C, and S, from @begin to @end. */
struct grown {
	double g;
	double c;
	double s;
};

static struct grown grown(const struct interval *intervals, u32 count, u32 n_min, u64 begin,
			  u64 end)
{
	struct grown grown = { 0 };

	for (u32 i = 0; i < count; i++) {
		const struct interval *in = &intervals[i];
		u64 from = greater_of(in->begin, begin), to = in->end < end ? in->end : end;
		double ns = to > from ? to - from : 0;

		if (!in->n)
			continue;
		grown.g += ns / in->n;
		grown.c += in->n <= n_min ? ns / in->n : 0;
		grown.s += ns * in->n;
	}
	return grown;
}

static u64 share(double ns)
{
	return ns * (1 << GAPP_SHARE_SHIFT) + 0.5;
}

/**
 * struct slice - a slice that is being recorded
 * @made: its record
 * @begin: where it begins
 * @taken: share of it that samples have
 * @carried: share of earlier slices of the thread that have no record
 * @carried_slices: their number
 */
struct slice {
	struct made made;
	u64 begin;
	u64 taken;
	u64 carried;
	u32 carried_slices;
};

static void end_slice(const struct interval *intervals, u32 count, u32 n_min, struct slice *slice,
		      u64 end, u32 place, enum gapp_then then)
{
	struct grown all = grown(intervals, count, n_min, slice->begin, end);
	struct gapp_record_slice *record = &slice->made.slice;
	u64 own = share(all.c);

	/* a slice of the same place may be carried over to the next record */
	if (then == GAPP_THEN_WAIT && !record->sample_count && !draw(3) && !slice->carried) {
		slice->carried = own;
		slice->carried_slices = 1;
		return;
	}
	record->path = path_of_place(place);
	record->then = then;
	record->begin_ns = SECONDS(1) + slice->begin;
	record->head.time_ns = SECONDS(1) + end;
	record->own_critical_share = own;
	record->critical_share = own + slice->carried;
	record->slices = slice->carried_slices + (then != GAPP_THEN_ON);
	record->cmetric = share(all.g);
	record->thread_ns = all.s;
	fold(profile, &slice->made);
	slice->carried = 0;
	slice->carried_slices = 0;
}

/*
 * Records the slices of a thread: each piece alone, or those that follow each other without a pause
 * with a sample at the end of each; now and then in parts. Each thread is a process, so that slices
 * without samples do not go where those of other threads ran.
 */
static void record_thread(const struct run *run, u32 thread, const struct interval *intervals,
			  u32 count, u32 n_min)
{
	bool sampled = draw(2), open = false;
	struct slice slice = { 0 };

	for (u32 i = 0; i < run->count[thread]; i++) {
		const struct piece *piece = &run->pieces[thread][i];
		const struct piece *next = i + 1 < run->count[thread] ? piece + 1 : NULL;
		bool goes_on = sampled && next && next->place != ASLEEP &&
			       next->begin == piece->end &&
			       slice.made.slice.sample_count < MADE_SAMPLES - 1;
		struct grown grew;

		if (piece->place == ASLEEP)
			continue;
		if (!open) {
			slice.made = made_slice(100 + thread, 100 + thread, 0, 0);
			slice.begin = piece->begin;
			slice.taken = 0;
			open = true;
		}
		grew = grown(intervals, count, n_min, slice.begin, piece->end);
		if (sampled && share(grew.c) > slice.taken) {
			made_sample(&slice.made, path_of_place(piece->place),
				    share(grew.c) - slice.taken);
			slice.taken = share(grew.c);
		}
		if (goes_on && !draw(4)) {
			end_slice(intervals, count, n_min, &slice, piece->end, piece->place,
				  GAPP_THEN_ON);
			slice.made = made_slice(100 + thread, 100 + thread, 0, 0);
			slice.begin = piece->end;
			slice.taken = 0;
		} else if (!goes_on) {
			/* what is carried must be of the place of the next record, too */
			bool last = !next || next->place != piece->place || sampled;

			end_slice(intervals, count, n_min, &slice, piece->end, piece->place,
				  last ? GAPP_THEN_PREEMPTED : GAPP_THEN_WAIT);
			open = false;
		}
	}
}

/* False: the row is main(), into which places with little time are folded. */
static bool is_place(const struct ranked *row, u32 *place)
{
	if (strncmp(row->frames[0].function, "place", 5))
		return false;
	*place = atoi(row->frames[0].function + 5);
	return true;
}

/* How often the bound was less than twice the wall time of the place, in all runs. */
static u32 tight, bounds;

static void check_row(struct run *run, const struct interval *intervals, u32 count, u32 n_min,
		      const struct ranked *row)
{
	u64 gain, few = 0, many = 0;
	u32 place;

	if (!is_place(row, &place))
		return;
	gain = run->wall - schedule(run, place);
	for (u32 i = 0; i < count; i++) {
		u64 ns = intervals[i].end - intervals[i].begin;

		if (intervals[i].of_place[place])
			*(intervals[i].n <= n_min ? &few : &many) += ns;
	}
	/* shares are rounded to 1/4096 ns, and there are few of them */
	if (row->gain_ns + 1 < few)
		fail_msg("bound %.0f, but place %u ran for %llu with few", row->gain_ns, place,
			 (unsigned long long)few);
	if (row->gain_ns + many + 1 < gain)
		fail_msg("bound %.0f, and %llu with many, but place %u saves %llu", row->gain_ns,
			 (unsigned long long)many, place, (unsigned long long)gain);
	if (n_min >= run->threads && row->gain_ns + 1 < gain)
		fail_msg("bound %.0f, but place %u saves %llu", row->gain_ns, place,
			 (unsigned long long)gain);
	bounds++;
	tight += row->gain_ns < 2 * few;
}

static void check_run(u32 n_min)
{
	static struct interval intervals[POINTS];
	struct profile_options options = { .by = BY_PLACE };
	struct ranking ranking;
	struct run run;
	u32 count;

	make_run(&run);
	run.wall = schedule(&run, PLACES + 1);
	count = divide(&run, intervals);
	for (u32 i = 0; i < run.threads; i++)
		record_thread(&run, i, intervals, count, n_min);
	options.gain = (struct gain_limits){ .n_most = n_min, .n_beyond = n_min + 1 };
	for (u32 i = 0; i < count; i++)
		if (intervals[i].n && intervals[i].n <= n_min)
			options.gain.most_ns += intervals[i].end - intervals[i].begin;
	ranking = ranking_with(profile, &options);
	for (size_t i = 0; i < ranking.count; i++)
		check_row(&run, intervals, count, n_min, &ranking.rows[i]);
	ranking_free(&ranking);
}

static void the_bound_is_never_below_the_gain(void **state)
{
	for (seed = 1; seed < RUNS; seed++) {
		u32 first = seed;

		check_run(1 + draw(THREADS + 1));
		seed = first;
		profile_end(state);
		fake_code_reset();
		profile_begin(state);
	}
	print_message("# %u of %u bounds are within a factor of two\n", tight, bounds);
	assert_true(bounds > RUNS);
	assert_true(tight > bounds / 2);
}

/* 4 ms at n = 1, then 6 ms at n = 8, with N_min = 4: share 4 ms, in all 4.75. */
static struct made half_serial(u32 end)
{
	struct made made = made_slice(11, 10, end, SHARE(MS(4)));

	made.slice.begin_ns = SECONDS(1) - MS(10);
	made.slice.cmetric = SHARE(US(4750));
	made.slice.thread_ns = MS(52);
	return made;
}

static const struct profile_options four = {
	.by = BY_PLACE,
	.gain = { .n_most = 4, .n_beyond = 5, .most_ns = SECONDS(1) },
};

static void near_gain(const struct profile_options *options, const char *function, double ns)
{
	struct ranking ranking = ranking_with(profile, options);
	const struct ranked *row = row_of(&ranking, PATH_RAN, function);

	assert_non_null(row);
	near(row->gain_ns, ns);
	ranking_free(&ranking);
}

static void time_beyond_n_min_is_left_out(void **state)
{
	struct made made = half_serial(path_of("f:1 main:2"));

	(void)state;
	fold(profile, &made);
	near_gain(&four, "f", MS(10) - 5 * US(750));
	fold(profile, &made);
	near_gain(&four, "f", 2 * (MS(10) - 5 * US(750)));
}

static void others_have_their_share(void **state)
{
	struct made made = half_serial(path_of("f:1 main:2"));

	(void)state;
	made_sample(&made, path_of("f:1 main:2"), SHARE(MS(3)));
	made_sample(&made, path_of("g:1 main:2"), SHARE(MS(1)));
	fold(profile, &made);
	near_gain(&four, "f", MS(10) - 5 * US(750) - MS(1));
	near_gain(&four, "g", MS(10) - 5 * US(750) - MS(3));
}

static void shares_bound_where_lengths_do_not(void **state)
{
	struct made made = half_serial(path_of("f:1 main:2"));
	struct profile_options two = four;

	(void)state;
	two.gain.n_most = 1;
	two.gain.n_beyond = 2;
	fold(profile, &made);
	near_gain(&two, "f", MS(4));
	/* earlier slices of unknown length */
	made.slice.critical_share += SHARE(MS(1));
	made.slice.slices = 3;
	fold(profile, &made);
	near_gain(&four, "f", 2 * (MS(10) - 5 * US(750)) + 4 * MS(1));
}

static void there_is_no_more_than_the_time_with_few(void **state)
{
	struct made made = half_serial(path_of("f:1 main:2"));
	struct gapp_record_wait wait =
		made_wait(11, 10, path_of("fsync:1 commit:2"), MS(7), GAPP_WAIT_DISK);
	struct profile_options options = four;
	struct ranking ranking;

	(void)state;
	fold(profile, &made);
	fold_wait(profile, &wait);
	options.gain.most_ns = MS(5);
	near_gain(&options, "f", MS(5));
	ranking = ranking_with(profile, &options);
	assert_int_equal(ranking.rows[0].kind, PATH_WAITED);
	near(ranking.rows[0].gain_ns, MS(7));
	ranking_free(&ranking);
	/* nothing is known of the run, but of the slice */
	near_gain(&(struct profile_options){ .by = BY_PLACE }, "f", MS(10));
}

/* Of several targets the module says no N_min, but how long few threads of each were active. */
static void a_target_has_its_own_time_with_few(void **state)
{
	struct gapp_target_figures targets[] = {
		{ .id = 0, .tgid = 10, .wall_ns = MS(10), .critical_runq = SHARE(MS(1)) },
		{ .id = 1, .tgid = 12, .wall_ns = MS(20) },
	};
	struct profile_options options = {
		.by = BY_PLACE,
		.targets = targets,
		.target_count = 2,
		.gain = { .of_targets = true },
	};
	struct made made = half_serial(path_of("f:1 main:2")), other;

	(void)state;
	fold(profile, &made);
	other = made_slice(13, 12, path_of("g:1 main:2"), SHARE(MS(19)));
	other.slice.target = 1;
	fold(profile, &other);
	near_gain(&options, "f", MS(5));
	options.gain.of_targets = false;
	near_gain(&options, "f", MS(10));
}

static void records_without_sense_bound_nothing(void **state)
{
	struct made made = half_serial(path_of("f:1 main:2"));

	(void)state;
	made.slice.begin_ns = made.slice.head.time_ns;
	fold(profile, &made);
	near_gain(&four, "f", MS(16));
	near_gain(&(struct profile_options){ .by = BY_PLACE }, "f", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(the_bound_is_never_below_the_gain),
		TEST(time_beyond_n_min_is_left_out),
		TEST(others_have_their_share),
		TEST(shares_bound_where_lengths_do_not),
		TEST(there_is_no_more_than_the_time_with_few),
		TEST(a_target_has_its_own_time_with_few),
		TEST(records_without_sense_bound_nothing),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("gain", tests, NULL, NULL);
}
