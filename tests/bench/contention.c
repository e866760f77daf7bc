// SPDX-License-Identifier: GPL-2.0
/*
 * Stresses the module's code that keeps n and its integrals, with the machine's CPUs. The code and
 * the empty loop are measured in turn, many times, so that what else the machine does hits both.
 * A window of operations counts only if its thread was not preempted and the others were at work
 * as well.
 *
 * usage: contention [--check] [--cpus N] [--turns N] [--ms N] [--mode NAME]...
 *
 * A line of JSON for each load: nanoseconds for an operation, less what the loop takes.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "contention.h"
#include "threads/clock.h"

#define MOST_WINDOWS 4096
#define MOST_TURNS 200
#define LEAST_WINDOWS 5
/* Operations: whole cycles of every loop, whose lengths are 1, 2 and 3. */
#define WINDOW 252
#define MANY_WRITERS 16
#define SPACED_WINDOW 60

/**
 * struct mode - what workers do at a time
 * @name: of it
 * @load: what they do
 * @alone: one CPU
 * @watched: the first worker reads instead, and only it is measured
 * @gap: steps of other work
 */
static const struct mode {
	const char *name;
	enum load load;
	bool alone, watched;
	u32 gap;
} modes[] = {
	{ .name = "alone-change", .load = CHANGES, .alone = true },
	{ .name = "alone-read", .load = READS, .alone = true },
	{ .name = "change", .load = CHANGES },
	{ .name = "mix", .load = MIXES },
	{ .name = "watched", .load = CHANGES, .watched = true },
	{ .name = "change-250", .load = SPACED, .gap = 250 },
	{ .name = "change-1000", .load = SPACED, .gap = 1000 },
	{ .name = "change-4000", .load = SPACED, .gap = 4000 },
};

#define MODES ARRAY_SIZE(modes)

/* What is measured in turn: the loop without anything in it, and with the module's code. */
enum content { EMPTY, INTEGRALS, CONTENTS };

/* A bit for each mode; 0: all. */
static u32 modes_wanted;

static bool is_wanted(u32 mode)
{
	return !modes_wanted || modes_wanted >> mode & 1;
}

/* One more: what it takes for a cache line to go to the other CPU. */
#define HOP_MODE "hop"
#define HOPS 500

static struct crew crew;
static enum content content_now;
static const struct mode *mode_now;
static u64 run_ns, until_ns;

/* Of all workers that are measured. */
static double windows[MOST_WINDOWS];
static u32 window_count;

/* Medians of turns; 0: too few windows counted. */
static double results[CONTENTS][MODES][MOST_TURNS];
static double gaps_ns[MODES];

static double ticks_to_ns(u64 ticks)
{
	return (double)ticks * shim_clock.mult / (1U << shim_clock.shift);
}

static u64 preemptions(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nivcsw;
}

static void note_progress(const struct worker *self, u64 *progress)
{
	for (u32 i = 0; i < crew.count; i++)
		progress[i] = i == self->number ? 0 : READ_ONCE(crew.workers[i].done);
}

/* Half as much as this one at least; changes may take longer than readings. */
static bool others_worked(const struct worker *self, const u64 *progress, u64 own)
{
	u32 part = mode_now->watched ? 10 : 2;

	for (u32 i = 0; i < crew.count; i++)
		if (i != self->number &&
		    (READ_ONCE(crew.workers[i].done) - progress[i]) * part < own)
			return false;
	return true;
}

static void window(struct worker *worker)
{
	u32 count = mode_now->load == SPACED ? SPACED_WINDOW : WINDOW;
	enum load load = mode_now->watched && worker->number == 0 ? READS : mode_now->load;

	run_operations(worker, load, count, mode_now->gap, content_now == EMPTY);
}

static void take_window(double ns)
{
	u32 i = __atomic_fetch_add(&window_count, 1, __ATOMIC_RELAXED);

	if (i < MOST_WINDOWS)
		windows[i] = ns;
}

