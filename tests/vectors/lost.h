/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Sequences that cannot happen if every event is seen. They are counted in "unexpected", and what
 * they do to the figures is bounded: n stays the number of active threads.
 */
#ifndef GAPP_VEC_LOST_H
#define GAPP_VEC_LOST_H

#include "vec.h"

/* clang-format off */

/*
 * Switched out again and again, never in. B keeps n at 1 or more.
 *
 *	100	A sleeps: run 100, half of it its share
 *	200	asleep again: 100 blocked
 *	300	it is runnable after all, so something woke it: 100 blocked
 *	400	out again, so it was on a CPU: run 100, half of it
 *	500	dead: run 100, half of it
 *	n	2 until 100, 1 until 300, 2 until 500, 1 until 600
 */
static const struct vec vec_double_out = {
	.name = "switched out twice",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNING, 2 },
		{ 0, A, START, 2 },
		{ 100, A, OUT_ASLEEP, 1 },
		{ 200, A, OUT_ASLEEP, 1 },
		{ 300, A, OUT_RUNNABLE, 2 },
		{ 400, A, OUT_RUNNABLE, 2 },
		{ 500, A, OUT_DEAD, 1 },
		{ 600, A, STOP, 1 },
		{ .op = END }
	},
	.end = 600,
	.wall = 600,
	.g = ALONE(50 + 200 + 100 + 100),
	.c = ALONE(300),
	.s = 200 + 200 + 400 + 100,
	.hist = HIST{ { 0, 0 }, { 1, 300 }, { 2, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = GONE, .run = 300, .blocked = 200, .cm_run = ALONE(150),
		  .slices = 3, .blocks = 2, .left = 500, .unexpected = 4 },
		{ B, .state = RUNNING, .run = 600, .cm_run = ALONE(450), .slices = 1 },
		{ NO_MORE }
	},
};

/*
 * The switch-in of each is missed while it is runnable: the time since its last event was spent
 * on a CPU. B sleeps, C dies, D is woken on its CPU and runs on.
 *
 *	n	4 until 400 (A runs all the time), 3 until 700, 2 until 1000
 *	B	400/4 = 100
 *	C	400/4 + 300/3 = 200
 *	D	550 of it at the wake-up, the rest as any running thread: 100 + 100 + 300/2 = 350
 */
static const struct vec vec_unseen_in_runnable = {
	.name = "a runnable thread's switch-in was not seen",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNABLE, 4, .last = D },
		{ 0, A, START, 4 },
		{ 400, B, OUT_ASLEEP, 3 },
		{ 550, D, WAKE_ON_CPU, 3 },
		{ 700, C, OUT_DEAD, 2 },
		{ 1000, A, STOP, 2 },
		{ .op = END }
	},
	.end = 1000,
	.wall = 1000,
	.g = ALONE(100 + 100 + 150),
	.c = 0,
	.s = 1600 + 900 + 600,
	.hist = HIST{ { 0, 0 }, { 4, 400 }, { 3, 300 }, { 2, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 1000, .cm_run = ALONE(350), .slices = 1 },
		{ B, .state = BLOCKED, .run = 400, .blocked = 600, .cm_run = ALONE(100),
		  .slices = 1, .blocks = 1, .unexpected = 1 },
		{ C, .state = GONE, .run = 700, .cm_run = ALONE(200),
		  .slices = 1, .blocks = 1, .left = 700, .unexpected = 1 },
		{ D, .state = RUNNING, .run = 1000, .cm_run = ALONE(350), .slices = 1,
		  .unexpected = 1 },
		{ NO_MORE }
	},
};

/* A's wake-up is missed: it is active from its switch-in on. B's too: from its switch-out on. */
static const struct vec vec_unseen_wake = {
	.name = "a wake-up was not seen",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = C },
		{ 0, A, START, 0 },
		{ 100, A, IN, 1 },
		{ 200, B, OUT_RUNNABLE, 2 },
		{ 400, C, WAKE_ON_CPU, 3 },
		{ 700, A, STOP, 3 },
		{ .op = END }
	},
	.end = 700,
	.wall = 700,
	.g = ALONE(100 + 100 + 100),
	.c = ALONE(100),
	.s = 100 + 400 + 900,
	.hist = HIST{ { 0, 100 }, { 1, 100 }, { 2, 200 }, { 3, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 600, .blocked = 100, .cm_run = ALONE(300),
		  .slices = 1, .unexpected = 1 },
		{ B, .state = RUNNABLE, .runq = 500, .blocked = 200, .cm_runq = ALONE(200),
		  .unexpected = 1 },
		{ C, .state = RUNNING, .run = 300, .blocked = 400, .cm_run = ALONE(100),
		  .slices = 1, .unexpected = 1 },
		{ NO_MORE }
	},
};

/* Its switch-out is missed: it runs on, as one slice. */
static const struct vec vec_double_in = {
	.name = "switched in twice",
	.steps = STEPS{
		{ 0, A, SEED_RUNNABLE, 1 },
		{ 0, A, START, 1 },
		{ 100, A, IN, 1 },
		{ 200, A, IN, 1 },
		{ 300, A, OUT_RUNNABLE, 1 },
		{ 400, A, STOP, 1 },
		{ .op = END }
	},
	.end = 400,
	.wall = 400,
	.g = ALONE(400),
	.c = ALONE(400),
	.s = 400,
	.hist = HIST{ { 0, 0 }, { 1, 400 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNABLE, .run = 200, .runq = 200, .cm_run = ALONE(200),
		  .cm_runq = ALONE(200), .slices = 1, .unexpected = 1 },
		{ NO_MORE }
	},
};

#endif /* GAPP_VEC_LOST_H */
