// SPDX-License-Identifier: GPL-2.0
/* N_min from the number of live threads and CPUs. */
#include <gapp.h>

#include "threshold.h"

/**
 * gapp_threshold_join() - one more live thread
 * @threshold: the target's threads
 */
void gapp_threshold_join(struct gapp_threshold *threshold)
{
	threshold->live++;
	if (threshold->live > threshold->peak)
		threshold->peak = threshold->live;
}

/**
 * gapp_threshold_leave() - a live thread began to exit
 * @threshold: the target's threads
 */
void gapp_threshold_leave(struct gapp_threshold *threshold)
{
	if (threshold->live)
		threshold->live--;
}

/**
 * gapp_threshold_n_min() - the threshold in force
 * @threshold: the target's threads
 *
 * Return: N_min, at least 1.
 */
u32 gapp_threshold_n_min(const struct gapp_threshold *threshold)
{
	u32 half = threshold->live / 2;

	if (threshold->mode == GAPP_N_MIN_FIXED)
		return threshold->fixed ? threshold->fixed : 1;
	if (threshold->mode == GAPP_N_MIN_AUTO && threshold->cpus &&
	    threshold->cpus < threshold->live)
		half = threshold->cpus / 2;
	return half ? half : 1;
}
