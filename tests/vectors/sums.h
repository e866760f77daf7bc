/* SPDX-License-Identifier: GPL-2.0 */
/* The accumulators: time with nobody active, and a threshold that changes. */
#ifndef GAPP_VEC_SUMS_H
#define GAPP_VEC_SUMS_H

#include "vec.h"

/* clang-format off */

/*
 *	0 - 100 nobody, 100 - 300 A, 300 - 1000 nobody, 1000 - 1100 A and B, 1100 - 2000 nobody
 *	Z = 100 + 700 + 900 = 1700, shares = 200 + 100; together the wall's 2000
 */
static const struct vec vec_all_asleep = {
	.name = "stretches with nobody active",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = B },
		{ 0, A, START, 0 },
		{ 100, A, WAKE, 1 },
		{ 100, A, IN, 1 },
		{ 300, A, OUT_ASLEEP, 0 },
		{ 1000, A, WAKE, 1 },
		{ 1000, A, IN, 1 },
		{ 1000, B, WAKE, 2 },
		{ 1000, B, IN, 2 },
		{ 1100, A, OUT_ASLEEP, 1 },
		{ 1100, B, OUT_ASLEEP, 0 },
		{ .op = END }
	},
	.end = 2000,
	.wall = 2000,
	.g = ALONE(200 + 50),
	.c = ALONE(200),
	.s = 200 + 200,
	.hist = HIST{ { 0, 1700 }, { 1, 200 }, { 2, 100 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 300, .blocked = 1700, .cm_run = ALONE(250),
		  .slices = 2, .wakeups = 2, .blocks = 2 },
		{ B, .state = BLOCKED, .run = 100, .blocked = 1900, .cm_run = ALONE(50),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ NO_MORE }
	},
};

static const struct vec vec_nobody = {
	.name = "nobody is ever active",
	.steps = STEPS{
		{ 0, A, START, 0 },
		{ 400, A, N_MIN, 0, .arg = 3 },
		{ 1000000000, A, STOP, 0 },
		{ .op = END }
	},
	.end = 2000000000,
	.wall = 1000000000,
	.hist = HIST{ { 0, 1000000000 }, { NO_MORE } },
	.threads = THREADS{ { NO_MORE } },
};

/*
 *	n      4     4     4     3     3     3     0     1
 *	N_min  2     4     3     3     2     1     9     9
 *	from   0     400   800   1200  1500  1800  2100  2200   until 2300
 *	T / n  100   100   100   100   100   100   -     100    G = 700
 *	C            100         100                     100    C = 300
 *
 * At 400, 800, 1500 and 1800 nothing but N_min changes, at 1200 nothing but n. Whoever applies the
 * last threshold to the whole of an interval finds 0 until 2100 instead of 200.
 */
static const struct vec vec_n_min_changes = {
	.name = "a change of N_min closes the interval",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 4, .last = D },
		{ 0, A, N_MIN, 4, .arg = 2 },
		{ 0, A, START, 4 },
		{ 400, A, N_MIN, 4, .arg = 4 },
		{ 800, A, N_MIN, 4, .arg = 3 },
		{ 1200, D, OUT_ASLEEP, 3 },
		{ 1500, A, N_MIN, 3, .arg = 2 },
		{ 1800, A, N_MIN, 3, .arg = 1 },
		{ 2100, A, OUT_ASLEEP, 2 },
		{ 2100, B, OUT_ASLEEP, 1 },
		{ 2100, C, OUT_ASLEEP, 0 },
		{ 2150, A, N_MIN, 0, .arg = 9 },
		{ 2200, A, WAKE, 1 },
		{ 2300, A, STOP, 1 },
		{ .op = END }
	},
	.end = 2300,
	.wall = 2300,
	.g = ALONE(700),
	.c = ALONE(300),
	.s = 4800 + 2700 + 100,
	.hist = HIST{ { 0, 100 }, { 1, 100 }, { 3, 900 }, { 4, 1200 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNABLE, .run = 2100, .runq = 100, .blocked = 100,
		  .cm_run = ALONE(600), .cm_runq = ALONE(100),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ B, C, .state = BLOCKED, .run = 2100, .blocked = 200, .cm_run = ALONE(600),
		  .slices = 1, .blocks = 1 },
		{ D, .state = BLOCKED, .run = 1200, .blocked = 1100, .cm_run = ALONE(300),
		  .slices = 1, .blocks = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{
		{ A, ALONE(200), ALONE(100) },
		{ B, ALONE(200) },
		{ C, ALONE(200) },
		{ D, ALONE(100) },
		{ NO_MORE }
	},
};

/* Read, not closed: C of the open interval counts by the threshold in force. */
static const struct vec vec_n_min_open = {
	.name = "an open interval counts in C too",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 2, .last = B },
		{ 0, A, START, 2 },
		{ 100, A, N_MIN, 2, .arg = 2 },
		{ .op = END }
	},
	.end = 400,
	.wall = 400,
	.g = ALONE(200),
	.c = ALONE(150),
	.s = 800,
	.hist = HIST{ { 0, 0 }, { 2, 400 }, { NO_MORE } },
	.threads = THREADS{
		{ A, B, .state = RUNNING, .run = 400, .cm_run = ALONE(200) },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(150) }, { B, ALONE(150) }, { NO_MORE } },
};

