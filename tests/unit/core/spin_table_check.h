/* SPDX-License-Identifier: GPL-2.0 */
/* Any bytes as a spin table: what core/spin_table makes of it against a look at every range. */
#ifndef GAPP_SPIN_TABLE_CHECK_H
#define GAPP_SPIN_TABLE_CHECK_H

#include "spin_table.h"

/*
 * Opens a table of @bytes, aligned to 8, looks up the edges of its ranges and @address, and finds
 * the addresses of the ranges' locations. Returns what is wrong, or NULL.
 */
const char *spin_table_check(const void *data, u64 bytes, u64 address);
#define SPIN_TABLE_MADE_EXITS 8
/*
 * Makes a valid table of up to @max_ranges ranges, @max_locations locations and
 * SPIN_TABLE_MADE_EXITS exits; returns its size.
 */
u64 spin_table_make(void *data, u64 *random, u32 max_ranges, u32 max_locations);

#endif /* GAPP_SPIN_TABLE_CHECK_H */
