// SPDX-License-Identifier: GPL-2.0
/* Ranks: see rank_int.h for the steps. */
#include "rank_int.h"

/* Rows with frames of inlined functions and with lines: so many, and all above a part of the sum.
 */
#define THOROUGH_ROWS 200
#define THOROUGH_PART 0.001

static void free_ranker(struct ranker *ranker)
{
	for (u32 i = 0; ranker->walks && i < ranker->profile->seen_count; i++)
		walk_free(&ranker->walks[i]);
	for (u32 i = 0; i < ranker->row_index.count; i++)
		ranked_free(&ranker->rows[i].ranked);
	hash_index_free(&ranker->row_index);
	free(ranker->walks);
	free(ranker->spots);
	free(ranker->flows.flow);
	free(ranker->first_flow);
	free(ranker->rows);
	free(ranker->parts);
}

void ranked_free(struct ranked *ranked)
{
	free(ranked->frames);
	free(ranked->lines);
}

void ranking_free(struct ranking *ranking)
{
	for (size_t i = 0; i < ranking->count; i++)
		ranked_free(&ranking->rows[i]);
	free(ranking->rows);
	*ranking = (struct ranking){ 0 };
}

void ranked_comm(struct ranked *ranked, const u8 *comm)
{
	memcpy(ranked->comm, comm, GAPP_COMM_LEN);
	ranked->comm[GAPP_COMM_LEN] = '\0';
}

/* Who sleeps on purpose, or is idle while other targets are not, holds nobody up: ranked last. */
static bool rests(const struct ranked *ranked)
{
	return ranked->kind == PATH_WAITED && (ranked->wait == GAPP_WAIT_SLEEP || ranked->apart);
}

int ranked_compare(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	if (rests(x) != rests(y))
		return rests(x) ? 1 : -1;
	if (x->critical_ns != y->critical_ns)
		return x->critical_ns < y->critical_ns ? 1 : -1;
	if (x->slices != y->slices)
		return x->slices < y->slices ? 1 : -1;
	if (x->tgid != y->tgid)
		return x->tgid < y->tgid ? -1 : 1;
	return (x->tid > y->tid) - (x->tid < y->tid);
}

/* Stacks have their ids in the order in which they were seen, so equal rows do not change places.
 */
static int row_compare(const void *a, const void *b)
{
	const struct row *x = *(const struct row *const *)a, *y = *(const struct row *const *)b;
	int order = ranked_compare(&x->ranked, &y->ranked);

	return order ? order : (x->stack > y->stack) - (x->stack < y->stack);
}

static int walk_all(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	u32 count = profile->seen_count;

	ranker->walks = calloc(count + 1, sizeof(*ranker->walks));
	if (!ranker->walks)
		return -1;
	for (u32 i = 0; i < count; i++) {
		if (profile->seen[i] &&
		    walk_stack(&ranker->walks[i], profile->seen[i], ranker->symbols))
			return -1;
	}
	if (ranker->options->no_libs)
		walks_skip_libraries(ranker->walks, count, ranker->options);
	return 0;
}

static void round_counts(struct row *row)
{
	struct ranked *ranked = &row->ranked;

	ranked->slices = row->slices + 0.5;
	for (size_t i = 0; i < THEN_COUNT; i++)
		ranked->then[i] = row->then[i] + 0.5;
	if (ranked->kind == PATH_RAN && ranked->critical_ns > 0)
		ranked->running = row->n_ns / ranked->critical_ns;
}

static int make_ranking(struct ranker *ranker, struct ranking *ranking)
{
	_cleanup_free_ struct row **order = NULL;
	u32 count = ranker->row_index.count;
	double sum = 0;

	order = reallocarray(NULL, count + 1, sizeof(*order));
	ranking->rows = calloc(count + 1, sizeof(*ranking->rows));
	if (!order || !ranking->rows)
		return -1;
	for (u32 i = 0; i < count; i++) {
		round_counts(&ranker->rows[i]);
		sum += ranker->rows[i].ranked.critical_ns;
		order[i] = &ranker->rows[i];
	}
	qsort(order, count, sizeof(*order), row_compare);

	for (u32 i = 0; i < count; i++) {
		struct ranked *ranked = &order[i]->ranked;
		bool thorough = i < THOROUGH_ROWS || ranked->critical_ns >= sum * THOROUGH_PART;

		if (rank_frames(ranker, order[i], thorough))
			return -1;
		ranking->rows[ranking->count++] = *ranked;
		ranked->frames = NULL;
		ranked->lines = NULL;
	}
	return 0;
}

int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking)
{
	_cleanup_(free_ranker) struct ranker ranker = {
		.profile = profile,
		.symbols = symbols,
		.options = options,
	};

	*ranking = (struct ranking){ 0 };
	if (profile_settle(profile))
		return -1;
	if (options->by == BY_THREAD || options->by == BY_PROCESS)
		return rank_threads(profile, options, ranking);
	if (walk_all(&ranker) || blame(profile, options, &ranker.flows) || rank_rows(&ranker) ||
	    rank_parts(&ranker) || rank_counts(&ranker) || make_ranking(&ranker, ranking)) {
		ranking_free(ranking);
		return -1;
	}
	return 0;
}
