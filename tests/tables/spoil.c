// SPDX-License-Identifier: GPL-2.0
#include "spoil.h"

#include "core/table.h"

#define SPOIL_ROWS 2
#define LEAST_BYTES 48

/* The longest row that has a frame and whose end is a row of the same page. */
static u32 longest_row(const struct gapp_table *table)
{
	u32 longest = 0, bytes = 0;

	for (u32 page = 0; page < table->pages; page++) {
		for (u32 i = table->first[page]; i + 1 < table->first[page + 1]; i++) {
			u32 size = table->rows[i + 1].low - table->rows[i].low;

			if (table->rules[table->rows[i].rule].cfa < GAPP_CFA_SP || size <= bytes)
				continue;
			longest = i;
			bytes = size;
		}
	}
	return longest;
}

static u16 rule_without_frame(const struct gapp_table *table, u32 rules)
{
	for (u32 i = 0; i < rules; i++) {
		if (table->rules[i].cfa == GAPP_CFA_GAP || table->rules[i].cfa == GAPP_CFA_END)
			return i;
	}
	return 0;
}

/* One byte of another rule; functions rarely begin or end where it is. */
bool spoil_table(struct unwind_table *table)
{
	struct gapp_table_head *data =
		realloc(table->data, table->bytes + SPOIL_ROWS * sizeof(struct gapp_row));
	struct gapp_table parts;
	struct gapp_row *rows;
	u32 *first, row;

	if (!data)
		return false;
	table->data = data;
	if (!gapp_table_open(&parts, data, table->bytes))
		return false;
	row = longest_row(&parts);
	rows = (struct gapp_row *)parts.rows + row;
	first = (u32 *)parts.first;
	if (row + 1 == data->rows || rows[1].low < rows[0].low + LEAST_BYTES)
		return false;
	memmove(rows + 1 + SPOIL_ROWS, rows + 1, (data->rows - row - 1) * sizeof(*rows));
	rows[1].low = ((rows[0].low + rows[1 + SPOIL_ROWS].low) / 2 & ~15) + 8;
	rows[1].rule = rule_without_frame(&parts, data->rules);
	rows[2].low = rows[1].low + 1;
	rows[2].rule = rows[0].rule;
	for (u32 page = 1; page <= data->pages; page++)
		first[page] += first[page] > row ? SPOIL_ROWS : 0;
	data->rows += SPOIL_ROWS;
	table->bytes += SPOIL_ROWS * sizeof(*rows);
	return true;
}
