// SPDX-License-Identifier: GPL-2.0
/* The view of waits that left no thread active: which code waited, for what, and how often. */
#include "text_private.h"

#define REASON_COLUMNS 20

static void put_head(struct text *text)
{
	char unit[16];

	snprintf(unit, sizeof(unit), "nobody ran %s", text->unit);
	text_line(text, "%4s %13s %6s %9s  %-*s code that waited", "#", unit, "%", "stretches",
		  REASON_COLUMNS, "for");
}

static void put_row(struct text *text, const struct ranked *row, size_t rank)
{
	char code[TEXT_CELL_SIZE], where[TEXT_CELL_SIZE];
	const char *called = row->called.name ?: wait_name(row->wait);

	text_code(code, row);
	text_where(where, row);
	text_add(text, "%4zu %13.*f %6.1f %9llu  %-*s %s%s%s", rank, text->decimals,
		 text_time(text, row->critical_ns), results_row_percent(text->results, row),
		 row->slices, REASON_COLUMNS, called, code, *where ? "  " : "", where);
	text_wrap(text, TEXT_INDENT, rank == 1 ? TEXT_BOLD : TEXT_PLAIN);
}

void text_view_waits(struct text *text)
{
	const struct ranking *ranking = &text->results->places;
	size_t shown = 0, left_out = 0;

	for (size_t i = 0; i < ranking->count; i++) {
		const struct ranked *row = &ranking->rows[i];

		if (row->kind != PATH_WAITED)
			continue;
		if (shown == text_view_rows(text)) {
			left_out++;
			continue;
		}
		if (!shown)
			put_head(text);
		put_row(text, row, ++shown);
	}
	text_view_left_out(text, left_out);
	if (!shown)
		text_line(text,
			  "No wait with a call path left the program without an active thread.");
}
