// SPDX-License-Identifier: GPL-2.0
/*
 * What mending a place can save at most: the wall time in which it ran while few threads were
 * active. Of that time only shares are recorded, 1/n of each instant;
 * docs/decisions/016-bound-on-the-gain.md has the bound that they allow, and its proof.
 */
#include <math.h>

#include "profile_private.h"

static double lesser(double a, double b)
{
	return a < b ? a : b;
}

static double greater(double a, double b)
{
	return a > b ? a : b;
}

static double ns_of(double share)
{
	return share_ns_exactly(share);
}

/* An instant has at least 1 / n_most of itself as share. */
static double by_share(const struct ranker *ranker, double share_ns)
{
	u32 n_most = ranker->options->gain.n_most;

	if (share_ns <= 0)
		return 0;
	return n_most ? n_most * share_ns : HUGE_VAL;
}

/*
 * The wall time of a place in slices in which it has @share_ns, and others have @others_ns: the
 * slices last as long as they do, and were not critical for n_beyond times their share beyond
 * N_min, at least; and of what is left, others had as much time as they have share, at least.
 */
static double by_length(const struct ranker *ranker, const struct span *span, double others_ns)
{
	double beyond_ns = greater(ns_of(span_beyond(span)), 0);

	/* no slice is shorter than its share, but for rounding, unless its record makes no sense */
	if (span->length_ns < ns_of(span->share) / 2)
		return HUGE_VAL;
	return span->length_ns - ranker->options->gain.n_beyond * beyond_ns - others_ns;
}

static double bound(const struct ranker *ranker, const struct span *span, double share_ns,
		    double others_ns)
{
	double most = lesser(by_share(ranker, share_ns), by_length(ranker, span, others_ns));

	/* shares are rounded */
	return greater(most, share_ns);
}

/* Adds a cell of slices without samples to the places that its flows go to. */
static void add_cell(struct ranker *ranker, const struct flow *flows, u32 count)
{
	const struct cell *cell = &ranker->profile->cells.rows[flows->cell];
	const struct span *span = &cell->figures.span;
	double known = ns_of(span->share), all = ns_of(cell->figures.critical_share);

	for (u32 i = 0; i < count; i++)
		ranker->rows[flows[i].row].part += flows[i].part;
	for (u32 i = 0; i < count; i++) {
		struct row *row = &ranker->rows[flows[i].row];
		double part = row->part;

		if (!part)
			continue;
		row->part = 0;
		if (cell->key.kind == CELL_SAMPLED) {
			row->sampled_ns += part * all;
			continue;
		}
		row->wall_ns += by_share(ranker, part * (all - known));
		if (known > 0)
			row->wall_ns +=
				bound(ranker, span, part * known, greater(1 - part, 0) * known);
	}
}

/* Adds sampled slices to the places that their samples hit. */
static void add_set(struct ranker *ranker, const struct set *set)
{
	struct set_rows places;

	if (set->key.then == THEN_ON)
		return;
	rank_set_rows(ranker, set, &places);
	for (u32 i = 0; i < places.count; i++) {
		struct row *row = &ranker->rows[places.rows[i]];
		double share_ns = ns_of(places.part[i] * places.share);
		double others_ns = ns_of(places.share) - share_ns;

		row->in_sets_ns += share_ns;
		/* the length of some of the slices is not known */
		if (set->span.share < places.share)
			row->wall_ns += by_share(ranker, share_ns);
		else
			row->wall_ns += bound(ranker, &set->span, share_ns, others_ns);
	}
}

/* What is less than a nanosecond is the rounding of sums. */
static double left_over(const struct row *row)
{
	double ns = row->sampled_ns - row->in_sets_ns;

	return ns >= 1 ? ns : 0;
}

static double gain_of(const struct ranker *ranker, const struct row *row)
{
	const struct gain_limits *limits = &ranker->options->gain;
	double ns = row->wall_ns + by_share(ranker, left_over(row));

	/* with nobody active, time is wall time */
	if (row->ranked.kind == PATH_WAITED)
		return row->ranked.critical_ns;
	ns = lesser(ns, by_share(ranker, row->ranked.critical_ns));
	if (limits->most_ns)
		ns = lesser(ns, limits->most_ns);
	if (row->target_ns != UINT64_MAX)
		ns = lesser(ns, row->target_ns);
	/* by two clocks, which are read one after the other */
	ns = greater(ns, row->ranked.critical_ns);
	return isfinite(ns) ? ns : 0;
}

/*
 * Sums up for how long few threads of each target were active: the critical shares of its threads.
 * Returns 0, or -1 without memory.
 */
int rank_targets(struct ranker *ranker)
{
	const struct profile_options *options = ranker->options;
	const struct profile *profile = ranker->profile;
	u64 *shares;

	/* with so many threads some are counted for others */
	if (!options->gain.of_targets || !options->target_count ||
	    profile->entries.index.count >= MAX_ENTRIES - REST_ENTRIES)
		return 0;
	shares = calloc(options->target_count, sizeof(*shares));
	if (!shares)
		return -1;
	for (size_t i = 0; i < options->target_count; i++)
		shares[i] = options->targets[i].critical_runq;
	for (u32 i = 0; i < profile->entries.index.count; i++) {
		const struct entry *entry = &profile->entries.rows[i];

		if (entry->key.kind == PATH_RAN && entry->key.target < options->target_count)
			shares[entry->key.target] += entry->figures.critical_share;
	}
	for (size_t i = 0; i < options->target_count; i++)
		shares[i] = share_ns(shares[i]);
	ranker->targets_low_ns = shares;
	return 0;
}

void rank_gain(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	const struct flow *flows = ranker->flows.flow;
	u32 next;

	for (u32 i = 0; i < ranker->flows.count; i = next) {
		for (next = i + 1; next < ranker->flows.count && flows[next].cell == flows[i].cell;)
			next++;
		add_cell(ranker, flows + i, next - i);
	}
	for (u32 i = 0; i < profile->sets.index.count; i++)
		add_set(ranker, &profile->sets.rows[i]);
	for (u32 i = 0; i < ranker->row_index.count; i++)
		ranker->rows[i].ranked.gain_ns = gain_of(ranker, &ranker->rows[i]);
}
