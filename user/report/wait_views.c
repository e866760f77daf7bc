// SPDX-License-Identifier: GPL-2.0
/* Makes the critical path and the wait-for graph of a recording, with names. */
#include "wait_views.h"

#include <string.h>

#include "text_private.h"
#include "util/names.h"

/* Edges with less time than the largest ones are not looked at for knots. */
#define KNOT_EDGES_MAX 4096

void wait_views_free(struct wait_views *views)
{
	if (!views)
		return;
	for (u32 i = 0; i < views->function_count; i++) {
		free(views->functions[i].function);
		free(views->functions[i].module);
	}
	for (u32 i = 0; i < views->reason_count; i++)
		free(views->reasons[i].name);
	for (u32 i = 0; i < views->object_count; i++) {
		free(views->objects[i].wait.name);
		free(views->objects[i].name);
	}
	free(views->functions);
	free(views->reasons);
	free(views->objects);
	free(views->threads);
	free(views->nodes);
	free(views->edges);
	free(views);
}

/* A function with its time, before it has a row; @frame is one for each function. */
struct function_key {
	const struct object *object;
	const struct frame *frame;
	u64 offset;
};

struct function_sum {
	struct function_key key;
	const struct frame *frame;
	double ns;
	double inferred_ns;
};

/* Waits for an object, before it has a row: @reason is the number of their row by reason. */
struct object_key {
	u32 object;
	u32 reason;
};

struct object_sum {
	struct object_key key;
	u64 through_ns;
	u64 waited_ns[WAIT_ENDERS];
};

/* What is added up. */
struct sums {
	const struct wait_store *store;
	const struct path_names *names;
	const struct ranked_waits *waits;
	struct wait_views *views;
	u32 reason_room;

	KEYED(function_sum) functions;
	KEYED(object_sum) objects;
};

static int add_function(struct sums *sums, u32 path, double ns, bool inferred)
{
	const struct frame *frame = path_names_function(sums->names, path);
	struct function_key key;
	u32 id;

	memset(&key, 0, sizeof(key));
	if (frame && frame->function) {
		key.frame = frame;
	} else if (frame) {
		key.object = frame->object;
		key.offset = frame->offset;
	}
	id = keyed_find(&sums->functions, &key);
	if (id == HASH_NONE)
		id = keyed_add(&sums->functions, &key);
	if (id == HASH_NONE)
		return -1;
	sums->functions.rows[id].frame = frame;
	sums->functions.rows[id].ns += ns;
	if (inferred)
		sums->functions.rows[id].inferred_ns += ns;
	return 0;
}

/* A slice without a sample ran where samples show others that ended as it did. */
static int add_ran(struct sums *sums, const struct path_cell *cell)
{
	const struct path_part *parts;
	u32 count = 0;

	if (cell->key.how == STORED_MANY) {
		sums->views->many_ns += cell->ns;
		return 0;
	}
	if (cell->key.how == STORED_INFERRED)
		parts = path_names_parts(sums->names, cell->key.path, &count);
	for (u32 i = 0; i < count; i++)
		if (add_function(sums, parts[i].path, cell->ns * parts[i].part, true))
			return -1;
	return count ? 0 : add_function(sums, cell->key.path, cell->ns, cell->key.how);
}

static bool same_text(const char *a, const char *b)
{
	return a == b || (a && b && !strcmp(a, b));
}

/* The row of what is waited for at a site; @path: if that is not known. NULL: no memory. */
static struct critical_reason *reason_of(struct sums *sums, u32 site, u32 path, u32 reason)
{
	struct wait_kind kind =
		path_names_wait(sums->names, path_names_site(sums->names, site, path), reason);
	struct wait_views *views = sums->views;
	struct critical_reason *row;

	for (u32 i = 0; i < views->reason_count; i++)
		if (views->reasons[i].reason == kind.reason &&
		    same_text(views->reasons[i].name, kind.name))
			return &views->reasons[i];
	if (array_grow(&views->reasons, &sums->reason_room, views->reason_count,
		       sizeof(*views->reasons)))
		return NULL;
	row = &views->reasons[views->reason_count];
	*row = (struct critical_reason){ .reason = kind.reason };
	if (kind.name) {
		row->name = strdup(kind.name);
		if (!row->name)
			return NULL;
	}
	views->reason_count++;
	return row;
}

