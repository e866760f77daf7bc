/* SPDX-License-Identifier: GPL-2.0 */
/* Threads come and go, and so does the session. */
#ifndef GAPP_VEC_LIVES_H
#define GAPP_VEC_LIVES_H

#include "vec.h"

/* clang-format off */

/*
 * A creates B, which runs and exits. What is heard of B afterwards concerns another thread, or
 * nobody: nothing changes, not even the time at which it left.
 */
static const struct vec vec_gone = {
	.name = "a gone thread ignores everything",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, B, JOIN, 1 },
		{ 100, B, NEW, 1 },
		{ 150, B, WAKE, 2 },
		{ 250, B, IN, 2 },
		{ 350, B, OUT_DEAD, 1 },
		{ 400, B, NEW, 1 },
		{ 400, B, SEED_BLOCKED, 1 },
		{ 400, B, SEED_RUNNABLE, 1 },
		{ 400, B, SEED_RUNNING, 1 },
		{ 500, B, WAKE, 1 },
		{ 500, B, WAKE_ON_CPU, 1 },
		{ 550, B, IN, 1 },
		{ 600, B, OUT_RUNNABLE, 1 },
		{ 600, B, OUT_ASLEEP, 1 },
		{ 650, B, OUT_DEAD, 1 },
		{ 700, A, STOP, 1 },
		{ .op = END }
	},
	.end = 700,
	.wall = 700,
	.g = ALONE(150 + 100 + 350),
	.c = ALONE(500),
	.s = 150 + 400 + 350,
	.hist = HIST{ { 0, 0 }, { 1, 500 }, { 2, 200 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 700, .cm_run = ALONE(600), .slices = 1 },
		{ B, .state = GONE, .run = 100, .runq = 100, .blocked = 50,
		  .cm_run = ALONE(50), .cm_runq = ALONE(50),
		  .slices = 1, .wakeups = 1, .blocks = 1, .joined = 100, .left = 350 },
		{ NO_MORE }
	},
};

/* A seed is what was read some time ago; whatever event came meanwhile is newer. */
static const struct vec vec_seeds_lose = {
	.name = "a seed loses against any event",
	.steps = STEPS{
		{ 0, A, JOIN, 0, .last = E },
		{ 0, A, IN, 1 },
		{ 0, A, SEED_BLOCKED, 1 },
		{ 0, B, WAKE, 2 },
		{ 0, B, SEED_RUNNING, 2 },
		{ 0, C, OUT_ASLEEP, 2 },
		{ 0, C, SEED_RUNNABLE, 2 },
		{ 0, D, NEW, 2 },
		{ 0, D, SEED_RUNNING, 2 },
		{ 0, E, SEED_RUNNABLE, 3 },
		{ 0, E, SEED_BLOCKED, 3 },
		{ 0, A, START, 3 },
		{ 300, A, STOP, 3 },
		{ .op = END }
	},
	.end = 300,
	.wall = 300,
	.g = ALONE(100),
	.c = 0,
	.s = 900,
	.hist = HIST{ { 0, 0 }, { 3, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 300, .cm_run = ALONE(100), .slices = 1 },
		{ B, .state = RUNNABLE, .runq = 300, .cm_runq = ALONE(100) },
		{ C, D, .state = BLOCKED, .blocked = 300 },
		{ E, .state = RUNNABLE, .runq = 300, .cm_runq = ALONE(100) },
		{ NO_MORE }
	},
};

/*
 * Found by a later walk, while the session runs. Until its seed comes it belongs to nothing:
 * B 30 of its time, C all of it.
 *
 *	n	1 until 130, 2 until 330; A: 130 + 100
 */
static const struct vec vec_late_seed = {
	.name = "a thread of unknown state collects nothing",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, B, JOIN, 1, .last = C },
		{ 130, B, SEED_RUNNING, 2 },
		{ 330, A, STOP, 2 },
		{ .op = END }
	},
	.end = 330,
	.wall = 330,
	.g = ALONE(230),
	.c = ALONE(130),
	.s = 130 + 400,
	.hist = HIST{ { 0, 0 }, { 1, 130 }, { 2, 200 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 330, .cm_run = ALONE(230), .slices = 1 },
		{ B, .state = RUNNING, .run = 200, .cm_run = ALONE(100), .slices = 1,
		  .joined = 100 },
		{ C, .state = UNKNOWN, .joined = 100 },
		{ NO_MORE }
	},
};

/*
 * Before the start only states and n count. Session time stands at 0 meanwhile, whatever is
 * passed in, and nothing is collected and no event counted.
 */
static const struct vec vec_before_start = {
	.name = "events before the start",
	.steps = STEPS{
		{ 5000, A, JOIN, 0, .last = C },
		{ 6000, A, IN, 1 },
		{ 6500, A, N_MIN, 1, .arg = 2 },
		{ 7000, A, OUT_ASLEEP, 0 },
		{ 8000, A, WAKE, 1 },
		{ 8000, B, OUT_RUNNABLE, 2 },
		{ 9000, C, IN, 3 },
		{ 9500, C, OUT_DEAD, 2 },
		{ 0, A, START, 2 },
		{ 100, A, IN, 2 },
		{ 150, A, START, 2 },
		{ 400, A, STOP, 2 },
		{ .op = END }
	},
	.end = 400,
	.wall = 400,
	.g = ALONE(200),
	.c = ALONE(200),
	.s = 800,
	.hist = HIST{ { 0, 0 }, { 2, 400 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 300, .runq = 100, .cm_run = ALONE(150),
		  .cm_runq = ALONE(50), .slices = 1 },
		{ B, .state = RUNNABLE, .runq = 400, .cm_runq = ALONE(200) },
		{ C, .state = GONE },
		{ NO_MORE }
	},
};

/* After the stop nothing changes: not by events, seeds, a threshold, a second stop or a start. */
static const struct vec vec_after_stop = {
	.name = "events after the stop",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ 300, B, WAKE, 2 },
		{ 500, A, STOP, 2 },
		{ 600, A, OUT_ASLEEP, 2 },
		{ 600, B, IN, 2 },
		{ 700, A, OUT_DEAD, 2 },
		{ 700, B, OUT_DEAD, 2 },
		{ 800, C, JOIN, 2 },
		{ 800, C, SEED_RUNNING, 2 },
		{ 850, A, N_MIN, 2, .arg = 4 },
		{ 900, A, DN, 2, .arg = 3 },
		{ 900, A, STOP, 2 },
		{ 950, A, START, 2 },
		{ 990, B, IN, 2 },
		{ .op = END }
	},
	.end = 2000,
	.wall = 500,
	.g = ALONE(300 + 100),
	.c = ALONE(300),
	.s = 300 + 400,
	.hist = HIST{ { 0, 0 }, { 1, 300 }, { 2, 200 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 500, .cm_run = ALONE(400), .slices = 1 },
		{ B, .state = RUNNABLE, .runq = 200, .blocked = 300, .cm_runq = ALONE(100),
		  .wakeups = 1 },
		{ C, .state = UNKNOWN, .joined = 500 },
		{ NO_MORE }
	},
};

/* A session that never starts. */
static const struct vec vec_never_started = {
	.name = "stopped before it was started",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 100, A, STOP, 1 },
		{ 200, A, START, 1 },
		{ 300, A, OUT_ASLEEP, 1 },
		{ .op = END }
	},
	.end = 400,
	.wall = 0,
	.hist = HIST{ { 0, 0 }, { 1, 0 }, { NO_MORE } },
	.threads = THREADS{ { A, .state = RUNNING }, { NO_MORE } },
};

#endif /* GAPP_VEC_LIVES_H */
