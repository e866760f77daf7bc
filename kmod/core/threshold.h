/* SPDX-License-Identifier: GPL-2.0 */
/* N_min: how few active threads make a moment critical. */
#ifndef GAPP_CORE_THRESHOLD_H
#define GAPP_CORE_THRESHOLD_H

#include "port.h"

/**
 * struct gapp_threshold - how many threads the target has, and the threshold that follows
 * @mode: enum gapp_n_min_mode
 * @fixed: the threshold, with GAPP_N_MIN_FIXED
 * @cpus: CPUs that the target's threads may use
 * @live: threads followed that have not begun to exit
 * @peak: most of them at one time
 */
struct gapp_threshold {
	u32 mode;
	u32 fixed;
	u32 cpus;
	u32 live;
	u32 peak;
};

void gapp_threshold_join(struct gapp_threshold *threshold);
void gapp_threshold_leave(struct gapp_threshold *threshold);
u32 gapp_threshold_n_min(const struct gapp_threshold *threshold);

#endif /* GAPP_CORE_THRESHOLD_H */
