// SPDX-License-Identifier: GPL-2.0
/* The views: their names, and what each writes. */
#include "text_private.h"

const char *const view_names[] = {
	[VIEW_PLACES] = "places",
	[VIEW_WAITS] = "waits",
	[VIEW_THREADS] = "threads",
	[VIEW_WAIT_OBJECTS] = "wait-objects",
	[VIEW_WAKERS] = "wakers",
	[VIEW_CRITICAL_PATH] = "critical-path",
	[VIEW_GRAPH] = "graph",
	[VIEW_HANDOVER] = "handover",
	[VIEW_SECTIONS] = "sections",
	[VIEW_COUNTERS] = "counters",
	NULL,
};

static const text_view_fn views[] = {
	[VIEW_WAITS] = text_view_waits,
	[VIEW_THREADS] = text_threads,
	[VIEW_WAIT_OBJECTS] = text_view_wait_objects,
	[VIEW_WAKERS] = text_view_wakers,
	[VIEW_CRITICAL_PATH] = text_view_path,
	[VIEW_GRAPH] = text_view_graph,
	[VIEW_HANDOVER] = text_view_handover,
	[VIEW_SECTIONS] = text_view_sections,
	[VIEW_COUNTERS] = text_view_counters,
};

text_view_fn text_view(const struct text *text)
{
	return views[text->options->view];
}

size_t text_view_rows(const struct text *text)
{
	if (text->options->top)
		return text->options->top;
	return text->options->verbose ? SIZE_MAX : TEXT_ROWS;
}

/* Says how many rows found no room. */
void text_view_left_out(struct text *text, size_t rows)
{
	if (rows)
		text_line(text, "%5s%zu more: --top N or -v shows them", "", rows);
}
