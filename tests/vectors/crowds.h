/* SPDX-License-Identifier: GPL-2.0 */
/* N_min, from the number of live threads, the CPUs that they may use, and the mode. */
#ifndef GAPP_VEC_CROWDS_H
#define GAPP_VEC_CROWDS_H

#include "vec.h"

/**
 * struct vec_crowd - threads join and leave, then N_min is asked for
 * @name: what it shows
 * @mode: enum gapp_n_min_mode
 * @fixed: the number, with GAPP_N_MIN_FIXED
 * @cpus: CPUs that may be used; 0: not known
 * @rounds: so often @join threads join and then @leave leave
 * @join: see @rounds
 * @leave: see @rounds
 * @live: threads in the end
 * @peak: most at one time
 * @n_min: the threshold then
 */
struct vec_crowd {
	const char *name;
	u32 mode, fixed, cpus;
	u32 rounds, join, leave;
	u32 live, peak, n_min;
};

#define AUTO GAPP_N_MIN_AUTO
#define HALF GAPP_N_MIN_HALF
#define FIXED GAPP_N_MIN_FIXED

static const struct vec_crowd vec_crowds[] = {
	/* max(1, min(live, cpus) / 2) */
	{ "auto: nobody", AUTO, 0, 4, 0, 0, 0, 0, 0, 1 },
	{ "auto: 1 thread", AUTO, 0, 4, 1, 1, 0, 1, 1, 1 },
	{ "auto: 2 threads", AUTO, 0, 4, 1, 2, 0, 2, 2, 1 },
	{ "auto: 3 threads", AUTO, 0, 4, 1, 3, 0, 3, 3, 1 },
	{ "auto: as many threads as CPUs", AUTO, 0, 4, 1, 4, 0, 4, 4, 2 },
	{ "auto: more threads than CPUs", AUTO, 0, 4, 1, 5, 0, 5, 5, 2 },
	{ "auto: many more threads than CPUs", AUTO, 0, 4, 1, 4096, 0, 4096, 4096, 2 },
	{ "auto: fewer threads than CPUs", AUTO, 0, 64, 1, 10, 0, 10, 10, 5 },
	{ "auto: odd number of CPUs", AUTO, 0, 7, 1, 10, 0, 10, 10, 3 },
	{ "auto: odd number of threads", AUTO, 0, 8, 1, 7, 0, 7, 7, 3 },
	{ "auto: 1 CPU", AUTO, 0, 1, 1, 10, 0, 10, 10, 1 },
	{ "auto: number of CPUs not known", AUTO, 0, 0, 1, 10, 0, 10, 10, 5 },
	/* max(1, live / 2), whatever the CPUs */
	{ "half: nobody", HALF, 0, 4, 0, 0, 0, 0, 0, 1 },
	{ "half: 1 thread", HALF, 0, 4, 1, 1, 0, 1, 1, 1 },
	{ "half: 2 threads", HALF, 0, 4, 1, 2, 0, 2, 2, 1 },
	{ "half: 3 threads", HALF, 0, 4, 1, 3, 0, 3, 3, 1 },
	{ "half: 4 threads", HALF, 0, 4, 1, 4, 0, 4, 4, 2 },
	{ "half: 64 threads on 4 CPUs", HALF, 0, 4, 1, 64, 0, 64, 64, 32 },
	/* the number, whatever the threads and CPUs */
	{ "fixed: nobody", FIXED, 7, 4, 0, 0, 0, 0, 0, 7 },
	{ "fixed: 1", FIXED, 1, 4, 1, 64, 0, 64, 64, 1 },
	{ "fixed: 7 with 64 threads", FIXED, 7, 4, 1, 64, 0, 64, 64, 7 },
	{ "fixed: the largest", FIXED, GAPP_MAX_THREADS, 4, 1, 2, 0, 2, 2, GAPP_MAX_THREADS },
	{ "fixed: 0 is 1", FIXED, 0, 4, 1, 64, 0, 64, 64, 1 },
	/* threads that exit lower the number: the original counted 301, and 150 */
	{ "300 threads one after the other", HALF, 0, 4, 300, 1, 1, 0, 1, 1 },
	{ "300 threads by pairs", HALF, 0, 4, 150, 2, 2, 0, 2, 1 },
	{ "8 of 10 exit", HALF, 0, 16, 1, 10, 8, 2, 10, 1 },
	{ "6 of 10 exit", AUTO, 0, 16, 1, 10, 6, 4, 10, 2 },
	{ "each round one more stays", HALF, 0, 4, 9, 3, 2, 9, 11, 4 },
	{ "more leave than have joined", HALF, 0, 4, 3, 2, 5, 0, 2, 1 },
};

#undef AUTO
#undef HALF
#undef FIXED

static inline void vec_crowd_run(void *rig, const struct vec_crowd *vec)
{
	struct gapp_threshold crowd = { .mode = vec->mode, .fixed = vec->fixed, .cpus = vec->cpus };
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "crowd" };
	u32 i, k;

	for (i = 0; i < vec->rounds; i++) {
		for (k = 0; k < vec->join; k++)
			gapp_threshold_join(&crowd);
		for (k = 0; k < vec->leave; k++)
			gapp_threshold_leave(&crowd);
	}
	vec_same(&p, "live", crowd.live, vec->live);
	vec_same(&p, "peak", crowd.peak, vec->peak);
	vec_same(&p, "N_min", gapp_threshold_n_min(&crowd), vec->n_min);
}

#endif /* GAPP_VEC_CROWDS_H */