/* The sum of the object that is waited for at a site, and of the row by reason. NULL: no memory. */
static struct object_sum *object_of(struct sums *sums, u32 site,
				    const struct critical_reason *reason)
{
	const struct object_key key = {
		.object = site < sums->waits->site_count ? sums->waits->object_of_site[site] :
							   HASH_NONE,
		.reason = reason - sums->views->reasons,
	};
	u32 id = keyed_find(&sums->objects, &key);

	if (id == HASH_NONE)
		id = keyed_add(&sums->objects, &key);
	return id == HASH_NONE ? NULL : &sums->objects.rows[id];
}

static int add_cell(struct sums *sums, const struct path_cell *cell, struct critical_thread *thread)
{
	struct critical_reason *reason;
	struct object_sum *object;

	thread->ns[cell->key.what] += cell->ns;
	sums->views->ns[cell->key.what] += cell->ns;
	if (cell->key.what == PIECE_RAN)
		return add_ran(sums, cell);
	if (cell->key.what != PIECE_WAITED)
		return 0;
	reason = reason_of(sums, cell->key.site, cell->key.path, cell->key.reason);
	if (!reason)
		return -1;
	reason->waited_ns[cell->key.by] += cell->ns;
	object = object_of(sums, cell->key.site, reason);
	if (!object)
		return -1;
	object->waited_ns[cell->key.by] += cell->ns;
	return 0;
}

static int add_walk(struct sums *sums, const struct critical_walk *walk)
{
	struct wait_views *views = sums->views;
	u32 threads = sums->store->threads.index.count;

	views->threads = calloc(threads + 1, sizeof(*views->threads));
	if (!views->threads)
		return -1;
	for (u32 i = 0; i < threads; i++) {
		const struct stored_thread *thread = &sums->store->threads.rows[i];
		struct critical_thread *row = &views->threads[i];

		row->tid = thread->key.tid;
		row->tgid = thread->key.tgid;
		memcpy(row->comm, thread->comm, sizeof(row->comm));
	}
	views->thread_count = threads;
	for (u32 i = 0; i < walk->cells.index.count; i++) {
		const struct path_cell *cell = &walk->cells.rows[i];

		if (add_cell(sums, cell, &views->threads[cell->key.thread]))
			return -1;
	}
	for (u32 i = 0; i < walk->waits.index.count; i++) {
		const struct path_wait *wait = &walk->waits.rows[i];
		struct critical_reason *row =
			reason_of(sums, wait->key.site, wait->key.path, wait->key.reason);
		struct object_sum *object = row ? object_of(sums, wait->key.site, row) : NULL;

		if (!object)
			return -1;
		row->through_ns += wait->ns;
		object->through_ns += wait->ns;
	}
	views->ns[PIECE_NONE] = walk->idle_ns;
	views->unknown_ns = walk->unknown_ns;
	views->hops = walk->hops;
	return 0;
}

static int by_function_time(const void *a, const void *b)
{
	const struct critical_function *x = a, *y = b;

	return compare_by(three_way(y->ns, x->ns), three_way(!x->function, !y->function),
			  x->function && y->function ? strcmp(x->function, y->function) : 0,
			  three_way(x->offset, y->offset));
}

u64 critical_reason_waited(const struct critical_reason *reason)
{
	u64 ns = 0;

	for (u32 i = 0; i < WAIT_ENDERS; i++)
		ns += reason->waited_ns[i];
	return ns;
}

static u64 reason_sum(const struct critical_reason *reason)
{
	return reason->through_ns + critical_reason_waited(reason);
}

static int by_reason_time(const void *a, const void *b)
{
	const struct critical_reason *x = a, *y = b;

	return compare_by(three_way(reason_sum(y), reason_sum(x)), three_way(x->reason, y->reason),
			  three_way(!x->name, !y->name),
			  x->name && y->name ? strcmp(x->name, y->name) : 0);
}

static int by_object_time(const void *a, const void *b)
{
	const struct critical_object *x = a, *y = b;

	return by_reason_time(&x->wait, &y->wait) ?:
						    compare_by(three_way(!x->name, !y->name),
				       x->name && y->name ? strcmp(x->name, y->name) : 0,
							       three_way(x->tgid, y->tgid));
}

static u64 thread_sum(const struct critical_thread *thread)
{
	return thread->ns[PIECE_RAN] + thread->ns[PIECE_READY] + thread->ns[PIECE_WAITED];
}

static int by_thread_time(const void *a, const void *b)
{
	const struct critical_thread *x = a, *y = b;

	return compare_by(three_way(thread_sum(y), thread_sum(x)), three_way(x->tgid, y->tgid),
			  three_way(x->tid, y->tid));
}

