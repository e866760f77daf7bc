/* SPDX-License-Identifier: GPL-2.0 */
/* Puts a table together from rules, given by rising addresses. */
#ifndef GAPP_READ_CFI_ROWS_H
#define GAPP_READ_CFI_ROWS_H

#include <gapp_table.h>

#include "util/hash_index.h"

/**
 * struct cfi_rows - a table in the making
 * @rules: dictionary
 * @rule_count: how many
 * @rule_room: for how many there is memory
 * @index: of @rules, by what is in them
 * @rows: rows
 * @row_count: how many
 * @row_room: likewise
 * @first: of each page, the first row
 * @pages: how many
 * @page_room: likewise
 * @begin: address of the first page
 * @end: behind what was added
 * @last: number of the rule that holds before @end
 */
struct cfi_rows {
	struct gapp_rule *rules;
	u32 rule_count;
	u32 rule_room;
	struct hash_index index;
	struct gapp_row *rows;
	u32 row_count;
	u32 row_room;
	u32 *first;
	u32 pages;
	u32 page_room;
	u64 begin;
	u64 end;
	u32 last;
};

/*
 * A rule for the addresses from @begin, which is not before the end of the rule before, to @end.
 * What is too far from the first rule for a table is left out. Returns 0, or -1 without memory.
 */
int cfi_rows_add(struct cfi_rows *rows, u64 begin, u64 end, const struct gapp_rule *rule);

/* The table; NULL with @bytes 0: no rule was added, else there is no memory. */
struct gapp_table_head *cfi_rows_finish(struct cfi_rows *rows, enum gapp_arch arch, size_t *bytes);
void cfi_rows_free(struct cfi_rows *rows);
#define _cleanup_cfi_rows_ _cleanup_(cfi_rows_free)

#endif /* GAPP_READ_CFI_ROWS_H */
