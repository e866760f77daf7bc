// SPDX-License-Identifier: GPL-2.0
#include "counter_points.h"

#include <string.h>

#include "util/hash_index.h"

void counter_point_free(struct counter_point *point)
{
	free(point->rows);
	*point = (struct counter_point){ 0 };
}

int counter_point_copy(struct counter_point *to, const struct counter_point *from)
{
	if (from->count && array_grow(&to->rows, &to->room, from->count - 1, sizeof(*to->rows)))
		return -1;
	if (from->count)
		memcpy(to->rows, from->rows, from->count * sizeof(*to->rows));
	to->count = from->count;
	to->time_ns = from->time_ns;
	return 0;
}

/* The index of the first row of @node or of a higher one. */
static u32 place_of(const struct counter_point *point, u32 node)
{
	u32 i = 0;

	while (i < point->count && point->rows[i].node < node)
		i++;
	return i;
}

const struct node_tallies *counter_point_row(const struct counter_point *point, u32 node)
{
	const u32 i = place_of(point, node);

	return i < point->count && point->rows[i].node == node ? &point->rows[i] : NULL;
}

static void add_counts(struct node_tallies *row, const __u64 *counts, u32 uncounted)
{
	for (u32 i = 0; i < GAPP_TALLIES; i++)
		row->counts[i] += counts[i];
	row->uncounted |= uncounted;
}

/* Returns 0, or -1 without memory. */
static int add_cpu(struct counter_point *point, const struct gapp_cpu_tallies *cpu, u32 node)
{
	const u32 i = place_of(point, node);

	if (i == point->count || point->rows[i].node != node) {
		if (point->count == COUNTER_NODES_MAX)
			return 0;
		if (array_grow(&point->rows, &point->room, point->count, sizeof(*point->rows)))
			return -1;
		memmove(&point->rows[i + 1], &point->rows[i],
			(point->count - i) * sizeof(*point->rows));
		point->rows[i] = (struct node_tallies){ .node = node };
		point->count++;
	}
	add_counts(&point->rows[i], cpu->counts, cpu->uncounted);
	return 0;
}

static bool is_zero(const struct gapp_cpu_tallies *cpu)
{
	u64 all = cpu->uncounted;

	for (u32 i = 0; i < GAPP_TALLIES; i++)
		all |= cpu->counts[i];
	return !all;
}

int counter_point_set(struct counter_point *point, u64 time_ns, const struct gapp_cpu_tallies *cpus,
		      size_t count, const struct cpu_nodes *nodes)
{
	point->count = 0;
	point->time_ns = time_ns;
	for (size_t i = 0; i < count; i++) {
		const u32 node = nodes ? cpu_nodes_of(nodes, cpus[i].cpu) : CPU_NODE_UNKNOWN;

		if ((node != CPU_NODE_UNKNOWN || !is_zero(&cpus[i])) &&
		    add_cpu(point, &cpus[i], node))
			return -1;
	}
	return 0;
}

struct node_tallies counter_point_sum(const struct counter_point *point)
{
	struct node_tallies sum = { .node = CPU_NODE_UNKNOWN };

	for (u32 i = 0; i < point->count; i++)
		add_counts(&sum, point->rows[i].counts, point->rows[i].uncounted);
	return sum;
}

void counter_point_pack(const struct counter_point *point, u32 tallies, struct pack *pack)
{
	pack_u64(pack, point->time_ns);
	pack_u64(pack, tallies);
	pack_u64(pack, point->count);
	for (u32 i = 0; i < point->count; i++) {
		const struct node_tallies *row = &point->rows[i];

		pack_u64(pack, row->node == CPU_NODE_UNKNOWN ? 0 : (u64)row->node + 1);
		pack_u64(pack, row->uncounted);
		for (u32 j = 0; j < tallies; j++)
			pack_u64(pack, row->counts[j]);
	}
}

