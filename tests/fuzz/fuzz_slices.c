// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a run with slices, under any rule: anything happens to threads, at any time, in any
 * order, with samples and parts in between. What must hold whatever happens is asserted after every
 * step; see tests/unit/core/slice_check.h.
 *
 * First the rule: the criterion, and the minimum as a shift and a factor. Then four bytes a step:
 * what, who, and a step of time as a shift and a factor, forward or back.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "slice_check.h"

#define RULE_BYTES 3
#define STEP_BYTES 4

#define OTHERS 8

static const u32 others[OTHERS] = { JOIN, JOIN, START, STOP, N_MIN, SAMPLE, SAMPLE, PART };

/* Instants of a clock are below 2^63. */
static u64 moved(u64 t, u8 shift, u8 factor)
{
	u64 by = (u64)factor << (shift & 63);

	return (shift & 0x40 ? t - by : t + by) & (~0ULL >> 1);
}

static struct vec_step decode(const uint8_t *data, u64 t)
{
	struct vec_step step = { .t = t, .thread = data[1] % SLICING_THREADS };
	u32 op = data[0] % (GAPP_EV_STOP + OTHERS);

	step.op = op < GAPP_EV_STOP ? op : others[op - GAPP_EV_STOP];
	if (step.op == N_MIN)
		step.arg = data[1];
	return step;
}

static void check(const char *wrong, size_t step)
{
	if (!wrong)
		return;
	fprintf(stderr, "step %zu: %s\n", step, wrong);
	abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct slicing slicing;
	struct vec_step step;
	u64 t = 0;
	size_t i;

	if (size < RULE_BYTES)
		return 0;
	slicing_init(&slicing, moved(0, data[1] & 63, data[2]),
		     data[0] & 1 ? GAPP_CRITERION_AVERAGE : GAPP_CRITERION_SHARE, data[0]);
	for (i = RULE_BYTES; i + STEP_BYTES <= size; i += STEP_BYTES) {
		t = moved(t, data[i + 2], data[i + 3]);
		step = decode(data + i, t);
		check(slice_check_step(&slicing, &step), i / STEP_BYTES);
	}
	check(slice_check_end(&slicing, t), i / STEP_BYTES);
	return 0;
}
