// SPDX-License-Identifier: GPL-2.0
/*
 * Applies events to entries. Called from the scheduler with the run-queue lock
 * held: nothing here allocates, sleeps, wakes or prints.
 */
#include "compat/sched.h"
#include "sampler.h"
#include "sleep.h"
#include "slices.h"
#include "tell.h"

static void note_kernel(struct gapp_entry *entry, struct gapp_accounts *accounts)
{
	accounts->kernel_run = READ_ONCE(entry->task->se.sum_exec_runtime);
	accounts->kernel_runq = gapp_task_run_delay(entry->task);
	accounts->run = entry->core.run_ns;
	accounts->runq = gapp_have_run_delay() ? entry->core.runq_ns : 0;
}

/* The kernel's accounts are exact then. A thread may also leave the target without one. */
static bool is_switch_out(const struct gapp_entry *entry, enum gapp_event event)
{
	return event == GAPP_EV_OUT_RUNNABLE || event == GAPP_EV_OUT_ASLEEP ||
	       (event == GAPP_EV_OUT_DEAD && gapp_task_state_word(entry->task) & TASK_DEAD);
}

static void compare_with_kernel(struct gapp_entry *entry)
{
	struct gapp_accounts before = entry->last;

	if (!(entry->flags & GAPP_ENTRY_BASED)) {
		note_kernel(entry, &entry->base);
		entry->last = entry->base;
		entry->flags |= GAPP_ENTRY_BASED;
		entry->flags &= ~GAPP_ENTRY_KERNEL_ASTRAY;
		return;
	}
	note_kernel(entry, &entry->last);
	entry->flags |= GAPP_ENTRY_KERNEL_SEEN;
	if (entry->flags & GAPP_ENTRY_KERNEL_ASTRAY) {
		/* Leave out the wait that ended since the last comparison, on both sides. */
		entry->base.kernel_runq += entry->last.kernel_runq - before.kernel_runq;
		entry->base.runq += entry->last.runq - before.runq;
		entry->flags &= ~GAPP_ENTRY_KERNEL_ASTRAY;
	}
}

/*
 * An event that leaves n alone happens when the one before it did, of which it is a part. But not
 * in a session that was stopped meanwhile, whose end this thread may have been settled with.
 */
static bool still_fits(const struct gapp_entry *entry, const struct gapp_moment *moment)
{
	return moment->cohort == entry->cohort &&
	       READ_ONCE(entry->cohort->acc.cm.phase) == moment->at.phase;
}

/*
 * What the thread waits for after the event. One that is found asleep cannot be woken meanwhile,
 * for its wake-up event would need the lock of the entry.
 */
static u8 waits_as(struct gapp_track *track, struct gapp_entry *entry, enum gapp_event event,
		   struct gapp_sleep *sleep, bool *asleep)
{
	if (gapp_task_after(&entry->core, event) != GAPP_THREAD_BLOCKED ||
	    track->level == GAPP_LEVEL_STATS)
		return GAPP_WAIT_NONE;
	if (event != GAPP_EV_OUT_ASLEEP && event != GAPP_EV_SEED_BLOCKED)
		return entry->waits_as;
	if (event == GAPP_EV_SEED_BLOCKED && entry->core.state != GAPP_THREAD_UNKNOWN)
		return entry->waits_as;
	*asleep = true;
	gapp_sleep_read(entry->task, sleep);
	return gapp_wait_class(sleep);
}

static void happen(struct gapp_track *track, struct gapp_entry *entry, enum gapp_event event,
		   struct gapp_moment *moment, struct gapp_tale *tale)
{
	struct gapp_sleep sleep = { .syscall = -1 };
	bool asleep = false;
	u8 waits = waits_as(track, entry, event, &sleep, &asleep), waited = entry->waits_as;
	int dn = gapp_task_dn(&entry->core, event);
	struct gapp_at at;

	if (dn || waits != entry->waits_as) {
		gapp_acc_change(&entry->cohort->acc, dn, entry->waits_as, waits, &at);
		entry->waits_as = waits;
	} else if (still_fits(entry, moment)) {
		at = moment->at;
	} else {
		gapp_acc_read(&entry->cohort->acc, &at);
	}
	moment->at = at;
	moment->cohort = entry->cohort;

	if (at.phase == GAPP_PHASE_RUNNING && !(entry->flags & GAPP_ENTRY_BASED) &&
	    event == GAPP_EV_IN) {
		note_kernel(entry, &entry->base);
		entry->last = entry->base;
		entry->flags |= GAPP_ENTRY_BASED;
	}
	gapp_task_event(&entry->core, event, &at);
	if (at.phase == GAPP_PHASE_RUNNING && is_switch_out(entry, event))
		compare_with_kernel(entry);
	gapp_slices_event(track, entry, event, asleep ? &sleep : NULL, &at, tale);
	if (dn > 0)
		gapp_slices_active(track, entry, waited != GAPP_WAIT_NONE, &at, tale);
	gapp_slices_describe(entry, &at, tale);
}

/**
 * gapp_track_event() - an event of a thread
 * @track: the target
 * @entry: the thread
 * @event: the event; a thread that is gone by it is retired
 * @moment: when it happened; the same for all events of one switch
 *
 * Under rcu_read_lock().
 */
