// SPDX-License-Identifier: GPL-2.0
/* Rows: flows that go to the same path, function or line. */
#include "rank_int.h"

/* With BY_LINE: what has less than this part of the sum is put to its function, not to a line. */
#define SPOT_PART 0.00001

/* Frames of a path that tell its row. */
static u32 key_depth(const struct ranker *ranker, const struct walk *walk)
{
	return ranker->options->by == BY_FUNCTION ? 1 : walk->count - walk->first;
}

static u64 row_hash(const struct ranker *ranker, const struct row_key *key)
{
	const struct walk *walk = &ranker->walks[key->stack];
	u64 hash = gapp_hash_add((u64)key->kind << 32 | key->wait, key->target);

	switch (ranker->options->by) {
	case BY_LINE:
		return gapp_hash_add(hash, spot_hash(ranker->spots[key->stack]));
	case BY_FUNCTION:
		return gapp_hash_add(hash, walk_hash_function(walk, walk->first));
	default:
		return gapp_hash_add(hash, walk->hash);
	}
}

static bool same_row(const void *table, u32 id, const void *wanted)
{
	const struct ranker *ranker = table;
	const struct row *row = &ranker->rows[id];
	const struct row_key *key = wanted;
	const struct walk *a = &ranker->walks[row->stack], *b = &ranker->walks[key->stack];
	u32 depth = key_depth(ranker, a);

	if (row->ranked.kind != key->kind || row->ranked.wait != key->wait ||
	    row->target != key->target)
		return false;
	if (ranker->options->by == BY_LINE)
		return spot_same(row->spot, ranker->spots[key->stack]);
	if (depth != key_depth(ranker, b))
		return false;
	for (u32 i = 0; i < depth; i++) {
		if (!walk_same_function(a, a->first + i, b, b->first + i))
			return false;
	}
	return true;
}

u32 rank_find_row(const struct ranker *ranker, const struct row_key *key)
{
	return hash_index_find(&ranker->row_index, row_hash(ranker, key), same_row, ranker, key);
}

static int get_row(struct ranker *ranker, const struct row_key *key, u32 *id)
{
	u32 next = ranker->row_index.count;
	struct row *row;

	*id = rank_find_row(ranker, key);
	if (*id != HASH_NONE)
		return 0;
	if (array_grow(&ranker->rows, &ranker->row_room, next, sizeof(*ranker->rows)))
		return -1;
	row = &ranker->rows[next];
	*row = (struct row){ .target = key->target, .stack = key->stack };
	row->ranked.kind = key->kind;
	row->ranked.wait = key->wait;
	row->spot = ranker->spots ? ranker->spots[key->stack] : NULL;
	*id = next;
	return hash_index_add(&ranker->row_index, row_hash(ranker, key), next);
}

static struct row_key key_of(const struct ranker *ranker, const struct flow *flow)
{
	const struct cell_key *cell = &ranker->profile->cells[flow->cell].key;
	const struct walk *walk = &ranker->walks[flow->key];
	struct row_key key = { .kind = PATH_RAN, .target = cell->target, .stack = flow->key };

	if (cell->kind == CELL_WAITED) {
		key.kind = PATH_WAITED;
		key.wait = wait_refine(cell->wait, walk->functions, walk->count);
	}
	return key;
}

/* Nanoseconds in a unit of the cell's figures. */
static double unit_of(const struct cell *cell)
{
	return cell->key.kind == CELL_WAITED ? 1 : share_ns_exactly(1);
}

