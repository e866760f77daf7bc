/* SPDX-License-Identifier: GPL-2.0 */
/* Time: that stands still, goes back, lasts long, and ends. */
#ifndef GAPP_VEC_CLOCK_H
#define GAPP_VEC_CLOCK_H

#include "vec.h"

/* clang-format off */

/* All in one instant: every change takes place, none takes time. B runs on, alone but at 100. */
static const struct vec vec_one_instant = {
	.name = "events at the same time",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0 },
		{ 0, B, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, A, WAKE, 2 },
		{ 100, A, IN, 2 },
		{ 100, A, OUT_RUNNABLE, 2 },
		{ 100, A, IN, 2 },
		{ 100, A, OUT_ASLEEP, 1 },
		{ 100, A, WAKE, 2 },
		{ 100, A, IN, 2 },
		{ 100, A, OUT_DEAD, 1 },
		{ 200, A, STOP, 1 },
		{ .op = END }
	},
	.end = 200,
	.wall = 200,
	.g = ALONE(200),
	.c = ALONE(200),
	.s = 200,
	.hist = HIST{ { 0, 0 }, { 1, 200 }, { 2, 0 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = GONE, .blocked = 100, .slices = 3, .wakeups = 2, .blocks = 2,
		  .left = 100 },
		{ B, .state = RUNNING, .run = 200, .cm_run = ALONE(200), .slices = 1 },
		{ NO_MORE }
	},
};

/*
 * Changes that come with a time before the last change are taken as at that change: 900 and 0 are
 * 1000. B and C are active from 1000 on, and share with A until B sleeps at 1300.
 *
 *	A: 1000 + 300/3 + 200/2 = 1200	B: 300/3	C: 300/3 + 200/2
 */
static const struct vec vec_backwards_change = {
	.name = "a change with an earlier time",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = C },
		{ 0, A, START, 1 },
		{ 1000, B, WAKE, 2 },
		{ 900, C, WAKE, 3 },
		{ 0, A, N_MIN, 3, .arg = 2 },
		{ 950, B, IN, 3 },
		{ 1300, B, OUT_ASLEEP, 2 },
		{ 1299, D, JOIN, 2 },
		{ 1500, A, STOP, 2 },
		{ .op = END }
	},
	.end = 1400,
	.wall = 1500,
	.g = ALONE(1200),
	.c = ALONE(1000 + 100),
	.s = 1000 + 900 + 400,
	.hist = HIST{ { 0, 0 }, { 1, 1000 }, { 2, 200 }, { 3, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 1500, .cm_run = ALONE(1200), .slices = 1 },
		{ B, .state = BLOCKED, .run = 300, .blocked = 1200, .cm_run = ALONE(100),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ C, .state = RUNNABLE, .runq = 500, .blocked = 1000, .cm_runq = ALONE(200),
		  .wakeups = 1 },
		{ D, .state = UNKNOWN, .joined = 1300 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(1000 + 100) }, { B }, { C, 0, ALONE(100) }, { D }, { NO_MORE } },
};

/*
 * A thread goes from one CPU to another whose clock is behind: out at 100, in at 90, asleep at 200.
 * Neither of the first two changes n, so the accumulators do not notice. The thread has run 100 and
 * then 110, and waited -10: together the 200 that there were. Less than nothing is shown as 0.
 */
static const struct vec vec_backwards_thread = {
	.name = "a thread's event with an earlier time than its last",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, A, OUT_RUNNABLE, 1 },
		{ 90, A, IN, 1 },
		{ 200, A, OUT_ASLEEP, 0 },
		{ 300, A, STOP, 0 },
		{ .op = END }
	},
	.end = 300,
	.wall = 300,
	.g = ALONE(200),
	.c = ALONE(200),
	.s = 200,
	.hist = HIST{ { 0, 100 }, { 1, 200 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 210, .runq = 0, .blocked = 100,
		  .cm_run = ALONE(210), .cm_runq = 0, .slices = 2, .blocks = 1 },
		{ NO_MORE }
	},
};

/* The same, but it waits once more, for 30: the -10 cancels out, and all is exact again. */
static const struct vec vec_backwards_cancels = {
	.name = "a step back cancels out",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, A, OUT_RUNNABLE, 1 },
		{ 90, A, IN, 1 },
		{ 200, A, OUT_RUNNABLE, 1 },
		{ 230, A, IN, 1 },
		{ 300, A, STOP, 1 },
		{ .op = END }
	},
	.end = 300,
	.wall = 300,
	.g = ALONE(300),
	.c = ALONE(300),
	.s = 300,
	.hist = HIST{ { 0, 0 }, { 1, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 100 + 110 + 70, .runq = -10 + 30,
		  .cm_run = ALONE(280), .cm_runq = ALONE(20), .slices = 3 },
		{ NO_MORE }
	},
};

