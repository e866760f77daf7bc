// SPDX-License-Identifier: GPL-2.0
#include "tallies.h"

/**
 * gapp_tallies_add() - what was counted from one reading to the next
 * @sums: where to add it
 * @since: the first reading; whatever counts may have wrapped since then
 * @now: the second reading
 * @count: number of tallies, up to GAPP_TALLIES
 */
void gapp_tallies_add(struct gapp_tally_sums *sums, const struct gapp_tally_reading *since,
		      const struct gapp_tally_reading *now, u32 count)
{
	const u32 counted = since->counted & now->counted;
	u32 i;

	for (i = 0; i < count; i++)
		if (counted & 1U << i)
			gapp_count(sums->counts[i], now->values[i] - since->values[i]);
	gapp_tallies_miss(sums, ~counted & ((1U << count) - 1));
}

/**
 * gapp_tallies_miss() - a thread ran, and nobody knows what was to be counted
 * @sums: the sums that lack it
 * @tallies: bit N: tally N lacks it
 */
void gapp_tallies_miss(struct gapp_tally_sums *sums, u32 tallies)
{
	if (tallies & ~sums->uncounted)
		WRITE_ONCE(sums->uncounted, sums->uncounted | tallies);
}
