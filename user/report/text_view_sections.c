// SPDX-License-Identifier: GPL-2.0
/* The view of figures by section, and by parallel region. */
#include "section_views.h"
#include "text_private.h"

#define NAME_INDENT 46
/* First places of a section that are shown without -v. */
#define PLACES 3

static void add_figures(struct text *text, double critical_ns, bool time_known, u64 ns,
			bool active_known, double active)
{
	text_add(text, "%10.*f %6.1f", text->decimals, text_time(text, critical_ns),
		 percent_of(critical_ns, text->model->status.wall_ns));
	if (time_known)
		text_add(text, " %11.*f", text->decimals, text_time(text, ns));
	else
		text_add(text, " %11s", "-");
	if (active_known)
		text_add(text, " %6.2f", active);
	else
		text_add(text, " %6s", "-");
}

static void add_place(struct text *text, const struct section_row *row,
		      const struct section_function *function)
{
	const struct frame frame = {
		.function = function->function,
		.module = function->module ?: "?",
		.offset = function->offset,
	};
	char cell[TEXT_CELL_SIZE], percent[TEXT_WORDS_SIZE];

	text_percent(percent, percent_of(function->critical_ns, row->critical_ns));
	if (function->module)
		text_function(cell, &frame, 1);
	else
		snprintf(cell, sizeof(cell), "code without a call path");
	text_add(text, "%s%s %s", function == row->functions ? ": " : ", ", cell, percent);
}

static void put_row(struct text *text, const struct section_row *row, size_t rank)
{
	const u32 most = text->options->verbose ? SECTION_FUNCTIONS : PLACES;
	char name[TEXT_CELL_SIZE];

	add_figures(text, row->critical_ns, true, row->ns, row->active_known, row->active);
	text_cut(name, row->name ?: "", strlen(row->name ?: ""), TEXT_NAME_COLUMNS);
	text_add(text, " %7llu  %s", (unsigned long long)row->begins, name);
	for (u32 i = 0; i < row->function_count && i < most; i++)
		add_place(text, row, &row->functions[i]);
	text_wrap(text, NAME_INDENT, rank ? TEXT_PLAIN : TEXT_BOLD);
}

static void put_outside(struct text *text, const struct section_views *views)
{
	add_figures(text, views->outside_critical_ns, views->outside_known, views->outside_ns,
		    views->outside_active_known, views->outside_active);
	text_add(text, " %7s  (outside all sections)", "");
	text_end(text);
}

/* What the figures do not have, or have by estimate. */
static void put_doubts(struct text *text, const struct section_views *views)
{
	double critical_ns = 0, divided_ns = 0;
	char percent[TEXT_WORDS_SIZE];

	for (u32 i = 0; i < views->count; i++) {
		critical_ns += views->rows[i].critical_ns;
		divided_ns += views->rows[i].divided_ns;
	}
	if (percent_of(divided_ns, critical_ns) >= SHOWN_PERCENT) {
		text_percent(percent, percent_of(divided_ns, critical_ns));
		text_add(
			text,
			"%s of the sections' critical time is of slices that reach over the begin or end of one, or had no record of their own: it is divided by time.",
			percent);
		text_wrap(text, 0, TEXT_PLAIN);
	}
	if (views->unpaired) {
		text_add(text, "%llu mark%s ended a section that the thread had not begun.",
			 (unsigned long long)views->unpaired, text_plural(views->unpaired));
		text_wrap(text, 0, TEXT_PLAIN);
	}
	if (views->without_room) {
		text_add(
			text,
			"%llu section%s had no room: %u may be open in a process, of %u processes. Their time is that of the section around them, or outside all.",
			(unsigned long long)views->without_room, text_plural(views->without_room),
			SECTIONS_OPEN_MAX, SECTION_PROCESSES_MAX);
		text_wrap(text, 0, TEXT_PLAIN);
	}
	if (views->ended_unseen) {
		text_add(
			text,
			"%llu section%s ended with %s thread, and no record says so: critical time after that may count for %s. \"--level trace\" has such a record.",
			(unsigned long long)views->ended_unseen, text_plural(views->ended_unseen),
			views->ended_unseen == 1 ? "its" : "their",
			views->ended_unseen == 1 ? "it" : "them");
		text_wrap(text, 0, TEXT_PLAIN);
	}
}

static void put_sections(struct text *text, const struct section_views *views)
{
	size_t rows = text_view_rows(text), shown;
	char critical[24], time[24];

	snprintf(critical, sizeof(critical), "crit. %s", text->unit);
	snprintf(time, sizeof(time), "time %s", text->unit);
	text_line(text, "%10s %6s %11s %6s %7s  section: where its critical time is", critical, "%",
		  time, "active", "times");
	for (shown = 0; shown < views->count && shown < rows; shown++)
		put_row(text, &views->rows[shown], shown);
	text_view_left_out(text, views->count - shown);
	put_outside(text, views);
	put_doubts(text, views);
}

void text_view_sections(struct text *text)
{
	const struct section_views *views = text->results->sections;
	const bool regions = text->results->regions.count;

	if (views)
		put_sections(text, views);
	if (views && regions)
		text_blank(text);
	if (regions)
		text_regions(text);
	if (views || regions)
		return;
	text_add(
		text,
		"This recording has no sections: no thread wrote \"begin NAME\" to /dev/gapp_mark, or the module or gapp-read that recorded it knew no marks. It has no parallel regions of OpenMP either: no call path has a function that a compiler made of one, or the program is stripped.");
	text_wrap(text, 0, TEXT_PLAIN);
}