void gapp_track_event(struct gapp_track *track, struct gapp_entry *entry, enum gapp_event event,
		      struct gapp_moment *moment)
{
	struct gapp_tale tale;
	bool gone, was_gone;
	unsigned long flags;

	gapp_tale_init(&tale);
	local_irq_save(flags);
	raw_spin_lock(&entry->lock);
	was_gone = entry->core.state == GAPP_THREAD_GONE;
	if (entry->flags & GAPP_ENTRY_EXPELLED &&
	    (event == GAPP_EV_OUT_RUNNABLE || event == GAPP_EV_OUT_ASLEEP))
		event = GAPP_EV_OUT_DEAD;
	happen(track, entry, event, moment, &tale);
	gone = entry->core.state == GAPP_THREAD_GONE && !was_gone;
	raw_spin_unlock(&entry->lock);

	if (tale.what)
		gapp_tell(track, entry, &tale);
	if (tale.what & GAPP_TALE_ARM)
		gapp_sampler_arm(gapp_this_cpu(track));
	if (tale.what & GAPP_TALE_WANTED)
		irq_work_queue(&gapp_this_cpu(track)->path_work);
	if (gone)
		gapp_threads_retire(track, entry);
	local_irq_restore(flags);
}

/* It is moved to another CPU; a thread that is being woken is queued there only afterwards. */
void gapp_track_moved(struct gapp_entry *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	if (entry->core.state == GAPP_THREAD_BLOCKED &&
	    !(gapp_task_state_word(entry->task) & TASK_WAKING))
		entry->flags |= GAPP_ENTRY_KERNEL_ASTRAY;
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

void gapp_track_renamed(struct gapp_entry *entry, const char *comm)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	strscpy_pad(entry->comm, comm, sizeof(entry->comm));
	if (entry->cohort->tgid && entry->tid == entry->tgid)
		strscpy_pad(entry->cohort->comm, comm, sizeof(entry->cohort->comm));
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

/* It has called exec: its memory is another one. If it was not the leader, its id is too. */
void gapp_track_executed(struct gapp_track *track, struct gapp_entry *entry, bool took_leader)
{
	unsigned long flags;
	u32 image;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	image = ++track->image_last;
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
	raw_spin_lock_irqsave(&entry->lock, flags);
	entry->took_leader |= took_leader;
	WRITE_ONCE(entry->image, image);
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

/* Its opener may not follow it any more. */
void gapp_track_expel(struct gapp_entry *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	entry->flags |= GAPP_ENTRY_EXPELLED;
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

void gapp_track_woken_by(struct gapp_entry *entry, const struct gapp_waker *waker)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	entry->waker = *waker;
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

/**
 * gapp_track_begin() - threads that run as session time begins are compared from here on
 * @track: the target
 *
 * Others are from their first switch. One that computes on a CPU of its own may have none.
 */
void gapp_track_begin(struct gapp_track *track)
{
	struct gapp_entry *entry;
	struct gapp_thread now;
	unsigned long flags;
	struct gapp_at at;
	u32 slot;

	mutex_lock(&track->slots_mutex);
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (gapp_entry_use(entry) != GAPP_ENTRY_LIVE)
			continue;
		raw_spin_lock_irqsave(&entry->lock, flags);
		if (entry->core.state == GAPP_THREAD_RUNNING &&
		    !(entry->flags & GAPP_ENTRY_BASED)) {
			note_kernel(entry, &entry->base);
			gapp_acc_read(&entry->cohort->acc, &at);
			gapp_task_figures(&entry->core, &at, &now);
			entry->base.run = now.run_ns;
			entry->last = entry->base;
			entry->flags |= GAPP_ENTRY_BASED | GAPP_ENTRY_KERNEL_LATE;
		}
		raw_spin_unlock_irqrestore(&entry->lock, flags);
	}
	mutex_unlock(&track->slots_mutex);
}

static void settle(struct gapp_track *track, struct gapp_entry *entry)
{
	const struct gapp_at *end = &entry->cohort->end;
	struct gapp_tale tale;
	bool rest;

	gapp_tale_init(&tale);
	raw_spin_lock(&entry->lock);
	gapp_task_event(&entry->core, GAPP_EV_STOP, end);
	entry->cohort->crit_runq += entry->core.crit_runq;
	if (entry->task && entry->core.state == GAPP_THREAD_RUNNING &&
	    entry->flags & GAPP_ENTRY_BASED) {
		compare_with_kernel(entry);
		entry->flags |= GAPP_ENTRY_KERNEL_LATE;
	}
	rest = gapp_slices_rest(track, entry, end, &tale);
	raw_spin_unlock(&entry->lock);
	if (rest)
		gapp_tell(track, entry, &tale);
}

/**
 * gapp_track_settle() - every thread's figures end with session time
 * @track: the target, its accumulators stopped
 *
 * Return: threads whose state counts in n.
 */
u32 gapp_track_settle(struct gapp_track *track)
{
	struct gapp_entry *entry;
	unsigned long flags;
	u32 slot, active = 0;

	mutex_lock(&track->slots_mutex);
	track->settled = true;
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (gapp_entry_use(entry) == GAPP_ENTRY_FREE)
			continue;
		local_irq_save(flags);
		active += gapp_task_is_active(&entry->core);
		settle(track, entry);
		local_irq_restore(flags);
	}
	mutex_unlock(&track->slots_mutex);
	return active;
}
