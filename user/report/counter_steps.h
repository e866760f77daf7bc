/* SPDX-License-Identifier: GPL-2.0 */
/* What was counted from one moment of a recording to the next, in all and by NUMA node. */
#ifndef GAPP_READ_COUNTER_STEPS_H
#define GAPP_READ_COUNTER_STEPS_H

#include "counter_figures.h"

/**
 * struct counter_step - what was counted in a stretch of time
 * @begin_ns: CLOCK_MONOTONIC
 * @end_ns: CLOCK_MONOTONIC, later than @begin_ns
 * @all: of all CPUs. Where something is missing, it is so from this step on at the latest
 * @nodes: of each node, ascending; CPU_NODE_UNKNOWN: CPUs whose node is not known
 * @node_count: elements of @nodes; 0: nobody knows any node
 */
struct counter_step {
	u64 begin_ns;
	u64 end_ns;
	struct counter_row all;
	struct counter_row *nodes;
	u32 node_count;
};

/* Takes a step, which is valid during the call only. Returns 0, or -1 to end the loop. */
typedef int (*counter_step_fn)(void *context, const struct counter_step *step);

/**
 * struct counter_steps - makes steps of points
 * @tallies: what was asked for
 * @take: is given each step
 * @context: its argument
 * @before: the point before
 * @nodes: rows of the step, with room for COUNTER_NODES_MAX
 */
struct counter_steps {
	const struct tallies *tallies;
	counter_step_fn take;
	void *context;
	struct counter_point before;
	struct counter_row *nodes;
};

/*
 * Makes steps of the points that @results keeps in memory. Returns 0, or -1 without memory or if
 * @take did.
 */
int counter_steps_each(const struct results *results, counter_step_fn take, void *context);
/* As counter_steps_each(), of all points of the recording's file, of which there may be more. */
int counter_steps_of_file(const struct results *results, struct blocks *blocks,
			  counter_step_fn take, void *context);

/* Whether anything is counted and there are points, so that there are steps. */
bool counter_steps_any(const struct results *results);

static inline double counter_rate(const struct counter_step *step, const struct counter_row *row,
				  u32 counter)
{
	return (double)row->counts[counter] / (step->end_ns - step->begin_ns) * NSEC_PER_SEC;
}

#endif /* GAPP_READ_COUNTER_STEPS_H */
