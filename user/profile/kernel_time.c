// SPDX-License-Identifier: GPL-2.0
/* How much time was in the kernel, and for which system calls. */
#include "profile_private.h"

/* A tally keeps GAPP_IN_* and numbers of system calls in 16 bits: the least GAPP_IN_* is 0. */
#define LEAST_IN GAPP_IN_KTHREAD
#define MOST_IN (0xffff + LEAST_IN)

static u32 what_of(s32 in)
{
	/* a newer module may know more of GAPP_IN_* */
	if (in < LEAST_IN || in > MOST_IN)
		in = GAPP_IN_UNKNOWN;
	return TALLY_IN | (u32)(in - LEAST_IN);
}

static s32 in_of(u32 what)
{
	return (s32)(what & ~TALLY_WHAT) + LEAST_IN;
}

int profile_tally_in(struct profile *profile, u32 cell, u32 entry, s32 in, u64 sum)
{
	u32 what = what_of(in);

	if (!sum)
		return 0;
	if (profile_tally(profile, TALLY_ENTRY | entry, what, sum))
		return -1;
	return cell == HASH_NONE ? 0 : profile_tally(profile, cell, what, sum);
}

double rank_unit_in(const struct ranker *ranker, const struct flow *flow)
{
	const struct profile *profile = ranker->profile;
	bool waited = ranker->threads ? profile->entries.rows[flow->cell].key.kind == PATH_WAITED :
					profile->cells.rows[flow->cell].key.kind == CELL_WAITED;

	return flow->part * (waited ? 1 : share_ns_exactly(1));
}

static int kernel_compare(const void *a, const void *b)
{
	const struct kernel_time *x = a, *y = b;

	return compare_by(three_way(y->ns, x->ns), three_way(x->in, y->in));
}

int rank_kernel(struct ranked *ranked, const struct part *parts, size_t count)
{
	double scale;

	for (size_t i = 0; i < count; i++)
		ranked->kernel_known_ns += parts[i].sum;
	if (!(ranked->kernel_known_ns > 0))
		return 0;
	ranked->kernel = calloc(count, sizeof(*ranked->kernel));
	if (!ranked->kernel)
		return -1;
	scale = ranked->critical_ns / ranked->kernel_known_ns;
	for (size_t i = 0; i < count; i++) {
		struct kernel_time one = { in_of(parts[i].what), parts[i].sum * scale };

		if (one.in == GAPP_IN_USER)
			continue;
		ranked->kernel_ns += one.ns;
		ranked->kernel[ranked->kernel_count++] = one;
	}
	qsort(ranked->kernel, ranked->kernel_count, sizeof(*ranked->kernel), kernel_compare);
	return 0;
}
