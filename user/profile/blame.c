// SPDX-License-Identifier: GPL-2.0
/*
 * Which path gets the blame: samples tell it themselves. Share of slices
 * without samples goes where the sampled ones of the same process ran that
 * ended on the same path, in the same proportion; if they have too few samples
 * to tell, to the path at the end.
 */
#include "rank_int.h"

/* A sample or two may be far from where most of thousands of slices ran. */
#define SAMPLES_TO_INFER 5

bool rank_wants(const struct profile_options *options, bool leader)
{
	return !(leader ? options->threads_only : options->process_only);
}

static int add_flow(struct flows *flows, struct flow flow)
{
	if (array_grow(&flows->flow, &flows->room, flows->count, sizeof(*flows->flow)))
		return -1;
	flows->flow[flows->count++] = flow;
	return 0;
}

/* Slices that ended alike: same process, same path. */
static int alike_compare(const struct cell_key *a, const struct cell_key *b)
{
	bool a_waited = a->kind == CELL_WAITED, b_waited = b->kind == CELL_WAITED;

	if (a_waited != b_waited)
		return a_waited ? 1 : -1;
	if (a->target != b->target)
		return a->target < b->target ? -1 : 1;
	if (a->tgid != b->tgid)
		return a->tgid < b->tgid ? -1 : 1;
	return (a->end > b->end) - (a->end < b->end);
}

/**
 * struct ordered - a cell where others like it are
 * @key: its key
 * @id: its number
 * @figures: its sums
 */
struct ordered {
	const struct cell_key *key;
	u32 id;
	const struct figures *figures;
};

static int ordered_compare(const void *a, const void *b)
{
	const struct ordered *x = a, *y = b;
	int order = alike_compare(x->key, y->key);

	return order ? order : (x->id > y->id) - (x->id < y->id);
}

/* Sums over the sampled ones of @alike cells. */
struct sampled {
	double critical_share;
	u64 samples;
};

static struct sampled sum_sampled(const struct ordered *alike, size_t count)
{
	struct sampled sum = { 0 };

	for (size_t i = 0; i < count; i++) {
		if (alike[i].key->kind != CELL_SAMPLED)
			continue;
		sum.critical_share += alike[i].figures->critical_share;
		sum.samples += alike[i].figures->samples;
	}
	return sum;
}

/* Share without samples, among @alike cells of which @sampled is sampled. */
static int infer(struct flows *flows, u32 cell, const struct ordered *alike, size_t count,
		 double sampled)
{
	for (size_t i = 0; i < count; i++) {
		struct flow flow = {
			.cell = cell,
			.key = alike[i].key->stack,
			.leaf = alike[i].key->stack,
			.part = alike[i].figures->critical_share / sampled,
			.inferred = true,
		};

		if (alike[i].key->kind == CELL_SAMPLED && flow.part > 0 && add_flow(flows, flow))
			return -1;
	}
	return 0;
}

static int blame_paths(struct flows *flows, const struct ordered *alike, size_t count)
{
	struct sampled sampled = sum_sampled(alike, count);
	bool tell = sampled.critical_share > 0 && sampled.samples >= SAMPLES_TO_INFER;

	for (size_t i = 0; i < count; i++) {
		const struct cell_key *key = alike[i].key;
		struct flow flow = { .cell = alike[i].id, .part = 1 };

		if (key->kind == CELL_UNSAMPLED && tell) {
			if (infer(flows, alike[i].id, alike, count, sampled.critical_share))
				return -1;
			continue;
		}
		flow.key = key->kind == CELL_SAMPLED ? key->stack : key->end;
		flow.leaf = flow.key;
		flow.inferred = key->kind == CELL_UNSAMPLED || key->kind == CELL_INTERRUPTED;
		flow.stack_top = flow.inferred;
		if (add_flow(flows, flow))
			return -1;
	}
	return 0;
}

/* GAPP's way: the path at the end gets all, and what was sampled is shown as its lines. */
static int blame_end(struct flows *flows, const struct ordered *alike, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct cell_key *key = alike[i].key;
		bool sampled = key->kind == CELL_SAMPLED;
		struct flow flow = {
			.cell = alike[i].id,
			.key = key->end,
			.leaf = sampled ? key->stack : key->end,
			.part = 1,
			.inferred = !sampled,
			.stack_top = !sampled,
		};

		if (key->kind != CELL_WAITED && key->end != STACK_NONE && add_flow(flows, flow))
			return -1;
	}
	return 0;
}

/**
 * blame() - where the share of each cell goes
 * @profile: the cells
 * @options: which of them count, and whether the path at the end gets all
 * @flows: the result
 *
 * Return: 0, or -1 without memory.
 */
int blame(const struct profile *profile, const struct profile_options *options, struct flows *flows)
{
	_cleanup_free_ struct ordered *order = NULL;
	u32 cells = profile->cell_index.count;
	size_t count = 0, next;

	order = reallocarray(NULL, cells + 1, sizeof(*order));
	if (!order)
		return -1;
	for (u32 i = 0; i < cells; i++) {
		const struct cell *cell = &profile->cells[i];

		if (rank_wants(options, cell->key.leader))
			order[count++] = (struct ordered){ &cell->key, i, &cell->figures };
	}
	qsort(order, count, sizeof(*order), ordered_compare);

	for (size_t i = 0; i < count; i = next) {
		int failed;

		for (next = i + 1; next < count; next++) {
			if (alike_compare(order[i].key, order[next].key))
				break;
		}
		failed = options->by == BY_SLICE_END ? blame_end(flows, order + i, next - i) :
						       blame_paths(flows, order + i, next - i);
		if (failed)
			return -1;
	}
	return 0;
}
