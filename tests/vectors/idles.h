/* SPDX-License-Identifier: GPL-2.0 */
/* Waits: time with nobody active, charged to the one who ends it. And clocks that step back. */
#ifndef GAPP_VEC_IDLES_H
#define GAPP_VEC_IDLES_H

#include "slices.h"

/* clang-format off */

/*
 * Stretches of 300 (from the start), 300, 50 (ended by a switch-in, for the wake-up was missed),
 * 100 (ended by a thread that is found) and 150 that nobody ends. N_min changes within the first
 * two. When two wake up at once, the first of them is charged.
 */
static const struct vec_slices vec_waits_of_all = {
	.name = "who ends a time with nobody active",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = B },
		{ 0, A, START, 0 },
		{ 100, A, N_MIN, 0, .arg = 2 },
		{ 300, A, WAKE, 1 },
		{ 300, A, IN, 1 },
		{ 400, A, OUT_ASLEEP, 0 },
		{ 500, A, N_MIN, 0, .arg = 1 },
		{ 600, A, N_MIN, 0, .arg = 3 },
		{ 700, B, WAKE, 1 },
		{ 700, A, WAKE, 2 },
		{ 700, B, IN, 2 },
		{ 700, B, OUT_ASLEEP, 1 },
		{ 800, A, IN, 1 },
		{ 800, A, OUT_ASLEEP, 0 },
		{ 850, A, IN, 1 },
		{ 850, A, OUT_DEAD, 0 },
		{ 900, C, JOIN, 0 },
		{ 950, C, SEED_RUNNABLE, 1 },
		{ 950, C, IN, 1 },
		{ 950, C, OUT_ASLEEP, 0 },
		{ 1100, A, STOP, 0 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_WAIT, A, 0, 300, .slices = 1 },
		{ TOLD_SLICE, A, 300, 100, ALONE(100), ALONE(100), ALONE(100), 100, 1,
		  .critical = true },
		{ TOLD_WAIT, B, 400, 300, .slices = 1 },
		{ TOLD_SLICE, B, 700, .slices = 1 },
		{ TOLD_SLICE, A, 800, .slices = 1 },
		{ TOLD_WAIT, A, 800, 50, .slices = 1 },
		{ TOLD_SLICE, A, 850, .slices = 1 },
		{ TOLD_WAIT, C, 850, 100, .slices = 1 },
		{ TOLD_SLICE, C, 950, .slices = 1 },
		{ TOLD_NOTHING }
	},
	.slices = 5, .critical = 1, .unsampled = 1,
};

/*
 * 3 + 1 us are not due, 11 more are: 15 us in three stretches, with the begin of the last. Then
 * 2 us, which come at the end. B's 4 us have nothing to do with them.
 */
static const struct vec_slices vec_waits_carried = {
	.name = "short waits are told together",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0, .last = B },
		{ 0, A, START, 0 },
		{ US(3), A, WAKE, 1 },
		{ US(3), A, IN, 1 },
		{ US(3), A, OUT_ASLEEP, 0 },
		{ US(4), A, WAKE, 1 },
		{ US(4), A, IN, 1 },
		{ US(4), A, OUT_ASLEEP, 0 },
		{ US(8), B, WAKE, 1 },
		{ US(8), B, IN, 1 },
		{ US(8), B, OUT_ASLEEP, 0 },
		{ US(19), A, WAKE, 1 },
		{ US(19), A, IN, 1 },
		{ US(19), A, OUT_ASLEEP, 0 },
		{ US(21), A, WAKE, 1 },
		{ US(22), A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_WAIT, A, US(8), US(15), .slices = 3 },
		{ TOLD_WAIT, A, US(19), US(2), .slices = 1 },
		{ TOLD_WAIT, B, US(4), US(4), .slices = 1 },
		{ TOLD_NOTHING }
	},
	.slices = 4, .untold = 4,
};

