/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables (see <gapp_table.h>): checks a table and finds the rule for an
 * address. A search in a table that passed the check reads only the table.
 */
#ifndef GAPP_CORE_TABLE_H
#define GAPP_CORE_TABLE_H

#include <gapp_table.h>

#include "port.h"

/**
 * struct gapp_table - a table that passed the check
 * @begin: address of the first page
 * @pages: number of pages
 * @arch: enum gapp_arch
 * @rules: the rules
 * @first: index of the first row of each page, and the number of rows at the end
 * @rows: the rows
 */
struct gapp_table {
	u64 begin;
	u32 pages;
	u32 arch;
	const struct gapp_rule *rules;
	const u32 *first;
	const struct gapp_row *rows;
};

/* The rule where a table says nothing, and the one where there is no table. */
extern const struct gapp_rule gapp_rule_gap, gapp_rule_undescribed;

u64 gapp_table_bytes(const struct gapp_table_head *head);
bool gapp_table_parts(struct gapp_table *table, const void *data, u64 bytes);
bool gapp_table_check(const struct gapp_table *table, const struct gapp_table_head *head,
		      u32 *page);
bool gapp_table_open(struct gapp_table *table, const void *data, u64 bytes);
const struct gapp_rule *gapp_table_find(const struct gapp_table *table, u64 address);

#endif /* GAPP_CORE_TABLE_H */
