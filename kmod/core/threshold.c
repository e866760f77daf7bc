// SPDX-License-Identifier: GPL-2.0
/* N_min from the number of live threads and CPUs. */
#include <gapp.h>

#include "threshold.h"

/**
 * gapp_threshold_join() - one more live thread
 * @crowd: the target's threads
 */
void gapp_threshold_join(struct gapp_threshold *crowd)
{
	crowd->live++;
	if (crowd->live > crowd->peak)
		crowd->peak = crowd->live;
}

/**
 * gapp_threshold_leave() - a live thread began to exit
 * @crowd: the target's threads
 */
void gapp_threshold_leave(struct gapp_threshold *crowd)
{
	if (crowd->live)
		crowd->live--;
}

/**
 * gapp_threshold_n_min() - the threshold in force
 * @crowd: the target's threads
 *
 * Return: N_min, at least 1.
 */
u32 gapp_threshold_n_min(const struct gapp_threshold *crowd)
{
	u32 half = crowd->live / 2;

	if (crowd->mode == GAPP_N_MIN_FIXED)
		return crowd->fixed ? crowd->fixed : 1;
	if (crowd->mode == GAPP_N_MIN_AUTO && crowd->cpus && crowd->cpus < crowd->live)
		half = crowd->cpus / 2;
	return half ? half : 1;
}