/* Makes the rows by object, before those by reason are sorted. Returns 0, or -1 without memory. */
static int make_objects(struct sums *sums)
{
	struct wait_views *views = sums->views;
	u32 count = sums->objects.index.count;

	views->objects = calloc(count + 1, sizeof(*views->objects));
	if (!views->objects)
		return -1;
	for (u32 i = 0; i < count; i++) {
		const struct object_sum *sum = &sums->objects.rows[i];
		const struct critical_reason *reason = &views->reasons[sum->key.reason];
		struct critical_object *row = &views->objects[views->object_count++];
		const struct ranked_object *object = NULL;

		if (sum->key.object < sums->waits->all_objects)
			object = &sums->waits->objects[sum->key.object];
		row->tgid = object ? object->tgid : 0;
		row->wait.reason = reason->reason;
		row->wait.through_ns = sum->through_ns;
		memcpy(row->wait.waited_ns, sum->waited_ns, sizeof(sum->waited_ns));
		if (reason->name) {
			row->wait.name = strdup(reason->name);
			if (!row->wait.name)
				return -1;
		}
		if (object && object->name) {
			row->name = strdup(object->name);
			if (!row->name)
				return -1;
		}
	}
	qsort(views->objects, count, sizeof(*views->objects), by_object_time);
	return 0;
}

/* Gives functions their names, and sorts all rows. Returns 0, or -1 without memory. */
static int finish_path(struct sums *sums)
{
	struct wait_views *views = sums->views;
	u32 count = sums->functions.index.count;

	views->functions = calloc(count + 1, sizeof(*views->functions));
	if (!views->functions || make_objects(sums))
		return -1;
	for (u32 i = 0; i < count; i++) {
		const struct function_sum *sum = &sums->functions.rows[i];
		struct critical_function *row = &views->functions[views->function_count++];

		*row = (struct critical_function){ .ns = sum->ns, .inferred_ns = sum->inferred_ns };
		if (!sum->frame)
			continue;
		row->module = strdup(sum->frame->module);
		if (sum->frame->function)
			row->function = strdup(sum->frame->function);
		else
			row->offset = sum->frame->offset;
		if (!row->module || (sum->frame->function && !row->function))
			return -1;
	}
	qsort(views->functions, count, sizeof(*views->functions), by_function_time);
	if (views->reason_count)
		qsort(views->reasons, views->reason_count, sizeof(*views->reasons), by_reason_time);
	qsort(views->threads, views->thread_count, sizeof(*views->threads), by_thread_time);
	while (views->thread_count && !thread_sum(&views->threads[views->thread_count - 1]))
		views->thread_count--;
	return 0;
}

static int make_path(struct wait_store *store, const struct path_names *names,
		     const struct ranked_waits *waits, struct wait_views *views)
{
	struct sums sums = { .store = store, .names = names, .waits = waits, .views = views };
	struct critical_walk walk;
	int failed = critical_walk(store, views->run_ns, &walk) || add_walk(&sums, &walk) ||
		     finish_path(&sums);

	critical_walk_free(&walk);
	keyed_free(&sums.functions);
	keyed_free(&sums.objects);
	return failed ? -1 : 0;
}

static int by_team(const void *a, const void *b)
{
	const struct stored_thread *x = *(const struct stored_thread *const *)a;
	const struct stored_thread *y = *(const struct stored_thread *const *)b;

	return text_team_compare(x->comm, y->comm);
}

/* Makes a node of each team; @nodes: of each thread its node. Returns 0, or -1 without memory. */
static int make_nodes(const struct wait_store *store, struct wait_views *views, u32 *nodes)
{
	_cleanup_free_ const struct stored_thread **order =
		reallocarray(NULL, store->threads.index.count + 1, sizeof(*order));
	u32 count = store->threads.index.count;
	struct graph_node *node = NULL;
	u32 followed = 0;

	views->nodes = calloc(count + NODE_OTHERS + 1, sizeof(*views->nodes));
	if (!order || !views->nodes)
		return -1;
	for (u32 i = 0; i < count; i++)
		if (stored_is_followed(store, i))
			order[followed++] = &store->threads.rows[i];
	qsort(order, followed, sizeof(*order), by_team);
	for (u32 i = 0; i < followed; i++) {
		if (!node || text_team_compare(order[i - 1]->comm, order[i]->comm)) {
			node = &views->nodes[views->node_count++];
			memcpy(node->comm, order[i]->comm, sizeof(node->comm));
		}
		node->threads++;
		node->numbered |= !text_same_name(node->comm, order[i]->comm);
		nodes[order[i] - store->threads.rows] = node - views->nodes;
	}
	for (u32 i = 0; i < NODE_OTHERS; i++)
		views->nodes[views->node_count + i].other = i;
	return 0;
}

