/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Probe prototypes of the tracepoints of the scheduler, interrupts and timers. Each macro defines
 * the probe that the tracepoint calls and hands on what gapp uses to the body that follows. A
 * prototype that does not fit this kernel does not compile: see gapp_check_probe_types().
 */
#ifndef GAPP_COMPAT_SCHED_TP_H
#define GAPP_COMPAT_SCHED_TP_H

#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <trace/events/irq.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>
#include <trace/events/timer.h>

#include "compat.h"
#include "sched.h"

/*
 * v5.18, fa2c3254d7cf: prev_state. Before, a thread that was woken meanwhile no longer has the
 * state in which it went to sleep. But whoever goes to sleep has left the run queue by now, and
 * comes back only after the switch; what matters is that the word is not 0.
 */
#ifdef GAPP_HAVE_SWITCH_STATE
#define GAPP_PROBE_SCHED_SWITCH(name)                                        \
	static void name(void *data, bool preempt, struct task_struct *prev, \
			 struct task_struct *next, unsigned int prev_state)
#else
static __always_inline unsigned int gapp_prev_state(const struct task_struct *prev)
{
	return READ_ONCE(prev->on_rq) ? TASK_RUNNING : gapp_task_state_word(prev);
}

#define GAPP_PROBE_SCHED_SWITCH(name)                                                             \
	static __always_inline void name##_of(void *data, bool preempt, struct task_struct *prev, \
					      struct task_struct *next, unsigned int prev_state); \
	static void name(void *data, bool preempt, struct task_struct *prev,                      \
			 struct task_struct *next)                                                \
	{                                                                                         \
		name##_of(data, preempt, prev, next, gapp_prev_state(prev));                      \
	}                                                                                         \
	static __always_inline void name##_of(void *data, bool preempt, struct task_struct *prev, \
					      struct task_struct *next, unsigned int prev_state)
#endif

/* v7.1, bd803783dfa7: the time by value */
#ifdef GAPP_HAVE_EXPIRE_NOW
#define gapp_expire_now ktime_t
#else
#define gapp_expire_now ktime_t *
#endif

/* v6.16, 3e816361e94a, and by backport: group_dead */
#ifdef GAPP_HAVE_GROUP_DEAD
#define GAPP_PROBE_SCHED_PROCESS_EXIT(name) \
	static void name(void *data, struct task_struct *task, bool group_dead)
#else
#define GAPP_PROBE_SCHED_PROCESS_EXIT(name) static void name(void *data, struct task_struct *task)
#endif

/* v6.18, edd3cb05c00a, and by backport: clone_flags became u64 */
#ifdef GAPP_HAVE_CLONE_FLAGS_64
#define GAPP_PROBE_TASK_NEWTASK(name) \
	static void name(void *data, struct task_struct *task, u64 clone_flags)
#else
#define GAPP_PROBE_TASK_NEWTASK(name) \
	static void name(void *data, struct task_struct *task, unsigned long clone_flags)
#endif

#endif /* GAPP_COMPAT_SCHED_TP_H */
