/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Critical shares of slices: what they are, and that they are carried over and come out. With a
 * minimum of 10 us, less than 5 us is never due at a switch, and 15 us always are.
 */
#ifndef GAPP_VEC_SHARES_H
#define GAPP_VEC_SHARES_H

#include "slices.h"

/* clang-format off */

/*
 * Alone for 100 us, with three others for 900. By its average, 3.7 threads, it would not be
 * critical. The others collect nothing and have no record.
 */
static const struct vec_slices vec_share_of_a_tenth = {
	.name = "a slice that is serial for a tenth of its length",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = D },
		{ 0, A, START, 1 },
		{ US(100), B, WAKE, 4, .last = D },
		{ US(100), B, IN, 4, .last = D },
		{ US(1000), A, OUT_ASLEEP, 3 },
		{ US(1000), B, STOP, 3 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, 0, US(1000), ALONE(US(100)), ALONE(US(100)),
		  ALONE(US(100 + 225)), US(100 + 3600), 1, .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 4, .critical = 1, .unsampled = 1, .untold = 3,
};

/* What counts is time with at most N_min, wherever in the slice it is, and N_min as it was then. */
static const struct vec_slices vec_share_in_pieces = {
	.name = "a slice that is serial several times, for two",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNING, 2 },
		{ 0, C, SEED_BLOCKED, 2 },
		{ 0, A, N_MIN, 2, .arg = 2 },
		{ 0, A, START, 2 },
		{ US(40), C, WAKE, 3 },
		{ US(100), C, IN, 3 },
		{ US(160), C, OUT_ASLEEP, 2 },
		{ US(180), A, N_MIN, 2, .arg = 1 },
		{ US(200), B, OUT_ASLEEP, 1 },
		{ US(250), A, OUT_RUNNABLE, 1 },
		{ US(260), A, STOP, 1 },
		{ .op = END }
	},
	/*
	 * n	2 until 40, 3 until 160, 2 until 200, 1	 A: 20 + 40 + 20 + 50 until 250
	 * C	20 until 40, 10 from 160 until 180, 50 from 200
	 */
	.told = TOLD{
		{ TOLD_SLICE, B, 0, US(200), ALONE(US(30)), ALONE(US(30)), ALONE(US(80)),
		  US(80 + 360 + 80), 1, .critical = true },
		{ TOLD_SLICE, A, 0, US(250), ALONE(US(80)), ALONE(US(80)), ALONE(US(130)),
		  US(80 + 360 + 80 + 50), 1, .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 2, .unsampled = 2, .untold = 1,
};

/* The gaps are 4 us in all, and told at the end, for so little is not due before. */
static const struct vec_slices vec_carried_to_the_last = {
	.name = "three slices of 2 us give one record",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ US(2), A, OUT_ASLEEP, 0 },
		{ US(4), A, WAKE, 1 },
		{ US(4), A, IN, 1 },
		{ US(6), A, OUT_ASLEEP, 0 },
		{ US(8), A, WAKE, 1 },
		{ US(8), A, IN, 1 },
		{ US(10), A, OUT_DEAD, 0 },
		{ US(11), A, STOP, 0 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, US(8), US(2), ALONE(US(6)), ALONE(US(2)), ALONE(US(2)), US(2), 3,
		  .critical = true },
		{ TOLD_WAIT, A, US(6), US(4), .slices = 2 },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 3, .unsampled = 3,
};

/* 2 + 2 us are not due; with 11 more they are. What comes after is a rest: 4.9 us. */
static const struct vec_slices vec_carried_until_due = {
	.name = "small shares come with a large one, and a rest",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ US(2), A, OUT_RUNNABLE, 1 },
		{ US(3), A, IN, 1 },
		{ US(5), A, OUT_RUNNABLE, 1 },
		{ US(7), A, IN, 1 },
		{ US(18), A, OUT_RUNNABLE, 1 },
		{ US(20), A, IN, 1 },
		{ US(24), A, OUT_RUNNABLE, 1 },
		{ US(25), A, IN, 1 },
		{ US(25) + 900, A, OUT_RUNNABLE, 1 },
		{ US(30), A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, US(7), US(11), ALONE(US(15)), ALONE(US(11)), ALONE(US(11)),
		  US(11), 3, .critical = true },
		{ TOLD_REST, A, .critical_share = ALONE(4900), .slices = 2 },
		{ TOLD_NOTHING }
	},
	.slices = 5, .critical = 5, .unsampled = 5,
};

