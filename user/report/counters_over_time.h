/* SPDX-License-Identifier: GPL-2.0 */
/* The steps of a recording as a table that is read by NUMA node. */
#ifndef GAPP_READ_COUNTERS_OVER_TIME_H
#define GAPP_READ_COUNTERS_OVER_TIME_H

#include "counter_steps.h"

/**
 * struct counters_over_time - steps, one behind the other; all zero: none
 * @start_ns: CLOCK_MONOTONIC at which the first one begins
 * @end_ns: of each step its end, CLOCK_MONOTONIC, which is the begin of the next one
 * @steps: elements of @end_ns
 * @all: of each step the row of all CPUs
 * @nodes: of each step the rows of all @numbers, one behind the other
 * @numbers: nodes that any step has
 * @node_count: elements of @numbers
 */
struct counters_over_time {
	u64 start_ns;
	u64 *end_ns;
	u32 steps;
	struct counter_row *all;
	struct counter_row *nodes;
	u32 *numbers;
	u32 node_count;
};

/* Of the points that @results keeps in memory. Returns 0, or -1 without memory. */
int counters_over_time_make(struct counters_over_time *over, const struct results *results);
void counters_over_time_free(struct counters_over_time *over);

/* The row of a step; @node: index in @numbers; -1: of all CPUs. */
static inline const struct counter_row *
counters_over_time_row(const struct counters_over_time *over, int node, u32 step)
{
	return node < 0 ? &over->all[step] : &over->nodes[step * over->node_count + node];
}

#endif /* GAPP_READ_COUNTERS_OVER_TIME_H */
