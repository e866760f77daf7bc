/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A figure like the GAPP paper's first (Nair and Field, ICPE 2020): four threads, seven events,
 * six intervals T1 to T6. A thread's CMetric is the sum of T_i / n_i over those in which it is
 * active.
 *
 *	event      e0     e1     e2     e3     e4     e5     e6
 *	at         0      600    1000   1900   2700   3000   3500
 *	interval     T1     T2     T3     T4     T5     T6
 *	length       600    400    900    800    300    500
 *
 *	A          ########################### . . . . . . .
 *	B          . . .  ################################
 *	C          . . . . . . . #################### . . .
 *	D          . . . . . . . . . . . #################
 *
 *	n            1      2      3      4      3      2
 *	T / n        600    200    300    200    100    250	sum: G = 1650
 *	T * n        600    800    2700   3200   900    1000	sum: S = 9200
 *	n <= 2       600    200                         250	sum: C = 1050
 *
 *	A = 600 + 200 + 300 + 200             = 1300
 *	B =       200 + 300 + 200 + 100 + 250 = 1050
 *	C =             300 + 200 + 100       =  600
 *	D =                   200 + 100 + 250 =  550
 *	                                        3500 = T1 + ... + T6
 */
#ifndef GAPP_VEC_PAPER_H
#define GAPP_VEC_PAPER_H

#include "vec.h"

/* clang-format off */

/* Everybody gets a CPU at once. N_min = 4 / 2, as in the paper. */
static const struct vec vec_figure_1 = {
	.name = "the paper's figure 1",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = D },
		{ 0, A, N_MIN, 0, .arg = 2 },
		{ 0, A, START, 0 },
		/* e0 */
		{ 0, A, WAKE, 1 },
		{ 0, A, IN, 1 },
		/* e1 */
		{ 600, B, WAKE, 2 },
		{ 600, B, IN, 2 },
		/* e2 */
		{ 1000, C, WAKE, 3 },
		{ 1000, C, IN, 3 },
		/* e3 */
		{ 1900, D, WAKE, 4 },
		{ 1900, D, IN, 4 },
		/* e4 */
		{ 2700, A, OUT_ASLEEP, 3 },
		/* e5 */
		{ 3000, C, OUT_ASLEEP, 2 },
		/* e6 */
		{ 3500, A, STOP, 2 },
		{ .op = END }
	},
	.end = 3500,
	.wall = 3500,
	.g = ALONE(1650),
	.c = ALONE(1050),
	.s = 9200,
	.hist = HIST{ { 0, 0 }, { 1, 600 }, { 2, 900 }, { 3, 1200 }, { 4, 800 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 2700, .blocked = 800, .cm_run = ALONE(1300),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ B, .state = RUNNING, .run = 2900, .blocked = 600, .cm_run = ALONE(1050),
		  .slices = 1, .wakeups = 1 },
		{ C, .state = BLOCKED, .run = 2000, .blocked = 1500, .cm_run = ALONE(600),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ D, .state = RUNNING, .run = 1600, .blocked = 1900, .cm_run = ALONE(550),
		  .slices = 1, .wakeups = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{
		{ A, ALONE(600 + 200) },
		{ B, ALONE(200 + 250) },
		{ C },
		{ D, ALONE(250) },
		{ NO_MORE }
	},
};

/*
 * The same with two CPUs: C waits for A's until e4, D for C's until e5. Who is active stays as it
 * was, and so does every sum; C and D collect some of their share in the run queue.
 *
 *	C waits e2..e4: 300 + 200 = 500, runs e4..e5: 100
 *	D waits e3..e5: 200 + 100 = 300, runs e5..e6: 250
 */
static const struct vec vec_figure_1_two_cpus = {
	.name = "the paper's figure 1 on two CPUs",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = D },
		{ 0, A, N_MIN, 0, .arg = 2 },
		{ 0, A, START, 0 },
		{ 0, A, WAKE, 1 },
		{ 0, A, IN, 1 },
		{ 600, B, WAKE, 2 },
		{ 600, B, IN, 2 },
		{ 1000, C, WAKE, 3 },
		{ 1900, D, WAKE, 4 },
		{ 2700, A, OUT_ASLEEP, 3 },
		{ 2700, C, IN, 3 },
		{ 3000, C, OUT_ASLEEP, 2 },
		{ 3000, D, IN, 2 },
		{ 3500, A, STOP, 2 },
		{ .op = END }
	},
	.end = 9999,
	.wall = 3500,
	.g = ALONE(1650),
	.c = ALONE(1050),
	.s = 9200,
	.hist = HIST{ { 0, 0 }, { 1, 600 }, { 2, 900 }, { 3, 1200 }, { 4, 800 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = BLOCKED, .run = 2700, .blocked = 800, .cm_run = ALONE(1300),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ B, .state = RUNNING, .run = 2900, .blocked = 600, .cm_run = ALONE(1050),
		  .slices = 1, .wakeups = 1 },
		{ C, .state = BLOCKED, .run = 300, .runq = 1700, .blocked = 1500,
		  .cm_run = ALONE(100), .cm_runq = ALONE(500),
		  .slices = 1, .wakeups = 1, .blocks = 1 },
		{ D, .state = RUNNING, .run = 500, .runq = 1100, .blocked = 1900,
		  .cm_run = ALONE(250), .cm_runq = ALONE(300), .slices = 1, .wakeups = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(800) }, { B, ALONE(450) }, { C }, { D, ALONE(250) }, { NO_MORE } },
};

/*
 * Read in the middle, at 2000 (e3 was 100 ago), with A to D in the midst of their slices:
 *
 *	G = 600 + 200 + 300 + 100/4 = 1125	S = 600 + 800 + 2700 + 400 = 4500
 *	A = 1125, B = 525, C = 325, D = 25; together 2000
 */
static const struct vec vec_figure_1_open = {
	.name = "the paper's figure 1, read in the middle",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = D },
		{ 0, A, N_MIN, 0, .arg = 2 },
		{ 0, A, START, 0 },
		{ 0, A, WAKE, 1 },
		{ 0, A, IN, 1 },
		{ 600, B, WAKE, 2 },
		{ 600, B, IN, 2 },
		{ 1000, C, WAKE, 3 },
		{ 1000, C, IN, 3 },
		{ 1900, D, WAKE, 4 },
		{ 1900, D, IN, 4 },
		{ .op = END }
	},
	.end = 2000,
	.wall = 2000,
	.g = ALONE(1125),
	.c = ALONE(800),
	.s = 4500,
	.hist = HIST{ { 0, 0 }, { 1, 600 }, { 2, 400 }, { 3, 900 }, { 4, 100 }, { NO_MORE } },
	.threads = THREADS{
		{ A, .state = RUNNING, .run = 2000, .cm_run = ALONE(1125), .wakeups = 1 },
		{ B, .state = RUNNING, .run = 1400, .blocked = 600, .cm_run = ALONE(525),
		  .wakeups = 1 },
		{ C, .state = RUNNING, .run = 1000, .blocked = 1000, .cm_run = ALONE(325),
		  .wakeups = 1 },
		{ D, .state = RUNNING, .run = 100, .blocked = 1900, .cm_run = ALONE(25),
		  .wakeups = 1 },
		{ NO_MORE }
	},
	.crit = CRIT{ { A, ALONE(800) }, { B, ALONE(200) }, { C }, { D }, { NO_MORE } },
};

#endif /* GAPP_VEC_PAPER_H */
