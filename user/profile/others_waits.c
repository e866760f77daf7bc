// SPDX-License-Identifier: GPL-2.0
/*
 * What the other threads waited for while code ran. The module classes their waits by the system
 * call, and counts them; the paths of waits that were recorded say more. If nearly all waits of a
 * reason were for something else by their paths, as in Go's runtime, then so were those that the
 * module counted.
 */
#include "profile_private.h"

/* Part of a reason's waits that must be for the same thing by their paths. */
#define NEARLY_ALL 0.9
/* Part of a reason's waits by their paths that bears out what the module said. */
#define BORNE_OUT 0.5

/* Waits by the module's reason, and by what their paths say. */
struct counted {
	u32 then;
	struct wait_kind kind;
	double count;
};

struct waits {
	struct counted *rows;
	u32 count;
	u32 room;
};

/* Returns 0, or -1 without memory. */
static int add(struct waits *waits, const struct ranker *ranker, u32 then, u32 end, u64 count)
{
	struct wait_kind kind;
	u32 i;

	if (then >= GAPP_WAIT_REASONS || end >= ranker->profile->seen_room ||
	    !ranker->believed[end].stack)
		return 0;
	kind = path_wait(ranker, end, then);
	for (i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then && wait_kind_same(&waits->rows[i].kind, &kind))
			break;
	if (i == waits->count) {
		if (array_grow(&waits->rows, &waits->room, i, sizeof(*waits->rows)))
			return -1;
		waits->rows[waits->count++] = (struct counted){ .then = then, .kind = kind };
	}
	waits->rows[i].count += count;
	return 0;
}

/* The waits of one reason of the module that are for @reason by their paths. */
static double with_reason(const struct waits *waits, u32 then, u32 reason)
{
	double sum = 0;

	for (u32 i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then && waits->rows[i].kind.reason == reason)
			sum += waits->rows[i].count;
	return sum;
}

/*
 * What the waits of a reason of the module are; where their paths disagree, they are "other". If no
 * path is known the module's reason stays.
 */
static struct wait_kind nearly_all(const struct waits *waits, u32 then)
{
	struct wait_kind kind = wait_by_call(then);
	double sum = 0, most = 0;

	for (u32 reason = 0; reason < GAPP_WAIT_REASONS; reason++)
		sum += with_reason(waits, then, reason);
	if (!sum)
		return kind;
	for (u32 reason = 0; reason < GAPP_WAIT_REASONS && most < NEARLY_ALL * sum; reason++) {
		most = with_reason(waits, then, reason);
		kind.reason = reason;
	}
	if (most < NEARLY_ALL * sum)
		kind.reason = with_reason(waits, then, then) >= BORNE_OUT * sum ? then :
										  GAPP_WAIT_OTHER;
	for (u32 i = 0; i < waits->count; i++)
		if (waits->rows[i].then == then && waits->rows[i].kind.reason == kind.reason &&
		    waits->rows[i].count >= NEARLY_ALL * with_reason(waits, then, kind.reason))
			return waits->rows[i].kind;
	return kind;
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

int rank_others_waits(struct ranker *ranker)
{
	struct profile *profile = ranker->profile;
	struct waits waits = { 0 };
	int failed = count_all(&waits, ranker);

	for (u32 i = 0; !failed && i < GAPP_WAIT_REASONS; i++)
		profile->waits_as[i] = nearly_all(&waits, i);
	profile->waits_known |= !failed;
	free(waits.rows);
	return failed;
}

void rank_waiting(const struct ranker *ranker, struct row *row)
{
	struct ranked *ranked = &row->ranked;

	for (u32 i = 0; i < GAPP_WAIT_REASONS; i++) {
		struct wait_kind kind = profile_wait_as(ranker->profile, i);
		struct wait_kind *called = &ranked->waiting_called[kind.reason];

		if (!row->waiting[i])
			continue;
		/* of two things with different names neither names both */
		if (!ranked->waiting_ns[kind.reason])
			*called = kind;
		else if (!wait_kind_same(called, &kind))
			*called = (struct wait_kind){ .reason = kind.reason };
		ranked->waiting_ns[kind.reason] += row->waiting[i];
	}
}