/*
 * A slice that is serial for a tenth of its length and parallel for the rest. By its average,
 * (100 + 900 * 4) / 1000 = 3.7 threads, it would not be critical; its critical share is 100.
 */
static const struct vec vec_mixed_slice = {
	.name = "a slice's serial part counts, whatever its average",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = D },
		{ 0, A, N_MIN, 1, .arg = 2 },
		{ 0, A, START, 1 },
		{ 100, B, WAKE, 2 },
		{ 100, C, WAKE, 3 },
		{ 100, D, WAKE, 4 },
		{ 1000, A, OUT_ASLEEP, 3 },
		{ .op = END }
	},
	.end = 1000,
	.wall = 1000,
	.g = ALONE(100 + 225),
	.c = ALONE(100),
	.s = 3700,
	.hist = HIST{ { 0, 0 }, { 1, 100 }, { 4, 900 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 1000, .cm_run = ALONE(325), .slices = 1,
		  .blocks = 1 },
		{ B, D, .state = RUNNABLE, .runq = 900, .blocked = 100, .cm_runq = ALONE(225),
		  .wakeups = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(100) }, { B }, { C }, { D }, { NO_MORE } },
};

/*
 * B waits for A's CPU. The time in which at most two are active is divided among them, wherever
 * they are: together 400 + 200 + 300.
 *
 *	n	2 until 400, 3 until 1000, 2 until 1200, 1 until 1500
 *	A	200 + 100
 *	B	200 + 100 in the run queue, then 300
 */
static const struct vec vec_critical_queue = {
	.name = "critical share in the run queue",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNABLE, 2 },
		{ 0, C, SEED_BLOCKED, 2 },
		{ 0, A, N_MIN, 2, .arg = 2 },
		{ 0, A, START, 2 },
		{ 400, C, WAKE, 3 },
		{ 400, C, IN, 3 },
		{ 1000, C, OUT_ASLEEP, 2 },
		{ 1200, A, OUT_ASLEEP, 1 },
		{ 1200, B, IN, 1 },
		{ 1500, A, STOP, 1 },
		{ .op = END }
	},
	.end = 1500,
	.wall = 1500,
	.g = ALONE(200 + 200 + 100 + 300),
	.c = ALONE(200 + 100 + 300),
	.s = 800 + 1800 + 400 + 300,
	.hist = HIST{ { 0, 0 }, { 1, 300 }, { 2, 600 }, { 3, 600 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 1200, .blocked = 300, .cm_run = ALONE(500),
		  .slices = 1, .blocks = 1 },
		{ B, .state = RUNNING, .run = 300, .runq = 1200, .cm_run = ALONE(300),
		  .cm_runq = ALONE(500), .slices = 1 },
		{ C, .state = BLOCKED, .run = 600, .blocked = 900, .cm_run = ALONE(200),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(300) }, { B, ALONE(300), ALONE(300) }, { C }, { NO_MORE } },
};