/* The node of a row as it is packed: not known comes last, where its number is the highest. */
static u32 unpack_node(struct unpack *unpack)
{
	const u64 packed = unpack_most(unpack, CPU_NODE_UNKNOWN);

	return packed ? packed - 1 : CPU_NODE_UNKNOWN;
}

static void unpack_row(struct unpack *unpack, struct node_tallies *row, u32 tallies)
{
	*row = (struct node_tallies){ .node = unpack_node(unpack) };
	row->uncounted = unpack_most(unpack, UINT32_MAX);
	for (u32 i = 0; i < tallies; i++)
		row->counts[i] = unpack_u64(unpack);
}

/* Returns 0, or -1 without memory. What makes no sense sets @unpack->failed. */
static int unpack_point(struct unpack *unpack, struct counter_point *point)
{
	const u64 time_ns = unpack_most(unpack, COUNTER_TIME_MAX);
	const u32 tallies = unpack_most(unpack, GAPP_TALLIES);
	const u32 count = unpack_most(unpack, COUNTER_NODES_MAX);

	point->time_ns = time_ns;
	point->count = 0;
	while (point->count < count && !unpack->failed) {
		const u32 i = point->count;

		if (array_grow(&point->rows, &point->room, i, sizeof(*point->rows)))
			return -1;
		unpack_row(unpack, &point->rows[i], tallies);
		if (i && point->rows[i].node <= point->rows[i - 1].node)
			unpack->failed = true;
		point->count++;
	}
	return 0;
}

/* Whether every sum is that of an earlier point, or more. */
static bool goes_on(const struct counter_point *before, const struct counter_point *point)
{
	if (point->time_ns <= before->time_ns && before->time_ns)
		return false;
	for (u32 i = 0; i < before->count; i++) {
		const struct node_tallies *then = &before->rows[i];
		const struct node_tallies *now = counter_point_row(point, then->node);

		if (!now)
			return false;
		for (u32 j = 0; j < GAPP_TALLIES; j++)
			if (now->counts[j] < then->counts[j])
				return false;
	}
	return true;
}

/**
 * struct reading - points that are being read
 * @take: is given them
 * @context: its argument
 * @point: the one that is being read
 * @before: the one before it
 */
struct reading {
	counter_point_fn take;
	void *context;
	struct counter_point point;
	struct counter_point before;
};

/* @given: points are given away. Returns 0, or -1 without memory or if @take did. */
static int read_points(struct reading *reading, u64 count, struct unpack *unpack, bool given)
{
	for (u64 i = 0; i < count && unpack_more(unpack); i++) {
		struct counter_point *point = &reading->point;

		if (unpack_point(unpack, point))
			return -1;
		if (!unpack->failed && !goes_on(&reading->before, point))
			unpack->failed = true;
		if (unpack->failed)
			return 0;
		if ((given && reading->take(reading->context, point)) ||
		    counter_point_copy(&reading->before, point))
			return -1;
	}
	return 0;
}

/* A block counts as a whole: it is looked at before any point of it is given away. */
static int take_block(void *context, _unused_ u64 first, u64 count, struct unpack *unpack)
{
	struct reading *reading = context;
	struct counter_point begin = { 0 };
	struct unpack again = *unpack;
	int error = counter_point_copy(&begin, &reading->before) ||
		    read_points(reading, count, unpack, false);

	if (!error)
		error = counter_point_copy(&reading->before, &begin);
	if (!error && !unpack->failed)
		error = read_points(reading, count, &again, true);
	counter_point_free(&begin);
	return error ? -1 : 0;
}

int counter_points_each(struct blocks *blocks, counter_point_fn take, void *context)
{
	struct reading reading = { .take = take, .context = context };
	const int error = blocks_each(blocks, BLOCK_NODE_TALLIES, take_block, &reading);

	counter_point_free(&reading.point);
	counter_point_free(&reading.before);
	return error;
}
