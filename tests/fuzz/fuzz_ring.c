// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as a producer and a reader of a ring, whose tail is anything at all: nothing unread is
 * written over, nothing goes past the data, no loss is left untold. See
 * tests/unit/core/ring_check.h.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "ring_check.h"

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
	/* Of its own, so that the sanitizer sees every byte too far. */
	u8 *memory = malloc(RING_CHECK_BYTES);
	static struct ring_check ring;
	size_t i;

	if (!memory)
		return 0;
	ring_check_init(&ring, memory);
	for (i = 0; i + RING_CHECK_STEP <= size; i += RING_CHECK_STEP)
		check(ring_check_step(&ring, data + i), i / RING_CHECK_STEP);
	check(ring_check_end(&ring), i / RING_CHECK_STEP);
	free(memory);
	return 0;
}
