// SPDX-License-Identifier: GPL-2.0
/* Knots of the wait-for graph, as wPerf has them. Components by Tarjan's algorithm. */
#include "wait_graph.h"

#define LEAST_PERCENT 1
#define MOST_PERCENT 20
#define NOT_SEEN 0xffffffffU

/**
 * struct knots - the search
 * @edges: those that count, in the order of their nodes
 * @count: their number
 * @first: of each node its first edge; one more element at the end
 * @seen: of each node in which order it was seen
 * @low: of each node the earliest node that its tree leads back to
 * @component: of each node, once its component is known
 * @components: their number
 * @stack: nodes whose component is not known yet
 * @path: nodes from the one that the search began with to the one that it is at
 * @next: of each node the edge that it goes on with
 */
struct knots {
	struct graph_edge *edges;
	u32 count;
	u32 node_count;
	u32 *first;
	u32 *seen;
	u32 *low;
	u32 *component;
	u32 components;
	u32 *stack;
	u32 stack_count;
	u32 *path;
	u32 *next;
	u32 order;
};

static int by_nodes(const void *a, const void *b)
{
	const struct graph_edge *x = a, *y = b;

	return compare_by(three_way(x->key.from, y->key.from), three_way(x->key.to, y->key.to));
}

static void enter(struct knots *knots, u32 node)
{
	knots->seen[node] = knots->order;
	knots->low[node] = knots->order++;
	knots->next[node] = knots->first[node];
	knots->stack[knots->stack_count++] = node;
}

/* All edges of the node were followed: it may be the first of its component. */
static void leave(struct knots *knots, u32 node)
{
	u32 member;

	if (knots->low[node] != knots->seen[node])
		return;
	do {
		member = knots->stack[--knots->stack_count];
		knots->component[member] = knots->components;
	} while (member != node);
	knots->components++;
}

static void search(struct knots *knots, u32 from)
{
	u32 depth = 0;

	knots->path[depth++] = from;
	enter(knots, from);
	while (depth) {
		u32 node = knots->path[depth - 1], to;

		if (knots->next[node] == knots->first[node + 1]) {
			leave(knots, node);
			if (--depth && knots->low[node] < knots->low[knots->path[depth - 1]])
				knots->low[knots->path[depth - 1]] = knots->low[node];
			continue;
		}
		to = knots->edges[knots->next[node]++].key.to;
		if (knots->seen[to] == NOT_SEEN) {
			knots->path[depth++] = to;
			enter(knots, to);
		} else if (knots->component[to] == STORE_NONE &&
			   knots->seen[to] < knots->low[node]) {
			knots->low[node] = knots->seen[to];
		}
	}
}

/* Finds the components of all nodes with edges. */
static void find_components(struct knots *knots)
{
	u32 edge = 0;

	knots->components = 0;
	knots->order = 0;
	for (u32 i = 0; i < knots->node_count; i++) {
		knots->first[i] = edge;
		while (edge < knots->count && knots->edges[edge].key.from == i)
			edge++;
		knots->seen[i] = NOT_SEEN;
		knots->component[i] = STORE_NONE;
	}
	knots->first[knots->node_count] = edge;
	for (u32 i = 0; i < knots->count; i++) {
		u32 nodes[2] = { knots->edges[i].key.from, knots->edges[i].key.to };

		for (u32 j = 0; j < 2; j++)
			if (knots->seen[nodes[j]] == NOT_SEEN)
				search(knots, nodes[j]);
	}
}

/* Removes the edge with the least time, if that is not much. */
static bool remove_least(struct knots *knots, u64 most_ns)
{
	u32 least = 0;

	for (u32 i = 1; i < knots->count; i++)
		if (knots->edges[i].ns < knots->edges[least].ns)
			least = i;
	if (!knots->count || knots->edges[least].ns > most_ns)
		return false;
	memmove(knots->edges + least, knots->edges + least + 1,
		(--knots->count - least) * sizeof(*knots->edges));
	return true;
}

/* Numbers the components that no edge leaves, and that one leads to or is in. */
static u32 number_knots(const struct knots *knots, u32 *numbers)
{
	u32 *state = knots->low, count = 0;

	for (u32 i = 0; i < knots->components; i++)
		state[i] = 0;
	for (u32 i = 0; i < knots->count; i++)
		state[knots->component[knots->edges[i].key.to]] = 1;
	for (u32 i = 0; i < knots->count; i++)
		if (knots->component[knots->edges[i].key.from] !=
		    knots->component[knots->edges[i].key.to])
			state[knots->component[knots->edges[i].key.from]] = STORE_NONE;
	for (u32 i = 0; i < knots->components; i++)
		state[i] = state[i] == 1 ? count++ : STORE_NONE;
	for (u32 i = 0; i < knots->node_count; i++)
		numbers[i] = knots->component[i] == STORE_NONE ? STORE_NONE :
								 state[knots->component[i]];
	return count;
}

int wait_graph_knots(const struct graph_edge *edges, u32 count, u32 node_count, u64 run_ns,
		     u32 *numbers)
{
	_cleanup_free_ struct graph_edge *kept = reallocarray(NULL, count + 1, sizeof(*kept));
	_cleanup_free_ u32 *words = reallocarray(NULL, node_count + 1, 7 * sizeof(*words));
	struct knots knots = { .edges = kept, .node_count = node_count };
	u32 **arrays[] = { &knots.first, &knots.seen, &knots.low, &knots.component,
			   &knots.stack, &knots.path, &knots.next };

	if (!kept || !words)
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(arrays); i++)
		*arrays[i] = words + i * (node_count + 1);
	for (u32 i = 0; i < count; i++)
		if (edges[i].ns && edges[i].ns >= run_ns * LEAST_PERCENT / 100)
			kept[knots.count++] = edges[i];
	qsort(kept, knots.count, sizeof(*kept), by_nodes);
	do {
		find_components(&knots);
	} while (knots.components == 1 && remove_least(&knots, run_ns * MOST_PERCENT / 100));
	return number_knots(&knots, numbers);
}
