// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the tracepoints by name, because they are not exported, and turns their calls into events
 * of threads. Each session registers itself as the probes' data, so sessions do not know of each
 * other.
 *
 * Probes run with the run-queue lock held, or in the middle of fork, exec and exit. On new kernels
 * all tracepoints but sched_switch may be preemptible: what they call turns interrupts off itself.
 */
#include <linux/binfmts.h>
#include <linux/fs.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>

#include "compat/sched_tp.h"
#include "fault/fault.h"
#include "switch.h"

/* The probe of context switches times one of this many calls. */
#define TIMED_CALLS 1024

static __always_inline void switched_out(struct gapp_session *session, struct gapp_cpu *cpu,
					 struct gapp_thread *thread, bool preempt,
					 const struct task_struct *prev, unsigned int prev_state)
{
	unsigned int state_now = gapp_task_state_word(prev);
	bool asleep = gapp_asleep(preempt, prev_state, state_now);

	if (gapp_fault("drop_switch_out"))
		return;
	if (unlikely(READ_ONCE(thread->flags) & GAPP_THREAD_EXPELLED ||
		     (asleep && state_now & TASK_DEAD)))
		gapp_any_event(session, cpu, thread, GAPP_EV_OUT_DEAD);
	else if (asleep)
		gapp_went_to_sleep(session, cpu, thread);
	else
		gapp_was_preempted(session, cpu, thread);
}

/* At least one of the two tasks may be followed. */
static noinline void switched(struct gapp_session *session, bool preempt, struct task_struct *prev,
			      struct task_struct *next, unsigned int prev_state, u64 buckets)
{
	struct gapp_thread *in = gapp_find(&session->threads, (u32)buckets, next);
	struct gapp_cpu *cpu = gapp_this_cpu(session);
	struct gapp_thread *out = cpu->open_of;
	u64 begin = 0;

	/* the open slice is of @prev, unless no probe saw @prev switched in */
	if (unlikely(!out || out->task != prev))
		out = gapp_find(&session->threads, buckets >> 32, prev);
	if (!out && !in)
		return;
	if (unlikely(++cpu->switches % TIMED_CALLS == 0))
		begin = ktime_get_mono_fast_ns();
	cpu->moment.target = NULL;
	if (out)
		switched_out(session, cpu, out, preempt, prev, prev_state);
	if (in)
		gapp_was_switched_in(session, cpu, in);
	if (unlikely(begin)) {
		cpu->probe_timed++;
		cpu->probe_ns += ktime_get_mono_fast_ns() - begin;
	}
}

/* Interrupts are off, which is an RCU read section too. */
GAPP_PROBE_SCHED_SWITCH(probe_sched_switch)
{
	struct gapp_session *session = data;
	u32 out = gapp_bucket(&session->threads, prev), in = gapp_bucket(&session->threads, next);

	if (unlikely(gapp_bucket_is_used(&session->threads, out) ||
		     gapp_bucket_is_used(&session->threads, in)))
		switched(session, preempt, prev, next, prev_state, (u64)out << 32 | in);
}

static noinline void waking(struct gapp_session *session, struct task_struct *task, u32 bucket)
{
	struct gapp_waker waker = { .cpu = raw_smp_processor_id() };
	struct gapp_thread *thread;

	rcu_read_lock();
	thread = gapp_find(&session->threads, bucket, task);
	if (thread) {
		if (!in_task()) {
			waker.flags = GAPP_SLICE_WOKEN_BY_IRQ;
		} else if (!session->settings.restricted ||
			   gapp_lookup(&session->threads, current)) {
			waker.flags = GAPP_SLICE_WAKER;
			waker.tid = current->pid;
			waker.tgid = current->tgid;
			if (session->settings.ns->level) {
				waker.tid = task_pid_nr_ns(current, session->settings.ns);
				waker.tgid = task_tgid_nr_ns(current, session->settings.ns);
			}
		}
		gapp_thread_woken_by(thread, &waker);
	}
	rcu_read_unlock();
}

/* Runs in the context of the waker, or of an interrupt that hit the waker. */
static void probe_sched_waking(void *data, struct task_struct *task)
{
	struct gapp_session *session = data;
	u32 bucket = gapp_bucket(&session->threads, task);

	if (unlikely(gapp_bucket_is_used(&session->threads, bucket)))
		waking(session, task, bucket);
}