/* Nobody is active before the start, and nobody is charged with it, nor with what no time took. */
static const struct vec_slices vec_waits_of_no_time = {
	.name = "waits of no time are none",
	.steps = STEPS{
		{ 0, A, SEED_BLOCKED, 0 },
		{ US(10), A, WAKE, 1 },
		{ US(10), A, OUT_ASLEEP, 0 },
		{ 0, A, START, 0 },
		{ 0, A, WAKE, 1 },
		{ US(1), A, IN, 1 },
		{ US(2), A, OUT_ASLEEP, 0 },
		{ US(2), B, IN, 1 },
		{ US(3), B, STOP, 1 },
		{ US(4), A, WAKE, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, US(1), US(1), ALONE(US(1)), ALONE(US(1)), ALONE(US(1)), US(1), 1,
		  .critical = true },
		{ TOLD_SLICE, B, US(2), US(1), ALONE(US(1)), ALONE(US(1)), ALONE(US(1)), US(1), 1,
		  .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 2, .critical = 2, .unsampled = 2,
};

/*
 * C goes back between two of A's slices: at 120 it is 120; B's wake-up is as of 100, so at 130,
 * when the second begins, it is 100 (G 115, S 160). B dies at 200: at 300 it is 200 (G 250, S 400).
 */
static const struct vec_slices vec_back_between = {
	.name = "a step back between two slices",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ 120, A, OUT_RUNNABLE, 1 },
		{ 100, B, WAKE, 2 },
		{ 130, A, IN, 2 },
		{ 200, B, IN, 2 },
		{ 200, B, OUT_DEAD, 1 },
		{ 300, A, OUT_RUNNABLE, 1 },
		{ 300, A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, 0, 120, ALONE(120), ALONE(120), ALONE(120), 120, 1,
		  .critical = true },
		{ TOLD_SLICE, B, 200, .slices = 1 },
		{ TOLD_SLICE, A, 130, 170, ALONE(100), ALONE(100), ALONE(135), 240, 1,
		  .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 2, .unsampled = 2,
};

/* A's switch-in is ahead of all that follows: of B's wake-up, and of its own switch-out. */
static const struct vec_slices vec_back_within = {
	.name = "a step back within a slice is none",
	.steps = STEPS{
		{ 0, A, SEED_RUNNABLE, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ 120, A, IN, 1 },
		{ 100, B, WAKE, 2 },
		{ 110, A, OUT_RUNNABLE, 2 },
		{ 200, A, STOP, 2 },
		{ .op = END }
	},
	.told = TOLD{ { TOLD_SLICE, A, 120, .slices = 1 }, { TOLD_NOTHING } },
	.slices = 1,
};

/* The part at 95 comes after that at 100: the next one begins at 100, or 5 ns would count twice. */
static const struct vec_slices vec_back_at_a_part = {
	.name = "a step back at a part of a slice",
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 90, A, SAMPLE, 1 },
		{ 80, A, SAMPLE, 1 },
		{ 100, A, PART, 1 },
		{ 95, A, PART, 1 },
		{ 98, A, SAMPLE, 1 },
		{ 130, A, SAMPLE, 1 },
		{ 200, A, OUT_DEAD, 0 },
		{ 200, A, STOP, 0 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SAMPLE, A, .critical_share = ALONE(90) },
		{ TOLD_SAMPLE, A },
		{ TOLD_PART, A, 0, 100, ALONE(100), ALONE(100), ALONE(100), 100, 0,
		  .critical = true, .sampled = true },
		{ TOLD_PART, A, 100, .critical = true, .sampled = true },
		{ TOLD_SAMPLE, A },
		{ TOLD_SAMPLE, A, .critical_share = ALONE(30) },
		{ TOLD_SLICE, A, 100, 100, ALONE(100), ALONE(100), ALONE(100), 100, 1,
		  .critical = true, .sampled = true },
		{ TOLD_NOTHING }
	},
	.slices = 1, .critical = 1,
};

#define DAY (24ULL * 3600 * 1000000000)

/* 26 days alone are 2^63 in shares: no step back. */
static const struct vec_slices vec_slice_of_40_days = {
	.name = "a slice of 40 days",
	.min = US(10),
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, A, START, 1 },
		{ 40 * DAY, A, SAMPLE, 1 },
		{ 40 * DAY, A, STOP, 1 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SAMPLE, A, .critical_share = ALONE(40 * DAY) },
		{ TOLD_SLICE, A, 0, 40 * DAY, ALONE(40 * DAY), ALONE(40 * DAY), ALONE(40 * DAY),
		  40 * DAY, 1, .critical = true, .sampled = true },
		{ TOLD_NOTHING }
	},
	.slices = 1, .critical = 1,
};

#undef DAY

#endif /* GAPP_VEC_IDLES_H */
