/* SPDX-License-Identifier: GPL-2.0 */
/* The paper's rule: a slice whose average parallelism is at most N_min counts whole, or else not.
 */
#ifndef GAPP_VEC_AVERAGES_H
#define GAPP_VEC_AVERAGES_H

#include "slices.h"

/* clang-format off */

/*
 * Alone for 600 us, then three for 600: an average of 2. All of A counts, 600 + 600/3, though only
 * 600 of it are critical share. B's and C's average is 3: nothing of them counts.
 */
static const struct vec_slices vec_average_at_n_min = {
	.name = "an average of just N_min counts whole",
	.min = US(10),
	.criterion = GAPP_CRITERION_AVERAGE,
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = C },
		{ 0, A, N_MIN, 1, .arg = 2 },
		{ 0, A, START, 1 },
		{ US(600), B, WAKE, 3, .last = C },
		{ US(600), B, IN, 3, .last = C },
		{ US(1200), A, OUT_RUNNABLE, 3 },
		{ US(1200), B, OUT_RUNNABLE, 3, .last = C },
		{ US(1200), A, STOP, 3 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, 0, US(1200), ALONE(US(800)), ALONE(US(800)), ALONE(US(800)),
		  US(600 + 1800), 1, .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 1, .unsampled = 1, .untold = 2,
};

/* One nanosecond more with three of them: an average of 2 + 1/1200001, and all is lost. */
static const struct vec_slices vec_average_above = {
	.name = "an average just above N_min does not count",
	.min = US(10),
	.criterion = GAPP_CRITERION_AVERAGE,
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = C },
		{ 0, A, N_MIN, 1, .arg = 2 },
		{ 0, A, START, 1 },
		{ US(600), B, WAKE, 3, .last = C },
		{ US(600), B, IN, 3, .last = C },
		{ US(1200) + 1, A, OUT_RUNNABLE, 3 },
		{ US(1300), A, STOP, 3 },
		{ .op = END }
	},
	.told = TOLD{ { TOLD_NOTHING } },
	.slices = 3, .untold = 3,
};

/* The share's tenth of shares.h: by the average it is thrown away, and with a minimum of 0 told. */
static const struct vec_slices vec_average_of_a_tenth = {
	.name = "a serial tenth does not count by the average",
	.criterion = GAPP_CRITERION_AVERAGE,
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1, .last = D },
		{ 0, A, START, 1 },
		{ US(100), B, WAKE, 4, .last = D },
		{ US(150), A, SAMPLE, 4 },
		{ US(1000), A, OUT_ASLEEP, 3 },
		{ US(1000), B, STOP, 3 },
		{ .op = END }
	},
	.told = TOLD{
		/* Its samples have what their times have of G: 100 + 50/4. */
		{ TOLD_SAMPLE, A, .critical_share = ALONE(112500) },
		{ TOLD_SLICE, A, 0, US(1000), 0, 0, ALONE(US(325)), US(3700), 1, .sampled = true },
		{ TOLD_NOTHING }
	},
	.slices = 1,
};

/* Which threshold: that at the slice's end. And small shares are carried over here too. */
static const struct vec_slices vec_average_later_n_min = {
	.name = "the average is held against N_min at the end",
	.min = US(10),
	.criterion = GAPP_CRITERION_AVERAGE,
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 2, .last = B },
		{ 0, A, START, 2 },
		{ US(4), A, OUT_RUNNABLE, 2 },
		{ US(4), A, N_MIN, 2, .arg = 2 },
		{ US(6), A, IN, 2 },
		{ US(10), A, OUT_RUNNABLE, 2 },
		{ US(40), B, OUT_RUNNABLE, 2 },
		{ US(40), A, STOP, 2 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, B, 0, US(40), ALONE(US(20)), ALONE(US(20)), ALONE(US(20)), US(80), 1,
		  .critical = true },
		{ TOLD_REST, A, .critical_share = ALONE(US(2)), .slices = 2 },
		{ TOLD_NOTHING }
	},
	.slices = 3, .critical = 2, .unsampled = 2,
};

#define SECOND 1000000000ULL

/* 2^32 ns are 4.3 s: the boundary is as sharp for a slice that is longer. */
static const struct vec_slices vec_average_long = {
	.name = "slices of many seconds by their average",
	.min = US(10),
	.criterion = GAPP_CRITERION_AVERAGE,
	.steps = STEPS{
		{ 0, A, SEED_RUNNING, 1 },
		{ 0, B, SEED_BLOCKED, 1 },
		{ 0, A, START, 1 },
		{ 10 * SECOND, A, OUT_RUNNABLE, 1 },
		{ 10 * SECOND, A, IN, 1 },
		{ 20 * SECOND, B, WAKE, 2 },
		{ 20 * SECOND + 1, A, OUT_RUNNABLE, 2 },
		{ 20 * SECOND + 1, A, STOP, 2 },
		{ .op = END }
	},
	.told = TOLD{
		{ TOLD_SLICE, A, 0, 10 * SECOND, ALONE(10 * SECOND), ALONE(10 * SECOND),
		  ALONE(10 * SECOND), 10 * SECOND, 1, .critical = true },
		{ TOLD_NOTHING }
	},
	.slices = 2, .critical = 1, .unsampled = 1, .untold = 1,
};

#undef SECOND

#endif /* GAPP_VEC_AVERAGES_H */
