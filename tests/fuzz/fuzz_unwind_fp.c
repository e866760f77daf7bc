// SPDX-License-Identifier: GPL-2.0
/* Any bytes as a user stack: unwinding finds what a naive unwinder finds (walk_check.h). */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "walk_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct walk_stack stack;
	struct walk_found found;
	const char *wrong;

	walk_stack_decode(&stack, data, size);
	wrong = walk_check(&stack, &found);
	if (!wrong)
		return 0;
	fprintf(stderr, "step 0: %s\n", wrong);
	abort();
}