static noinline void woken(struct gapp_session *session, struct task_struct *task, u32 bucket)
{
	struct gapp_thread *thread;
	struct gapp_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	thread = gapp_find(&session->threads, bucket, task);
	if (thread && !gapp_fault("drop_wakeup")) {
		cpu = gapp_this_cpu(session);
		cpu->moment.target = NULL;
		if (likely(!gapp_task_on_cpu(task)))
			gapp_was_woken(session, cpu, thread);
		else
			gapp_any_event(session, cpu, thread, GAPP_EV_WAKE_ON_CPU);
	}
	local_irq_restore(flags);
}

/* The wake-up of current may come with interrupts on. */
static void probe_sched_wakeup(void *data, struct task_struct *task)
{
	struct gapp_session *session = data;
	u32 bucket = gapp_bucket(&session->threads, task);

	if (unlikely(gapp_bucket_is_used(&session->threads, bucket)))
		woken(session, task, bucket);
}

static void probe_sched_migrate_task(void *data, struct task_struct *task, int cpu)
{
	struct gapp_session *session = data;
	struct gapp_thread *thread;

	rcu_read_lock();
	thread = gapp_lookup(&session->threads, task);
	if (thread)
		gapp_thread_moved(thread);
	rcu_read_unlock();
}

/* The flags with which a new task is followed, or -1: it is not. */
static int belongs(struct gapp_session *session, const struct gapp_thread *parent,
		   struct task_struct *task, u64 clone_flags)
{
	if (parent && (clone_flags & CLONE_THREAD || parent->flags & GAPP_THREAD_INHERIT))
		return parent->flags & GAPP_THREAD_INHERIT;
	/* attach finds a new thread of a process that is not followed yet */
	if (!session->settings.all || clone_flags & CLONE_THREAD || task->flags & PF_KTHREAD)
		return -1;
	return task_tgid(task) != session->settings.self ? GAPP_THREAD_INHERIT : -1;
}

GAPP_PROBE_TASK_NEWTASK(probe_task_newtask)
{
	struct gapp_session *session = data;
	struct gapp_thread *parent;
	int flags;

	rcu_read_lock();
	parent = gapp_lookup(&session->threads, current);
	flags = belongs(session, parent, task, clone_flags);
	if (flags >= 0 && !gapp_fault("drop_thread") &&
	    gapp_threads_join(&session->threads, task, flags, true,
			      clone_flags & CLONE_THREAD ? parent : NULL) == -ENOSPC)
		gapp_threads_not_followed(&session->threads, 1);
	if (flags >= 0 && !(clone_flags & CLONE_VM) && gapp_unwinds_by_tables(&session->settings))
		gapp_address_spaces_forked(&session->spaces, current->mm, task->mm);
	rcu_read_unlock();
}

static void probe_task_rename(void *data, struct task_struct *task, const char *comm)
{
	struct gapp_session *session = data;
	struct gapp_thread *thread;

	rcu_read_lock();
	thread = gapp_lookup(&session->threads, task);
	/* No other tracepoint of an exec comes before the new program is mapped. */
	if (thread && task == current && gapp_in_exec(task))
		gapp_between_exec(session);
	if (thread)
		gapp_thread_renamed(thread, comm);
	rcu_read_unlock();
}

/* Index in session->exes of the file that the exec loads, or -1. */
static int find_exe(struct gapp_session *session, const struct linux_binprm *bprm)
{
	/* Pairs with the release in gapp_session_add_executable(). */
	u32 count = smp_load_acquire(&session->exe_count), i;

	for (i = 0; i < count; i++)
		if (file_inode(bprm->file) == file_inode(session->exes[i]))
			return i;
	return -1;
}

/* Follows a task that executes a file of ADD_EXECUTABLE: current, alone in its process. */
static void executes(struct gapp_session *session, struct task_struct *task, int exe)
{
	struct gapp_thread *thread;
	u8 flags = session->exe_inherit & BIT(exe) ? GAPP_THREAD_INHERIT : 0;

	if (task_tgid(task) == session->settings.self || !gapp_may_follow(&session->settings, task))
		return;
	/* A user without privilege follows only processes that ADD_PROCESS could name. */
	if (session->settings.restricted && !pid_nr_ns(task_tgid(task), session->settings.ns))
		return;
	if (gapp_threads_join(&session->threads, task, flags, false, NULL) == -ENOSPC)
		gapp_threads_not_followed(&session->threads, 1);
	thread = gapp_lookup(&session->threads, task);
	if (thread)
		gapp_thread_event(session, thread, GAPP_EV_SEED_RUNNING);
	if (session->settings.period_ns)
		gapp_sampler_arm_here(session);
}

