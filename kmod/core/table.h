/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables (see <gapp_table.h>): whether one is valid, and the rule for
 * an address. A table that is valid makes a look-up read nothing but the
 * table, whatever else is in it.
 */
#ifndef GAPP_CORE_TABLE_H
#define GAPP_CORE_TABLE_H

#include <gapp_table.h>

#include "port.h"

/**
 * struct gapp_table - a table's parts
 * @begin: address of the first page
 * @pages: how many
 * @arch: enum gapp_arch
 * @rules: rules
 * @first: of each page, the first row
 * @rows: rows
 */
struct gapp_table {
	u64 begin;
	u32 pages;
	u32 arch;
	const struct gapp_rule *rules;
	const u32 *first;
	const struct gapp_row *rows;
};

/* Where a file says nothing; and where there is no table, which is no rule that one can have. */
extern const struct gapp_rule gapp_rule_gap, gapp_rule_undescribed;

/* Bytes of a whole table; 0: its head is not valid. */
u64 gapp_table_bytes(const struct gapp_table_head *head);

/*
 * Checks all of @bytes at @data, a multiple of 4, and sets up @table, which points there. False:
 * it is not valid.
 */
bool gapp_table_open(struct gapp_table *table, const void *data, u64 bytes);

/* The rule for an address, as the ELF file gives addresses; of GAPP_CFA_GAP where none holds. */
const struct gapp_rule *gapp_table_find(const struct gapp_table *table, u64 address);

#endif /* GAPP_CORE_TABLE_H */
