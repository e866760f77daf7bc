// SPDX-License-Identifier: GPL-2.0
/*
 * Attaches to threads that run already, while events come in. Every thread joins with an unknown
 * state. After a grace period all probes under way find the thread; then attach reads the thread's
 * state, and uses it if no event has set the state before.
 */
#include <linux/cpumask.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/tracepoint.h>

#include "control.h"
#include "fault/fault.h"
#include "switch/switch.h"
#include "threads/look.h"

/* Rounds for a process that keeps forking; threads not found by then count as not followed. */
#define ATTACH_ROUNDS 32

/*
 * One attach. Threads that joined before session time @since were added by an earlier one: their
 * children are not looked for. @no_entry: threads of the last round that did not join, because of
 * @why_no_entry. @denied: threads of @requests that the opener may not follow any more. @look: the
 * present look at all tasks.
 */
struct walk {
	struct gapp_session *session;
	const struct gapp_request *requests;
	u32 count;
	u64 since;
	u32 joined;
	u32 no_entry;
	int why_no_entry;
	u32 denied;
	u32 cpus;
	struct gapp_look look;
};

static int inherited(const struct walk *walk, const struct gapp_thread *thread)
{
	return thread->core.joined < walk->since ? -1 : thread->flags & GAPP_THREAD_INHERIT;
}

/* A thread of the process that is followed, or NULL; NULL too if the look has lost its place. */
static struct gapp_thread *find_fellow(struct walk *walk, struct task_struct *process)
{
	struct gapp_thread *thread = NULL;
	struct task_struct *task;

	for_each_thread(process, task) {
		if (!gapp_look_at(&walk->look, process, task))
			return NULL;
		thread = gapp_lookup(&walk->session->threads, task);
		if (thread)
			break;
	}
	return thread;
}

/* The request for a process, or NULL. */
static const struct gapp_request *find_request(const struct walk *walk, struct task_struct *process)
{
	u32 i;

	for (i = 0; i < walk->count; i++)
		if (task_tgid(process) == walk->requests[i].tgid)
			return &walk->requests[i];
	return NULL;
}

/* The flags with which this attach follows a process, or -1: it does not, or the place is lost. */
static int belongs(struct walk *walk, struct task_struct *process)
{
	const struct gapp_request *request = find_request(walk, process);
	struct gapp_session *session = walk->session;
	struct task_struct *parent;
	struct gapp_thread *thread;

	if (task_tgid(process) == session->settings.self)
		return -1;
	/* ADD_PROCESS has checked who asks; the thread was of the kernel then, and still is */
	if (process->flags & PF_KTHREAD)
		return request ? 0 : -1;
	if (session->settings.all)
		return GAPP_THREAD_INHERIT;
	if (request) {
		if (!gapp_may_follow(&session->settings, process)) {
			walk->denied += get_nr_threads(process);
			return -1;
		}
		return request->inherit ? GAPP_THREAD_INHERIT : 0;
	}
	thread = find_fellow(walk, process);
	if (walk->look.lost)
		return -1;
	if (thread)
		return inherited(walk, thread);
	parent = rcu_dereference(process->real_parent);
	thread = gapp_lookup(&session->threads, parent);
	if (!thread)
		thread = gapp_lookup(&session->threads, parent->group_leader);
	if (!thread || inherited(walk, thread) != GAPP_THREAD_INHERIT)
		return -1;
	if (!gapp_may_follow(&session->settings, process))
		return -1;
	return GAPP_THREAD_INHERIT;
}

static void publish_thread(struct walk *walk, struct task_struct *task, u8 flags,
			   const struct gapp_thread *fellow)
{
	int ret = gapp_threads_join(&walk->session->threads, task, flags, false, fellow);

	if (ret == 1)
		walk->joined++;
	if (ret < 0) {
		walk->no_entry++;
		walk->why_no_entry = ret;
	}
	walk->cpus = max(walk->cpus, cpumask_weight(task->cpus_ptr));
}

/* Ends early if the look loses its place. */
static void publish_process(struct walk *walk, struct task_struct *process, u8 flags)
{
	struct gapp_thread *fellow = find_fellow(walk, process);
	struct task_struct *task;

	if (walk->look.lost)
		return;
	for_each_thread(process, task) {
		if (!gapp_look_at(&walk->look, process, task))
			return;
		/* Outside the RCU section another task may have got the fellow's structure. */
		if (gapp_look_has_left(&walk->look))
			fellow = find_fellow(walk, process);
		if (walk->look.lost)
			return;
		if (READ_ONCE(task->exit_state))
			continue;
		publish_thread(walk, task, flags, fellow);
		if (!fellow)
			fellow = gapp_lookup(&walk->session->threads, task);
	}
}

