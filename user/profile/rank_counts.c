// SPDX-License-Identifier: GPL-2.0
/* What rows have beside their share: threads, names, lengths of slices, why they ended. */
#include "rank_int.h"

/*
 * A cell that goes to several rows shows its threads and lengths in those that have at least a
 * quarter of it, or in the one that has most: so these counts stay in proportion to the tallies.
 */
#define MAX_ROWS_OF_CELL 4

struct spread {
	u32 count;
	u32 rows[MAX_ROWS_OF_CELL];
	double parts[MAX_ROWS_OF_CELL];
};

int weight_compare(const void *a, const void *b)
{
	const struct weight *x = a, *y = b;

	if (x->row != y->row)
		return x->row < y->row ? -1 : 1;
	return (x->what > y->what) - (x->what < y->what);
}

u64 weighted_median(const struct weight *steps, size_t count)
{
	double sum = 0, below = 0;

	for (size_t i = 0; i < count; i++)
		sum += steps[i].weight;
	for (size_t i = 0; i < count; i++) {
		below += steps[i].weight;
		if (below > 0 && 2 * below >= sum)
			return step_length(steps[i].what & ~TALLY_WHAT);
	}
	return 0;
}

static size_t flows_of(const struct ranker *ranker, u32 cell, const struct flow **flows)
{
	u32 first = ranker->first_flow[cell], end = first;

	if (first == HASH_NONE)
		return 0;
	*flows = &ranker->flows.flow[first];
	while (end < ranker->flows.count && ranker->flows.flow[end].cell == cell)
		end++;
	return end - first;
}

/* @sums: room for the parts of @count flows. */
static struct spread spread_of(const struct flow *flows, size_t count, struct weight *sums)
{
	struct spread spread = { 0 };
	size_t made = 0, largest = 0;

	for (size_t i = 0; i < count; i++)
		sums[i] = (struct weight){ .row = flows[i].row, .weight = flows[i].part };
	qsort(sums, count, sizeof(*sums), weight_compare);
	for (size_t i = 0; i < count; i++) {
		if (made && sums[made - 1].row == sums[i].row)
			sums[made - 1].weight += sums[i].weight;
		else
			sums[made++] = sums[i];
	}
	for (size_t i = 0; i < made; i++) {
		if (sums[i].weight > sums[largest].weight)
			largest = i;
		if (sums[i].weight * MAX_ROWS_OF_CELL < 1 || spread.count == MAX_ROWS_OF_CELL)
			continue;
		spread.rows[spread.count] = sums[i].row;
		spread.parts[spread.count++] = sums[i].weight;
	}
	if (made && !spread.count) {
		spread.rows[spread.count] = sums[largest].row;
		spread.parts[spread.count++] = sums[largest].weight;
	}
	return spread;
}

static struct spread *spread_all(const struct ranker *ranker)
{
	_cleanup_free_ struct weight *sums = calloc(ranker->flows.count + 1, sizeof(*sums));
	u32 cells = ranker->profile->cell_index.count;
	struct spread *spreads = calloc(cells + 1, sizeof(*spreads));
	const struct flow *flows = NULL;

	if (!spreads || !sums) {
		free(spreads);
		return NULL;
	}
	for (u32 i = 0; i < cells; i++) {
		size_t count = flows_of(ranker, i, &flows);

		spreads[i] = spread_of(flows, count, sums);
	}
	return spreads;
}

/* A wait is told by the code on the path at the end. */
static u32 refined_then(const struct ranker *ranker, u32 then, u32 end)
{
	const struct walk *walk;

	if (then >= GAPP_WAIT_REASONS || end == STACK_NONE)
		return then;
	walk = &ranker->walks[end];
	return wait_refine(then, walk->functions, walk->count);
}

static void add_then(const struct ranker *ranker, const struct tally *tally)
{
	u32 then = refined_then(ranker, tally->key.what & ~TALLY_WHAT,
				ranker->profile->cells[tally->key.owner].key.end);
	const struct flow *flows = NULL;
	size_t count = flows_of(ranker, tally->key.owner, &flows);

	for (size_t i = 0; i < count; i++)
		ranker->rows[flows[i].row].then[then] += flows[i].part * tally->sum;
}

