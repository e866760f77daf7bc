// SPDX-License-Identifier: GPL-2.0
/*
 * Any bytes as tables, mappings, registers and a stack: the walk finds what a naive one finds, and
 * reads no more than is there. See tests/unit/core/unwind_check.h.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "unwind_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct unwind_case thread;
	static struct unwind_found found;
	const char *wrong = unwind_check(&thread, &found, data, size);

	if (!wrong)
		return 0;
	fprintf(stderr, "step 0: %s\n", wrong);
	abort();
}