/*
 * Where G itself goes back. At 120 A is switched out: G, extrapolated with n = 1, is 120. Then B's
 * wake-up is counted as of 100, where n became 2: by 130, when A is switched in, G is only
 * 100 + 30/2 = 115. A's wait took 10 ns and collects -5, shown as 0; at 300, G is 200, so its
 * second stay has 85. C was 120, too, and is 100 from B's wake-up on: what A's first stay has of
 * it too much, its wait has too little.
 */
static const struct vec vec_backwards_g = {
	.name = "G at a thread's event is less than at its last",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ 120, A, OUT_RUNNABLE, 1 },
		{ 100, B, WAKE, 2 },
		{ 130, A, IN, 2 },
		{ 300, A, STOP, 2 },
		{ .op = END }
	},
	.end = 300,
	.wall = 300,
	.g = ALONE(200),
	.c = ALONE(100),
	.s = 100 + 400,
	.hist = HIST{ { 0, 0 }, { 1, 100 }, { 2, 200 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 290, .runq = 10, .cm_run = ALONE(120 + 85),
		  .slices = 2 },
		{ B, .state = RUNNABLE, .runq = 200, .blocked = 100, .cm_runq = ALONE(100),
		  .wakeups = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(120), -ALONE(20) }, { B }, { NO_MORE } },
};

/*
 * Read with a clock that is behind the thread's last event, which was at 400. It has run 400, by
 * then, and waited -1. The 400 are more than the 399 that there were; they must show all the same.
 */
static const struct vec vec_backwards_read = {
	.name = "figures read with an earlier time than the last event",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 400, A, OUT_RUNNABLE, 1 },
		{ .op = END }
	},
	.end = 399,
	.wall = 399,
	.g = ALONE(399),
	.c = ALONE(399),
	.s = 399,
	.hist = HIST{ { 0, 0 }, { 1, 399 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNABLE, .run = 400, .cm_run = ALONE(400), .slices = 1 },
		{ NO_MORE }
	},
};

#define DAY (24ULL * 3600 * 1000000000)

/* 40 days, ten with each number of threads: A 10 + 5 + 10/3 + 2.5 days; 10/3 days are 80 hours. */
static const struct vec vec_40_days = {
	.name = "40 days",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = D },
		{ 0, A, N_MIN, 1, .arg = 2 },
		{ 0, A, START, 1 },
		{ 10 * DAY, B, WAKE, 2 },
		{ 20 * DAY, C, WAKE, 3 },
		{ 30 * DAY, D, WAKE, 4 },
		{ 40 * DAY, A, STOP, 4 },
		{ .op = END }
	},
	.end = 40 * DAY,
	.wall = 40 * DAY,
	.g = ALONE(10 * DAY + 5 * DAY + 80 * (DAY / 24) + 60 * (DAY / 24)),
	.c = ALONE(15 * DAY),
	.s = 100 * DAY,
	.hist = HIST{
		{ 0, 0 }, { 1, 10 * DAY }, { 2, 10 * DAY },
		{ 3, 10 * DAY }, { 4, 10 * DAY }, { NO_MORE }
	},
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 40 * DAY,
		  .cm_run = ALONE(15 * DAY + 140 * (DAY / 24)), .slices = 1 },
		{ B, .state = RUNNABLE, .runq = 30 * DAY, .blocked = 10 * DAY,
		  .cm_runq = ALONE(5 * DAY + 140 * (DAY / 24)), .wakeups = 1 },
		{ C, .state = RUNNABLE, .runq = 20 * DAY, .blocked = 20 * DAY,
		  .cm_runq = ALONE(140 * (DAY / 24)), .wakeups = 1 },
		{ D, .state = RUNNABLE, .runq = 10 * DAY, .blocked = 30 * DAY,
		  .cm_runq = ALONE(60 * (DAY / 24)), .wakeups = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(15 * DAY) }, { B, 0, ALONE(5 * DAY) }, { C }, { D }, { NO_MORE } },
};

#undef DAY

/* The last instant that counts: 2^52 - 1 ns, whose share alone is 2^64 - 2^12. */
static const struct vec vec_time_max = {
	.name = "alone until the end of time",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ GAPP_TIME_MAX, A, STOP, 1 },
		{ .op = END }
	},
	.end = GAPP_TIME_MAX,
	.wall = 0xfffffffffffffULL,
	.g = 0xfffffffffffff000ULL,
	.c = 0xfffffffffffff000ULL,
	.s = 0xfffffffffffffULL,
	.hist = HIST{ { 0, 0 }, { 1, 0xfffffffffffffULL }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 0xfffffffffffffULL,
		  .cm_run = 0xfffffffffffff000ULL, .slices = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, 0xfffffffffffff000ULL }, { NO_MORE } },
};

