/* SPDX-License-Identifier: GPL-2.0 */
/* What other tools get wrong: each vector is one error that was seen or read in a real one. */
#ifndef GAPP_VEC_TRAPS_H
#define GAPP_VEC_TRAPS_H

#include "vec.h"

/* clang-format off */

/*
 * A works alone for 4000, wakes the others, and goes to sleep 800 later. Where wake-ups do not
 * close the interval, the 4000 are divided by 4 too.
 *
 *	0 ... 4000 ........ 4800 .... 5100 ... 5200
 *	n = 1      n = 4         n = 3     n = 0
 *	A: 4000/1 + 800/4 = 4200
 *	B, C, D: in the run queue 100/4 = 25, on a CPU 700/4 + 300/3 = 275
 */
static const struct vec vec_wake_closes = {
	.name = "a wake-up closes the interval",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = D },
		{ 0, A, START, 1 },
		{ 4000, B, WAKE, 2 },
		{ 4000, C, WAKE, 3 },
		{ 4000, D, WAKE, 4 },
		{ 4100, B, IN, 4, .last = D },
		{ 4800, A, OUT_ASLEEP, 3 },
		{ 5100, B, OUT_ASLEEP, 2 },
		{ 5100, C, OUT_ASLEEP, 1 },
		{ 5100, D, OUT_ASLEEP, 0 },
		{ 5200, A, STOP, 0 },
		{ .op = END }
	},
	.end = 5200,
	.wall = 5200,
	.g = ALONE(4300),
	.c = ALONE(4000),
	.s = 4000 + 4 * 800 + 3 * 300,
	.hist = HIST{ { 0, 100 }, { 1, 4000 }, { 2, 0 }, { 3, 300 }, { 4, 800 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 4800, .blocked = 400, .cm_run = ALONE(4200),
		  .slices = 1, .blocks = 1 },
		{ B, D, .state = BLOCKED, .run = 1000, .runq = 100, .blocked = 4100,
		  .cm_run = ALONE(275), .cm_runq = ALONE(25),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ NO_MORE }
	},
};

/*
 * B joins while it is on a CPU already, C while it is; D's switch-in is seen. None of them
 * inherits what was integrated before, and B and C nothing of the slice whose begin nobody saw.
 *
 *	n	1 until 1000400, 2 until 1000600, 1 until 1001000, 2 until 1001400, 1 to the end
 *	A	1000400 + 200/2 + 400 + 400/2 + 600 = 1001700
 *	B	200/2 in the run queue
 *	D	400/2
 */
static const struct vec vec_unseen_in = {
	.name = "a thread whose switch-in was not seen inherits nothing",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 1000000, B, JOIN, 1, .last = D },
		{ 1000400, B, OUT_RUNNABLE, 2 },
		{ 1000500, C, OUT_ASLEEP, 2 },
		{ 1000600, B, IN, 2 },
		{ 1000600, B, OUT_ASLEEP, 1 },
		{ 1001000, D, IN, 2 },
		{ 1001400, D, OUT_ASLEEP, 1 },
		{ 1002000, A, STOP, 1 },
		{ .op = END }
	},
	.end = 1002000,
	.wall = 1002000,
	.g = ALONE(1001700),
	.c = ALONE(1000400 + 400 + 600),
	.s = 1000400 + 400 + 400 + 800 + 600,
	.hist = HIST{ { 0, 0 }, { 1, 1001400 }, { 2, 600 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 1002000, .cm_run = ALONE(1001700), .slices = 1 },
		{ B, .state = BLOCKED, .runq = 200, .blocked = 1400, .cm_runq = ALONE(100),
		  .slices = 1, .blocks = 1, .joined = 1000000 },
		{ C, .state = BLOCKED, .blocked = 1500, .joined = 1000000 },
		{ D, .state = BLOCKED, .run = 400, .blocked = 600, .cm_run = ALONE(200),
		  .slices = 1, .blocks = 1, .joined = 1000000 },
		{ NO_MORE }
	},
};

/*
 * Four threads share one CPU inside system calls. Each switch is a preemption in the kernel:
 * the state word may say anything, nobody has gone to sleep. As blocks they would get 400 each.
 */
