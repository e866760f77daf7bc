// SPDX-License-Identifier: GPL-2.0
/*
 * One pass over the begins and ends of all waits in the order of time. At each moment every thread
 * that waits has one waker, so threads and their wakers are trees: the size of a thread's tree is
 * the number of waits that its wait counts for, and the sum of that size over the wait's time is
 * what its edge gets.
 */
#include "wait_graph.h"

/**
 * struct link - a thread in these trees
 * @waits: it waits now
 * @parent: the thread that will wake it; STORE_NONE: none that is known
 * @weight: threads that wait for it now, and for these, and so on
 * @begin: when its wait began
 * @since: up to when @sum is
 * @sum: nanoseconds of its wait, each times the size of its tree
 * @wait: number of the wait
 * @place: its number in the list of those that wait
 */
struct link {
	bool waits;
	u32 parent;
	u32 weight;
	u64 begin;
	u64 since;
	u64 sum;
	u32 wait;
	u32 place;
};

/**
 * struct sweep - the pass
 * @now: nanoseconds since the store's begin
 * @links: of each thread
 * @waiting: numbers of the threads that wait
 * @waiting_count: elements of @waiting
 * @hole: number of the first hole that does not lie before @now
 */
struct sweep {
	const struct wait_store *store;
	const u32 *nodes;
	u32 node_count;
	struct wait_graph *graph;
	u64 now;
	struct link *links;
	u32 *waiting;
	u32 waiting_count;
	u32 hole;
};

static u32 other_node(const struct stored_wait *wait, u32 reason)
{
	if (wait->by == ENDED_BY_THREAD)
		return NODE_OUTSIDE;
	if (wait->by != ENDED_BY_INTERRUPT)
		return NODE_UNKNOWN;
	switch (reason) {
	case GAPP_WAIT_DISK:
		return NODE_DISK;
	case GAPP_WAIT_NETWORK:
		return NODE_NETWORK;
	case GAPP_WAIT_SLEEP:
		return NODE_TIMER;
	}
	return NODE_INTERRUPT;
}

static int add_edge(struct sweep *sweep, const struct stored_wait *wait, u64 own_ns, u64 ns)
{
	const struct stored_slice *slice = &sweep->store->slices[wait->slice];
	struct graph_edge_key key = { .from = sweep->nodes[slice->thread] };
	u32 id;

	if (stored_is_followed(sweep->store, wait->waker))
		key.to = sweep->nodes[wait->waker];
	else
		key.to = sweep->node_count + other_node(wait, slice->reason);
	id = keyed_find(&sweep->graph->edges, &key);
	if (id == HASH_NONE)
		id = keyed_add(&sweep->graph->edges, &key);
	if (id == HASH_NONE)
		return -1;
	sweep->graph->edges.rows[id].waits++;
	sweep->graph->edges.rows[id].own_ns += own_ns;
	sweep->graph->edges.rows[id].ns += ns;
	return 0;
}

/* Threads in the tree of a thread, with itself if it waits. */
static u32 size_of(const struct link *link)
{
	return link->weight + link->waits;
}

static void advance(struct sweep *sweep, struct link *link)
{
	if (link->waits)
		link->sum += (sweep->now - link->since) * size_of(link);
	link->since = sweep->now;
	sweep->graph->steps++;
}

/*
 * Whether the chain from @parent on is short enough to hang a thread on it. A thread that has ended
 * a wait runs, so it takes one step to take the wait off again.
 */
static bool may_hang(struct sweep *sweep, u32 thread, u32 parent)
{
	u32 hops = 0;

	while (parent != STORE_NONE && hops++ < CHAIN_MAX) {
		/* only wrong times can make a circle */
		if (parent == thread)
			return false;
		parent = sweep->links[parent].parent;
		sweep->graph->steps++;
	}
	return parent == STORE_NONE;
}

/* Adds threads to all trees that @parent is in, or takes them off. */
static void change(struct sweep *sweep, u32 parent, s32 threads)
{
	while (parent != STORE_NONE) {
		struct link *link = &sweep->links[parent];

		advance(sweep, link);
		link->weight += threads;
		parent = link->parent;
	}
}

static void begin_wait(struct sweep *sweep, u32 id)
{
	const struct stored_wait *wait = &sweep->store->waits[id];
	u32 thread = sweep->store->slices[wait->slice].thread, parent = wait->waker;
	struct link *link = &sweep->links[thread];

	*link = (struct link){
		.waits = true,
		.parent = STORE_NONE,
		.weight = link->weight,
		.begin = sweep->now,
		.since = sweep->now,
		.wait = id,
		.place = sweep->waiting_count,
	};
	sweep->waiting[sweep->waiting_count++] = thread;
	if (!stored_is_followed(sweep->store, parent))
		return;
	if (!may_hang(sweep, thread, parent)) {
		sweep->graph->cut++;
		return;
	}
	link->parent = parent;
	change(sweep, parent, size_of(link));
}

/* Gives the wait's edge its time. Returns 0, or -1 without memory. */
static int settle(struct sweep *sweep, struct link *link)
{
	advance(sweep, link);
	link->waits = false;
	link->parent = STORE_NONE;
	return add_edge(sweep, &sweep->store->waits[link->wait], sweep->now - link->begin,
			link->sum);
}

