// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the tracepoints by name, because they are not exported, and turns their calls into events
 * of threads. The probes' data is the seat of a session, so sessions do not know of each other.
 *
 * Probes run with the run-queue lock held, or in the middle of fork, exec and exit. On new kernels
 * all tracepoints but sched_switch may be preemptible: what they call turns interrupts off itself.
 */
#include <linux/binfmts.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/preempt.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>

#include "compat/lock_tp.h"
#include "compat/preempt.h"
#include "compat/sched_tp.h"
#include "fault/fault.h"
#include "switch.h"

/* Whether the session may follow the tasks of a bucket. */
static __always_inline bool may_have(const struct gapp_session *session, unsigned long bucket)
{
	return gapp_bucket_is_used(&session->threads, bucket);
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_stats)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_stats(session, bucket, prev, next,
				    gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_records)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_records(session, bucket, prev, next,
				      gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_all)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_all(session, bucket, prev, next, gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_records_waits)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_records_waits(session, bucket, prev, next,
					    gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_all_waits)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_all_waits(session, bucket, prev, next,
					gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_records_handovers)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_records_handovers(session, bucket, prev, next,
						gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_all_handovers)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_all_handovers(session, bucket, prev, next,
					    gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_all_files)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(next);

	if (unlikely(may_have(session, bucket) || may_have(session, gapp_bucket(prev))))
		gapp_switched_all_files(session, bucket, prev, next,
					gapp_out_state(preempt, prev_state));
}

GAPP_PROBE_SCHED_SWITCH(probe_switch_tallies)
{
	struct gapp_session *session = gapp_session_in(data);

	if (unlikely(may_have(session, gapp_bucket(next)) || may_have(session, gapp_bucket(prev))))
		gapp_tallies_switched(session, prev, next);
}

/* Preemption is off wherever a task is woken. */
static noinline void waking(struct gapp_session *session, struct task_struct *task,
			    unsigned long bucket)
{
	struct gapp_thread *thread = gapp_find(&session->threads, bucket, task);
	struct gapp_waker waker = { .cpu = raw_smp_processor_id() };

	if (thread) {
		if (!in_task())
			waker.flags = GAPP_SLICE_WOKEN_BY_IRQ;
		else if (!session->settings.restricted || gapp_lookup(&session->threads, current))
			gapp_name_waker(&session->settings, &waker);
		gapp_thread_woken_by(thread, &waker);
	}
}

/* Runs in the context of the waker, or of an interrupt that hit the waker. */
static void probe_sched_waking(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		waking(session, task, bucket);
}

static void probe_sched_waking_paths(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		gapp_note_waker(session, task, bucket);
}

static void probe_wakeup_stats(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		gapp_woken_stats(session, task, bucket);
}

static void probe_wakeup_records(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		gapp_woken_records(session, task, bucket);
}

static void probe_wakeup_all(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		gapp_woken_all(session, task, bucket);
}

static void probe_wakeup_records_waits(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		gapp_woken_records_waits(session, task, bucket);
}

static void probe_wakeup_all_waits(void *data, struct task_struct *task)
{
	struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(task);

	if (unlikely(may_have(session, bucket)))
		gapp_woken_all_waits(session, task, bucket);
}

static void probe_sched_migrate_task(void *data, struct task_struct *task, int cpu)
{
	struct gapp_session *session = gapp_session_in(data);
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
	struct gapp_session *session = gapp_session_in(data);
	struct gapp_thread *parent;
	int flags, ret = 0;

	gapp_enter_probe();
	parent = gapp_lookup(&session->threads, current);
	flags = belongs(session, parent, task, clone_flags);
	if (flags >= 0 && !gapp_may_inherit(&session->settings, task)) {
		gapp_threads_not_followed(&session->threads, GAPP_NOT_FOLLOWED_DENIED, 1);
		flags = -1;
	}
	if (flags >= 0 && !gapp_fault("drop_thread"))
		ret = gapp_threads_join(&session->threads, task, flags, true,
					clone_flags & CLONE_THREAD ? parent : NULL);
	if (ret < 0)
		gapp_threads_not_joined(&session->threads, ret, 1);
	if (flags >= 0 && !(clone_flags & CLONE_VM) && gapp_unwinds_by_tables(&session->settings))
		gapp_address_spaces_forked(&session->spaces, current->mm, task->mm);
	gapp_leave_probe();
}

