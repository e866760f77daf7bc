// SPDX-License-Identifier: GPL-2.0
/*
 * The check at STOP that does not depend on the events: looks at every task of the machine. The
 * module must follow each task of the session, and have it as active exactly if it is. The check
 * may meet a thread in the middle of an event. So a difference is a doubt at first; it counts if it
 * is still there, without an event in between, after a grace period.
 */
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "look.h"
#include "table.h"

/* A thread that has events in every round stays in doubt, and does not count in the end. */
#define RECOUNT_ROUNDS 8
/* Unfollowed tasks to check twice: a task that should be followed both times is a difference. */
#define RECOUNT_STRANGERS 64

/*
 * struct recount - a recount under way
 * @doubt: by slot: session time of the thread's last event when a difference was found, plus 1
 * @slots: length of @doubt
 * @doubts: threads that are in doubt
 * @stranger: tasks that should be followed and are not, references
 * @look: the look at all tasks
 */
struct recount {
	struct gapp_thread_table *threads;
	struct gapp_status *status;
	u64 *doubt;
	u32 slots;
	u32 doubts;
	u32 strangers;
	struct task_struct *stranger[RECOUNT_STRANGERS];
	struct gapp_look look;
};

static bool is_active(enum gapp_event observed)
{
	return observed == GAPP_EV_SEED_RUNNING || observed == GAPP_EV_SEED_RUNNABLE;
}

/* Adds a thread to the sums unless it is in doubt. */
static void count_thread(struct recount *recount, struct gapp_thread *thread, u64 *doubt,
			 bool first)
{
	enum gapp_event is;
	bool tracked, active, either, differs, posted;
	unsigned long flags;
	u64 last;

	gapp_lock_irqsave(thread, flags);
	is = gapp_observe(thread->task);
	/* for the kernel a thread that spins is active */
	tracked = gapp_task_is_active(&thread->core) || gapp_state_spins(thread->core.state);
	last = thread->core.t + 1;
	posted = gapp_acc_has_posts(&thread->target->acc);
	/* it was switched out as asleep, or as preempted on its way there */
	either = is == GAPP_EV_SEED_BLOCKED && gapp_task_lends_turn(thread->task);
	gapp_unlock_irqrestore(thread, flags);

	active = either ? tracked : is_active(is);
	differs = active != tracked;
	if (differs && (first || *doubt != last || posted)) {
		*doubt = last;
		recount->doubts++;
		return;
	}
	*doubt = 0;
	recount->status->recount_n += active;
	recount->status->recount_tracked_n += tracked;
	recount->status->recount_differ += differs;
}

static void count_threads(struct recount *recount, bool first)
{
	struct gapp_thread_table *threads = recount->threads;
	struct gapp_thread *thread;
	u64 *doubt = recount->doubt;
	u32 slot;

	recount->doubts = 0;
	mutex_lock(&threads->slots_mutex);
	for (slot = 0; slot < recount->slots; slot++, doubt++) {
		cond_resched();
		thread = gapp_slot(threads, slot);
		if (gapp_thread_use(thread) == GAPP_USE_LIVE && (first || *doubt))
			count_thread(recount, thread, doubt, first);
	}
	mutex_unlock(&threads->slots_mutex);
}

/* Whether orphans become children of @parent, which did not fork them. */
static bool adopts(struct task_struct *parent)
{
	/* NULL: @parent has exited, and others get its children */
	struct pid_namespace *ns = task_active_pid_ns(parent);

	return parent->signal->is_child_subreaper || !ns ||
	       ns->child_reaper == parent->group_leader;
}

/* A child that a followed process has forked since session time began. */
static bool is_new_child(struct gapp_thread_table *threads, struct task_struct *process)
{
	struct task_struct *parent = rcu_dereference(process->real_parent);
	struct gapp_thread *thread = gapp_lookup(threads, parent);

	return thread && thread->flags & GAPP_THREAD_INHERIT && !threads->settings->restricted &&
	       process->start_time > threads->start_ns && !adopts(parent);
}

