/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A target: the threads whose n is counted together. A session has one, or
 * with GAPP_CONFIG_PER_PROCESS one for each process.
 */
#ifndef GAPP_TARGET_H
#define GAPP_TARGET_H

#include <linux/pid.h>
#include <linux/sched.h>

#include "acc.h"
#include "core/threshold.h"

struct gapp_session;

/* Most of them in a session; free ones that the worker keeps in stock. */
#define GAPP_MAX_TARGETS 16384
#define GAPP_STOCK_TARGETS 128
/* Lengths of the table of time by n, where there are many targets. */
#define GAPP_TARGET_HIST 129

/**
 * struct gapp_target - one of them
 * @acc: accumulators
 * @threshold: live threads and the threshold's rule; table_lock
 * @n_min: the threshold last set; table_lock
 * @id: its number
 * @tgid: its process, a reference; NULL for a session's only one
 * @comm: that process's name
 * @born: session time at which it came to be
 * @end: the accumulators at the end; set by gapp_targets_stop()
 * @critical_runq: share that its threads collected while they waited for a CPU; set at the stop
 * @hist: of @acc, where there are many targets; that of the only one is apart
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
	u64 critical_runq;
	u64 hist[];
};

int gapp_targets_init(struct gapp_session *session);
void gapp_targets_destroy(struct gapp_session *session);
int gapp_targets_stock(struct gapp_session *session, u32 targets);
struct gapp_target *gapp_target_new(struct gapp_session *session, struct task_struct *task,
				    struct pid *tgid);
void gapp_target_apply_n_min(struct gapp_target *target);
void gapp_targets_add_cpus(struct gapp_session *session, u32 cpus);
void gapp_targets_start(struct gapp_session *session);
u32 gapp_targets_stop(struct gapp_session *session);
u64 gapp_target_read(struct gapp_target *target, struct gapp_at *at);
u64 gapp_session_time(struct gapp_session *session);

#endif /* GAPP_TARGET_H */
