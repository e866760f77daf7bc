/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Tallies: what is counted of threads. Whatever counts is read when a thread comes to run, and
 * again when it stops running; the difference is the thread's.
 */
#ifndef GAPP_CORE_TALLIES_H
#define GAPP_CORE_TALLIES_H

#include <gapp_figures.h>

#include "port.h"

/**
 * struct gapp_tally_reading - what stood at one moment
 * @counted: bit N: tally N was counted then
 * @values: by number of the tally
 */
struct gapp_tally_reading {
	u32 counted;
	u64 values[GAPP_TALLIES];
};

/**
 * struct gapp_tally_sums - sums of a thread, or of a CPU
 * @uncounted: bit N: something is missing in tally N
 * @counts: by number of the tally
 *
 * One CPU at a time adds to it. Others read each member as it stands.
 */
struct gapp_tally_sums {
	u32 uncounted;
	u64 counts[GAPP_TALLIES];
};

void gapp_tallies_add(struct gapp_tally_sums *sums, const struct gapp_tally_reading *since,
		      const struct gapp_tally_reading *now, u32 count);
void gapp_tallies_miss(struct gapp_tally_sums *sums, u32 tallies);

#endif /* GAPP_CORE_TALLIES_H */
