/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What --counters asked for, added up by NUMA node up to moments of a recording: taken while it
 * runs, and kept in its file (type 43 of docs/data-format.md).
 */
#ifndef GAPP_READ_COUNTER_POINTS_H
#define GAPP_READ_COUNTER_POINTS_H

#include <gapp_figures.h>

#include "data/blocks.h"
#include "input/cpu_nodes.h"

/* Nodes of a machine at most, and the CPUs whose node is not known. */
#define COUNTER_NODES_MAX 1025U
/* Later times are made up. */
#define COUNTER_TIME_MAX ((u64)INT64_MAX / 4)

/**
 * struct node_tallies - what was counted on a NUMA node since the recording began
 * @node: its number; CPU_NODE_UNKNOWN: of CPUs whose node is not known
 * @uncounted: bit N: something is missing of tally N
 * @counts: by the module's number of the tally
 */
struct node_tallies {
	u32 node;
	u32 uncounted;
	u64 counts[GAPP_TALLIES];
};

/**
 * struct counter_point - sums up to a moment; all zero: there are none yet
 * @time_ns: the moment, CLOCK_MONOTONIC
 * @rows: by node, ascending
 * @count: elements of @rows
 * @room: elements that @rows has memory for
 */
struct counter_point {
	u64 time_ns;
	struct node_tallies *rows;
	u32 count;
	u32 room;
};

void counter_point_free(struct counter_point *point);
/* Returns 0, or -1 without memory. */
int counter_point_copy(struct counter_point *to, const struct counter_point *from);

/*
 * Sets the sums to those of CPUs. @nodes: nodes of CPUs; none: they are not known. A CPU that is on
 * no node and has counted nothing is left out. Returns 0, or -1 without memory.
 */
int counter_point_set(struct counter_point *point, u64 time_ns, const struct gapp_cpu_tallies *cpus,
		      size_t count, const struct cpu_nodes *nodes);

/* The row of a node, or NULL. */
const struct node_tallies *counter_point_row(const struct counter_point *point, u32 node);
/* Adds up all rows; its node is CPU_NODE_UNKNOWN. */
struct node_tallies counter_point_sum(const struct counter_point *point);

/* Packs an item of type 43. @tallies: how many the module counts. */
void counter_point_pack(const struct counter_point *point, u32 tallies, struct pack *pack);

/* Takes a point, which is valid during the call only. Returns 0, or -1 to end the loop. */
typedef int (*counter_point_fn)(void *context, const struct counter_point *point);
/*
 * Calls @take for each point of a recording's file, in the order of time. Sums never become less
 * from point to point. Returns 0, or -1 without memory or if @take did.
 */
int counter_points_each(struct blocks *blocks, counter_point_fn take, void *context);

#endif /* GAPP_READ_COUNTER_POINTS_H */
