/* SPDX-License-Identifier: GPL-2.0 */
/* Members of struct task_struct that differ between releases or configurations. */
#ifndef GAPP_COMPAT_SCHED_H
#define GAPP_COMPAT_SCHED_H

#include <linux/mm_types.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#ifdef GAPP_HAVE_EXEC_STATE
#include <linux/sched/exec_state.h>
#endif
#include <linux/sched/mm.h>

#include "compat.h"

/* v5.14, 2f064a59a11f: __state */
static inline unsigned int gapp_task_state_word(const struct task_struct *task)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return READ_ONCE(task->__state);
#else
	return READ_ONCE(task->state);
#endif
}

static inline bool gapp_task_on_cpu(const struct task_struct *task)
{
#ifdef CONFIG_SMP
	return READ_ONCE(task->on_cpu);
#else
	return task == current;
#endif
}

/* An older kernel may have it by backport. Without it a sleeping thread would count as active. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0) && !defined(GAPP_HAVE_SCHED_DELAYED)
#error "probes.mk does not find sched_delayed, which kernels have since 6.12"
#endif

/*
 * Whether the task, which does not run, stays queued while it waits for a mutex of the kernel, so
 * that the mutex's owner runs in its place (v6.17, be41bde4c3a8, proxy execution). The scheduler
 * has told that it sleeps, or it was preempted just before.
 */
static inline bool gapp_task_lends_turn(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_PROXY_EXEC
	return READ_ONCE(task->blocked_on);
#else
	return false;
#endif
}

/*
 * Whether a task that the scheduler has told to sleep may run again before it tells that it is
 * woken: one that waits for a mutex, and stays queued, once the mutex is free (v6.17, be41bde4c3a8,
 * proxy execution).
 */
static inline bool gapp_tasks_run_unwoken(void)
{
	return IS_ENABLED(CONFIG_SCHED_PROXY_EXEC);
}

/* v6.12, 152e11f6df29: a sleeping thread may stay in the run queue for a while */
static inline bool gapp_task_queued(const struct task_struct *task)
{
#ifdef GAPP_HAVE_SCHED_DELAYED
	if (READ_ONCE(task->se.sched_delayed))
		return false;
#endif
	return READ_ONCE(task->on_rq) && !gapp_task_lends_turn(task);
}

/*
 * Whether the kernel counts how long tasks wait for a CPU. Before v5.14, c5895d3f06cb, with
 * CONFIG_SCHEDSTATS only: else a kernel that was booted with "nodelayacct" does not, and no module
 * can see that.
 */
static inline bool gapp_have_run_delay(void)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
	return IS_ENABLED(CONFIG_SCHED_INFO);
#else
	return IS_ENABLED(CONFIG_SCHEDSTATS);
#endif
}

/* Nanoseconds that the task waited for a CPU, in waits that ended, as in /proc/PID/schedstat. */
static inline u64 gapp_task_run_delay(const struct task_struct *task)
{
#ifdef CONFIG_SCHED_INFO
	return gapp_have_run_delay() ? READ_ONCE(task->sched_info.run_delay) : 0;
#else
	return 0;
#endif
}

/* How often a task, which does not move now, was moved to another CPU, as in /proc/PID/sched. */
static inline u64 gapp_task_migrations(const struct task_struct *task)
{
	return READ_ONCE(task->se.nr_migrations);
}

/* Whether the task waits for a device. It changes that itself, while it runs. */
static inline bool gapp_task_in_iowait(const struct task_struct *task)
{
	/* who wakes the task writes another bit of the same word, sched_remote_wakeup */
	return data_race(task->in_iowait != 0);
}

/*
 * Whether the task's user may look into it. The task is current, is locked by task_lock(), or
 * cannot run now, and so keeps its memory. v7.2, 6b1c66c9cca9: what the last exec said is no
 * longer kept in the memory.
 */
static inline bool gapp_task_is_dumpable(const struct task_struct *task)
{
#ifdef GAPP_HAVE_EXEC_STATE
	const struct task_exec_state *state;
	bool dumpable;

	rcu_read_lock();
	state = rcu_dereference(task->exec_state);
	dumpable = task->mm && state && READ_ONCE(state->dumpable) == TASK_DUMPABLE_OWNER;
	rcu_read_unlock();
	return dumpable;
#else
	return task->mm && get_dumpable(task->mm) == SUID_DUMP_USER;
#endif
}

/* Whether the task is inside an exec. */
static inline bool gapp_in_exec(const struct task_struct *task)
{
	return task->in_execve;
}

#endif /* GAPP_COMPAT_SCHED_H */
