// SPDX-License-Identifier: GPL-2.0
/* What --counters asked for as JSON. */
#include "json_counters.h"

#include "counter_figures.h"

#define ROW "\n  "

static void put_counter(struct json *json, const struct counter_figures *figures, u32 counter)
{
	const struct counter *of = &figures->tallies->counters[counter];
	const char *why_not = counter_why_not(figures->tallies, of);
	const bool counted = figures->known && !why_not;
	const u64 count = figures->total.counts[counter];

	json_begin_element(json, ROW);
	json_string(json, "name", of->name);
	counted ? json_number(json, "count", count) : json_null(json, "count");
	json_decimal_or_null(json, "per_second_on_cpus", counted && figures->on_cpu_ns,
			     (double)count / (figures->on_cpu_ns ?: 1) * NSEC_PER_SEC);
	json_bool(json, "complete", counted && !(figures->total.missing & 1U << counter));
	json_string(json, "not_counted_why", why_not);
	json_end(json, '}');
}

static void put_counts(struct json *json, const struct counter_figures *figures,
		       const struct counter_row *row)
{
	json_begin_member(json, "counts", '{');
	for (u32 i = 0; i < figures->column_count; i++) {
		const u8 column = figures->columns[i];

		json_number(json, figures->tallies->counters[column].name, row->counts[column]);
	}
	json_end(json, '}');
	json_begin_member(json, "incomplete", '[');
	for (u32 i = 0; i < figures->column_count; i++) {
		const u8 column = figures->columns[i];

		if (!(row->missing & 1U << column))
			continue;
		json_next(json, NULL);
		fprintf(json->out, "\"%s\"", figures->tallies->counters[column].name);
	}
	json_end(json, ']');
	json_decimal_or_null(json, "local_percent", row->local_known, row->local_percent);
}

static void put_thread(struct json *json, const struct counter_figures *figures,
		       const struct counter_row *row, bool others)
{
	json_begin_element(json, ROW);
	others ? json_null(json, "tid") : json_number(json, "tid", row->tid > 0 ? row->tid : 0);
	others ? json_null(json, "tgid") : json_number(json, "tgid", row->tgid > 0 ? row->tgid : 0);
	row->comm ? json_comm(json, row->comm) : json_null(json, "comm");
	put_counts(json, figures, row);
	json_end(json, '}');
}

static void put_threads(struct json *json, const struct counter_figures *figures, size_t most)
{
	json_begin_member(json, "counters_by_thread", '[');
	for (size_t i = 0; i < figures->thread_count && i < most && !ferror(json->out); i++)
		put_thread(json, figures, &figures->threads[i], false);
	if (figures->has_others)
		put_thread(json, figures, &figures->others, true);
	json_end(json, ']');
}

static void put_nodes(struct json *json, const struct counter_figures *figures)
{
	json_begin_member(json, "counters_by_node", '[');
	for (size_t i = 0; i < figures->node_count; i++) {
		const struct counter_row *row = &figures->nodes[i];

		json_begin_element(json, ROW);
		if (row->node == CPU_NODE_UNKNOWN)
			json_null(json, "node");
		else
			json_number(json, "node", row->node);
		put_counts(json, figures, row);
		json_end(json, '}');
	}
	json_end(json, ']');
}

void json_counters(struct json *json, const struct results *results, const struct options *options)
{
	const struct tallies *asked = &results->counted.asked;
	struct counter_figures figures;

	if (!asked->count)
		return;
	if (counter_figures_make(&figures, results))
		out_of_memory();
	json_begin_member(json, "counters", '[');
	for (u32 i = 0; i < asked->count; i++)
		put_counter(json, &figures, i);
	json_end(json, ']');
	put_threads(json, &figures, options->top ? options->top : SIZE_MAX);
	put_nodes(json, &figures);
	counter_figures_free(&figures);
}
