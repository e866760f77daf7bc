/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of what --counters asked for: in all, by thread and by NUMA node. */
#ifndef GAPP_READ_COUNTER_FIGURES_H
#define GAPP_READ_COUNTER_FIGURES_H

#include "report.h"

/**
 * struct counter_row - what was counted of a thread, on a NUMA node, or in all
 * @tid: of a thread; 0: it has no id here
 * @tgid: its process
 * @comm: its name; NULL: not known
 * @node: of a node; CPU_NODE_UNKNOWN: nobody knows which node its CPUs belong to
 * @counts: by number of the counter among @asked of struct counted; 0: it is not counted
 * @missing: bit N: something is missing of counter N
 * @local_percent: local-memory in per cent of local-memory and remote-memory
 * @local_known: both are counted, and not 0
 */
struct counter_row {
	s32 tid;
	s32 tgid;
	const u8 *comm;
	u32 node;
	u64 counts[GAPP_TALLIES];
	u32 missing;
	double local_percent;
	bool local_known;
};

/**
 * struct counter_figures - all of them
 * @tallies: what was asked for
 * @columns: numbers of the counters that are counted
 * @column_count: elements of @columns
 * @known: there are figures of CPUs; without, nothing that follows is set
 * @on_cpu_ns: nanoseconds that threads were on CPUs
 * @total: of all CPUs
 * @threads: those with most of the first column first
 * @thread_count: elements of @threads
 * @others: what @total has and no thread's row, because the module added up exited threads
 * @has_others: that is not 0
 * @nodes: by number; none where no node is known
 * @node_count: elements of @nodes
 */
struct counter_figures {
	const struct tallies *tallies;
	u8 columns[GAPP_TALLIES];
	u32 column_count;
	bool known;
	u64 on_cpu_ns;
	struct counter_row total;
	struct counter_row *threads;
	size_t thread_count;
	struct counter_row others;
	bool has_others;
	struct counter_row *nodes;
	size_t node_count;
};

/*
 * Sets the counters of a row to what tallies come to; @counts: by the module's number of the tally;
 * @uncounted: bit N: something is missing of tally N.
 */
void counter_row_set(struct counter_row *row, const struct tallies *tallies, const u64 *counts,
		     u32 uncounted);

/**
 * struct place_counters - what was counted while a place ran
 * @row: @counts and what follows
 * @seconds: how long the critical slices were in which it was counted; each count is divided by it
 */
struct place_counters {
	struct counter_row row;
	double seconds;
};

/* False: nothing was counted there. */
bool place_counters_make(struct place_counters *counters, const struct results *results,
			 const struct ranked *place);

/* Returns 0, or -1 without memory. The figures refer to @results. */
int counter_figures_make(struct counter_figures *figures, const struct results *results);
void counter_figures_free(struct counter_figures *figures);

/* Both memories are counted, so rows have a local part. */
bool counter_figures_have_local(const struct counter_figures *figures);
/* It is the difference of two tallies: what is missing may make it too large as well. */
bool counter_is_difference(const struct counter_figures *figures, u32 counter);
/* Something is missing of a figure of any row. */
bool counter_figures_miss(const struct counter_figures *figures);

#endif /* GAPP_READ_COUNTER_FIGURES_H */
