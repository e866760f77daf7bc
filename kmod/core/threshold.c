// SPDX-License-Identifier: GPL-2.0
/* N_min from the number of live threads and CPUs. */
#include <gapp.h>

#include "threshold.h"

/**
 * gapp_crowd_join() - one more live thread
 * @crowd: the target's threads
 */
void gapp_crowd_join(struct gapp_crowd *crowd)
{
	crowd->live++;
	if (crowd->live > crowd->peak)
		crowd->peak = crowd->live;
}

/**
 * gapp_crowd_leave() - a live thread began to exit
 * @crowd: the target's threads
 */
void gapp_crowd_leave(struct gapp_crowd *crowd)
{
	if (crowd->live)
		crowd->live--;
}

/**
 * gapp_crowd_n_min() - the threshold in force
 * @crowd: the target's threads
 *
 * Return: N_min, at least 1.
 */
u32 gapp_crowd_n_min(const struct gapp_crowd *crowd)
{
	u32 half = crowd->live / 2;

	if (crowd->mode == GAPP_N_MIN_FIXED)
		return crowd->fixed ? crowd->fixed : 1;
	if (crowd->mode == GAPP_N_MIN_AUTO && crowd->cpus && crowd->cpus < crowd->live)
		half = crowd->cpus / 2;
	return half ? half : 1;
}