static const struct vec vec_preempted = {
	.name = "preemption in the kernel is no block",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNABLE, 4, .last = D },
		{ 0, A, START, 4 },
		{ 400, A, OUT, 4, .preempt = true, .prev_state = 0, .state_now = 0 },
		{ 400, B, IN, 4 },
		/* about to wait: TASK_INTERRUPTIBLE is set, schedule() was not reached */
		{ 800, B, OUT, 4, .preempt = true, .prev_state = 1, .state_now = 1 },
		{ 800, C, IN, 4 },
		/* no preemption flag, but runnable: an end of its time slice, or a yield */
		{ 1200, C, OUT, 4, .preempt = false, .prev_state = 0, .state_now = 0 },
		{ 1200, D, IN, 4 },
		{ 1600, A, STOP, 4 },
		{ .op = END }
	},
	.end = 1600,
	.wall = 1600,
	.g = ALONE(400),
	.c = 0,
	.s = 6400,
	.hist = HIST{ { 0, 0 }, { 4, 1600 }, { NO_MORE } },
	.threads = THREADS{
		{ A, C, .state = RUNNABLE, .run = 400, .runq = 1200,
		  .cm_run = ALONE(100), .cm_runq = ALONE(300), .slices = 1 },
		{ D, .state = RUNNING, .run = 400, .runq = 1200,
		  .cm_run = ALONE(100), .cm_runq = ALONE(300), .slices = 1 },
		{ NO_MORE }
	},
};

/*
 * A wants to sleep, but a signal is pending: the scheduler puts the state word back, reports the
 * old one, and leaves A in the run queue. No wake-up comes but that of a waker who had read the old
 * word, too, and then waited for the run queue: it wakes nobody up. Later A does sleep.
 */
static const struct vec vec_stale_prev_state = {
	.name = "a pending signal leaves a stale prev_state",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 300, A, OUT, 1, .prev_state = 1, .state_now = 0 },
		{ 400, A, WAKE, 1 },
		{ 500, A, IN, 1 },
		{ 900, A, OUT, 0, .prev_state = 1, .state_now = 1 },
		{ 1000, A, STOP, 0 },
		{ .op = END }
	},
	.end = 1000,
	.wall = 1000,
	.g = ALONE(900),
	.c = ALONE(900),
	.s = 900,
	.hist = HIST{ { 0, 100 }, { 1, 900 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 700, .runq = 200, .blocked = 100,
		  .cm_run = ALONE(700), .cm_runq = ALONE(200), .slices = 2, .blocks = 1 },
		{ NO_MORE }
	},
};

/*
 * A is woken while it is still on its CPU (it had set its state word, and did not get to
 * schedule()), twice, by itself and from elsewhere. It never stopped counting, so n stays 1.
 */
static const struct vec vec_wake_current = {
	.name = "a wake-up of current is no new activation",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, A, WAKE_ON_CPU, 1 },
		{ 200, A, WAKE, 1 },
		{ 250, A, WAKE_ON_CPU, 1 },
		{ 300, A, OUT_ASLEEP, 0 },
		{ 400, A, WAKE, 1 },
		{ 400, A, IN, 1 },
		{ 500, A, STOP, 1 },
		{ .op = END }
	},
	.end = 500,
	.wall = 500,
	.g = ALONE(400),
	.c = ALONE(400),
	.s = 400,
	.hist = HIST{ { 0, 100 }, { 1, 400 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 400, .blocked = 100, .cm_run = ALONE(400),
		  .slices = 2, .wakeups = 1, .blocks = 1 },
		{ NO_MORE }
	},
};

/*
 * Wake-ups of a thread that is runnable or running already. B keeps A company.
 *
 *	n = 1 until 100, 2 until 500, 1 until 600
 *	A: runq 200/2, run 200/2
 */
static const struct vec vec_double_wake = {
	.name = "only the first of several wake-ups counts",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0 },
		{ 0, B, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 100, A, WAKE, 2 },
		{ 150, A, WAKE, 2 },
		{ 200, A, WAKE, 2 },
		{ 300, A, IN, 2 },
		{ 400, A, WAKE, 2 },
		{ 500, A, OUT_ASLEEP, 1 },
		{ 600, A, STOP, 1 },
		{ .op = END }
	},
	.end = 600,
	.wall = 600,
	.g = ALONE(100 + 200 + 100),
	.c = ALONE(200),
	.s = 200 + 2 * 400,
	.hist = HIST{ { 0, 0 }, { 1, 200 }, { 2, 400 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 200, .runq = 200, .blocked = 200,
		  .cm_run = ALONE(100), .cm_runq = ALONE(100),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ B, .state = RUNNING, .run = 600, .cm_run = ALONE(400), .slices = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A }, { B, ALONE(200) }, { NO_MORE } },
};

#endif /* GAPP_VEC_TRAPS_H */
