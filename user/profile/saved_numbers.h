/* SPDX-License-Identifier: GPL-2.0 */
/* What numbers of a recording's file are now: rows that make no sense are left out. */
#ifndef GAPP_READ_SAVED_NUMBERS_H
#define GAPP_READ_SAVED_NUMBERS_H

#include "util/hash_index.h"

/**
 * struct numbers - numbers of rows of one kind
 * @now: the number now of each row of the file; HASH_NONE: it was left out
 */
struct numbers {
	u32 *now;
	u32 count;
	u32 room;
};

static inline u32 number_now(const struct numbers *numbers, u64 number)
{
	return number < numbers->count ? numbers->now[number] : HASH_NONE;
}

/* Returns 0, or -1 without memory. */
static inline int set_number(struct numbers *numbers, u32 number, u32 now)
{
	if (array_grow(&numbers->now, &numbers->room, number, sizeof(*numbers->now)))
		return -1;
	while (numbers->count <= number)
		numbers->now[numbers->count++] = HASH_NONE;
	numbers->now[number] = now;
	return 0;
}

#endif /* GAPP_READ_SAVED_NUMBERS_H */
