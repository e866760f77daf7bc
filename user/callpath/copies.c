// SPDX-License-Identifier: GPL-2.0
#include "copies.h"

void tails_free(struct tails *tails)
{
	free(tails->slots);
	tails->slots = NULL;
}

int tails_put(struct tails *tails, u32 number, const struct stack *stack)
{
	if (!tails->slots) {
		tails->slots = calloc(TAILS_MAX, sizeof(*tails->slots));
		if (!tails->slots)
			return -1;
	}
	tails->slots[number % TAILS_MAX] = (struct tail_slot){ .stack = stack, .number = number };
	return 0;
}

const struct stack *tails_get(const struct tails *tails, u32 number)
{
	const struct tail_slot *slot;

	if (!tails->slots)
		return NULL;
	slot = &tails->slots[number % TAILS_MAX];
	return slot->number == number ? slot->stack : NULL;
}
