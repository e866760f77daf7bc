// SPDX-License-Identifier: GPL-2.0
/* One instant in every period, drawn anew for each. */
#include "grid.h"

#include "mix.h"

static u64 grid_point(u64 period, u32 period_ns, u64 seed)
{
	u64 random = gapp_hash_add(gapp_hash_add(0, seed), period);

	return period * period_ns + gapp_scale(random, period_ns);
}

/**
 * gapp_grid_next() - when the sampler looks next
 * @now_ns: now
 * @period_ns: length of a period; 0: it never looks
 * @seed: of this CPU
 *
 * Whoever asks, and however often, finds the same points: one in each period.
 *
 * Return: the first point after @now_ns.
 */
u64 gapp_grid_next(u64 now_ns, u32 period_ns, u64 seed)
{
	u64 period, point;

	if (!period_ns)
		return ~0ULL;
	period = div_u64(now_ns, period_ns);
	point = grid_point(period, period_ns, seed);
	return point > now_ns ? point : grid_point(period + 1, period_ns, seed);
}
