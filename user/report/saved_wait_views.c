// SPDX-License-Identifier: GPL-2.0
/* The critical path and the wait-for graph in a recording's file. */
#include <string.h>

#include "wait_views.h"

/* Rows of a kind; more make no sense. */
#define ROWS_MAX 0x400000U

/* What an item of BLOCK_CRITICAL_PATH is. */
enum item {
	ITEM_SUMS,
	ITEM_FUNCTION,
	ITEM_REASON,
	ITEM_THREAD,
};

static void pack_list(struct pack *pack, const u64 *numbers, u32 count)
{
	for (u32 i = 0; i < count; i++)
		pack_u64(pack, numbers[i]);
}

static void unpack_list(struct unpack *unpack, u64 *numbers, u32 count)
{
	for (u32 i = 0; i < count; i++)
		numbers[i] = unpack_u64(unpack);
}

static struct pack *begin_item(struct blocks_writer *writer, enum item item)
{
	struct pack *pack = blocks_item(writer);

	pack_u64(pack, item);
	return pack;
}

static void save_sums(const struct wait_views *views, struct blocks_writer *writer)
{
	struct pack *pack = begin_item(writer, ITEM_SUMS);

	pack_u64(pack, views->run_ns);
	pack_list(pack, views->ns, PIECE_NONE + 1);
	pack_u64(pack, views->many_ns);
	pack_u64(pack, views->unknown_ns);
	pack_u64(pack, views->dropped_ns);
	pack_u64(pack, views->dropped);
	pack_u64(pack, views->hops);
	pack_u64(pack, views->graph_unknown_ns);
	pack_u64(pack, views->cut);
	blocks_item_end(writer);
}

static void pack_reason(struct pack *pack, const struct critical_reason *reason)
{
	pack_u64(pack, reason->reason);
	pack_text(pack, reason->name);
	pack_u64(pack, reason->through_ns);
	pack_list(pack, reason->waited_ns, WAIT_ENDERS);
}

static void unpack_reason(struct unpack *unpack, struct critical_reason *reason)
{
	reason->reason = unpack_most(unpack, GAPP_WAIT_REASONS - 1);
	reason->name = unpack_text(unpack);
	reason->through_ns = unpack_u64(unpack);
	unpack_list(unpack, reason->waited_ns, WAIT_ENDERS);
}

static void save_path(const struct wait_views *views, struct blocks_writer *writer)
{
	for (u32 i = 0; i < views->function_count; i++) {
		struct pack *pack = begin_item(writer, ITEM_FUNCTION);

		pack_text(pack, views->functions[i].function);
		pack_text(pack, views->functions[i].module);
		pack_u64(pack, views->functions[i].offset);
		pack_double(pack, views->functions[i].ns);
		pack_double(pack, views->functions[i].inferred_ns);
		blocks_item_end(writer);
	}
	for (u32 i = 0; i < views->reason_count; i++) {
		struct pack *pack = begin_item(writer, ITEM_REASON);

		pack_reason(pack, &views->reasons[i]);
		blocks_item_end(writer);
	}
	for (u32 i = 0; i < views->thread_count; i++) {
		struct pack *pack = begin_item(writer, ITEM_THREAD);

		pack_s64(pack, views->threads[i].tid);
		pack_s64(pack, views->threads[i].tgid);
		pack_sized(pack, views->threads[i].comm, GAPP_COMM_LEN);
		pack_list(pack, views->threads[i].ns, PIECE_NONE);
		blocks_item_end(writer);
	}
}

void wait_views_save(const struct wait_views *views, struct blocks_writer *writer)
{
	blocks_section(writer, BLOCK_CRITICAL_PATH);
	save_sums(views, writer);
	save_path(views, writer);
	blocks_section(writer, BLOCK_PATH_OBJECTS);
	for (u32 i = 0; i < views->object_count; i++) {
		struct pack *pack = blocks_item(writer);

		pack_reason(pack, &views->objects[i].wait);
		pack_text(pack, views->objects[i].name);
		pack_s64(pack, views->objects[i].tgid);
		blocks_item_end(writer);
	}
	blocks_section(writer, BLOCK_GRAPH_NODES);
	for (u32 i = 0; i < views->node_count; i++) {
		const struct graph_node *node = &views->nodes[i];
		struct pack *pack = blocks_item(writer);

		pack_sized(pack, node->comm, sizeof(node->comm));
		pack_u64(pack, node->numbered);
		pack_u64(pack, node->threads);
		pack_u64(pack, node->other);
		pack_u64(pack, node->knot);
		blocks_item_end(writer);
	}
	blocks_section(writer, BLOCK_GRAPH_EDGES);
	for (u32 i = 0; i < views->edge_count; i++) {
		const struct graph_edge *edge = &views->edges[i];
		struct pack *pack = blocks_item(writer);

		pack_u64(pack, edge->key.from);
		pack_u64(pack, edge->key.to);
		pack_u64(pack, edge->waits);
		pack_u64(pack, edge->own_ns);
		pack_u64(pack, edge->ns);
		blocks_item_end(writer);
	}
}

/* Views that are being read, and room in their lists. */
struct reading {
	struct wait_views *views;
	bool complete;
	u32 functions;
	u32 reasons;
	u32 objects;
	u32 threads;
	u32 nodes;
	u32 edges;
};

/*
 * Makes room for one more row, which is zero. Returns 0, or -1 without memory; an item too many
 * makes no sense.
 */