/* Carry and draws are each thread's own: A's 4 us and B's 4 us are no 8. */
static const struct vec_slices vec_carried_by_thread = {
	.name = "every thread has its own carry",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_RUNNABLE, 2 },
		{ 0, A, N_MIN, 2, .arg = 2 },
		{ 0, A, START, 2 },
		{ US(8), A, OUT_ASLEEP, 1 },
		{ US(8), B, IN, 1 },
		{ US(12), B, OUT_ASLEEP, 0 },
		{ US(12), A, STOP, 0 },
		{ .op = END }
	},
	/* B's first 8 us went by in the run queue: its half of them is in no slice */
	.told = TOLD{
		{ TOLD_REST, A, .critical_share = ALONE(US(4)), .slices = 1 },
		{ TOLD_REST, B, .critical_share = ALONE(US(4)), .slices = 1 },
		{ TOLD_NOTHING }
	},
	.slices = 2, .critical = 2, .unsampled = 2,
};

/*
 * A's second slice is told in parts at 14, 20 and 30. The first has what was carried over too, and
 * stands for the slice that had it; the second has no share, so it is none; the third has 4 us.
 */
static const struct vec_slices vec_parts = {
	.name = "a slice that goes on",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ US(2), A, OUT_RUNNABLE, 1 },
		{ US(4), A, IN, 1 },
		{ US(14), A, PART, 1 },
		{ US(14), B, WAKE, 2 },
		{ US(16), B, IN, 2 },
		{ US(20), A, PART, 2 },
		{ US(26), B, OUT_ASLEEP, 1 },
		{ US(30), A, PART, 1 },
		{ US(33), A, OUT_RUNNABLE, 1 },
		{ US(34), A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_PART, A, US(4), US(10), ALONE(US(12)), ALONE(US(10)), ALONE(US(10)), US(10),
		  1, .critical = true },
		{ TOLD_PART, A, US(20), US(10), ALONE(US(4)), ALONE(US(4)), ALONE(US(3 + 4)),
		  US(12 + 4), 0, .critical = true },
		{ TOLD_REST, A, .critical_share = ALONE(US(3)), .slices = 1 },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 2, .unsampled = 2, .untold = 1,
};

/* Whole slices are critical and sampled: what a part was, its slice is at its end, no longer. */
static const struct vec_slices vec_parts_remember = {
	.name = "a slice is what its parts were",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ US(20), A, SAMPLE, 1 },
		{ US(20), A, PART, 1 },
		{ US(20), B, WAKE, 2 },
		{ US(30), A, OUT_RUNNABLE, 2 },
		{ US(40), A, IN, 2 },
		{ US(50), A, OUT_RUNNABLE, 2 },
		{ US(60), A, IN, 2 },
		{ US(60), B, IN, 2 },
		{ US(60), B, OUT_ASLEEP, 1 },
		{ US(80), A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SAMPLE, A, .critical_share = ALONE(US(20)) },
		{ TOLD_PART, A, 0, US(20), ALONE(US(20)), ALONE(US(20)), ALONE(US(20)), US(20), 0,
		  .critical = true, .sampled = true },
		{ TOLD_SLICE, A, US(60), US(20), ALONE(US(20)), ALONE(US(20)), ALONE(US(20)),
		  US(20), 3, .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 4, .critical = 2, .unsampled = 1, .untold = 1,
};

/* With no minimum there is a record of everything, of what has no share too. */
static const struct vec_slices vec_every_slice = {
	.name = "a minimum of 0 tells every slice",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 2, .last = B },
		{ 0, A, START, 2 },
		{ 10, A, OUT_RUNNABLE, 2 },
		{ 20, A, IN, 2 },
		{ 30, A, PART, 2 },
		{ 40, B, OUT_ASLEEP, 1 },
		{ 41, A, OUT_ASLEEP, 0 },
		{ 50, B, WAKE, 1 },
		{ 50, B, IN, 1 },
		{ 50, B, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, 0, 10, 0, 0, ALONE(5), 20, 1 },
		{ TOLD_PART, A, 20, 10, 0, 0, ALONE(5), 20, 0 },
		{ TOLD_SLICE, B, 0, 40, 0, 0, ALONE(20), 80, 1 },
		{ TOLD_SLICE, A, 30, 11, ALONE(1), ALONE(1), ALONE(5 + 1), 20 + 1, 1,
		  .critical = true },
		{ TOLD_WAIT, B, 41, 9, .slices = 1 },
		{ TOLD_SLICE, B, 50, 0, 0, 0, 0, 0, 1 },
		{ TOLD_NOTHING }
	},
	.slices = 4, .critical = 1, .unsampled = 1,
};

/*
 * A slice ends where spinning begins, and another one begins where the thread works again. In
 * between there is none, whoever has the CPU. The thread that works ends the wait of all.
 */
