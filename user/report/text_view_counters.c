// SPDX-License-Identifier: GPL-2.0
/* The view of what --counters asked for: in all, by thread, and by NUMA node. */
#include "counter_figures.h"
#include "text_counts.h"
#include "text_private.h"
#include "util/names.h"

#define ID_COLUMNS 7
#define COUNT_COLUMNS 7 /* ">=12.3k" */
#define NAME_COLUMNS 18 /* of a thread, with the two before it */
#define LOCAL "local %"
#define LOCAL_COLUMNS 7
#define OTHERS "(others)"

/**
 * struct columns - those of a table that fit beside each other
 * @first: index of the first one
 * @count: how many
 * @local: the local part stands behind them
 */
struct columns {
	u32 first;
	u32 count;
	bool local;
};

static const char *name_of(const struct counter_figures *figures, u32 index)
{
	return figures->tallies->counters[figures->columns[index]].name;
}

static unsigned int width_of(const struct counter_figures *figures, u32 index)
{
	const unsigned int width = strlen(name_of(figures, index));

	return width > COUNT_COLUMNS ? width : COUNT_COLUMNS;
}

/* Sets which columns follow, as many as fit, but at least one. False: there are no more. */
static bool next_columns(const struct text *text, const struct counter_figures *figures,
			 struct columns *columns)
{
	unsigned int used = ID_COLUMNS + NAME_COLUMNS;
	const bool have_local = counter_figures_have_local(figures);

	columns->first += columns->count;
	columns->count = 0;
	columns->local = false;
	for (u32 i = columns->first; i < figures->column_count; i++) {
		const bool last = i + 1 == figures->column_count;

		used += width_of(figures, i) + 1;
		if (last && have_local)
			used += LOCAL_COLUMNS + 1;
		if (columns->count && used > text->columns)
			break;
		columns->count++;
		columns->local = last && have_local;
	}
	return columns->count;
}

static void put_head(struct text *text, const struct counter_figures *figures,
		     const struct columns *columns, const char *what, const char *behind)
{
	text_add(text, "%*s", ID_COLUMNS, what);
	for (u32 i = columns->first; i < columns->first + columns->count; i++)
		text_add(text, " %*s", width_of(figures, i), name_of(figures, i));
	if (columns->local)
		text_add(text, " %*s", LOCAL_COLUMNS, LOCAL);
	if (*behind)
		text_add(text, "  %s", behind);
	text_wrap(text, 0, TEXT_PLAIN);
}

/* What stands before the local part of a row of which something is missing. */
static const char *local_mark(const struct counter_figures *figures, const struct counter_row *row)
{
	const u32 bits = 1U << tallies_counted(figures->tallies, COUNTER_LOCAL_MEMORY) |
			 1U << tallies_counted(figures->tallies, COUNTER_REMOTE_MEMORY);

	return row->missing & bits ? "~" : "";
}

static void add_local(struct text *text, const struct counter_figures *figures,
		      const struct counter_row *row)
{
	char cell[16] = "-";

	if (row->local_known)
		snprintf(cell, sizeof(cell), "%s%.1f", local_mark(figures, row),
			 row->local_percent);
	text_add(text, " %*s", LOCAL_COLUMNS, cell);
}

static void put_row(struct text *text, const struct counter_figures *figures,
		    const struct columns *columns, const struct counter_row *row, const char *what,
		    const char *behind)
{
	char cell[TEXT_COUNT_SIZE + 4], count[TEXT_COUNT_SIZE];

	text_add(text, "%*s", ID_COLUMNS, what);
	for (u32 i = columns->first; i < columns->first + columns->count; i++) {
		const u8 column = figures->columns[i];

		snprintf(cell, sizeof(cell), "%s%s", text_missing(figures, row, column),
			 text_count(count, row->counts[column]));
		text_add(text, " %*s", width_of(figures, i), cell);
	}
	if (columns->local)
		add_local(text, figures, row);
	if (*behind)
		text_add(text, "  %s", behind);
	text_wrap(text, 0, TEXT_PLAIN);
}

static void put_thread(struct text *text, const struct counter_figures *figures,
		       const struct columns *columns, const struct counter_row *row)
{
	char name[NAME_SAFE_SIZE(GAPP_COMM_LEN)] = "", id[16] = "-";

	if (row->comm)
		name_safe(name, row->comm, comm_len(row->comm), GAPP_COMM_LEN);
	if (row->tid)
		snprintf(id, sizeof(id), "%d", row->tid);
	put_row(text, figures, columns, row, id, name);
}