/*
 * The quotient is rounded down once an interval. 1 ns among three is 4096 / 3 = 1365 1/3, so
 * seven intervals give 7 * 1365 = 9555; as one it would be 28672 / 3 = 9557 1/3.
 */
static const struct vec vec_rounding = {
	.name = "each closed interval is rounded down",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 3, .last = C },
		{ 0, A, START, 3 },
		{ 1, A, N_MIN, 3, .arg = 3 },
		{ 2, A, N_MIN, 3, .arg = 3 },
		{ 3, A, N_MIN, 3, .arg = 3 },
		{ 4, A, N_MIN, 3, .arg = 3 },
		{ 5, A, N_MIN, 3, .arg = 3 },
		{ 6, A, N_MIN, 3, .arg = 3 },
		{ 7, A, STOP, 3 },
		{ .op = END }
	},
	.end = 7,
	.wall = 7,
	.g = 9555,
	.c = 6 * 1365,
	.s = 21,
	.hist = HIST{ { 0, 0 }, { 3, 7 }, { NO_MORE } },
	.threads = THREADS{
		{ A, C, .state = RUNNING, .run = 7, .cm_run = 9555, .slices = 1 },
		{ NO_MORE }
	},
};

/* Events that do not change n close nothing, so nothing is lost: B preempts A every nanosecond. */
static const struct vec vec_no_rounding = {
	.name = "an event that leaves n alone costs no rounding",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNABLE, 3, .last = C },
		{ 0, A, START, 3 },
		{ 1, A, OUT_RUNNABLE, 3 },
		{ 1, B, IN, 3 },
		{ 2, B, OUT_RUNNABLE, 3 },
		{ 2, A, IN, 3 },
		{ 3, A, OUT_RUNNABLE, 3 },
		{ 3, B, IN, 3 },
		{ 7, A, STOP, 3 },
		{ .op = END }
	},
	.end = 7,
	.wall = 7,
	.g = SHARE(7, 3),
	.c = 0,
	.s = 21,
	.hist = HIST{ { 0, 0 }, { 3, 7 }, { NO_MORE } },
	/*
	 * G is 0, 1365, 2730, 4096, 9557 at 0, 1, 2, 3, 7. On a CPU A has 1365 + 1366 (from 2
	 * to 3), B 1365 (from 1 to 2) + 5461.
	 */
	.threads = THREADS{
		{ A, .state = RUNNABLE, .run = 2, .runq = 5, .cm_run = 1365 + 1366,
		  .cm_runq = 1365 + 5461, .slices = 2 },
		{ B, .state = RUNNING, .run = 5, .runq = 2, .cm_run = 1365 + 5461,
		  .cm_runq = 1365 + 1366, .slices = 2 },
		{ C, .state = RUNNABLE, .runq = 7, .cm_runq = 9557 },
		{ NO_MORE }
	},
};

/* n by itself: it does not go below 0, and the histogram's last element takes what is beyond. */
static const struct vec vec_n_bounds = {
	.name = "bounds of n and of the histogram",
	.bins = 4,
	.steps = STEPS{
		{ 0, A, DN, 2, .arg = 2 },
		{ 0, A, START, 2 },
		{ 100, A, DN, 3, .arg = 1 },
		{ 400, A, DN, 4, .arg = 1 },
		{ 800, A, DN, 65536, .arg = 65532 },
		{ 66336, A, DN, 1, .arg = -65535 },
		{ 66400, A, DN, 0, .arg = -5 },
		{ 66500, A, DN, 0, .arg = -1 },
		{ 66700, A, STOP, 0 },
		{ .op = END }
	},
	.end = 66700,
	.wall = 66700,
	.g = ALONE(50 + 100 + 100 + 1 + 64),
	.c = ALONE(64),
	.s = 200 + 900 + 1600 + 65536ULL * 65536 + 64,
	.hist = HIST{ { 0, 300 }, { 1, 64 }, { 2, 100 }, { 3, 300 + 400 + 65536 }, { NO_MORE } },
	.threads = THREADS{ { NO_MORE } },
};

#endif /* GAPP_VEC_SUMS_H */