static int by_edge_time(const void *a, const void *b)
{
	const struct graph_edge *x = a, *y = b;

	return compare_by(three_way(y->ns, x->ns), three_way(x->key.from, y->key.from),
			  three_way(x->key.to, y->key.to));
}

/* Names the knots in the order of their nodes. Returns 0, or -1 without memory. */
static int find_knots(struct wait_views *views)
{
	_cleanup_free_ u32 *knots = reallocarray(NULL, views->node_count + 1, sizeof(*knots));
	u32 edges = views->edge_count < KNOT_EDGES_MAX ? views->edge_count : KNOT_EDGES_MAX;
	int found;

	if (!knots)
		return -1;
	found = wait_graph_knots(views->edges, edges, views->node_count, views->run_ns, knots);
	if (found < 0)
		return -1;
	for (u32 i = 0; i < views->node_count; i++)
		views->nodes[i].knot = knots[i];
	return 0;
}

static int make_graph(struct wait_store *store, struct wait_views *views)
{
	_cleanup_free_ u32 *nodes = calloc(store->threads.index.count + 1, sizeof(*nodes));
	struct wait_graph graph = { 0 };

	if (!nodes || make_nodes(store, views, nodes) ||
	    wait_graph_make(store, nodes, views->node_count, &graph)) {
		wait_graph_free(&graph);
		return -1;
	}
	views->node_count += NODE_OTHERS;
	views->edges = graph.edges.rows;
	views->edge_count = graph.edges.index.count;
	views->graph_unknown_ns = graph.unknown_ns;
	views->cut = graph.cut;
	graph.edges.rows = NULL;
	wait_graph_free(&graph);
	if (views->edge_count)
		qsort(views->edges, views->edge_count, sizeof(*views->edges), by_edge_time);
	return find_knots(views);
}

struct wait_views *wait_views_make(struct wait_store *store, u64 stop_ns,
				   const struct path_names *names, const struct ranked_waits *waits)
{
	struct wait_views *views = calloc(1, sizeof(*views));

	if (!views)
		return NULL;
	views->run_ns = wait_store_time(store, stop_ns);
	views->dropped_ns = store->known_from;
	views->dropped = store->dropped;
	if (!wait_store_end(store, stop_ns) && !make_path(store, names, waits, views) &&
	    !make_graph(store, views))
		return views;
	wait_views_free(views);
	return NULL;
}

static int by_knot(const void *a, const void *b, void *context)
{
	const struct graph_node *nodes = context;
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return compare_by(three_way(nodes[x].knot, nodes[y].knot), three_way(x, y));
}

u32 *wait_views_in_knots(const struct wait_views *views, u32 *count)
{
	u32 *nodes = reallocarray(NULL, views->node_count + 1, sizeof(*nodes));

	*count = 0;
	for (u32 i = 0; nodes && i < views->node_count; i++)
		if (views->nodes[i].knot != STORE_NONE)
			nodes[(*count)++] = i;
	if (nodes)
		qsort_r(nodes, *count, sizeof(*nodes), by_knot, views->nodes);
	return nodes;
}

double wait_views_sum(const struct wait_views *views)
{
	double sum =
		views->ns[PIECE_READY] + views->ns[PIECE_NONE] + views->unknown_ns + views->many_ns;

	for (u32 i = 0; i < views->function_count; i++)
		sum += views->functions[i].ns;
	for (u32 i = 0; i < views->reason_count; i++)
		for (u32 j = 0; j < WAIT_ENDERS; j++)
			sum += views->reasons[i].waited_ns[j];
	return sum;
}

const char *graph_node_name(const struct graph_node *node, char *name)
{
	static const char *const others[NODE_OTHERS] = {
		[NODE_DISK] = "disk",	    [NODE_NETWORK] = "network",
		[NODE_TIMER] = "timer",	    [NODE_INTERRUPT] = "interrupt",
		[NODE_OUTSIDE] = "outside", [NODE_UNKNOWN] = "unknown",
	};
	char team[TEXT_CELL_SIZE];

	if (!node->threads)
		return others[node->other];
	text_team(team, node->comm, node->numbered, GAPP_COMM_LEN);
	if (node->threads == 1)
		snprintf(name, NODE_NAME_SIZE, "%.*s", NODE_NAME_SIZE - 1, team);
	else
		snprintf(name, NODE_NAME_SIZE, "%.40s (%llu)", team,
			 (unsigned long long)node->threads);
	return name;
}
