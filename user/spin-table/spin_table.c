// SPDX-License-Identifier: GPL-2.0
/* Makes the bytes of a spin table of the loops that were found. */
#include "spin_table.h"

#include "spin_exits.h"
#include "spin_location.h"
#include "core/spin_table.h"
#include "unwind-table/table_cache.h"

/**
 * struct edge - where code of a loop begins or ends
 * @address: address in the ELF file
 * @loops: 1: a loop begins; -1: it ends
 * @calls: likewise, of loops that wait in system calls, or by progress engines
 * @deep: likewise, of loops that wait by progress engines
 * @location: number of the loop's location; 0: none
 */
struct edge {
	u64 address;
	int loops;
	int calls;
	int deep;
	u32 location;
};

/* What a loop waits for. */
struct location {
	struct gapp_spin_location key;
};

/**
 * struct parts - of the table that is being made
 * @locations: what loops wait for, each once
 * @edges: of all loops; sorted by address once all are there
 * @edge_count: number of edges
 * @edge_room: of the list
 * @inside: loops of each location that the edges so far have begun and not ended
 */
struct parts {
	KEYED(location) locations;
	struct edge *edges;
	u32 edge_count;
	u32 edge_room;
	u32 *inside;
};

/* Sets @number to that of an equal location, which is added if there is room. Returns 0, or -1. */
static int number_location(struct parts *parts, const struct gapp_spin_location *location,
			   u32 *number)
{
	u32 id = keyed_find(&parts->locations, location);

	if (id == HASH_NONE && parts->locations.index.count == GAPP_SPIN_MAX_LOCATIONS) {
		*number = 0;
		return 0;
	}
	if (id == HASH_NONE)
		id = keyed_add(&parts->locations, location);
	*number = id + 1;
	return id == HASH_NONE ? -1 : 0;
}

static int add_edge(struct parts *parts, struct edge edge)
{
	if (array_grow(&parts->edges, &parts->edge_room, parts->edge_count, sizeof(edge)))
		return -1;
	parts->edges[parts->edge_count++] = edge;
	return 0;
}

static int add_loop(struct parts *parts, const struct spin *spin, const u8 *dwarf_numbers)
{
	int deep = !!(spin->does & SPIN_PROGRESS);
	int calls = deep || spin->does & (SPIN_YIELDS | SPIN_SLEEPS);
	struct gapp_spin_location location;
	u32 number = 0;

	/* what a progress engine waits for it sets itself: that says nothing of other threads */
	if (!deep && spin_location_make(&location, spin, dwarf_numbers) &&
	    number_location(parts, &location, &number))
		return -1;
	for (u32 i = 0; i < spin->range_count; i++) {
		const struct spin_range *range = &spin->ranges[i];

		if (range->begin >= range->end)
			continue;
		if (add_edge(parts, (struct edge){ range->begin, 1, calls, deep, number }) ||
		    add_edge(parts, (struct edge){ range->end, -1, -calls, -deep, number }))
			return -1;
	}
	return 0;
}

static int by_address(const void *a, const void *b)
{
	const struct edge *one = a, *other = b;

	return three_way(one->address, other->address);
}

/* Adds code behind all ranges. False: there is no room. */
static bool add_range(struct gapp_spin_head *head, u64 begin, u64 bytes, u32 flags, u32 location)
{
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(head + 1);
	struct gapp_spin_range *last = head->ranges ? &ranges[head->ranges - 1] : NULL;

	if (bytes > UINT32_MAX)
		return true;
	if (last && last->begin + last->bytes == begin && last->flags == flags &&
	    last->location == location && last->bytes + bytes <= UINT32_MAX) {
		last->bytes += bytes;
		return true;
	}
	if (head->ranges == GAPP_SPIN_MAX_RANGES)
		return false;
	ranges[head->ranges++] = (struct gapp_spin_range){
		.begin = begin, .bytes = bytes, .flags = flags, .location = location
	};
	return true;
}

/* Goes over the edges, and adds what is between two of them where any loop is. */
static void add_ranges(struct gapp_spin_head *head, const struct parts *parts)
{
	/* number of different locations that are waited for there, and the sum of their numbers */
	u64 different = 0, sum = 0;
	s64 loops = 0, calls = 0, deep = 0;

	for (u32 i = 0; i < parts->edge_count; i++) {
		const struct edge *edge = &parts->edges[i];
		u64 before = i ? parts->edges[i - 1].address : 0;
		u32 *inside = &parts->inside[edge->location], was = *inside;

		if (loops && edge->address > before &&
		    !add_range(head, before, edge->address - before,
			       (calls ? GAPP_SPIN_CALLS : 0) | (deep ? GAPP_SPIN_DEEP : 0),
			       different == 1 ? sum : 0))
			return;
		loops += edge->loops;
		calls += edge->calls;
		deep += edge->deep;
		*inside += edge->loops;
		if (!edge->location || !was == !*inside)
			continue;
		different += edge->loops;
		sum += edge->loops > 0 ? edge->location : 0ULL - edge->location;
	}
}

static int make_table(struct spin_table *table, struct parts *parts, struct spin_exits *exits,
		      enum gapp_arch arch)
{
	const u32 locations = parts->locations.index.count;
	struct gapp_spin_location *to;
	struct gapp_spin_head *head;

	if (!parts->edge_count)
		return 0;
	qsort(parts->edges, parts->edge_count, sizeof(*parts->edges), by_address);
	parts->inside = calloc(locations + 1, sizeof(*parts->inside));
	/* between two edges there is at most one range */
	head = calloc(1, sizeof(*head) + (u64)parts->edge_count * sizeof(struct gapp_spin_range) +
				 (u64)locations * sizeof(*to) +
				 (u64)exits->count * sizeof(struct gapp_spin_exit));
	if (!head || !parts->inside) {
		free(head);
		return -1;
	}
	*head = (struct gapp_spin_head){ .magic = GAPP_SPIN_MAGIC,
					 .version = GAPP_SPIN_VERSION,
					 .arch = arch,
					 .locations = locations };
	add_ranges(head, parts);
	if (!head->ranges) {
		free(head);
		return 0;
	}
	to = (struct gapp_spin_location *)((struct gapp_spin_range *)(head + 1) + head->ranges);
	for (u32 i = 0; i < locations; i++)
		to[i] = parts->locations.rows[i].key;
	head->exits = spin_exits_put(exits, head, (struct gapp_spin_exit *)(to + locations));
	table->data = head;
	table->bytes = gapp_spin_table_bytes(head);
	return 0;
}

int spin_table_make(struct spin_table *table, const struct spins *spins, enum gapp_arch arch)
{
	_cleanup_(spin_exits_free) struct spin_exits exits = { 0 };
	struct parts parts = { 0 };
	int result = 0;

	*table = (struct spin_table){ 0 };
	for (u32 i = 0; i < spins->count && !result; i++)
		if (spins->spins[i].tier == SPIN_HIGH)
			result = add_loop(&parts, &spins->spins[i], spins->dwarf_numbers);
	if (!result)
		result = spin_exits_find(&exits, spins);
	if (!result)
		result = make_table(table, &parts, &exits, arch);
	free(parts.inside);
	keyed_free(&parts.locations);
	free(parts.edges);
	return result;
}

void spin_table_free(struct spin_table *table)
{
	if (table->cached)
		table_cache_unmap(table->data, table->bytes);
	else
		free(table->data);
	*table = (struct spin_table){ 0 };
}
