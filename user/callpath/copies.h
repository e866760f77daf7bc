/* SPDX-License-Identifier: GPL-2.0 */
/* The stacks that copies of stacks came to, by the copies' numbers: the last ones of them. */
#ifndef GAPP_READ_TAILS_H
#define GAPP_READ_TAILS_H

#include "util/util.h"

/* Records refer to a copy soon after it came, if at all. */
#define TAILS_MAX 65536

struct stack;

/**
 * struct tail_slot - a copy's stack
 * @stack: NULL: none came
 * @number: of the copy
 */
struct tail_slot {
	const struct stack *stack;
	u32 number;
};

/**
 * struct tails - the last ones, by number
 * @slots: TAILS_MAX, or NULL as long as there is none
 */
struct tails {
	struct tail_slot *slots;
};

void tails_free(struct tails *tails);

/* @stack NULL: nothing came of it. Returns 0, or -1 without memory. */
int tails_put(struct tails *tails, u32 number, const struct stack *stack);

/* NULL: it never came, nothing came of it, or too many others have come since. */
const struct stack *tails_get(const struct tails *tails, u32 number);

#endif /* GAPP_READ_TAILS_H */
