// SPDX-License-Identifier: GPL-2.0
/*
 * What the other threads waited for while code ran. The module classes their waits by the system
 * call, and counts them; the paths of waits that were recorded say more. Where every wait was
 * recorded, its critical time is known, and the time that the module counted is divided by it. Else
 * nearly all waits of a reason must be for something else by their paths, as in Go's runtime: then
 * so were those that the module counted. The module knows the values that the C library and libgomp
 * give to futexes. If most futexes are of another library, a reason of which no wait was recorded
 * is a guess, and is said to be "other".
 */
#include "profile_private.h"

/* Part of a reason's waits that must be for the same thing by their paths. */
#define NEARLY_ALL 0.9
/* But for what sums of fractions are rounded. */
#define ALL 0.999999
/* Part of a reason's waits by their paths that bears out what the module said. */
#define BORNE_OUT 0.5
/* A single wait for a futex of another library says nothing of the others. */
#define LEAST_GUESSED 2

/*
 * Waits by the module's reason, and by what their paths say. @weight: how many, or how long they
 * took.
 */
struct weighed {
	u32 then;
	struct wait_kind kind;
	double weight;
};

/* @guessed: of waits for futexes whose values the module does not know; @known: of the others. */
struct waits {
	struct weighed *rows;
	u32 count;
	u32 room;
	double known;
	double guessed;
};

/* Reasons that the module finds by the value of a futex alone. */
static bool is_guess(u32 then)
{
	return then == GAPP_WAIT_LOCK || then == GAPP_WAIT_QUEUE || then == GAPP_WAIT_BARRIER;
}

/* Returns 0, or -1 without memory. */
static int add(struct waits *waits, const struct ranker *ranker, u32 then, u32 end, double weight)
{
	struct wait_kind kind;
	u32 i;

	if (then >= GAPP_WAIT_REASONS || end >= ranker->profile->seen_room ||
	    !ranker->believed[end].stack)
		return 0;
	kind = path_wait(ranker, end, then);
	if (is_guess(then) && !profile_is_sure(ranker->profile, end))
		*(path_value_is_known(ranker, end) ? &waits->known : &waits->guessed) += weight;
	for (i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then && wait_kind_same(&waits->rows[i].kind, &kind))
			break;
	if (i == waits->count) {
		if (array_grow(&waits->rows, &waits->room, i, sizeof(*waits->rows)))
			return -1;
		waits->rows[waits->count++] = (struct weighed){ .then = then, .kind = kind };
	}
	waits->rows[i].weight += weight;
	return 0;
}

/* The waits of one reason of the module that are for @reason by their paths. */
static double with_reason(const struct waits *waits, u32 then, u32 reason)
{
	double sum = 0;

	for (u32 i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then && waits->rows[i].kind.reason == reason)
			sum += waits->rows[i].weight;
	return sum;
}

static double sum_of(const struct waits *waits, u32 then)
{
	double sum = 0;

	for (u32 i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then)
			sum += waits->rows[i].weight;
	return sum;
}

/* What the waits of a reason are that are for @reason by their paths: with a name, if it has one.
 */
static struct wait_kind kind_of(const struct waits *waits, u32 then, u32 reason)
{
	double all = with_reason(waits, then, reason);

	for (u32 i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then && waits->rows[i].kind.reason == reason &&
		    waits->rows[i].weight >= NEARLY_ALL * all)
			return waits->rows[i].kind;
	return (struct wait_kind){ .reason = reason };
}

/*
 * What the waits of a reason of the module are; where their paths disagree, they are "other". If no
 * path is known the module's reason stays, unless it is a guess.
 */
static struct wait_kind nearly_all(const struct waits *waits, u32 then)
{
	struct wait_kind kind = wait_by_call(then);
	double sum = sum_of(waits, then), most = 0;

	if (!sum && is_guess(then) && waits->guessed >= LEAST_GUESSED &&
	    waits->guessed > waits->known)
		kind.reason = GAPP_WAIT_OTHER;
	if (!sum)
		return kind;
	for (u32 reason = 0; reason < GAPP_WAIT_REASONS && most < NEARLY_ALL * sum; reason++) {
		most = with_reason(waits, then, reason);
		kind.reason = reason;
	}
	if (most < NEARLY_ALL * sum)
		kind.reason = with_reason(waits, then, then) >= BORNE_OUT * sum ? then :
										  GAPP_WAIT_OTHER;
	return kind_of(waits, then, kind.reason);
}

