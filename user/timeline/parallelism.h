/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How many threads were active over time, of a recording with every slice and wake-up: each such
 * record says how many were active from its time on. Of one target.
 */
#ifndef GAPP_READ_PARALLELISM_H
#define GAPP_READ_PARALLELISM_H

#include <gapp_record.h>

#include "util/util.h"

#define PARALLELISM_STEPS 2000U

/**
 * struct parallelism - sums of steps of time
 * @start_ns: CLOCK_MONOTONIC at which the recording began
 * @step_ns: length of a step, nanoseconds
 * @steps: steps that the recording has
 * @n_min: few threads are at most so many
 * @active: of each step, the integral of n over its time, thread nanoseconds
 * @critical: of each step, the time in which few threads were active, nanoseconds
 * @targets: there were records of another target than number 0
 * @known: @n is known
 * @n: active threads
 * @since: nanoseconds since the begin from which on there are @n
 */
struct parallelism {
	u64 start_ns;
	u64 step_ns;
	u32 steps;
	u32 n_min;
	double active[PARALLELISM_STEPS];
	double critical[PARALLELISM_STEPS];
	bool targets;
	bool known;
	u32 n;
	u64 since;
};

/* @length_ns: of the whole recording. */
void parallelism_init(struct parallelism *parallelism, u64 start_ns, u64 length_ns, u32 n_min);
/* Adds a record; records come in the order of time. */
void parallelism_record(struct parallelism *parallelism, const struct gapp_record *record);
/* After the last record. */
void parallelism_end(struct parallelism *parallelism, u64 length_ns);

#endif /* GAPP_READ_PARALLELISM_H */
