// SPDX-License-Identifier: GPL-2.0
/* The table of parallel regions of OpenMP. */
#include <string.h>

#include "text_private.h"

#define NAME_INDENT 42
/* First places of a region that are shown without -v. */
#define PLACES 3

static void add_figures(struct text *text, const struct region_row *row, double critical_ns)
{
	text_add(text, "%10.*f %6.1f", text->decimals, text_time(text, critical_ns),
		 percent_of(critical_ns, text->model->status.wall_ns));
	if (row->running > 0)
		text_add(text, " %7.2f", row->running);
	else
		text_add(text, " %7s", "-");
	text_add(text, " %13.*f  ", text->decimals, text_time(text, row->idle_ns));
}

static void add_places(struct text *text, const struct region_row *row)
{
	const u32 most = text->options->verbose ? REGION_FUNCTIONS : PLACES;

	for (u32 i = 0; i < row->function_count && i < most; i++) {
		const struct region_function *function = &row->functions[i];
		char cell[TEXT_CELL_SIZE], percent[TEXT_WORDS_SIZE];

		text_percent(percent, percent_of(function->critical_ns, row->critical_ns));
		text_function(cell, function->frame, 1);
		text_add(text, "%s%s %s", i ? ", " : ": ", cell, percent);
	}
}

/* "solve, solver.c:40"; without a line the outlined function. */
static void add_name(struct text *text, const struct region_row *row)
{
	char cell[TEXT_CELL_SIZE], source[TEXT_CELL_SIZE];

	if (row->function)
		text_cut(cell, row->function, strlen(row->function), TEXT_NAME_COLUMNS);
	else
		snprintf(cell, sizeof(cell), "(function not known)");
	if (row->file)
		text_source(source, row->file, row->line);
	else
		text_function(source, row->outlined, 1);
	text_add(text, "%s, %s", cell, source);
}

static void put_row(struct text *text, const struct region_row *row, size_t rank)
{
	add_figures(text, row, row->critical_ns);
	add_name(text, row);
	add_places(text, row);
	text_wrap(text, NAME_INDENT, rank ? TEXT_PLAIN : TEXT_BOLD);
}

/* A row of what is in no region, unless it has no time. */
static void put_outside(struct text *text, const struct region_row *row, double critical_ns,
			const char *name)
{
	if (critical_ns <= 0 && row->idle_ns <= 0)
		return;
	add_figures(text, row, critical_ns);
	text_add(text, "%s", name);
	add_places(text, row);
	text_wrap(text, NAME_INDENT, TEXT_PLAIN);
}

void text_regions(struct text *text)
{
	static const char *const names[] = {
		[OUTSIDE_SEQUENTIAL] = "(sequential part)",
		[OUTSIDE_RUNTIME] = "(OpenMP's runtime, outside regions)",
		[OUTSIDE_OTHERS] = "(processes without regions)",
	};
	const struct regions *regions = &text->results->regions;
	const struct region_row unknown = {
		.idle_ns = regions->outside[OUTSIDE_UNKNOWN].idle_ns,
	};
	size_t rows = text_view_rows(text), shown;
	char critical[24], idle[24];

	snprintf(critical, sizeof(critical), "crit. %s", text->unit);
	snprintf(idle, sizeof(idle), "nobody ran %s", text->unit);
	text_line(text, "%10s %6s %7s %13s  parallel region (OpenMP): where its critical time is",
		  critical, "%", "running", idle);
	for (shown = 0; shown < regions->count && shown < rows; shown++)
		put_row(text, &regions->rows[shown], shown);
	text_view_left_out(text, regions->count - shown);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		put_outside(text, &regions->outside[i], regions->outside[i].critical_ns, names[i]);
	put_outside(text, &(const struct region_row){ 0 },
		    share_to_ns(text->results->counters.critical_runq), "(in run queues)");
	put_outside(text, &unknown, results_unknown_region_ns(text->results),
		    "(without a whole call path)");
}