static int count_all(struct waits *waits, const struct ranker *ranker)
{
	const struct profile *profile = ranker->profile;

	for (u32 i = 0; i < profile->sets.index.count; i++) {
		const struct set *set = &profile->sets.rows[i];

		if (add(waits, ranker, set->key.then, set->key.end, set->slices))
			return -1;
	}
	for (u32 i = 0; i < profile->tallies.index.count; i++) {
		const struct tally *tally = &profile->tallies.rows[i];

		if (tally->key.owner & (TALLY_ENTRY | TALLY_SET) ||
		    (tally->key.what & TALLY_WHAT) != TALLY_THEN)
			continue;
		if (add(waits, ranker, tally->key.what & ~TALLY_WHAT,
			profile->cells.rows[tally->key.owner].key.end, tally->sum))
			return -1;
	}
	return 0;
}

/* Weighs waits by how much critical time went by in each. Returns 0, or -1 without memory. */
static int weigh_all(struct waits *waits, const struct ranker *ranker)
{
	const struct all_waits *all = ranker->profile->waits;

	if (!all || !all->all)
		return 0;
	for (u32 i = 0; i < all->sites.index.count; i++) {
		const struct wait_site *site = &all->sites.rows[i];

		if (site->sums.critical > 0 &&
		    add(waits, ranker, record_wait_reason(site->key.wait), site->key.stack,
			site->sums.critical))
			return -1;
	}
	return 0;
}

static void divide(struct profile *profile, const struct waits *waits, u32 then)
{
	double sum = sum_of(waits, then);

	for (u32 reason = 0; reason < GAPP_WAIT_REASONS; reason++)
		profile->waits_parts[then][reason] = (struct wait_part){
			.kind = kind_of(waits, then, reason),
			.part = sum > 0 ? with_reason(waits, then, reason) / sum : 0,
		};
}

int rank_others_waits(struct ranker *ranker)
{
	struct profile *profile = ranker->profile;
	struct waits counted = { 0 }, weighed = { 0 };
	int failed = count_all(&counted, ranker) || weigh_all(&weighed, ranker) ? -1 : 0;

	for (u32 i = 0; !failed && i < GAPP_WAIT_REASONS; i++) {
		divide(profile, &weighed, i);
		profile->waits_as[i] = nearly_all(sum_of(&weighed, i) > 0 ? &weighed : &counted, i);
	}
	profile->waits_known |= !failed;
	free(counted.rows);
	free(weighed.rows);
	return failed;
}

/* What others waited for as one reason has the name of a part that has @least of it. */
static struct wait_kind name_waiting(const struct weighed *parts, u32 count, u32 reason,
				     double least)
{
	for (u32 i = 0; i < count; i++) {
		double sum = 0;

		if (parts[i].kind.reason != reason)
			continue;
		for (u32 j = i; j < count; j++)
			if (wait_kind_same(&parts[i].kind, &parts[j].kind))
				sum += parts[j].weight;
		if (sum >= least)
			return parts[i].kind;
	}
	return (struct wait_kind){ .reason = reason };
}

/* Sets what the waits that the module counted as @then were. Returns how many parts they have. */
static u32 part_waiting(const struct profile *profile, u32 then, double ns, struct weighed *parts)
{
	const struct wait_part *known = profile->waits_parts[then];
	u32 count = 0;

	for (u32 reason = 0; reason < GAPP_WAIT_REASONS; reason++)
		if (known[reason].part > 0)
			parts[count++] = (struct weighed){ .kind = known[reason].kind,
							   .weight = ns * known[reason].part };
	if (!count)
		parts[count++] =
			(struct weighed){ .kind = profile_wait_as(profile, then), .weight = ns };
	return count;
}

void rank_waiting(const struct ranker *ranker, struct row *row)
{
	struct weighed parts[GAPP_WAIT_REASONS * GAPP_WAIT_REASONS];
	const struct all_waits *all = ranker->profile->waits;
	/* how many waits were recorded does not say how long they took: no part names the others */
	double least = all && all->all ? NEARLY_ALL : ALL;
	struct ranked *ranked = &row->ranked;
	u32 count = 0;

	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		if (row->waiting[i])
			count += part_waiting(ranker->profile, i, row->waiting[i], parts + count);
	for (u32 i = 0; i < count; i++)
		ranked->waiting_ns[parts[i].kind.reason] += parts[i].weight;
	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++)
		if (ranked->waiting_ns[i] > 0)
			ranked->waiting_called[i] =
				name_waiting(parts, count, i, least * ranked->waiting_ns[i]);
}
