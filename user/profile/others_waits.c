// SPDX-License-Identifier: GPL-2.0
/*
 * What the other threads waited for while code ran. The module classes their waits by the system
 * call, as glibc uses it, and counts them; the paths of waits that were recorded say more. If
 * nearly all waits of a reason were for something else by their paths, as in Go's runtime, then so
 * were those that the module counted.
 */
#include "profile_private.h"

/* Part of a reason's waits that must be for the same other reason by their paths. */
#define NEARLY_ALL 0.9

/* Waits by the module's reason, and by that of their paths. */
struct waits {
	double by[GAPP_WAIT_REASONS][GAPP_WAIT_REASONS];
};

static void add(struct waits *waits, const struct ranker *ranker, u32 then, u32 end, u64 count)
{
	if (then < GAPP_WAIT_REASONS && end < ranker->profile->seen_room &&
	    ranker->believed[end].stack)
		waits->by[then][believed_wait(&ranker->believed[end], then)] += count;
}

static enum gapp_wait_reason nearly_all(const double *by, enum gapp_wait_reason otherwise)
{
	double sum = 0;

	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		sum += by[i];
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		if (sum > 0 && by[i] >= NEARLY_ALL * sum)
			return i;
	return otherwise;
}

void rank_others_waits(struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;
	struct waits waits = { 0 };

	for (u32 i = 0; i < profile->sets.index.count; i++) {
		const struct set *set = &profile->sets.rows[i];

		add(&waits, ranker, set->key.then, set->key.end, set->slices);
	}
	for (u32 i = 0; i < profile->tallies.index.count; i++) {
		const struct tally *tally = &profile->tallies.rows[i];

		if (!(tally->key.owner & (TALLY_ENTRY | TALLY_SET)) &&
		    (tally->key.what & TALLY_WHAT) == TALLY_THEN)
			add(&waits, ranker, tally->key.what & ~TALLY_WHAT,
			    profile->cells.rows[tally->key.owner].key.end, tally->sum);
	}
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		ranker->waits_as[i] = nearly_all(waits.by[i], i);
}
