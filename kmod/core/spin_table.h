/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Spin tables (see <gapp_table.h>): checks a table and finds whether an address
 * is in a busy-wait loop.
 */
#ifndef GAPP_CORE_SPIN_TABLE_H
#define GAPP_CORE_SPIN_TABLE_H

#include <gapp_table.h>

#include "port.h"

/* Ranges that gapp_spin_table_check() checks at a time. */
#define GAPP_SPIN_CHECKED 16384U

/**
 * struct gapp_spin_table - a table that passed the check
 * @count: number of ranges
 * @ranges: the ranges
 */
struct gapp_spin_table {
	u32 count;
	const struct gapp_spin_range *ranges;
};

u64 gapp_spin_table_bytes(const struct gapp_spin_head *head);
bool gapp_spin_table_parts(struct gapp_spin_table *table, const void *data, u64 bytes);
bool gapp_spin_table_check(const struct gapp_spin_table *table, u32 *range);
bool gapp_spin_table_open(struct gapp_spin_table *table, const void *data, u64 bytes);
const struct gapp_spin_range *gapp_spin_table_find(const struct gapp_spin_table *table,
						   u64 address);

#endif /* GAPP_CORE_SPIN_TABLE_H */