static int add_weights(const struct spread *spread, const struct tally *tally,
		       struct weight **weights, u32 *room, u32 *count)
{
	if (array_grow(weights, room, *count + MAX_ROWS_OF_CELL, sizeof(**weights)))
		return -1;
	for (u32 i = 0; i < spread->count; i++)
		(*weights)[(*count)++] = (struct weight){
			.row = spread->rows[i],
			.what = tally->key.what,
			.weight = spread->parts[i] * tally->sum,
		};
	return 0;
}

/* Threads and lengths of one row: in order, threads first. */
static void apply_weights(const struct profile *profile, struct ranked *ranked,
			  const struct weight *weights, size_t count)
{
	const struct weight *largest = NULL;
	size_t i;

	for (i = 0; i < count && (weights[i].what & TALLY_WHAT) == TALLY_SHARE; i++) {
		ranked->threads++;
		if (!largest || weights[i].weight > largest->weight)
			largest = &weights[i];
	}
	if (largest)
		ranked_comm(ranked, profile->entries[largest->what & ~TALLY_WHAT].comm);
	ranked->median_ns = weighted_median(weights + i, count - i);
}

static void apply_all_weights(struct ranker *ranker, struct weight *weights, u32 count)
{
	u32 made = 0, next;

	qsort(weights, count, sizeof(*weights), weight_compare);
	for (u32 i = 0; i < count; i++) {
		if (made && !weight_compare(&weights[made - 1], &weights[i]))
			weights[made - 1].weight += weights[i].weight;
		else
			weights[made++] = weights[i];
	}
	for (u32 i = 0; i < made; i = next) {
		for (next = i + 1; next < made && weights[next].row == weights[i].row;)
			next++;
		apply_weights(ranker->profile, &ranker->rows[weights[i].row].ranked, weights + i,
			      next - i);
	}
}

static int count_tallies(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	_cleanup_free_ struct spread *spreads = spread_all(ranker);
	_cleanup_free_ struct weight *weights = NULL;
	u32 room = 0, count = 0;

	if (!spreads)
		return -1;
	for (u32 i = 0; i < profile->tally_index.count; i++) {
		const struct tally *tally = &profile->tallies[i];

		if (tally->key.owner & TALLY_ENTRY)
			continue;
		if ((tally->key.what & TALLY_WHAT) == TALLY_THEN)
			add_then(ranker, tally);
		else if (add_weights(&spreads[tally->key.owner], tally, &weights, &room, &count))
			return -1;
	}
	if (count)
		apply_all_weights(ranker, weights, count);
	return 0;
}

/* A sampled slice counts once in every row that one of its paths belongs to. */
static void count_set(struct ranker *ranker, const struct set *set)
{
	const u32 *words = ranker->profile->words + set->word;
	bool by_end = ranker->options->by == BY_SLICE_END;
	u32 then = refined_then(ranker, words[SET_THEN] & ~SET_LEADER, words[SET_END]);
	u32 seen[MAX_STACKS_OF_SET], count = 0;
	u32 stacks = by_end ? 1 : set->words - SET_STACKS;

	if (!rank_wants(ranker->options, words[SET_THEN] & SET_LEADER) ||
	    (by_end && words[SET_END] == STACK_NONE))
		return;
	for (u32 i = 0; i < stacks; i++) {
		struct row_key key = {
			.kind = PATH_RAN,
			.target = words[SET_GROUP],
			.stack = by_end ? words[SET_END] : words[SET_STACKS + i],
		};
		u32 row = rank_find_row(ranker, &key), j;

		for (j = 0; j < count && seen[j] != row;)
			j++;
		if (row == HASH_NONE || j < count)
			continue;
		seen[count++] = row;
		ranker->rows[row].then[then] += set->count;
		if (then != THEN_ON)
			ranker->rows[row].slices += set->count;
	}
}

/**
 * rank_counts() - threads, names, lengths of slices, how many and why they ended
 * @ranker: with rows
 *
 * Return: 0, or -1 without memory.
 */
int rank_counts(struct ranker *ranker)
{
	for (u32 i = 0; i < ranker->profile->set_index.count; i++)
		count_set(ranker, &ranker->profile->sets[i]);
	return count_tallies(ranker);
}
