// SPDX-License-Identifier: GPL-2.0
/*
 * Counters over time: for each step a row of all CPUs, and one of each NUMA node. All points of the
 * file are in it. Times are nanoseconds since the recording began.
 */
#include "exports.h"
#include "report/counter_steps.h"
#include "report/recorded.h"

/**
 * struct counter_table - the table that is being written
 * @out: the stream
 * @tallies: what was asked for; names of counters are of letters that no cell needs quotes for
 * @start_ns: when the recording began
 * @local: rows have the local part
 */
struct counter_table {
	FILE *out;
	const struct tallies *tallies;
	u64 start_ns;
	bool local;
};

static bool is_counted(const struct counter_table *table, u32 counter)
{
	return !counter_why_not(table->tallies, &table->tallies->counters[counter]);
}

static void put_head(const struct counter_table *table)
{
	fputs("start_ns,stop_ns,node", table->out);
	for (u32 i = 0; i < table->tallies->count; i++)
		if (is_counted(table, i))
			fprintf(table->out, ",%s", table->tallies->counters[i].name);
	fputs(table->local ? ",local_percent,incomplete\n" : ",incomplete\n", table->out);
}

static void put_counts(const struct counter_table *table, const struct counter_row *row)
{
	const char *space = "";

	for (u32 i = 0; i < table->tallies->count; i++)
		if (is_counted(table, i))
			fprintf(table->out, ",%llu", (unsigned long long)row->counts[i]);
	if (table->local && row->local_known)
		fprintf(table->out, ",%.2f", row->local_percent);
	else if (table->local)
		putc(',', table->out);
	putc(',', table->out);
	for (u32 i = 0; i < table->tallies->count; i++) {
		if (!(row->missing & 1U << i))
			continue;
		fprintf(table->out, "%s%s", space, table->tallies->counters[i].name);
		space = " ";
	}
	putc('\n', table->out);
}

static void put_times(const struct counter_table *table, const struct counter_step *step)
{
	fprintf(table->out, "%llu,%llu,", (unsigned long long)(step->begin_ns - table->start_ns),
		(unsigned long long)(step->end_ns - table->start_ns));
}

static int put_step(void *context, const struct counter_step *step)
{
	const struct counter_table *table = context;

	put_times(table, step);
	fputs("all", table->out);
	put_counts(table, &step->all);
	for (u32 i = 0; i < step->node_count; i++) {
		put_times(table, step);
		if (step->nodes[i].node != CPU_NODE_UNKNOWN)
			fprintf(table->out, "%u", step->nodes[i].node);
		put_counts(table, &step->nodes[i]);
	}
	return ferror(table->out) ? -1 : 0;
}

int export_counters(FILE *out, const struct results *results,
		    _unused_ const struct options *options)
{
	const struct tallies *tallies = &results->counted.asked;
	struct counter_table table = {
		.out = out,
		.tallies = tallies,
		.start_ns = results->recorded->start_ns,
		.local = tallies_counted(tallies, COUNTER_LOCAL_MEMORY) != TALLY_NONE &&
			 tallies_counted(tallies, COUNTER_REMOTE_MEMORY) != TALLY_NONE,
	};
	int error;

	if (!counter_steps_any(results)) {
		complain(
			"the recording has no counters over time, which .counters.csv is made of: record with --counters LIST");
		return 1;
	}
	put_head(&table);
	error = counter_steps_of_file(results, results->recorded->blocks, put_step, &table);
	/* who cannot be written to is found by the caller */
	return error && !ferror(out) ? -1 : 0;
}
