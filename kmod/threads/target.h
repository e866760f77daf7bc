/* SPDX-License-Identifier: GPL-2.0 */
/* A target: the threads whose n is counted together. */
#ifndef GAPP_TARGET_H
#define GAPP_TARGET_H

#include <linux/pid.h>
#include <linux/sched.h>

#include "acc.h"
#include "core/cmetric.h"

/* Most targets of a session, and free ones that the worker keeps in stock. */
#define GAPP_MAX_TARGETS 16384
#define GAPP_STOCK_TARGETS 128
/* Length of gapp_target.hist, in a session with a target for each process. */
#define GAPP_TARGET_HIST 129

/**
 * struct gapp_target - n of some threads, and its integrals
 * @acc: the integrals
 * @threshold: live threads and the threshold's rule; table_lock
 * @n_min: the threshold last set; table_lock
 * @id: number of the target in records
 * @tgid: id of the process that it is, a reference; NULL: it is the session's only target
 * @comm: name of that process
 * @born: session time, in nanoseconds, at which the process joined
 * @end: the integrals at STOP
 * @spun_ns: nanoseconds that its threads spun, in stays that ended
 * @yields: a thread of it was found in a busy-wait loop that yields
 * @critical_runq: share that its threads collected while they waited for a CPU; complete after STOP
 * @hist: gapp_cm.hist in a session with a target for each process; an only target's is allocated
 *	apart
 */
struct gapp_target {
	struct gapp_acc acc;
	struct gapp_threshold threshold;
	u32 n_min;
	u32 id;
	struct pid *tgid;
	char comm[TASK_COMM_LEN];
	u64 born;
	struct gapp_at end;
	atomic64_t spun_ns;
	bool yields;
	u64 critical_runq;
	u64 hist[];
};

/**
 * struct gapp_target_sums - what a target has added up at one instant
 * @at: the integrals
 * @idle: nanoseconds with no active thread since the begin
 * @n_min_most: highest threshold of session time, in threads
 * @n_min_least: lowest threshold of session time, in threads
 * @n_min_most_ns: nanoseconds for which the highest threshold held
 */
struct gapp_target_sums {
	struct gapp_at at;
	u64 idle;
	u32 n_min_most;
	u32 n_min_least;
	u64 n_min_most_ns;
};

#endif /* GAPP_TARGET_H */