static void measure(struct worker *worker)
{
	bool counts = !mode_now->watched || worker->number == 0;
	u64 progress[MOST_WORKERS], begin, own, ticks, preempted;

	while ((begin = ktime_get_mono_fast_ns()) < until_ns) {
		preempted = preemptions();
		note_progress(worker, progress);
		own = worker->done;
		ticks = worker->op_ticks;
		begin = ktime_get_mono_fast_ns();
		window(worker);
		begin = ktime_get_mono_fast_ns() - begin;
		own = worker->done - own;
		ticks = worker->op_ticks - ticks;
		if (counts && preemptions() == preempted && others_worked(worker, progress, own))
			take_window(ticks ? ticks_to_ns(ticks) / own : (double)begin / own);
	}
}

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static double quantile(double *values, u32 count, u32 quarter)
{
	qsort(values, count, sizeof(*values), by_value);
	return values[quarter * (count - 1) / 4];
}

static void take_turn(enum content content, u32 mode, u32 turn, u32 cpus)
{
	u32 count;

	content_now = content;
	mode_now = &modes[mode];
	crew.count = mode_now->alone ? 1 : cpus;
	window_count = 0;
	integrals_begin(&crew, 4 * crew.count, 2 * crew.count, gapp_clock());
	until_ns = ktime_get_mono_fast_ns() + run_ns;
	crew_run(&crew, measure);
	count = window_count < MOST_WINDOWS ? window_count : MOST_WINDOWS;
	if (count >= LEAST_WINDOWS)
		results[content][mode][turn] = quantile(windows, count, 2);
}

/* Turns of a word that two CPUs write in turn. */
static u32 hop_turn;
static u64 hop_ns[2];

static void hop(struct worker *worker)
{
	u64 begin = ktime_get_mono_fast_ns();

	for (u32 i = 0; i < HOPS; i++) {
		while (READ_ONCE(hop_turn) % 2 != worker->number)
			shim_pause();
		WRITE_ONCE(hop_turn, hop_turn + 1);
	}
	hop_ns[worker->number] = ktime_get_mono_fast_ns() - begin;
}

/* Of a few the first quartile: on a busy machine many have to wait for a CPU. */
static double time_hop(void)
{
	double times[9];

	crew.count = 2;
	for (u32 i = 0; i < 9; i++) {
		hop_turn = 0;
		crew_run(&crew, hop);
		times[i] = hop_ns[0] / (2.0 * HOPS);
	}
	return quantile(times, 9, 1);
}

static void print_hops(double *hops, u32 turns)
{
	printf("{\"mode\": \"" HOP_MODE
	       "\", \"cpus\": 2, \"turns\": %u, \"of\": %u, \"ns\": %.2f, \"spread\": %.2f, \"loop\": 0}\n",
	       turns, turns, quantile(hops, turns, 2),
	       quantile(hops, turns, 3) - quantile(hops, turns, 1));
}

/* Of the turns that were good. */
static u32 take_good(const double *turns, u32 count, double less, double *good)
{
	u32 got = 0;

	for (u32 i = 0; i < count; i++)
		if (turns[i] > 0)
			good[got++] = turns[i] - less;
	return got;
}

static void print_result(u32 mode, u32 cpus, u32 turns, double empty)
{
	double good[MOST_TURNS];
	u32 got = take_good(results[INTEGRALS][mode], turns, empty, good);

	printf("{\"mode\": \"%s\", \"cpus\": %u, \"turns\": %u, \"of\": %u", modes[mode].name,
	       modes[mode].alone ? 1 : cpus, got, turns);
	if (got)
		printf(", \"ns\": %.2f, \"spread\": %.2f, \"loop\": %.2f", quantile(good, got, 2),
		       quantile(good, got, 3) - quantile(good, got, 1), empty);
	if (modes[mode].load == SPACED)
		printf(", \"gap\": %.0f", gaps_ns[mode]);
	printf("}\n");
}

