/* SPDX-License-Identifier: GPL-2.0 */
/* What the stress of the accumulators is made of. */
#ifndef GAPP_BENCH_CONTENTION_H
#define GAPP_BENCH_CONTENTION_H

#include "schemes.h"

/**
 * struct crew - threads that do the same at a time, each on a CPU of its own
 * @count: of them
 * @cpus: theirs
 * @workers: they
 */
struct crew {
	u32 count;
	int cpus[MOST_WORKERS];
	struct worker workers[MOST_WORKERS];
};

/* Finds so many CPUs at most that may be used. Returns how many. */
u32 crew_cpus(struct crew *crew, u32 most);

/* Runs @work of each, and returns when all have; they begin at the same time. */
void crew_run(struct crew *crew, void (*work)(struct worker *worker));

/* Now and then, for the product of ticks and their length has 64 bits. No worker may run. */
void start_clock(void);

/* Whether what @scheme says is what the formulas do; prints a line of tests/check. */
int check_scheme(struct crew *crew, const struct scheme *scheme);

#endif /* GAPP_BENCH_CONTENTION_H */
