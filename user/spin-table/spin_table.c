// SPDX-License-Identifier: GPL-2.0
/* Makes the bytes of a spin table of the loops that were found. */
#include "spin_table.h"

#include "unwind-table/table_cache.h"

/**
 * struct edge - where code of a loop begins or ends
 * @address: address in the ELF file
 * @loops: 1: a loop begins; -1: it ends
 * @calls: likewise, of loops that wait in system calls
 */
struct edge {
	u64 address;
	int loops;
	int calls;
};

/**
 * struct edges - of all loops
 * @edges: sorted by address once all are there
 */
struct edges {
	struct edge *edges;
	u32 count;
	u32 room;
};

static int add_edge(struct edges *edges, struct edge edge)
{
	if (array_grow(&edges->edges, &edges->room, edges->count, sizeof(edge)))
		return -1;
	edges->edges[edges->count++] = edge;
	return 0;
}

static int add_loop(struct edges *edges, const struct spin *spin)
{
	int calls = !!(spin->does & (SPIN_YIELDS | SPIN_SLEEPS));

	for (u32 i = 0; i < spin->range_count; i++) {
		const struct spin_range *range = &spin->ranges[i];

		if (range->begin >= range->end)
			continue;
		if (add_edge(edges, (struct edge){ range->begin, 1, calls }) ||
		    add_edge(edges, (struct edge){ range->end, -1, -calls }))
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
static bool add_range(struct gapp_spin_head *head, u64 begin, u64 bytes, u32 flags)
{
	struct gapp_spin_range *ranges = (struct gapp_spin_range *)(head + 1);
	struct gapp_spin_range *last = head->ranges ? &ranges[head->ranges - 1] : NULL;

	if (bytes > UINT32_MAX)
		return true;
	if (last && last->begin + last->bytes == begin && last->flags == flags &&
	    last->bytes + bytes <= UINT32_MAX) {
		last->bytes += bytes;
		return true;
	}
	if (head->ranges == GAPP_SPIN_MAX_RANGES)
		return false;
	ranges[head->ranges++] =
		(struct gapp_spin_range){ .begin = begin, .bytes = bytes, .flags = flags };
	return true;
}

/* Goes over the edges, and adds what is between two of them where any loop is. */
static void add_ranges(struct gapp_spin_head *head, const struct edges *edges)
{
	s64 loops = 0, calls = 0;

	for (u32 i = 0; i < edges->count; i++) {
		const struct edge *edge = &edges->edges[i];
		u64 before = i ? edges->edges[i - 1].address : 0;

		if (loops && edge->address > before &&
		    !add_range(head, before, edge->address - before, calls ? GAPP_SPIN_CALLS : 0))
			return;
		loops += edge->loops;
		calls += edge->calls;
	}
}

static int make_table(struct spin_table *table, struct edges *edges, enum gapp_arch arch)
{
	struct gapp_spin_head *head;

	if (!edges->count)
		return 0;
	qsort(edges->edges, edges->count, sizeof(*edges->edges), by_address);
	/* between two edges there is at most one range */
	head = calloc(1, sizeof(*head) + (u64)edges->count * sizeof(struct gapp_spin_range));
	if (!head)
		return -1;
	*head = (struct gapp_spin_head){ .magic = GAPP_SPIN_MAGIC,
					 .version = GAPP_SPIN_VERSION,
					 .arch = arch };
	add_ranges(head, edges);
	if (!head->ranges) {
		free(head);
		return 0;
	}
	table->data = head;
	table->bytes = sizeof(*head) + head->ranges * sizeof(struct gapp_spin_range);
	return 0;
}

int spin_table_make(struct spin_table *table, const struct spins *spins, enum gapp_arch arch)
{
	struct edges edges = { 0 };
	int result = 0;

	*table = (struct spin_table){ 0 };
	for (u32 i = 0; i < spins->count && !result; i++)
		if (spins->spins[i].tier == SPIN_HIGH)
			result = add_loop(&edges, &spins->spins[i]);
	if (!result)
		result = make_table(table, &edges, arch);
	free(edges.edges);
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
