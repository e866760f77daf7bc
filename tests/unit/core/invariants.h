/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What holds for core/ whatever happens, in whatever order and with whatever times. For the
 * property test and the fuzzers.
 */
#ifndef GAPP_INVARIANTS_H
#define GAPP_INVARIANTS_H

#include "drive.h"

#define INV_THREADS 64

/**
 * struct invariants - a session under watch
 * @drive: the session
 * @tasks: its threads
 * @hist: its histogram
 * @known: by thread: time at which its state became known
 * @gone: by thread: time at which it was gone
 * @last: time of the last step
 * @ordered: the times have not gone back so far
 * @departed: shares of threads whose place another one took
 * @critical: time with 0 < n <= n_min
 * @departed_crit: critical shares of threads whose place another one took
 * @loss: what rounding may have cost: each interval that was closed gave its n threads the same
 *	share, rounded down to 1/4096 ns, so less than n units, and at most n - 1
 */
struct invariants {
	struct drive drive;
	struct gapp_task tasks[INV_THREADS];
	u64 hist[INV_THREADS + 1];
	u64 known[INV_THREADS];
	u64 gone[INV_THREADS];
	u64 last;
	bool ordered;
	u64 departed;
	u64 critical;
	u64 departed_crit;
	u64 loss;
};

void invariants_init(struct invariants *inv);

/**
 * invariants_collected() - a thread with its sums up to its last event
 * @task: the thread; while it is in a state, the sums of that state lack the last event
 *
 * Return: a copy, not to be given to core/.
 */
struct gapp_task invariants_collected(const struct gapp_task *task);

/**
 * invariants_step() - does one step and looks whether all is well
 * @inv: the session
 * @step: the step, for one thread
 *
 * A thread that is active does not join: the step is left out.
 *
 * Return: NULL, or what is wrong.
 */
const char *invariants_step(struct invariants *inv, const struct vec_step *step);

/**
 * invariants_end() - stops the session and looks at the sums
 * @inv: the session
 * @now: the time
 *
 * Return: NULL, or what is wrong.
 */
const char *invariants_end(struct invariants *inv, u64 now);

#endif /* GAPP_INVARIANTS_H */