static int add_row(void *rows, u32 *room, u32 count, size_t size, struct unpack *unpack)
{
	if (count >= ROWS_MAX || !unpack_keep(unpack, size)) {
		unpack->failed = true;
		return 0;
	}
	if (array_grow(rows, room, count, size))
		return -1;
	memset(*(char **)rows + count * size, 0, size);
	return 0;
}

static void take_sums(struct reading *reading, struct unpack *unpack)
{
	struct wait_views *views = reading->views;

	views->run_ns = unpack_u64(unpack);
	unpack_list(unpack, views->ns, PIECE_NONE + 1);
	views->many_ns = unpack_u64(unpack);
	views->unknown_ns = unpack_u64(unpack);
	views->dropped_ns = unpack_u64(unpack);
	views->dropped = unpack_u64(unpack);
	views->hops = unpack_u64(unpack);
	views->graph_unknown_ns = unpack_u64(unpack);
	views->cut = unpack_u64(unpack);
	reading->complete |= !unpack->failed;
}

static int take_function(struct reading *reading, struct unpack *unpack)
{
	struct wait_views *views = reading->views;
	struct critical_function *row;

	if (add_row(&views->functions, &reading->functions, views->function_count, sizeof(*row),
		    unpack))
		return -1;
	if (unpack->failed)
		return 0;
	row = &views->functions[views->function_count++];
	row->function = unpack_text(unpack);
	row->module = unpack_text(unpack);
	row->offset = unpack_u64(unpack);
	row->ns = unpack_double(unpack);
	row->inferred_ns = unpack_double(unpack);
	return 0;
}

static int take_reason(struct reading *reading, struct unpack *unpack)
{
	struct wait_views *views = reading->views;
	struct critical_reason *row;

	if (add_row(&views->reasons, &reading->reasons, views->reason_count, sizeof(*row), unpack))
		return -1;
	if (unpack->failed)
		return 0;
	unpack_reason(unpack, &views->reasons[views->reason_count++]);
	return 0;
}

static int take_thread(struct reading *reading, struct unpack *unpack)
{
	struct wait_views *views = reading->views;
	struct critical_thread *row;

	if (add_row(&views->threads, &reading->threads, views->thread_count, sizeof(*row), unpack))
		return -1;
	if (unpack->failed)
		return 0;
	row = &views->threads[views->thread_count++];
	row->tid = unpack_s64(unpack);
	row->tgid = unpack_s64(unpack);
	unpack_sized(unpack, row->comm, sizeof(row->comm));
	unpack_list(unpack, row->ns, PIECE_NONE);
	return 0;
}

static int take_path(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	int failed = 0;

	for (u64 i = 0; i < count && !failed && unpack_more(unpack); i++) {
		switch (unpack_most(unpack, ITEM_THREAD)) {
		case ITEM_SUMS:
			take_sums(reading, unpack);
			break;
		case ITEM_FUNCTION:
			failed = take_function(reading, unpack);
			break;
		case ITEM_REASON:
			failed = take_reason(reading, unpack);
			break;
		case ITEM_THREAD:
			failed = take_thread(reading, unpack);
			break;
		}
	}
	return failed;
}

static int take_objects(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct wait_views *views = reading->views;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct critical_object *row;

		if (add_row(&views->objects, &reading->objects, views->object_count, sizeof(*row),
			    unpack))
			return -1;
		if (unpack->failed)
			return 0;
		row = &views->objects[views->object_count++];
		unpack_reason(unpack, &row->wait);
		row->name = unpack_text(unpack);
		row->tgid = unpack_s64(unpack);
	}
	return 0;
}

static int take_nodes(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct wait_views *views = reading->views;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct graph_node *node;

		if (add_row(&views->nodes, &reading->nodes, views->node_count, sizeof(*node),
			    unpack))
			return -1;
		if (unpack->failed)
			return 0;
		node = &views->nodes[views->node_count++];
		unpack_sized(unpack, node->comm, sizeof(node->comm));
		node->numbered = unpack_most(unpack, 1);
		node->threads = unpack_u64(unpack);
		node->other = unpack_most(unpack, NODE_OTHERS - 1);
		node->knot = unpack_most(unpack, UINT32_MAX);
	}
	return 0;
}

/* An edge between nodes that are missing is left out. */
static int take_edges(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct wait_views *views = reading->views;

	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct graph_edge *edge;

		if (add_row(&views->edges, &reading->edges, views->edge_count, sizeof(*edge),
			    unpack))
			return -1;
		if (unpack->failed)
			return 0;
		edge = &views->edges[views->edge_count];
		edge->key.from = unpack_most(unpack, UINT32_MAX);
		edge->key.to = unpack_most(unpack, UINT32_MAX);
		edge->waits = unpack_u64(unpack);
		edge->own_ns = unpack_u64(unpack);
		edge->ns = unpack_u64(unpack);
		views->edge_count += edge->key.from < views->node_count &&
				     edge->key.to < views->node_count;
	}
	return 0;
}

int wait_views_read(struct blocks *blocks, struct wait_views **views)
{
	struct reading reading = { .views = calloc(1, sizeof(*reading.views)) };

	*views = NULL;
	if (!reading.views)
		return -1;
	if (blocks_each(blocks, BLOCK_CRITICAL_PATH, take_path, &reading) ||
	    blocks_each(blocks, BLOCK_PATH_OBJECTS, take_objects, &reading) ||
	    blocks_each(blocks, BLOCK_GRAPH_NODES, take_nodes, &reading) ||
	    blocks_each(blocks, BLOCK_GRAPH_EDGES, take_edges, &reading)) {
		wait_views_free(reading.views);
		return -1;
	}
	if (reading.complete)
		*views = reading.views;
	else
		wait_views_free(reading.views);
	return 0;
}
