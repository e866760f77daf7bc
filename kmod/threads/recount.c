// SPDX-License-Identifier: GPL-2.0
/*
 * The check at stop that owes nothing to the events: every task of the machine
 * is looked at, and must be followed, and be as active as its entry says.
 *
 * A thread may be met in the middle of an event. So a difference is a doubt
 * first; it counts if it is still there, and no event came for the thread,
 * when all that was under way is over. Doubts are kept beside the entries, for so long only.
 */
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "control/attach.h"
#include "observe.h"

/* A thread that keeps having events keeps being in doubt, and is let off in the end. */
#define RECOUNT_ROUNDS 8
/* Tasks without an entry that are looked at twice; one that counts is enough to fail. */
#define RECOUNT_STRANGERS 64

/**
 * struct recount - what is under way
 * @track: the target
 * @status: where the result goes
 * @doubt: by slot: session time of the last event when a difference was found, plus 1
 * @slots: length of @doubt
 * @doubts: threads that are in doubt
 * @strangers: tasks without an entry
 * @stranger: those, references
 */
struct recount {
	struct gapp_track *track;
	struct gapp_status *status;
	u64 *doubt;
	u32 slots;
	u32 doubts;
	u32 strangers;
	struct task_struct *stranger[RECOUNT_STRANGERS];
};

static bool is_active(enum gapp_event observed)
{
	return observed == GAPP_EV_SEED_RUNNING || observed == GAPP_EV_SEED_RUNNABLE;
}

/* Adds a thread to the sums once it is clear. */
static void count_entry(struct recount *recount, struct gapp_thread *entry, u64 *doubt, bool first)
{
	enum gapp_event is;
	bool tracked, differs;
	unsigned long flags;
	u64 last;

	raw_spin_lock_irqsave(&entry->lock, flags);
	is = gapp_observe(entry->task);
	tracked = gapp_task_is_active(&entry->core);
	last = entry->core.t + 1;
	raw_spin_unlock_irqrestore(&entry->lock, flags);

	differs = is_active(is) != tracked;
	if (differs && (first || *doubt != last)) {
		*doubt = last;
		recount->doubts++;
		return;
	}
	*doubt = 0;
	recount->status->recount_n += is_active(is);
	recount->status->recount_tracked_n += tracked;
	recount->status->recount_differ += differs;
}

static void count_entries(struct recount *recount, bool first)
{
	struct gapp_track *track = recount->track;
	struct gapp_thread *entry;
	u64 *doubt = recount->doubt;
	u32 slot;

	recount->doubts = 0;
	mutex_lock(&track->slots_mutex);
	for (slot = 0; slot < recount->slots; slot++, doubt++) {
		entry = gapp_slot(track, slot);
		if (gapp_thread_use(entry) == GAPP_USE_LIVE && (first || *doubt))
			count_entry(recount, entry, doubt, first);
	}
	mutex_unlock(&track->slots_mutex);
}

/* Orphans become its children without having been forked by it. */
static bool adopts(struct task_struct *parent)
{
	/* none: it has exited, and others get its children */
	struct pid_namespace *ns = task_active_pid_ns(parent);

	return parent->signal->is_child_subreaper || !ns ||
	       ns->child_reaper == parent->group_leader;
}

/* A child that a followed process has forked since session time began. */
static bool is_new_child(struct gapp_track *track, struct task_struct *process)
{
	struct task_struct *parent = rcu_dereference(process->real_parent);
	struct gapp_thread *entry = gapp_lookup(track, parent);

	return entry && entry->flags & GAPP_THREAD_INHERIT && !track->restricted &&
	       process->start_time > track->start_ns && !adopts(parent);
}

static bool is_followed(struct gapp_track *track, struct task_struct *process)
{
	struct task_struct *thread;

	if (process->flags & PF_KTHREAD || task_tgid(process) == track->self)
		return false;
	if (track->all)
		return true;
	for_each_thread(process, thread)
		if (gapp_lookup(track, thread))
			return true;
	return is_new_child(track, process);
}

/* One that is being made has no entry yet, one that has exited none any more. */
static bool must_have_entry(const struct task_struct *thread)
{
	return !READ_ONCE(thread->exit_state) && !(gapp_task_state_word(thread) & TASK_NEW);
}

static void count_process(struct recount *recount, struct task_struct *process)
{
	struct task_struct *thread;

	for_each_thread(process, thread) {
		if (!must_have_entry(thread))
			continue;
		recount->status->recount_threads++;
		if (gapp_lookup(recount->track, thread))
			recount->status->recount_tracked++;
		else if (recount->strangers < RECOUNT_STRANGERS)
			recount->stranger[recount->strangers++] = get_task_struct(thread);
	}
}

static void count_tasks(struct recount *recount)
{
	struct task_struct *process;

	rcu_read_lock();
	for_each_process(process)
		if (is_followed(recount->track, process))
			count_process(recount, process);
	rcu_read_unlock();
}

static void count_strangers(struct recount *recount)
{
	struct task_struct *thread;

	while (recount->strangers) {
		thread = recount->stranger[--recount->strangers];
		rcu_read_lock();
		if (must_have_entry(thread) && !gapp_lookup(recount->track, thread)) {
			recount->status->recount_n += is_active(gapp_observe(thread));
			recount->status->recount_differ++;
		} else {
			recount->status->recount_tracked++;
		}
		rcu_read_unlock();
		put_task_struct(thread);
	}
}

/**
 * gapp_recount() - compare what is followed with the tasks themselves
 * @track: the target, running
 * @status: its recount members are filled in
 *
 * Return: 0 or -ENOMEM.
 */
int gapp_recount(struct gapp_track *track, struct gapp_status *status)
{
	struct recount *recount = kzalloc(sizeof(*recount), GFP_KERNEL);
	u32 round;

	if (!recount)
		return -ENOMEM;
	recount->track = track;
	recount->status = status;
	mutex_lock(&track->slots_mutex);
	recount->slots = gapp_slot_count(track);
	mutex_unlock(&track->slots_mutex);
	recount->doubt = kvcalloc(recount->slots, sizeof(*recount->doubt), GFP_KERNEL);
	if (!recount->doubt) {
		kfree(recount);
		return -ENOMEM;
	}
	count_tasks(recount);
	for (round = 0; !round || (recount->doubts && round < RECOUNT_ROUNDS); round++) {
		if (round)
			synchronize_rcu();
		count_entries(recount, !round);
	}
	if (recount->strangers) {
		synchronize_rcu();
		count_strangers(recount);
	}
	kvfree(recount->doubt);
	kfree(recount);
	return 0;
}
