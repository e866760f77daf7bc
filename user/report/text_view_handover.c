// SPDX-License-Identifier: GPL-2.0
/* The view of who hands the CPU to whom. */
#include "handovers.h"
#include "text_private.h"
#include "util/names.h"

#define WHO_INDENT 30

static void add_place(struct text *text, const struct code_place *place)
{
	const struct frame frame = code_place_frame(place);
	char cell[TEXT_CELL_SIZE];

	text_function(cell, &frame, 1);
	text_add(text, " in %s", cell);
	if (!place->file)
		return;
	text_source(cell, place->file, place->line);
	text_add(text, " (%s)", cell);
}

/* "worker-1 (201) in recv_msg (net.c:40), which called __poll". */
static void add_end(struct text *text, const struct handover_end *end)
{
	char name[TEXT_CELL_SIZE];

	text_cut(name, (const char *)end->comm, comm_len(end->comm), TEXT_NAME_COLUMNS);
	text_add(text, "%s", *name ? name : "a thread");
	if (end->tid)
		text_add(text, " (%d)", end->tid);
	if (!end->entry.module) {
		text_add(text, " in code that is not known");
		return;
	}
	if (!end->own.module) {
		add_place(text, &end->entry);
		return;
	}
	add_place(text, &end->own);
	if (end->entry.function) {
		const struct frame frame = code_place_frame(&end->entry);

		text_function(name, &frame, 1);
		text_add(text, " by %s", name);
	}
}

static void put_row(struct text *text, const struct handover *row, u64 all, size_t rank)
{
	text_add(text, "%10llu %6.1f %10.*f  ", (unsigned long long)row->count,
		 percent_of(row->count, all), text->decimals, text_time(text, row->last_ns));
	add_end(text, &row->from);
	text_add(text, " hands the CPU to ");
	add_end(text, &row->to);
	text_wrap(text, WHO_INDENT, rank ? TEXT_PLAIN : TEXT_BOLD);
}

void text_view_handover(struct text *text)
{
	const struct handovers *handovers = text->results->handovers;
	size_t rows = text_view_rows(text), shown;
	char last[16];

	if (!handovers) {
		text_line(text, "This recording has no handovers: record with --view handover.");
		return;
	}
	if (!handovers->count) {
		text_line(text, "No thread of the target gave a CPU to another one of it.");
		return;
	}
	snprintf(last, sizeof(last), "last %s", text->unit);
	text_line(text, "%10s %6s %10s  who hands the CPU to whom", "times", "%", last);
	for (shown = 0; shown < handovers->row_count && shown < rows; shown++)
		put_row(text, &handovers->rows[shown], handovers->count, shown);
	text_view_left_out(text, handovers->row_count - shown);
	if (handovers->lost) {
		text_add(
			text,
			"%llu of %llu handovers (%.1f %%) are in no row: the module's tables had no room for more.",
			(unsigned long long)handovers->lost, (unsigned long long)handovers->count,
			percent_of(handovers->lost, handovers->count));
		text_wrap(text, 0, TEXT_PLAIN);
	}
}