static void publish_processes(struct walk *walk)
{
	struct task_struct *process;
	int flags;

	for_each_process(process) {
		if (!gapp_look_at(&walk->look, process, process))
			return;
		flags = belongs(walk, process);
		if (flags >= 0)
			publish_process(walk, process, flags);
		if (walk->look.lost)
			return;
	}
}

/* Threads that have joined stay so when the look begins again; those that have not count anew. */
static void publish(struct walk *walk)
{
	walk->joined = 0;
	walk->look = (struct gapp_look){};
	do {
		walk->no_entry = 0;
		walk->denied = 0;
		gapp_look_begin(&walk->look);
		publish_processes(walk);
	} while (!gapp_look_end(&walk->look));
}

/*
 * A set-id exec may have come between the check in belongs() and the join. After the grace period
 * the probe finds the thread at any exec, so attach then checks once more.
 */
static bool may_stay(struct gapp_session *session, struct task_struct *task)
{
	bool may;

	rcu_read_lock();
	may = gapp_may_follow(&session->settings, task);
	rcu_read_unlock();
	if (!may)
		gapp_threads_not_followed(&session->threads, GAPP_NOT_FOLLOWED_DENIED, 1);
	return may;
}

/* The check of may_stay() for a thread whose state an event has set in the meantime. */
static bool must_leave(const struct walk *walk, struct gapp_thread *thread)
{
	return walk->session->settings.restricted && thread->core.joined >= walk->since &&
	       !(READ_ONCE(thread->flags) & GAPP_THREAD_EXPELLED) &&
	       !may_stay(walk->session, thread->task);
}

/*
 * A thread that is queued in a sleeping state was preempted on its way to sleep, or the scheduler
 * is just taking it off the queue. The scheduler is done after a grace period.
 */
static bool is_unsure(const struct task_struct *task, enum gapp_event seed)
{
	return seed == GAPP_EV_SEED_RUNNABLE && gapp_task_state_word(task) != TASK_RUNNING;
}

/* Sets unknown states. Returns how many threads are unsure; 0 with @sure, after a grace period. */
static u32 seed(const struct walk *walk, bool sure)
{
	struct gapp_session *session = walk->session;
	struct gapp_thread *thread;
	enum gapp_event event;
	u32 slot, unsure = 0;

	mutex_lock(&session->threads.slots_mutex);
	for (slot = 0; slot < gapp_slot_count(&session->threads); slot++) {
		cond_resched();
		thread = gapp_slot(&session->threads, slot);
		if (gapp_thread_use(thread) != GAPP_USE_LIVE)
			continue;
		if (READ_ONCE(thread->core.state) != GAPP_THREAD_UNKNOWN) {
			if (must_leave(walk, thread))
				gapp_thread_expel(thread);
			continue;
		}
		event = gapp_observe(thread->task);
		if (!sure && is_unsure(thread->task, event)) {
			unsure++;
			continue;
		}
		if (event != GAPP_EV_OUT_DEAD && !may_stay(session, thread->task))
			event = GAPP_EV_OUT_DEAD;
		rcu_read_lock();
		gapp_thread_event(session, thread, event);
		rcu_read_unlock();
	}
	mutex_unlock(&session->threads.slots_mutex);
	return unsure;
}

static void synchronize(void)
{
	tracepoint_synchronize_unregister();
	synchronize_rcu();
}

/**
 * gapp_attach() - follow processes with all their threads
 * @session: the session; its probes are registered
 * @requests: the processes
 * @count: length of @requests
 *
 * Return: 0 or -ENOMEM; 0 too if no process was left.
 */
int gapp_attach(struct gapp_session *session, const struct gapp_request *requests, u32 count)
{
	struct walk walk = { .session = session, .requests = requests, .count = count };
	u32 round;
	int ret;

	walk.since = gapp_session_time(&session->threads);
	for (round = 0; round < ATTACH_ROUNDS; round++) {
		publish(&walk);
		/* later a process may have joined, and then executed a set-id program */
		if (!round)
			gapp_threads_not_followed(&session->threads, GAPP_NOT_FOLLOWED_DENIED,
						  walk.denied);
		gapp_fault_pause("slow_attach");
		if (walk.joined) {
			synchronize();
			gapp_fault_pause("slow_attach");
			if (seed(&walk, false)) {
				synchronize();
				seed(&walk, true);
			}
		} else if (!walk.no_entry) {
			break;
		}
		if (walk.no_entry) {
			ret = gapp_threads_stock(&session->threads,
						 walk.no_entry + GAPP_STOCK_THREADS);
			if (ret == -ENOMEM)
				return ret;
			if (READ_ONCE(session->threads.in_table) >= session->settings.max_threads)
				break;
		}
		cond_resched();
	}
	gapp_threads_not_joined(&session->threads, walk.why_no_entry, walk.no_entry);
	gapp_targets_add_cpus(&session->threads, min(walk.cpus, num_online_cpus()));
	return 0;
}
