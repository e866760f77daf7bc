/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spin tables (see <gapp_table.h>): checks a table and finds whether an address
 * is in a busy-wait loop.
 */
#ifndef GAPP_CORE_SPIN_TABLE_H
#define GAPP_CORE_SPIN_TABLE_H

#include <gapp_table.h>

#include "port.h"

/* Rows that gapp_spin_table_check() checks at a time. */
#define GAPP_SPIN_CHECKED 16384U

/**
 * struct gapp_spin_table - a table that passed the check
 * @count: number of ranges
 * @ranges: the ranges
 * @location_count: number of locations
 * @locations: the locations
 * @exit_count: number of exits
 * @exits: the exits
 */
struct gapp_spin_table {
	u32 count;
	const struct gapp_spin_range *ranges;
	u32 location_count;
	const struct gapp_spin_location *locations;
	u32 exit_count;
	const struct gapp_spin_exit *exits;
};

/**
 * gapp_spin_table_rows() - how many rows gapp_spin_table_check() checks
 * @table: from gapp_spin_table_parts()
 *
 * Return: number of ranges, locations and exits.
 */
static inline u32 gapp_spin_table_rows(const struct gapp_spin_table *table)
{
	return table->count + table->location_count + table->exit_count;
}

/**
 * gapp_spin_table_location() - the location that a loop waits for
 * @table: a table that passed the check
 * @range: a range of it
 *
 * Return: the location; NULL: it is not known.
 */
static inline const struct gapp_spin_location *
gapp_spin_table_location(const struct gapp_spin_table *table, const struct gapp_spin_range *range)
{
	return range->location ? &table->locations[range->location - 1] : NULL;
}

u64 gapp_spin_table_bytes(const struct gapp_spin_head *head);
bool gapp_spin_table_parts(struct gapp_spin_table *table, const void *data, u64 bytes);
bool gapp_spin_table_check(const struct gapp_spin_table *table, u32 *row);
bool gapp_spin_table_open(struct gapp_spin_table *table, const void *data, u64 bytes);
bool gapp_spin_table_is_deep(const struct gapp_spin_table *table);
const struct gapp_spin_range *gapp_spin_table_find(const struct gapp_spin_table *table,
						   u64 address);
u32 gapp_spin_table_exits(const struct gapp_spin_table *table, u64 address, u32 *count);

/**
 * gapp_spin_exit_stays() - whether a thread that comes to an exit stays in the loop
 * @exit: the exit, of x86-64
 * @flags: the thread's flags there
 *
 * Return: true if it does.
 */
static inline bool gapp_spin_exit_stays(const struct gapp_spin_exit *exit, u64 flags)
{
	const bool carry = flags & 1U << 0, parity = flags & 1U << 2, zero = flags & 1U << 6;
	const bool sign = flags & 1U << 7, overflow = flags & 1U << 11;
	const bool holds[] = { overflow,
			       carry,
			       zero,
			       carry || zero,
			       sign,
			       parity,
			       sign != overflow,
			       zero || sign != overflow };
	const bool jumps = holds[exit->condition / 2] != exit->condition % 2;

	return exit->stays & (jumps ? GAPP_SPIN_STAYS_JUMPING : GAPP_SPIN_STAYS);
}

#endif /* GAPP_CORE_SPIN_TABLE_H */