/*
 * Beyond it time stands still. States and n go on changing, nothing is collected.
 *
 *	B: 2^51 - 1 blocked, then 2^51 on the run queue, which is (2^51 / 2) shared
 */
static const struct vec vec_time_beyond = {
	.name = "beyond the end of time",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ (1ULL << 51) - 1, B, WAKE, 2 },
		{ 1ULL << 52, B, IN, 2 },
		{ 1ULL << 53, A, OUT_ASLEEP, 1 },
		{ 1ULL << 62, B, OUT_ASLEEP, 0 },
		{ ~0ULL >> 1, A, WAKE, 1 },
		{ ~0ULL >> 1, A, STOP, 1 },
		{ .op = END }
	},
	.end = ~0ULL >> 1,
	.wall = (1ULL << 52) - 1,
	.g = ALONE((1ULL << 51) - 1 + (1ULL << 50)),
	.c = ALONE((1ULL << 51) - 1),
	.s = (1ULL << 51) - 1 + (1ULL << 52),
	.hist = HIST{ { 0, 0 }, { 1, (1ULL << 51) - 1 }, { 2, 1ULL << 51 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNABLE, .run = (1ULL << 52) - 1,
		  .cm_run = ALONE((1ULL << 51) - 1 + (1ULL << 50)),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ B, .state = BLOCKED, .runq = 1ULL << 51, .blocked = (1ULL << 51) - 1,
		  .cm_runq = ALONE(1ULL << 50), .slices = 1, .wakeups = 1, .blocks = 1 },
		{ NO_MORE }
	},
};

/*
 * 4096 threads, one CPU each. All run for 4096000 ns: 1000 each. Half of them sleep, the others
 * run for 2048000 more: 1000 each. The first thousand wake for one last nanosecond, which is
 * 4096 / 3048 = 1 unit for each of 3048.
 */
static const struct vec vec_4096_threads = {
	.name = "4096 threads",
	.steps = STEPS{
		{ 0, 0, SEED_RUNNING, 4096, .last = 4095 },
		{ 0, 0, N_MIN, 4096, .arg = 2048 },
		{ 0, 0, START, 4096 },
		{ 4096000, 0, OUT_ASLEEP, 2048, .last = 2047 },
		{ 6144000, 0, WAKE, 3048, .last = 999 },
		{ 6144001, 0, STOP, 3048 },
		{ .op = END }
	},
	.end = 6144001,
	.wall = 6144001,
	.g = ALONE(2000) + 1,
	.c = ALONE(1000),
	.s = 4096ULL * 4096000 + 2048ULL * 2048000 + 3048,
	.hist = HIST{ { 0, 0 }, { 4096, 4096000 }, { 2048, 2048000 }, { 3048, 1 }, { NO_MORE } },
	.threads = THREADS{
		{ 0, 999, .state = RUNNABLE, .run = 4096000, .runq = 1, .blocked = 2048000,
		  .cm_run = ALONE(1000), .cm_runq = 1, .slices = 1, .wakeups = 1, .blocks = 1 },
		{ 1000, 2047, .state = BLOCKED, .run = 4096000, .blocked = 2048001,
		  .cm_run = ALONE(1000), .slices = 1, .blocks = 1 },
		{ 2048, 4095, .state = RUNNING, .run = 6144001, .cm_run = ALONE(2000) + 1,
		  .slices = 1 },
		{ NO_MORE }
	},
};

/* 65536 threads for 52 days: S is 2^52 * 2^16 - 2^16, which is -2^16 after the wrap. */
static const struct vec vec_s_wraps = {
	.name = "S wraps",
	.steps = STEPS{
		{ 0, A, DN, 65536, .arg = 65536 },
		{ 0, A, START, 65536 },
		{ GAPP_TIME_MAX, A, STOP, 65536 },
		{ .op = END }
	},
	.bins = 2,
	.end = GAPP_TIME_MAX,
	.wall = GAPP_TIME_MAX,
	.g = SHARE(GAPP_TIME_MAX, 65536),
	.c = 0,
	.s = -65536ULL,
	.hist = HIST{ { 0, 0 }, { 1, GAPP_TIME_MAX }, { NO_MORE } },
	.threads = THREADS{ { NO_MORE } },
};

#endif /* GAPP_VEC_CLOCK_H */
