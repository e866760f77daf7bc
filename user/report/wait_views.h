/* SPDX-License-Identifier: GPL-2.0 */
/* What a report shows of a recording's slices and waits: the critical path and the wait-for graph.
 */
#ifndef GAPP_READ_WAIT_VIEWS_H
#define GAPP_READ_WAIT_VIEWS_H

#include "data/blocks.h"
#include "profile/path_names.h"
#include "profile/ranked_waits.h"
#include "waits/critical_path.h"
#include "waits/wait_graph.h"

/**
 * struct critical_function - a function on the critical path
 * @function: its name; NULL: it has none, or no path is known
 * @module: name of the file that it is in; NULL: no path is known
 * @offset: where it is in @module, without a name
 * @ns: nanoseconds in which it ran
 * @inferred_ns: the part of @ns of slices without a sample
 */
struct critical_function {
	char *function;
	char *module;
	u64 offset;
	double ns;
	double inferred_ns;
};

/**
 * struct critical_reason - waits on the critical path
 * @reason: enum gapp_wait_reason
 * @name: what is waited for, such as "mutex"; NULL: the reason alone is known
 * @through_ns: the path went to other threads, which ended such waits
 * @waited_ns: it went over such waits, by enum wait_ender
 */
struct critical_reason {
	u32 reason;
	char *name;
	u64 through_ns;
	u64 waited_ns[WAIT_ENDERS];
};

/**
 * struct critical_object - waits on the critical path for one wait object
 * @wait: the waits, which are part of those of the row with their reason and name
 * @name: what the object is called; NULL: it is not known
 * @tgid: the process that waited first; 0: not known
 */
struct critical_object {
	struct critical_reason wait;
	char *name;
	s32 tgid;
};

/**
 * struct critical_thread - a thread on the critical path
 * @ns: nanoseconds by enum path_piece
 */
struct critical_thread {
	s32 tid;
	s32 tgid;
	u8 comm[GAPP_COMM_LEN];
	u64 ns[PIECE_NONE];
};

/**
 * struct graph_node - a node of the wait-for graph
 * @comm: of a team, name of one of its threads
 * @numbered: not all of the team have this name
 * @threads: of a team; 0: it is none
 * @other: of what is no team, enum graph_other
 * @knot: number of its knot, or STORE_NONE
 */
struct graph_node {
	u8 comm[GAPP_COMM_LEN];
	bool numbered;
	u64 threads;
	u32 other;
	u32 knot;
};

/**
 * struct wait_views - all that is shown
 * @run_ns: how long the run was
 * @ns: of the critical path, by enum path_piece
 * @many_ns: the part of PIECE_RAN in which many threads were active, so there were no samples
 * @unknown_ns: of the critical path, where records were lost or slices dropped
 * @dropped_ns: from the begin on there are no slices for so long, because there was no room
 * @dropped: slices that were dropped
 * @hops: how often the path goes to another thread
 * @graph_unknown_ns: waits in time in which records were lost
 * @cut: chains of waits that were cut
 */
struct wait_views {
	u64 run_ns;
	u64 ns[PIECE_NONE + 1];
	u64 many_ns;
	u64 unknown_ns;
	u64 dropped_ns;
	u64 dropped;
	u64 hops;
	u64 graph_unknown_ns;
	u64 cut;
	struct critical_function *functions;
	u32 function_count;
	struct critical_reason *reasons;
	u32 reason_count;
	struct critical_object *objects;
	u32 object_count;
	struct critical_thread *threads;
	u32 thread_count;
	struct graph_node *nodes;
	u32 node_count;
	struct graph_edge *edges;
	u32 edge_count;
};

/*
 * Makes them after the last record; ends the store. @stop_ns: CLOCK_MONOTONIC at which the
 * recording ended. @waits: the waits of the profile, whose sites the store has. NULL: no memory.
 */
struct wait_views *wait_views_make(struct wait_store *store, u64 stop_ns,
				   const struct path_names *names,
				   const struct ranked_waits *waits);
void wait_views_free(struct wait_views *views);

void wait_views_save(const struct wait_views *views, struct blocks_writer *writer);
/* Sets @views; NULL: the recording has none. Returns 0, or -1 without memory. */
int wait_views_read(struct blocks *blocks, struct wait_views **views);

/*
 * The numbers of the nodes that are in knots, those of one knot next to each other. NULL: no
 * memory.
 */
u32 *wait_views_in_knots(const struct wait_views *views, u32 *count);

/* Nanoseconds of the path in such waits, whoever ended them. */
u64 critical_reason_waited(const struct critical_reason *reason);

/* Nanoseconds of the critical path, all parts together: @run_ns, unless something is wrong. */
double wait_views_sum(const struct wait_views *views);

/* What a node is called: "worker-* (4 threads)", "disk". */
#define NODE_NAME_SIZE 64
const char *graph_node_name(const struct graph_node *node, char *name);

#endif /* GAPP_READ_WAIT_VIEWS_H */
