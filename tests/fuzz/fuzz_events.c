// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a run: threads join, anything happens to them, at any time, in any order. What must
 * hold whatever happens is asserted after every step; see tests/unit/core/invariants.h.
 *
 * Four bytes a step: what, who, and a step of time as a shift and a factor, forward or back.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "invariants.h"

/* Instants of a clock are below 2^63. */
static u64 moved(u64 t, u8 shift, u8 factor)
{
	u64 by = (u64)factor << (shift & 63);

	return (shift & 0x40 ? t - by : t + by) & (~0ULL >> 1);
}

/* What is no event of a thread; a STOP comes seldom, for nothing happens after it. */
enum {
	AN_OUT = GAPP_EV_STOP,
	A_START,
	A_THRESHOLD,
	A_JOIN_OR_STOP,
	A_JOIN,
	KINDS,
};

static void decode(struct vec_step *step, const uint8_t *data)
{
	const u32 kind = data[0] % KINDS;

	switch (kind) {
	default:
		step->op = kind; /* an event */
		break;
	case AN_OUT:
		step->op = OUT;
		step->preempt = data[0] & 0x10;
		step->prev_state = data[0] & 0x20 ? 1 : 0;
		step->state_now = data[0] & 0x40 ? 1 : 0;
		break;
	case A_JOIN:
		step->op = JOIN;
		break;
	case A_START:
		step->op = START;
		break;
	case A_THRESHOLD:
		step->op = N_MIN;
		step->arg = data[1];
		break;
	case A_JOIN_OR_STOP:
		step->op = data[0] >= 256 - KINDS ? STOP : JOIN;
		break;
	}
	step->thread = data[1] % INV_THREADS;
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
	static struct invariants inv;
	struct vec_step step;
	u64 t = 0;
	size_t i;

	invariants_init(&inv);
	for (i = 0; i + 4 <= size; i += 4) {
		t = moved(t, data[i + 2], data[i + 3]);
		step = (struct vec_step){ .t = t };
		decode(&step, data + i);
		check(invariants_step(&inv, &step), i / 4);
	}
	check(invariants_end(&inv, t), i / 4);
	return 0;
}