static void add_flow(const struct ranker *ranker, struct row *row, const struct flow *flow)
{
	const struct cell *cell = &ranker->profile->cells[flow->cell];
	const struct figures *figures = &cell->figures;
	double unit = flow->part * unit_of(cell), ns = unit * figures->critical_share;
	struct ranked *ranked = &row->ranked;

	ranked->critical_ns += ns;
	if (flow->inferred)
		ranked->inferred_ns += ns;
	ranked->samples += figures->samples;
	for (size_t i = 0; i < GAPP_WAIT_REASONS; i++)
		ranked->waiting_ns[i] += unit * figures->waiting[i];
	row->n_ns += unit * figures->n_share;
	row->slices += flow->part * figures->slices;
	if (ns > row->largest_ns) {
		row->largest_ns = ns;
		row->stack = flow->key;
		if (ranker->profile->several_groups || ranker->options->apart)
			ranked->tgid = cell->key.tgid;
		ranked->apart = ranker->options->apart;
	}
}

static void note_complete(struct ranker *ranker)
{
	struct profile *profile = ranker->profile;
	double sum = 0;

	memset(profile->complete_part, 0, sizeof(profile->complete_part));
	memset(profile->cut_part, 0, sizeof(profile->cut_part));
	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		const struct cell *cell = &profile->cells[flow->cell];
		const struct walk *walk = &ranker->walks[flow->leaf];
		double share = flow->part * cell->figures.critical_share;

		if (cell->key.kind == CELL_WAITED)
			continue;
		sum += share;
		if (walk->complete)
			profile->complete_part[walk->stack->method] += share;
		else
			profile->cut_part[walk->end] += share;
	}
	for (size_t i = 0; i < PATH_METHODS && sum > 0; i++)
		profile->complete_part[i] /= sum;
	for (size_t i = 0; i < PATH_ENDS && sum > 0; i++)
		profile->cut_part[i] /= sum;
}

/* With BY_LINE: the line of each stack. */
static int find_spots(struct ranker *ranker)
{
	_cleanup_free_ double *share = NULL;
	u32 count = ranker->profile->seen_count;
	double sum = 0;

	share = calloc(count + 1, sizeof(*share));
	ranker->spots = calloc(count + 1, sizeof(*ranker->spots));
	if (!share || !ranker->spots)
		return -1;
	for (u32 i = 0; i < ranker->flows.count; i++) {
		const struct flow *flow = &ranker->flows.flow[i];
		const struct cell *cell = &ranker->profile->cells[flow->cell];
		double ns = flow->part * unit_of(cell) * cell->figures.critical_share;

		share[flow->key] += ns;
		sum += ns;
	}
	for (u32 i = 0; i < count; i++) {
		const struct walk *walk = &ranker->walks[i];
		const struct frame *frames;

		if (!walk->stack)
			continue;
		if (share[i] < sum * SPOT_PART) {
			ranker->spots[i] = walk->functions[walk->first];
			continue;
		}
		if (!symbols_frames(ranker->symbols, walk_place(walk), walk_is_return(walk->first),
				    &frames))
			return -1;
		ranker->spots[i] = frames;
	}
	return 0;
}

/**
 * rank_rows() - puts flows together into rows
 * @ranker: with walks and flows
 *
 * Return: 0, or -1 without memory.
 */
int rank_rows(struct ranker *ranker)
{
	u32 cells = ranker->profile->cell_index.count;

	if (ranker->options->by == BY_LINE && find_spots(ranker))
		return -1;
	ranker->first_flow = reallocarray(NULL, cells + 1, sizeof(*ranker->first_flow));
	if (!ranker->first_flow)
		return -1;
	for (u32 i = 0; i < cells; i++)
		ranker->first_flow[i] = HASH_NONE;

	for (u32 i = 0; i < ranker->flows.count; i++) {
		struct flow *flow = &ranker->flows.flow[i];
		struct row_key key = key_of(ranker, flow);

		if (get_row(ranker, &key, &flow->row))
			return -1;
		if (ranker->first_flow[flow->cell] == HASH_NONE)
			ranker->first_flow[flow->cell] = i;
		add_flow(ranker, &ranker->rows[flow->row], flow);
	}
	if (ranker->options->by == BY_PATH)
		note_complete(ranker);
	return 0;
}
