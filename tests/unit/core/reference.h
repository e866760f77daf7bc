/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The figures of a run, computed in the plainest way that there is: write down who was in which
 * state from when to when, cut the run at every instant at which anything happens, and look for
 * each piece who is active in it. No integral is carried along and nothing is taken from core/
 * but the numbers of the events.
 */
#ifndef GAPP_REFERENCE_H
#define GAPP_REFERENCE_H

#include "vec.h"

#define REF_THREADS 64

/* Shares here have 52 fractional bits: too fine to be off by a unit of core's 12. */
#define REF_SHIFT 40
#define REF_UNIT ((__uint128_t)1 << REF_SHIFT)

/**
 * struct ref_thread - one thread
 * @unknown: time of which nothing is known
 * @events: what happened to it
 * @waits: time with nobody active that it ended
 * @stretches: in so many stretches
 *
 * The others are members of struct gapp_thread_figures.
 */
struct ref_thread {
	u32 state;
	bool joins;
	u64 joined, left;
	u64 run, runq, blocked, unknown;
	u64 slices, wakeups, blocks, unexpected;
	u64 events;
	u64 waits, stretches;
	__uint128_t cm_run, cm_runq, critical_run, critical_runq;
};

/**
 * struct reference - what must come out
 * @wall: session time
 * @s: integral of n, modulo 2^64
 * @g: integral of 1/n
 * @c: the same where n <= n_min
 * @hist: time by n
 * @critical: time with 0 < n <= n_min: what the threads' critical shares add up to
 * @idle: time with nobody active that nobody has ended
 * @pieces: into how many the run was cut; core/ closes at most as many intervals
 * @loss: what rounding down may cost all threads together: n - 1 units for each piece
 * @thread: the threads
 */
struct reference {
	u64 wall, s, critical, idle;
	__uint128_t g, c;
	u64 hist[REF_THREADS + 1];
	u64 pieces, loss;
	struct ref_thread thread[REF_THREADS];
};

/**
 * reference_run() - works a run out
 * @ref: the result
 * @steps: what happens, by time, one thread a row; END ends it
 * @end: the time at which everything is read; not before the last step's
 * @n: room for n after each step
 */
void reference_run(struct reference *ref, const struct vec_step *steps, u64 end, u32 *n);

#endif /* GAPP_REFERENCE_H */