static void put_threads(struct text *text, const struct counter_figures *figures)
{
	const size_t rows = text_view_rows(text);
	const size_t shown = figures->thread_count < rows ? figures->thread_count : rows;
	struct columns columns = { 0 };

	while (next_columns(text, figures, &columns)) {
		text_blank(text);
		put_head(text, figures, &columns, "tid", "thread");
		for (size_t i = 0; i < shown; i++)
			put_thread(text, figures, &columns, &figures->threads[i]);
		text_view_left_out(text, figures->thread_count - shown);
		if (figures->has_others)
			put_row(text, figures, &columns, &figures->others, "-", OTHERS);
	}
	if (!figures->has_others)
		return;
	text_add(
		text, OTHERS
		": threads that have no row of their own, because they exited and the module added them up by process.");
	text_wrap(text, 0, TEXT_PLAIN);
}

static void put_nodes(struct text *text, const struct counter_figures *figures)
{
	struct columns columns = { 0 };

	while (figures->node_count && next_columns(text, figures, &columns)) {
		text_blank(text);
		put_head(text, figures, &columns, "node", "");
		for (size_t i = 0; i < figures->node_count; i++) {
			char number[16] = "-";

			if (figures->nodes[i].node != CPU_NODE_UNKNOWN)
				snprintf(number, sizeof(number), "%u", figures->nodes[i].node);
			put_row(text, figures, &columns, &figures->nodes[i], number, "");
		}
	}
}

static void put_total(struct text *text, const struct counter_figures *figures, u8 counter)
{
	const u64 count = figures->total.counts[counter];
	const char *mark = text_missing(figures, &figures->total, counter);
	char all[TEXT_COUNT_SIZE], rate[TEXT_COUNT_SIZE + 4] = "-", buffer[TEXT_COUNT_SIZE];

	snprintf(all, sizeof(all), "%s%llu", mark, (unsigned long long)count);
	if (figures->on_cpu_ns)
		snprintf(rate, sizeof(rate), "%s%s", mark,
			 text_count(buffer,
				    (double)count / figures->on_cpu_ns * NSEC_PER_SEC + 0.5));
	text_line(text, "%20s %16s  %s", all, rate, figures->tallies->counters[counter].name);
}

static void put_totals(struct text *text, const struct counter_figures *figures)
{
	const struct counter_row *total = &figures->total;

	text_line(text, "%20s %16s  counter", "in all", "a second on CPUs");
	for (u32 i = 0; i < figures->column_count; i++)
		put_total(text, figures, figures->columns[i]);
	if (counter_figures_have_local(figures) && total->local_known)
		text_line(text,
			  "%s%.1f %% of these loads from memory were local to the CPU's node.",
			  local_mark(figures, total), total->local_percent);
}

static bool any_refused(const struct tallies *tallies)
{
	for (u32 i = 0; i < tallies->count; i++)
		if (counter_why_not(tallies, &tallies->counters[i]))
			return true;
	return false;
}

/* What has no figure, or figures that lack something. */
static void put_doubts(struct text *text, const struct counter_figures *figures)
{
	const struct tallies *tallies = figures->tallies;

	/* behind the tables */
	if (figures->known && (counter_figures_miss(figures) || any_refused(tallies)))
		text_blank(text);
	if (counter_figures_miss(figures)) {
		text_add(
			text,
			">= at least, ~ about: a thread ran while nothing counted it, or gapp did not see since when it ran.");
		text_wrap(text, 0, TEXT_PLAIN);
	}
	for (u32 i = 0; i < tallies->count; i++) {
		const char *why = counter_why_not(tallies, &tallies->counters[i]);

		if (!why)
			continue;
		text_add(text, "not counted: %s (%s)", tallies->counters[i].name, why);
		text_wrap(text, 0, TEXT_PLAIN);
	}
}

void text_view_counters(struct text *text)
{
	struct counter_figures figures;

	if (!text->results->counted.asked.count) {
		text_line(text, "This recording has no counters: record with --counters LIST.");
		return;
	}
	if (counter_figures_make(&figures, text->results))
		out_of_memory();
	if (figures.column_count && !figures.known)
		text_line(text, "The recording's file is damaged: its counters are missing.");
	if (figures.known && figures.column_count) {
		put_totals(text, &figures);
		put_threads(text, &figures);
		put_nodes(text, &figures);
	}
	put_doubts(text, &figures);
	counter_figures_free(&figures);
}