static void probe_task_rename(void *data, struct task_struct *task, const char *comm)
{
	struct gapp_session *session = gapp_session_in(data);
	struct gapp_thread *thread;

	gapp_enter_probe();
	thread = gapp_lookup(&session->threads, task);
	/* Of an exec's tracepoints only this one comes before the new program is mapped. */
	if (thread && task == current && gapp_in_exec(task))
		gapp_between_exec(session);
	if (thread)
		gapp_thread_renamed(thread, comm);
	gapp_leave_probe();
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

/* Follows a task that executes a program: current, alone in its process. Returns it, or NULL. */
static struct gapp_thread *follow(struct gapp_session *session, struct task_struct *task, u8 flags)
{
	struct gapp_thread *thread;
	int ret = gapp_threads_join(&session->threads, task, flags, false, NULL);

	if (ret < 0)
		gapp_threads_not_joined(&session->threads, ret, 1);
	thread = gapp_lookup(&session->threads, task);
	if (thread)
		gapp_thread_event(session, thread, GAPP_EV_SEED_RUNNING);
	return thread;
}

static void sample_here(struct gapp_session *session)
{
	if (session->settings.period_ns)
		gapp_sampler_arm_here(session);
	if (session->settings.tallies)
		gapp_tallies_look(session);
}

/* Follows a task for what it executes, its name or its group. Returns it, or NULL. */
static struct gapp_thread *executes(struct gapp_session *session, struct task_struct *task,
				    bool inherit)
{
	struct gapp_thread *thread;

	if (task_tgid(task) == session->settings.self || !gapp_may_follow(&session->settings, task))
		return NULL;
	/* A user without privilege follows only processes that ADD_PROCESS could name. */
	if (session->settings.restricted && !pid_nr_ns(task_tgid(task), session->settings.ns))
		return NULL;
	thread = follow(session, task, inherit ? GAPP_THREAD_INHERIT : 0);
	sample_here(session);
	return thread;
}

/* Whether session time begins at this exec. */
static bool is_awaited(const struct gapp_session *session, struct task_struct *task)
{
	/* Pairs with the release in gapp_session_start(). */
	return unlikely(smp_load_acquire(&session->awaits)) && task_tgid(task) == session->awaited;
}

/*
 * The awaited process executes a program: session time begins, unless the opener may not follow
 * what it executes. @thread: it is followed already, as a child of another process; or NULL.
 */
static void begins(struct gapp_session *session, struct task_struct *task,
		   struct gapp_thread *thread)
{
	struct gapp_thread_table *threads = &session->threads;

	WRITE_ONCE(session->awaits, false);
	if (!gapp_may_follow(&session->settings, task)) {
		gapp_threads_not_followed(threads, GAPP_NOT_FOLLOWED_DENIED, !thread);
		return;
	}
	gapp_target_add_cpus(threads, min(cpumask_weight(task->cpus_ptr), num_online_cpus()));
	if (!thread)
		thread = follow(session, task, session->awaited_inherit ? GAPP_THREAD_INHERIT : 0);
	/* what it did before session time does not count */
	if (session->settings.tallies)
		gapp_tallies_look(session);
	if (!thread || !gapp_target_start(threads))
		return;
	gapp_thread_begin(thread);
	sample_here(session);
}

/* The session follows current no more. */
static void expel(struct gapp_session *session, struct gapp_thread *thread)
{
	if (session->settings.tallies)
		gapp_tallies_look(session);
	gapp_thread_event(session, thread, GAPP_EV_OUT_DEAD);
	if (session->settings.tallies)
		gapp_tallies_look(session);
}

/* The thread has taken over the leader's id by now, and the process may have changed its user. */
static void probe_sched_process_exec(void *data, struct task_struct *task, pid_t old_pid,
				     struct linux_binprm *bprm)
{
	struct gapp_session *session = gapp_session_in(data);
	const struct gapp_selection *selection;
	struct gapp_thread *thread;
	int exe;

	gapp_enter_probe();
	thread = gapp_lookup(&session->threads, task);
	if (thread) {
		gapp_thread_executed(session, thread, old_pid != task->pid);
		if (gapp_unwinds_by_tables(&session->settings))
			gapp_address_spaces_executed(&session->spaces, task->mm);
		if (!gapp_may_follow(&session->settings, task)) {
			gapp_threads_not_followed(&session->threads, GAPP_NOT_FOLLOWED_DENIED, 1);
			expel(session, thread);
		}
	} else {
		exe = find_exe(session, bprm);
		selection = exe < 0 ? gapp_selections_find(&session->selections, task) : NULL;
		if (exe >= 0)
			thread = executes(session, task, session->exe_inherit & BIT(exe));
		else if (selection)
			thread = executes(session, task, selection->inherit);
	}
	if (is_awaited(session, task))
		begins(session, task, thread);
	gapp_leave_probe();
}

GAPP_PROBE_SCHED_PROCESS_EXIT(probe_sched_process_exit)
{
	struct gapp_session *session = gapp_session_in(data);
	struct gapp_thread *thread;

	gapp_enter_probe();
	thread = gapp_lookup(&session->threads, task);
	if (thread)
		gapp_threads_leaving(&session->threads, thread);
	gapp_leave_probe();
}

/*
 * In the order of registration; they are unregistered in reverse. @stats is the probe of sessions
 * that write no records, if that is another one; @all that of sessions that write a record of every
 * event, which takes no call path; @waits and @all_waits are those of sessions that add up waits,
 * @handovers and @all_handovers those of sessions that count handovers, if they are others; @files
 * is @all where records have files or locks of waits, with sums and handovers or without; @paths
 * that of sessions with call paths of wakers; @locks that of sessions that know locks in the
 * kernel; @tallies that of sessions with tallies, which finds a thread that dies in this switch, so
 * it is the first. A probe of which there is only @paths, @locks or @tallies is not for other
 * sessions; a kernel may lack the tracepoints of @locks.
 */
static struct {
	const char *name;
	void *probe;
	void *stats;
	void *all;
	void *waits;
	void *all_waits;
	void *handovers;
	void *all_handovers;
	void *files;
	void *paths;
	void *locks;
	void *tallies;
	struct tracepoint *tp;
} probes[] = {
	{ "sched_switch", .tallies = probe_switch_tallies },
	{ "sched_switch", probe_switch_records, probe_switch_stats, probe_switch_all,
	  probe_switch_records_waits, probe_switch_all_waits, probe_switch_records_handovers,
	  probe_switch_all_handovers, probe_switch_all_files },
	{ "softirq_entry", .paths = gapp_softirq_begins },
	{ "hrtimer_expire_entry", .paths = gapp_timer_expires },
	{ "hrtimer_expire_exit", .paths = gapp_timer_expired },
	{ "sched_waking", probe_sched_waking, .paths = probe_sched_waking_paths },
	{ "sched_wakeup", probe_wakeup_records, probe_wakeup_stats, probe_wakeup_all,
	  probe_wakeup_records_waits, probe_wakeup_all_waits },
	{ "sched_wakeup_new", probe_wakeup_records, probe_wakeup_stats, probe_wakeup_all,
	  probe_wakeup_records_waits, probe_wakeup_all_waits },
	{ "sched_migrate_task", probe_sched_migrate_task },
	{ "sched_process_exec", probe_sched_process_exec },
	{ "sched_process_exit", probe_sched_process_exit },
	{ "task_rename", probe_task_rename },
	{ "task_newtask", probe_task_newtask },
	{ "contention_begin", .locks = gapp_lock_contended },
	{ "contention_end", .locks = gapp_lock_taken },
};

/* The kernel would call a probe of a wrong prototype too: here the compiler refuses it. */
static void __maybe_unused gapp_check_probe_types(void)
{
	check_trace_callback_type_sched_switch(probe_switch_stats);
	check_trace_callback_type_sched_switch(probe_switch_records);
	check_trace_callback_type_sched_switch(probe_switch_all);
	check_trace_callback_type_sched_switch(probe_switch_records_waits);
	check_trace_callback_type_sched_switch(probe_switch_all_waits);
	check_trace_callback_type_sched_switch(probe_switch_records_handovers);
	check_trace_callback_type_sched_switch(probe_switch_all_handovers);
	check_trace_callback_type_sched_switch(probe_switch_all_files);
	check_trace_callback_type_sched_switch(probe_switch_tallies);
	check_trace_callback_type_softirq_entry(gapp_softirq_begins);
	check_trace_callback_type_hrtimer_expire_entry(gapp_timer_expires);
	check_trace_callback_type_hrtimer_expire_exit(gapp_timer_expired);
	check_trace_callback_type_sched_waking(probe_sched_waking);
	check_trace_callback_type_sched_waking(probe_sched_waking_paths);
	check_trace_callback_type_sched_wakeup(probe_wakeup_stats);
	check_trace_callback_type_sched_wakeup(probe_wakeup_records);
	check_trace_callback_type_sched_wakeup(probe_wakeup_all);
	check_trace_callback_type_sched_wakeup(probe_wakeup_records_waits);
	check_trace_callback_type_sched_wakeup(probe_wakeup_all_waits);
	check_trace_callback_type_sched_wakeup_new(probe_wakeup_stats);
	check_trace_callback_type_sched_wakeup_new(probe_wakeup_records);
	check_trace_callback_type_sched_wakeup_new(probe_wakeup_all);
	check_trace_callback_type_sched_migrate_task(probe_sched_migrate_task);
	check_trace_callback_type_sched_process_exec(probe_sched_process_exec);
	check_trace_callback_type_sched_process_exit(probe_sched_process_exit);
	check_trace_callback_type_task_rename(probe_task_rename);
	check_trace_callback_type_task_newtask(probe_task_newtask);
	check_trace_callback_type_contention_begin(gapp_lock_contended);
	check_trace_callback_type_contention_end(gapp_lock_taken);
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
		if (!probes[i].tp && !probes[i].locks) {
			pr_err("this kernel has no tracepoint %s\n", probes[i].name);
			return -EOPNOTSUPP;
		}
	}
	return 0;
}

