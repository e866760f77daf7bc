/* SPDX-License-Identifier: GPL-2.0 */
/* The exits of a spin table: where the module can see a thread stay in a loop, or leave it. */
#ifndef GAPP_READ_SPIN_EXITS_H
#define GAPP_READ_SPIN_EXITS_H

#include <gapp_table.h>

#include "spin/spins.h"

/**
 * struct numbered_exit - an exit
 * @exit: the exit
 * @loop: the loops that are one with that of the exit, by the number of one of them
 * @stays: GAPP_SPIN_STAYS bits: the ways that lead to these loops
 */
struct numbered_exit {
	struct spin_exit exit;
	u32 loop;
	u8 stays;
};

/**
 * struct spin_exits - the exits of all loops that surely wait
 * @exits: sorted by loop and address
 * @count: number of exits
 * @room: of the list
 */
struct spin_exits {
	struct numbered_exit *exits;
	u32 count;
	u32 room;
};

/* Returns 0, or -1 without memory. */
int spin_exits_find(struct spin_exits *exits, const struct spins *spins);
void spin_exits_free(struct spin_exits *exits);

/*
 * Writes the exits of a table whose ranges are known, at most as many as were found, to @to.
 * Returns how many there are.
 */
u32 spin_exits_put(const struct spin_exits *exits, const struct gapp_spin_head *head,
		   struct gapp_spin_exit *to);

#endif /* GAPP_READ_SPIN_EXITS_H */
