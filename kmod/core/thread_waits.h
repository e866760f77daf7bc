/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a thread waited for and how long, its stays in the run queue, and who preempted it. These
 * sums stand beside struct gapp_task in sessions that ask for them. The caller locks the thread,
 * and applies each event to both:
 *
 *	gapp_waits_take(waits, task, step, reason, preempter, &at);
 *	gapp_task_take(task, step, &at);
 *
 * In place of the first line a usual step takes the inline functions here.
 */
#ifndef GAPP_CORE_THREAD_WAITS_H
#define GAPP_CORE_THREAD_WAITS_H

#include "taskstate.h"

/* In place of an index of @by: the stay in the run queue began with a wake-up. */
#define GAPP_NOT_PREEMPTED 0xff

/**
 * struct gapp_preempter - who got a thread's CPU while the thread wanted to run
 * @tid: thread id, as the opener sees it
 * @times: number of the thread's stays in the run queue that began so, and ended
 * @runq_ns: nanoseconds of these stays
 * @comm: name of the preempter
 */
struct gapp_preempter {
	s32 tid;
	u64 times;
	u64 runq_ns;
	char comm[GAPP_COMM_LEN];
};

/**
 * struct gapp_waits - sums of one thread
 * @blocked_ns: nanoseconds asleep or spinning, by enum gapp_wait_reason; as in gapp_task the sum of
 * the wait that the thread is in lacks the time of now
 * @unknown_ns: nanoseconds from when the thread joined until its state was known
 * @ready_since: session time at which the last stay in the run queue began
 * @runq_max_ns: longest stay in the run queue that ended
 * @runq_max_at: session time at which that stay began
 * @runq_stays: number of stays in the run queue that ended
 * @reason: what the thread waits for, while it is inactive
 * @preempter: index in @by of who began the last stay in the run queue, or GAPP_NOT_PREEMPTED
 * @known: number of elements of @by in use, without the last one
 * @by: preempters; the last element is the sum of all that have no element of their own
 */
struct gapp_waits {
	u64 blocked_ns[GAPP_WAIT_REASONS];
	u64 unknown_ns;
	u64 ready_since;
	u64 runq_max_ns;
	u64 runq_max_at;
	u64 runq_stays;
	u8 reason;
	u8 preempter;
	u8 known;
	struct gapp_preempter by[GAPP_PREEMPTERS + 1];
};

/* Index in gapp_waits.by of preempters that have no element of their own. */
#define GAPP_OTHER_PREEMPTERS GAPP_PREEMPTERS

/* The thread goes to sleep at session time @t, for @reason, which is below GAPP_WAIT_REASONS. */
static __always_inline void gapp_waits_sleeps(struct gapp_waits *waits, u8 reason, u64 t)
{
	waits->reason = reason;
	waits->blocked_ns[reason] -= t;
}

/* The thread's wait ends at session time @t. */
static __always_inline void gapp_waits_slept(struct gapp_waits *waits, u64 t)
{
	waits->blocked_ns[waits->reason] += t;
}

/* The thread waits for a CPU from session time @t on. */
static __always_inline void gapp_waits_ready(struct gapp_waits *waits, u8 preempter, u64 t)
{
	waits->ready_since = t;
	waits->preempter = preempter;
}

/*
 * The thread gets a CPU at session time @t, for which it waited. The clocks of two CPUs differ: @t
 * may be before the begin of the wait.
 */
static __always_inline void gapp_waits_runs(struct gapp_waits *waits, u64 t)
{
	const u64 runq_ns = t - waits->ready_since;

	waits->runq_stays++;
	if (unlikely((s64)runq_ns > (s64)waits->runq_max_ns)) {
		waits->runq_max_ns = runq_ns;
		waits->runq_max_at = waits->ready_since;
	}
	if (waits->preempter != GAPP_NOT_PREEMPTED) {
		waits->by[waits->preempter].times++;
		waits->by[waits->preempter].runq_ns += runq_ns;
	}
}

u8 gapp_waits_preempter(struct gapp_waits *waits, s32 tid, const char *comm);
void gapp_waits_take(struct gapp_waits *waits, const struct gapp_task *task, u32 step, u8 reason,
		     u8 preempter, const struct gapp_at *at);
void gapp_waits_figures(const struct gapp_waits *waits, const struct gapp_task *task,
			const struct gapp_at *at, struct gapp_thread_waits *figures);

#endif /* GAPP_CORE_THREAD_WAITS_H */