/* Whether the kernel says which of its locks a thread waits for. */
bool gapp_probes_see_locks(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(probes); i++)
		if (probes[i].locks && !probes[i].tp)
			return false;
	return true;
}

/* The probe of a seat at a tracepoint; NULL: it has none. */
static void *probe_of(const struct gapp_seat *seat, unsigned int i)
{
	const struct gapp_probe_kind *kind = &seat->kind;

	if (probes[i].probe == probe_sched_waking && !kind->wakers)
		return NULL;
	if (probes[i].locks)
		return kind->locks ? probes[i].locks : NULL;
	if (probes[i].tallies)
		return kind->tallies ? probes[i].tallies : NULL;
	if (probes[i].paths && kind->waker_paths)
		return probes[i].paths;
	if (probes[i].stats && kind->stats)
		return probes[i].stats;
	if (probes[i].files && kind->files)
		return probes[i].files;
	if (probes[i].all && kind->trace &&
	    (probes[i].all == probe_switch_all ? kind->pathless : !kind->waker_paths)) {
		if (probes[i].all_handovers && kind->handovers)
			return probes[i].all_handovers;
		return kind->waits ? probes[i].all_waits : probes[i].all;
	}
	if (probes[i].handovers && kind->handovers)
		return probes[i].handovers;
	return probes[i].waits && kind->waits ? probes[i].waits : probes[i].probe;
}

static void unregister(struct gapp_seat *seat, unsigned int count)
{
	while (count--)
		if (probe_of(seat, count))
			tracepoint_probe_unregister(probes[count].tp, probe_of(seat, count), seat);
}

/**
 * gapp_probes_register() - register the probes of a seat
 * @seat: the seat, of which nobody else knows
 *
 * Return: 0, or a negative errno and none is registered; gapp_probes_wait() then waits for those
 * that were.
 */
int gapp_probes_register(struct gapp_seat *seat)
{
	unsigned int i;
	int ret;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		if (!probe_of(seat, i))
			continue;
		ret = tracepoint_probe_register(probes[i].tp, probe_of(seat, i), seat);
		if (ret) {
			unregister(seat, i);
			return ret;
		}
	}
	return 0;
}

/* The seat may be freed after gapp_probes_wait(). */
void gapp_probes_unregister(struct gapp_seat *seat)
{
	unregister(seat, ARRAY_SIZE(probes));
}

/* Waits until no probe is under way that began before. */
void gapp_probes_wait(void)
{
	tracepoint_synchronize_unregister();
	/* Probes hold threads under RCU, whatever the tracepoint itself waits for. */
	synchronize_rcu();
}
