/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The wait-for graph: who waited for whom. A wait counts at each edge of its chain: where a waits
 * for b, and b for c meanwhile, the time that both waited is a's wait for b and again, with b's
 * own, a wait for c. docs/decisions/018-critical-path.md has the rules and their proof.
 */
#ifndef GAPP_READ_WAIT_GRAPH_H
#define GAPP_READ_WAIT_GRAPH_H

#include "wait_store.h"

/* Threads that wait for each other in a row, at most: a longer chain is cut. */
#define CHAIN_MAX 64

/* Nodes that are no threads, behind those of the threads. */
enum graph_other {
	NODE_DISK, /* interrupts that ended waits for disks */
	NODE_NETWORK,
	NODE_TIMER,
	NODE_INTERRUPT, /* the other interrupts */
	NODE_OUTSIDE, /* threads that the recording does not follow */
	NODE_UNKNOWN, /* records do not say who ended the wait */
	NODE_OTHERS,
};

struct graph_edge_key {
	u32 from;
	u32 to;
};

/**
 * struct graph_edge - waits of one node for another
 * @waits: their number
 * @own_ns: their time
 * @ns: @own_ns, and the time of waits that went on to them
 */
struct graph_edge {
	struct graph_edge_key key;
	u64 waits;
	u64 own_ns;
	u64 ns;
};

/**
 * struct wait_graph - the graph
 * @edges: its edges
 * @unknown_ns: waits in time in which records were lost: they are in no edge
 * @cut: chains that were cut
 * @steps: what the sums took, in links of chains
 */
struct wait_graph {
	KEYED(graph_edge) edges;
	u64 unknown_ns;
	u64 cut;
	u64 steps;
};

/*
 * After wait_store_end(). @nodes: number of the node of each thread, less than @node_count; the
 * nodes of enum graph_other follow. Waits that no record ends are in no edge. Returns 0, or -1
 * without memory.
 */
int wait_graph_make(const struct wait_store *store, const u32 *nodes, u32 node_count,
		    struct wait_graph *graph);
void wait_graph_free(struct wait_graph *graph);

/**
 * wait_graph_knots() - nodes at which chains of waits end
 * @edges: the edges; their @ns count
 * @count: elements of @edges, at most 65536
 * @node_count: nodes
 * @run_ns: how long the run was: edges of less than 1 % of it do not count
 * @knots: the number of its knot for each node; STORE_NONE: it is in none. By caller
 *
 * A knot is a strongly connected component that no edge leaves. As long as all nodes are one
 * component, the edge with the least time goes, if it has at most 20 % of @run_ns.
 *
 * Return: number of knots, or -1 without memory.
 */
int wait_graph_knots(const struct graph_edge *edges, u32 count, u32 node_count, u64 run_ns,
		     u32 *knots);

#endif /* GAPP_READ_WAIT_GRAPH_H */