static const struct vec_slices vec_slices_and_spins = {
	.name = "no slice has time of spinning",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 2, .last = B },
		{ 0, A, START, 2 },
		{ 10, A, SPIN, 1 },
		{ 15, A, SAMPLE, 1 },
		{ 20, A, OUT_RUNNABLE, 1 },
		{ 25, A, IN, 1 },
		{ 30, A, PART, 1 },
		{ 35, A, SPIN, 1 },
		{ 40, B, OUT_ASLEEP, 0 },
		{ 50, A, WORK, 1 },
		{ 60, A, OUT_ASLEEP, 0 },
		{ 60, A, STOP, 0 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, 0, 10, 0, 0, ALONE(5), 20, 1 },
		{ TOLD_SLICE, B, 0, 40, ALONE(30), ALONE(30), ALONE(5 + 30), 20 + 30, 1,
		  .critical = true },
		{ TOLD_WAIT, A, 40, 10, .slices = 1 },
		{ TOLD_SLICE, A, 50, 10, ALONE(10), ALONE(10), ALONE(10), 10, 1,
		  .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 2, .unsampled = 2,
};

/*
 * Samples have 10, 2, 0 and 5 of the first slice's 22 us: what was collected between two of them,
 * however long that took. The second slice's has nothing of the first.
 */
static const struct vec_slices vec_samples = {
	.name = "samples have what has grown since the last",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ US(10), A, SAMPLE, 1 },
		{ US(12), B, WAKE, 2 },
		{ US(20), A, SAMPLE, 2 },
		{ US(25), A, SAMPLE, 2 },
		{ US(28), B, IN, 2 },
		{ US(30), B, OUT_ASLEEP, 1 },
		{ US(35), A, SAMPLE, 1 },
		{ US(40), A, OUT_RUNNABLE, 1 },
		{ US(50), A, IN, 1 },
		{ US(57), A, SAMPLE, 1 },
		{ US(57), A, OUT_DEAD, 0 },
		{ US(57), A, SAMPLE, 0 },
		{ US(57), A, STOP, 0 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SAMPLE, A, .critical_share = ALONE(US(10)) },
		{ TOLD_SAMPLE, A, .critical_share = ALONE(US(2)) },
		{ TOLD_SAMPLE, A },
		{ TOLD_SAMPLE, A, .critical_share = ALONE(US(5)) },
		{ TOLD_SLICE, A, 0, US(40), ALONE(US(22)), ALONE(US(22)), ALONE(US(12 + 9 + 10)),
		  US(12 + 36 + 10), 1, .critical = true, .sampled = true },
		{ TOLD_SAMPLE, A, .critical_share = ALONE(US(7)) },
		{ TOLD_SLICE, A, US(50), US(7), ALONE(US(7)), ALONE(US(7)), ALONE(US(7)), US(7), 1,
		  .critical = true, .sampled = true },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 2, .untold = 1,
};

/* A switch-out of which the switch-in was not seen ends nothing: it has no begin. */
static const struct vec_slices vec_no_begin = {
	.name = "a slice whose begin was not seen is none",
	.steps = STEPS{
		{ 0, A, SEED_RUNNABLE, 1 },
		{ 0, A, START, 1 },
		{ US(10), A, OUT_RUNNABLE, 1 },
		{ US(20), B, OUT_RUNNABLE, 2 },
		{ US(30), C, OUT_DEAD, 2 },
		{ US(40), C, IN, 2 },
		{ US(50), A, PART, 2 },
		{ US(50), A, SAMPLE, 2 },
		{ US(60), A, STOP, 2 },
		{ US(70), B, IN, 2 },
		{ US(80), B, OUT_RUNNABLE, 2 },
		{ US(90), A, STOP, 2 },
		{ .op = END }
	},
	.told = TOLD{ { TOLD_NOTHING } },
};

/* Until the start only states count: the slices that are told are the two that are open then. */
static const struct vec_slices vec_slices_before_start = {
	.name = "slices before the start",
	.steps = STEPS{
		{ US(1), A, IN, 1 },
		{ US(2), A, OUT_ASLEEP, 0 },
		{ US(3), A, WAKE, 1 },
		{ US(4), A, IN, 1 },
		{ US(5), B, IN, 2 },
		{ US(6), A, PART, 2 },
		{ US(6), A, SAMPLE, 2 },
		{ 0, A, START, 2 },
		{ 100, B, OUT_ASLEEP, 1 },
		{ 150, A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, B, 0, 100, 0, 0, ALONE(50), 200, 1 },
		{ TOLD_SLICE, A, 0, 150, ALONE(50), ALONE(50), ALONE(100), 250, 1,
		  .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 2, .critical = 1, .unsampled = 1,
};

#endif /* GAPP_VEC_SHARES_H */
