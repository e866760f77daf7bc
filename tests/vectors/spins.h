/* SPDX-License-Identifier: GPL-2.0 */
/* Threads that spin: on a CPU, and yet inactive. */
#ifndef GAPP_VEC_SPINS_H
#define GAPP_VEC_SPINS_H

#include "vec.h"

/* clang-format off */

/*
 * B spins, loses its CPU meanwhile, works again, and sleeps after its spinning. In the end A spins
 * too, so for a time nobody is active.
 *
 *	0 100 ........ 400 500 ..... 700 800 . 900 . 950 1000
 *	n=2   n=1      n=2 n=1       n=2 n=1   n=0   n=1
 *	A: 100/2 + 300 + 100/2 + 200 + 100/2 + 50 = 700, of which 550 with n = 1
 *	B: on a CPU 100/2 + 100/2 + 50/2 + 100 = 225, in the run queue 50/2; nothing from 200 to 250
 */
static const struct vec vec_spins = {
	.name = "who spins is inactive",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 2, .last = B },
		{ 0, A, START, 2 },
		{ 100, B, SPIN, 1 },
		{ 200, B, OUT_RUNNABLE, 1 },
		{ 250, B, IN, 1 },
		{ 400, B, WORK, 2 },
		{ 500, B, SPIN, 1 },
		{ 600, B, OUT_ASLEEP, 1 },
		{ 700, B, WAKE, 2 },
		{ 750, B, IN, 2 },
		{ 800, A, SPIN, 1 },
		{ 820, A, SPIN, 1 },
		{ 900, B, SPIN, 0 },
		{ 950, A, WORK, 1 },
		{ 1000, A, STOP, 1 },
		{ .op = END }
	},
	.end = 1000,
	.wall = 1000,
	.g = ALONE(800),
	.c = ALONE(650),
	.s = 1250,
	.hist = HIST{ { 0, 50 }, { 1, 650 }, { 2, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 850, .blocked = 150, .cm_run = ALONE(700),
		  .slices = 2, .wakeups = 1, .blocks = 1 },
		{ B, .state = SPINNING, .run = 350, .runq = 100, .blocked = 550,
		  .cm_run = ALONE(225), .cm_runq = ALONE(25),
		  .slices = 3, .wakeups = 2, .blocks = 3 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(550), 0 }, { B, ALONE(100), 0 }, { NO_MORE } },
};

/* Read while both wait, each in its way, and neither has had an event for long. */
static const struct vec vec_spins_open = {
	.name = "stays of spinners that have not ended",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 2, .last = B },
		{ 0, A, START, 2 },
		{ 100, A, SPIN, 1 },
		{ 200, B, SPIN, 0 },
		{ 300, B, OUT_RUNNABLE, 0 },
		{ .op = END }
	},
	.end = 900,
	.wall = 900,
	.g = ALONE(150),
	.c = ALONE(100),
	.s = 300,
	.hist = HIST{ { 0, 700 }, { 1, 100 }, { 2, 100 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = SPINNING, .run = 100, .blocked = 800, .cm_run = ALONE(50),
		  .slices = 1, .blocks = 1 },
		{ B, .state = SPIN_READY, .run = 200, .runq = 600, .blocked = 100,
		  .cm_run = ALONE(150), .slices = 1, .blocks = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, 0, 0 }, { B, ALONE(100), 0 }, { NO_MORE } },
};

/* Before the start and after its end nothing counts, and wake-ups make nobody active. */
static const struct vec vec_spins_to_its_end = {
	.name = "who spins before the start, and exits",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNING, 2 },
		{ 0, A, SPIN, 1 },
		{ 0, A, WORK, 2 },
		{ 0, A, SPIN, 1 },
		{ 0, A, START, 1 },
		{ 100, A, WAKE, 1 },
		{ 100, A, WAKE_ON_CPU, 1 },
		{ 100, A, NEW, 1 },
		{ 120, A, SEED_RUNNING, 1 },
		{ 150, A, OUT_DEAD, 1 },
		{ 200, A, WORK, 1 },
		{ 200, A, SPIN, 1 },
		{ 300, A, STOP, 1 },
		{ 400, B, SPIN, 1 },
		{ .op = END }
	},
	.end = 400,
	.wall = 300,
	.g = ALONE(300),
	.c = ALONE(300),
	.s = 300,
	.hist = HIST{ { 0, 0 }, { 1, 300 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = GONE, .blocked = 150, .left = 150 },
		{ B, .state = RUNNING, .run = 300, .cm_run = ALONE(300), .slices = 1 },
		{ NO_MORE }
	},
};

#endif /* GAPP_VEC_SPINS_H */