/* The thread has taken over the leader's id by now, and the process may have changed its user. */
static void probe_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm)
{
	struct gapp_session *session = data;
	struct gapp_thread *thread;
	int exe;

	rcu_read_lock();
	thread = gapp_lookup(&session->threads, task);
	if (thread) {
		gapp_thread_executed(session, thread, old_pid != task->pid);
		if (gapp_unwinds_by_tables(&session->settings))
			gapp_address_spaces_executed(&session->spaces, task->mm);
		if (!gapp_may_follow(&session->settings, task)) {
			gapp_threads_not_followed(&session->threads, 1);
			gapp_thread_event(session, thread, GAPP_EV_OUT_DEAD);
		}
	} else {
		exe = find_exe(session, bprm);
		if (exe >= 0)
			executes(session, task, exe);
	}
	rcu_read_unlock();
}

GAPP_PROBE_SCHED_PROCESS_EXIT(probe_sched_process_exit)
{
	struct gapp_session *session = data;
	struct gapp_thread *thread;

	rcu_read_lock();
	thread = gapp_lookup(&session->threads, task);
	if (thread)
		gapp_threads_leaving(&session->threads, thread);
	rcu_read_unlock();
}

/*
 * In the order of registration; they are unregistered in reverse. The tracepoints that make threads
 * active and inactive come first, so that a thread that joins misses none of their events.
 */
static struct {
	const char *name;
	void *probe;
	struct tracepoint *tp;
} probes[] = {
	{ "sched_switch", probe_sched_switch },
	{ "sched_waking", probe_sched_waking },
	{ "sched_wakeup", probe_sched_wakeup },
	{ "sched_wakeup_new", probe_sched_wakeup },
	{ "sched_migrate_task", probe_sched_migrate_task },
	{ "sched_process_exec", probe_sched_process_exec },
	{ "sched_process_exit", probe_sched_process_exit },
	{ "task_rename", probe_task_rename },
	{ "task_newtask", probe_task_newtask },
};

/* The kernel would call a probe of a wrong prototype too: here the compiler refuses it. */
static void __maybe_unused gapp_check_probe_types(void)
{
	check_trace_callback_type_sched_switch(probe_sched_switch);
	check_trace_callback_type_sched_waking(probe_sched_waking);
	check_trace_callback_type_sched_wakeup(probe_sched_wakeup);
	check_trace_callback_type_sched_wakeup_new(probe_sched_wakeup);
	check_trace_callback_type_sched_migrate_task(probe_sched_migrate_task);
	check_trace_callback_type_sched_process_exec(probe_sched_process_exec);
	check_trace_callback_type_sched_process_exit(probe_sched_process_exit);
	check_trace_callback_type_task_rename(probe_task_rename);
	check_trace_callback_type_task_newtask(probe_task_newtask);
}

static void find_one(struct tracepoint *tp, void *unused)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (!strcmp(tp->name, probes[i].name))
			probes[i].tp = tp;
}

/**
 * gapp_probes_find() - look up the tracepoints, once
 *
 * Return: 0, or -EOPNOTSUPP if this kernel lacks one.
 */
int gapp_probes_find(void)
{
	unsigned int i;

	for_each_kernel_tracepoint(find_one, NULL);
	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probes[i].tp) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].name);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

static bool is_wanted(const struct gapp_session *session, unsigned int probe)
{
	return probes[probe].probe != probe_sched_waking || session->settings.wakers;
}

static void unregister(struct gapp_session *session, unsigned int count)
{
	while (count--)
		if (is_wanted(session, count))
			tracepoint_probe_unregister(probes[count].tp, probes[count].probe, session);
	tracepoint_synchronize_unregister();
	/* Probes hold threads under RCU, whatever the tracepoint itself waits for. */
	synchronize_rcu();
}

/**
 * gapp_probes_register() - the session's threads have events from now on
 * @session: the session
 *
 * Return: 0, or a negative errno and no events come.
 */
int gapp_probes_register(struct gapp_session *session)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!is_wanted(session, i))
			continue;
		ret = tracepoint_probe_register(probes[i].tp, probes[i].probe, session);
		if (ret) {
			unregister(session, i);
			return ret;
		}
	}
	return 0;
}

/**
 * gapp_probes_unregister() - no event comes any more, and none is under way
 * @session: the session
 */
void gapp_probes_unregister(struct gapp_session *session)
{
	unregister(session, ARRAY_SIZE(probes));
}