/* False too if the look has lost its place. */
static bool is_followed(struct recount *recount, struct task_struct *process)
{
	struct gapp_thread_table *threads = recount->threads;
	struct task_struct *task;

	if (process->flags & PF_KTHREAD)
		return gapp_lookup(threads, process);
	if (task_tgid(process) == threads->settings->self)
		return false;
	if (threads->settings->all)
		return true;
	for_each_thread(process, task) {
		if (!gapp_look_at(&recount->look, process, task))
			return false;
		if (gapp_lookup(threads, task))
			return true;
	}
	return is_new_child(threads, process);
}

/* A task that is being made is not followed yet, an exited one no longer. */
static bool must_be_followed(const struct task_struct *task)
{
	return !READ_ONCE(task->exit_state) && !(gapp_task_state_word(task) & TASK_NEW);
}

/* Ends early if the look loses its place. */
static void count_process(struct recount *recount, struct task_struct *process)
{
	struct task_struct *task;

	for_each_thread(process, task) {
		if (!gapp_look_at(&recount->look, process, task))
			return;
		if (!must_be_followed(task))
			continue;
		recount->status->recount_threads++;
		if (gapp_lookup(recount->threads, task))
			recount->status->recount_tracked++;
		else if (recount->strangers < RECOUNT_STRANGERS)
			recount->stranger[recount->strangers++] = get_task_struct(task);
	}
}

static void count_processes(struct recount *recount)
{
	struct task_struct *process;

	for_each_process(process) {
		if (!gapp_look_at(&recount->look, process, process))
			return;
		if (is_followed(recount, process))
			count_process(recount, process);
		if (recount->look.lost)
			return;
	}
}

/* A look that has lost its place has counted some tasks: it counts all of them anew. */
static void count_tasks(struct recount *recount)
{
	do {
		while (recount->strangers)
			put_task_struct(recount->stranger[--recount->strangers]);
		recount->status->recount_threads = 0;
		recount->status->recount_tracked = 0;
		gapp_look_begin(&recount->look);
		count_processes(recount);
	} while (!gapp_look_end(&recount->look));
}

static void count_strangers(struct recount *recount)
{
	struct task_struct *task;

	while (recount->strangers) {
		task = recount->stranger[--recount->strangers];
		rcu_read_lock();
		if (must_be_followed(task) && !gapp_lookup(recount->threads, task)) {
			recount->status->recount_n += is_active(gapp_observe(task));
			recount->status->recount_differ++;
		} else {
			recount->status->recount_tracked++;
		}
		rcu_read_unlock();
		put_task_struct(task);
	}
}

/**
 * gapp_recount() - compare the threads that are followed with the tasks of the machine
 * @threads: the table, in a session that runs
 * @status: the recount members are filled in
 *
 * Return: 0 or -ENOMEM.
 */
int gapp_recount(struct gapp_thread_table *threads, struct gapp_status *status)
{
	struct recount *recount = kzalloc(sizeof(*recount), GFP_KERNEL);
	u32 round;

	if (!recount)
		return -ENOMEM;
	recount->threads = threads;
	recount->status = status;
	mutex_lock(&threads->slots_mutex);
	recount->slots = gapp_slot_count(threads);
	mutex_unlock(&threads->slots_mutex);
	recount->doubt = kvcalloc(recount->slots, sizeof(*recount->doubt), GFP_KERNEL);
	if (!recount->doubt) {
		kfree(recount);
		return -ENOMEM;
	}
	count_tasks(recount);
	for (round = 0; !round || (recount->doubts && round < RECOUNT_ROUNDS); round++) {
		if (round) {
			synchronize_rcu();
			gapp_posts_wait(&threads->posts);
		}
		count_threads(recount, !round);
	}
	if (recount->strangers) {
		synchronize_rcu();
		count_strangers(recount);
	}
	kvfree(recount->doubt);
	kfree(recount);
	return 0;
}