static int end_wait(struct sweep *sweep, u32 thread)
{
	struct link *link = &sweep->links[thread];
	u32 last = sweep->waiting[--sweep->waiting_count];

	sweep->waiting[link->place] = last;
	sweep->links[last].place = link->place;
	change(sweep, link->parent, -size_of(link));
	return settle(sweep, link);
}

/* Where records are lost all waits end: nobody knows when they did. 0, or -1 without memory. */
static int end_all(struct sweep *sweep, u64 at)
{
	sweep->now = at > sweep->now ? at : sweep->now;
	for (u32 i = 0; i < sweep->waiting_count; i++) {
		struct link *link = &sweep->links[sweep->waiting[i]];
		u64 end = sweep->store->waits[link->wait].end;
		u32 parent = link->parent;

		if (end > sweep->now)
			sweep->graph->unknown_ns += end - sweep->now;
		if (settle(sweep, link))
			return -1;
		/* all that hangs on it ends too */
		link->weight = 0;
		if (parent != STORE_NONE && !sweep->links[parent].waits)
			sweep->links[parent].weight = 0;
	}
	sweep->waiting_count = 0;
	return 0;
}

/* Goes on to @time. Returns 0, or -1 without memory. */
static int go_to(struct sweep *sweep, u64 time)
{
	while (sweep->hole < sweep->store->hole_count &&
	       sweep->store->holes[sweep->hole].end <= time) {
		if (end_all(sweep, sweep->store->holes[sweep->hole].begin))
			return -1;
		sweep->hole++;
	}
	if (sweep->hole < sweep->store->hole_count &&
	    sweep->store->holes[sweep->hole].begin < time &&
	    end_all(sweep, sweep->store->holes[sweep->hole].begin))
		return -1;
	if (time > sweep->now)
		sweep->now = time;
	return 0;
}

static bool in_hole(const struct sweep *sweep)
{
	return sweep->hole < sweep->store->hole_count &&
	       sweep->store->holes[sweep->hole].begin <= sweep->now;
}

/* The wait behind a slice begins. */
static int begin_behind(struct sweep *sweep, const struct stored_slice *slice)
{
	u64 begin = slice->end, end = stored_wake(sweep->store, slice);

	if (end == UINT64_MAX || slice->then == STORED_CREATED)
		return 0;
	if (begin < sweep->store->known_from)
		begin = sweep->store->known_from;
	if (go_to(sweep, begin))
		return -1;
	if (in_hole(sweep))
		sweep->graph->unknown_ns += end - begin;
	else if (end > sweep->now && !sweep->links[slice->thread].waits)
		begin_wait(sweep, slice->wait);
	return 0;
}

static int end_of(struct sweep *sweep, u32 id)
{
	const struct stored_wait *wait = &sweep->store->waits[id];
	u32 thread = sweep->store->slices[wait->slice].thread;
	const struct link *link = &sweep->links[thread];

	if (go_to(sweep, wait->end))
		return -1;
	return link->waits && link->wait == id ? end_wait(sweep, thread) : 0;
}

/* Whether it stands for a thread that was found waiting: its wait began with the recording. */
static bool is_found(const struct stored_slice *slice)
{
	return slice->then == STORED_FOUND && !slice->end;
}

/* These slices come late. Returns 0, or -1 without memory. */
static int begin_found(struct sweep *sweep)
{
	const struct wait_store *store = sweep->store;

	for (u32 i = 0; i < store->slice_count; i++)
		if (is_found(&store->slices[i]) && begin_behind(sweep, &store->slices[i]))
			return -1;
	return 0;
}

/* At one moment waits end before others begin. Returns 0, or -1 without memory. */
static int pass(struct sweep *sweep)
{
	const struct wait_store *store = sweep->store;
	u32 slice = 0, wait = 0;

	if (begin_found(sweep))
		return -1;
	while (slice < store->slice_count || wait < store->wait_count) {
		if (wait == store->wait_count ||
		    (slice < store->slice_count &&
		     store->slices[slice].end < store->waits[wait].end)) {
			const struct stored_slice *next = &store->slices[slice++];

			if (!is_found(next) && begin_behind(sweep, next))
				return -1;
		} else if (end_of(sweep, wait++)) {
			return -1;
		}
	}
	return end_all(sweep, sweep->now);
}

int wait_graph_make(const struct wait_store *store, const u32 *nodes, u32 node_count,
		    struct wait_graph *graph)
{
	_cleanup_free_ struct link *links = calloc(store->threads.index.count + 1, sizeof(*links));
	u32 threads = store->threads.index.count;
	_cleanup_free_ u32 *waiting = reallocarray(NULL, threads + 1, sizeof(*waiting));
	struct sweep sweep = {
		.store = store,
		.nodes = nodes,
		.node_count = node_count,
		.graph = graph,
		.links = links,
		.waiting = waiting,
	};

	*graph = (struct wait_graph){ 0 };
	if (!links || !waiting)
		return -1;
	for (u32 i = 0; i < threads; i++)
		links[i].parent = STORE_NONE;
	return pass(&sweep);
}

void wait_graph_free(struct wait_graph *graph)
{
	keyed_free(&graph->edges);
}