static void print_results(u32 cpus, u32 turns)
{
	double good[MOST_TURNS];
	u32 mode, got;

	for (mode = 0; mode < MODES; mode++) {
		if (!is_wanted(mode))
			continue;
		got = take_good(results[EMPTY][mode], turns, 0, good);
		if (got)
			print_result(mode, cpus, turns, quantile(good, got, 2));
	}
}

/* What the other work of a mode takes. */
static void time_gaps(void)
{
	struct worker worker = { .random = 1 };

	for (u32 mode = 0; mode < MODES; mode++) {
		double times[15];

		for (u32 i = 0; i < 15; i++) {
			u64 begin = ktime_get_mono_fast_ns();

			for (u32 k = 0; k < 100; k++)
				other_work(&worker, modes[mode].gap);
			times[i] = (ktime_get_mono_fast_ns() - begin) / 100.0;
		}
		gaps_ns[mode] = quantile(times, 15, 2);
	}
}

static bool want_mode(const char *name)
{
	for (u32 mode = 0; mode < MODES; mode++)
		if (!strcmp(name, modes[mode].name)) {
			modes_wanted |= 1U << mode;
			return true;
		}
	return false;
}

static int check_all(u32 cpus)
{
	int failed = check_posts();

	for (u32 slow = 0; slow < 2; slow++) {
		use_slow_clock(slow);
		for (crew.count = 1; crew.count <= cpus; crew.count++)
			failed |= check_sums(&crew);
		/* more than there are CPUs: the system halts any of them at any time */
		crew.count = MANY_WRITERS;
		failed |= check_sums(&crew);
	}
	return failed;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "check", 0, NULL, 'c' }, { "cpus", 1, NULL, 'n' }, { "turns", 1, NULL, 't' },
		{ "ms", 1, NULL, 'm' },	   { "mode", 1, NULL, 'M' }, { NULL, 0, NULL, 0 },
	};
	u32 cpus = 2, turns = 21, ms = 8, found;
	bool check = false, good = true;
	static double hops[MOST_TURNS];
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1)
		switch (option) {
		case 'c':
			check = true;
			break;
		case 'n':
			cpus = strtoul(optarg, NULL, 10);
			break;
		case 't':
			turns = strtoul(optarg, NULL, 10);
			break;
		case 'm':
			ms = strtoul(optarg, NULL, 10);
			break;
		case 'M':
			good &= want_mode(optarg);
			break;
		default:
			good = false;
		}
	if (!good || optind < argc || !cpus || cpus > MOST_WORKERS || !turns ||
	    turns > MOST_TURNS || !ms || ms > 1000) {
		fprintf(stderr, "usage: contention [--check] [--cpus 1..%d] [--turns 1..%d]",
			MOST_WORKERS, MOST_TURNS);
		fprintf(stderr, " [--ms 1..1000] [--mode NAME]...\nmodes:");
		for (u32 mode = 0; mode < MODES; mode++)
			fprintf(stderr, " %s", modes[mode].name);
		fputc('\n', stderr);
		return 2;
	}
	found = crew_cpus(&crew, cpus);
	if (found < cpus) {
		fprintf(stderr,
			"contention: %u CPUs wanted, %u may be used: give fewer with --cpus\n",
			cpus, found);
		return 1;
	}
	/* Whoever waits for the output of a check that hangs should see how far it came. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	start_clock();
	if (check)
		return check_all(cpus);
	run_ns = ms * 1000000ULL;
	time_gaps();
	for (u32 turn = 0; turn < turns; turn++) {
		if (cpus > 1)
			hops[turn] = time_hop();
		for (u32 mode = 0; mode < MODES; mode++) {
			if (!is_wanted(mode))
				continue;
			/* It may not run for longer than its product has room. */
			start_clock();
			take_turn(EMPTY, mode, turn, cpus);
			take_turn(INTEGRALS, mode, turn, cpus);
		}
	}
	if (cpus > 1)
		print_hops(hops, turns);
	print_results(cpus, turns);
	return 0;
}
