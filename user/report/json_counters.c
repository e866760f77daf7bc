// SPDX-License-Identifier: GPL-2.0
/* What --counters asked for as JSON. */
#include "json_counters.h"

#include "counters_over_time.h"

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

/* The counts of one counter, step by step. */
static void put_steps(struct json *json, const struct counters_over_time *over, int node,
		      const char *name, u32 counter)
{
	FILE *out = json_member(json, name);

	putc('[', out);
	for (u32 i = 0; i < over->steps; i++)
		fprintf(out, "%s%llu", i ? "," : "",
			(unsigned long long)counters_over_time_row(over, node, i)->counts[counter]);
	putc(']', out);
}

static void put_local_steps(struct json *json, const struct counters_over_time *over, int node)
{
	FILE *out = json_member(json, "local_percent");

	putc('[', out);
	for (u32 i = 0; i < over->steps; i++) {
		const struct counter_row *row = counters_over_time_row(over, node, i);

		fputs(i ? "," : "", out);
		if (row->local_known)
			fprintf(out, "%.2f", row->local_percent);
		else
			fputs("null", out);
	}
	putc(']', out);
}

/* Of each counter of which something is missing: since when. */
static void put_incomplete_from(struct json *json, const struct counters_over_time *over, int node,
				const struct counter_figures *figures)
{
	json_begin_member(json, "incomplete_from_s", '{');
	for (u32 i = 0; i < figures->column_count; i++) {
		const u8 column = figures->columns[i];
		u32 step = 0;

		while (step < over->steps &&
		       !(counters_over_time_row(over, node, step)->missing & 1U << column))
			step++;
		if (step < over->steps)
			json_seconds(json, figures->tallies->counters[column].name,
				     step ? over->end_ns[step - 1] - over->start_ns : 0);
	}
	json_end(json, '}');
}

/* @node: as of counters_over_time_row(). */
static void put_series(struct json *json, const struct counters_over_time *over, int node,
		       const struct counter_figures *figures)
{
	json_begin_member(json, "counts", '{');
	for (u32 i = 0; i < figures->column_count; i++) {
		const u8 column = figures->columns[i];

		put_steps(json, over, node, figures->tallies->counters[column].name, column);
	}
	json_end(json, '}');
	if (counter_figures_have_local(figures))
		put_local_steps(json, over, node);
	put_incomplete_from(json, over, node, figures);
}

static void put_over_time(struct json *json, const struct counters_over_time *over,
			  const struct counter_figures *figures)
{
	FILE *out;

	json_begin_member(json, "counters_over_time", '{');
	out = json_member(json, "end_s");
	putc('[', out);
	for (u32 i = 0; i < over->steps; i++)
		fprintf(out, "%s%.9f", i ? "," : "",
			(double)(over->end_ns[i] - over->start_ns) / NSEC_PER_SEC);
	putc(']', out);
	json_begin_member(json, "in_all", '{');
	put_series(json, over, -1, figures);
	json_end(json, '}');
	json_begin_member(json, "by_node", '[');
	for (u32 i = 0; i < over->node_count; i++) {
		json_begin_element(json, ROW);
		if (over->numbers[i] == CPU_NODE_UNKNOWN)
			json_null(json, "node");
		else
			json_number(json, "node", over->numbers[i]);
		put_series(json, over, i, figures);
		json_end(json, '}');
	}
	json_end(json, ']');
	json_end(json, '}');
}

void json_place_counters(struct json *json, const struct results *results,
			 const struct ranked *place)
{
	const struct tallies *asked = &results->counted.asked;
	struct place_counters counters;

	if (place->kind != PATH_RAN || !place_counters_make(&counters, results, place))
		return;
	json_begin_member(json, "counters", '{');
	json_nanoseconds(json, "counted_s", place->counted.ns);
	json_begin_member(json, "per_critical_second", '{');
	for (u32 i = 0; i < asked->count; i++)
		if (!counter_why_not(asked, &asked->counters[i]))
			json_decimal(json, asked->counters[i].name,
				     counters.row.counts[i] / counters.seconds);
	json_end(json, '}');
	json_begin_member(json, "incomplete", '[');
	for (u32 i = 0; i < asked->count; i++) {
		if (!(counters.row.missing & 1U << i))
			continue;
		json_next(json, NULL);
		fprintf(json->out, "\"%s\"", asked->counters[i].name);
	}
	json_end(json, ']');
	json_decimal_or_null(json, "local_percent", counters.row.local_known,
			     counters.row.local_percent);
	json_end(json, '}');
}

void json_counters(struct json *json, const struct results *results, const struct options *options)
{
	const struct tallies *asked = &results->counted.asked;
	struct counters_over_time over;
	struct counter_figures figures;

	if (!asked->count)
		return;
	if (counter_figures_make(&figures, results) || counters_over_time_make(&over, results))
		out_of_memory();
	json_begin_member(json, "counters", '[');
	for (u32 i = 0; i < asked->count; i++)
		put_counter(json, &figures, i);
	json_end(json, ']');
	put_threads(json, &figures, options->top ? options->top : SIZE_MAX);
	put_nodes(json, &figures);
	if (over.steps)
		put_over_time(json, &over, &figures);
	counters_over_time_free(&over);
	counter_figures_free(&figures);
}
