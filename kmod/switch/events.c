// SPDX-License-Identifier: GPL-2.0
/*
 * Applies events to entries. Called from the scheduler with the run-queue lock
 * held: nothing here allocates, sleeps, wakes or prints.
 */
#include "threads/accounts.h"
#include "compat/sched.h"
#include "cpu.h"
#include "sampler.h"
#include "slices.h"
#include "export.h"

/*
 * An event that leaves n alone happens when the one before it did, of which it is a part. But not
 * in a session that was stopped meanwhile, whose end this thread may have been settled with.
 */
static bool still_fits(const struct gapp_target *cohort, const struct gapp_moment *moment)
{
	return moment->cohort == cohort && READ_ONCE(cohort->acc.cm.phase) == moment->at.phase;
}

/*
 * What the thread waits for after the event. One that is found asleep cannot be woken meanwhile,
 * for its wake-up event would need the lock of the entry.
 */
static u8 waits_as(const struct gapp_track *track, struct gapp_thread *entry, enum gapp_event event,
		   u32 step, struct gapp_export *tale)
{
	if (gapp_step_to(step) != GAPP_THREAD_BLOCKED || track->level == GAPP_LEVEL_STATS)
		return GAPP_WAIT_NONE;
	if (event != GAPP_EV_OUT_ASLEEP && event != GAPP_EV_SEED_BLOCKED)
		return entry->waits_as;
	if (event == GAPP_EV_SEED_BLOCKED && entry->core.state != GAPP_THREAD_UNKNOWN)
		return entry->waits_as;
	return gapp_slices_sleep(entry, tale);
}

/* A thread may also leave the target without a switch, when the kernel's account is a tick old. */
static void account(struct gapp_thread *entry, enum gapp_event event, const struct gapp_at *at)
{
	if (!gapp_is_switch_out(event))
		return;
	entry->kernel_runq = gapp_task_run_delay(entry->task);
	if (!(entry->flags & GAPP_THREAD_BASED))
		gapp_accounts_begin(entry, entry->core.run_ns, false);
	else
		gapp_accounts_come_back(entry);
	if (event != GAPP_EV_OUT_DEAD)
		return;
	if (!(gapp_task_state_word(entry->task) & TASK_DEAD))
		entry->flags |= GAPP_THREAD_KERNEL_LATE;
	gapp_accounts_end(entry, at);
}

/* Session time is over, and the thread goes on with what nobody counts. */
static void ends(struct gapp_thread *entry, const struct gapp_at *at)
{
	gapp_accounts_end(entry, at);
	/* its registers change from here on, and its stack may go before its entry does */
	if (entry->core.state == GAPP_THREAD_BLOCKED)
		entry->flags |= GAPP_THREAD_ENDED;
}

/* Any event, n as it is to be. */
static void apply(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		  enum gapp_event event, u32 step, int dn, u8 waited)
{
	const struct gapp_at *at = &cpu->moment.at;
	const u32 was = entry->core.state;
	const bool open = gapp_is_switch_out(event) && gapp_slices_open(cpu, entry);

	if (at->phase == GAPP_PHASE_STOPPED)
		ends(entry, at);
	else if (event == GAPP_EV_IN && was != GAPP_THREAD_GONE &&
		 !(entry->flags & GAPP_THREAD_BASED) && at->phase == GAPP_PHASE_RUNNING)
		gapp_accounts_begin(entry, entry->core.run_ns, true);
	gapp_task_take(&entry->core, step, at);
	if (was != GAPP_THREAD_RUNNING && entry->core.state == GAPP_THREAD_RUNNING)
		entry->s_found = at->s;
	/* what is gone by now may be in the list of retired entries */
	if (at->phase == GAPP_PHASE_RUNNING && was != GAPP_THREAD_GONE)
		account(entry, event, at);
	gapp_slices_event(track, cpu, entry, event, open, at, &cpu->tale);
	if (dn > 0)
		gapp_slices_active(track, entry, waited != GAPP_WAIT_NONE, at, &cpu->tale);
}

static void happen(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		   enum gapp_event event)
{
	u32 step = gapp_task_step(&entry->core, event);
	u8 waits = waits_as(track, entry, event, step, &cpu->tale), waited = entry->waits_as;
	int dn = gapp_step_dn(&entry->core, step);
	struct gapp_moment *moment = &cpu->moment;
	struct gapp_target *cohort = entry->cohort;

	if (dn || waits != waited) {
		gapp_acc_change(&cohort->acc, dn, waited, waits, &cpu->times, &moment->at);
		entry->waits_as = waits;
	} else if (!still_fits(cohort, moment)) {
		gapp_acc_read(&cohort->acc, &moment->at);
	}
	moment->cohort = cohort;
	apply(track, cpu, entry, event, step, dn, waited);
}

/* What the event has brought about beside the figures. */
static noinline void follow_up(struct gapp_track *track, struct gapp_cpu *cpu,
			       struct gapp_thread *entry)
{
	u32 what = cpu->tale.what;

	if (what & GAPP_EXPORT_RECORDS)
		gapp_export_write(track, cpu, entry, &cpu->tale);
	if (what & GAPP_EXPORT_ARM)
		gapp_sampler_arm(cpu);
	if (what & GAPP_EXPORT_WANTED)
		irq_work_queue(&cpu->path_work);
	if (what & GAPP_EXPORT_GONE)
		gapp_threads_retire(track, entry);
}

/*
 * It may not be followed any more, but has come to run since that was asked: only its own CPU has
 * its slice.
 */
static bool leaves_later(struct gapp_thread *entry, enum gapp_event event)
{
	if (event != GAPP_EV_OUT_DEAD || entry->core.state != GAPP_THREAD_RUNNING ||
	    entry->task == current)
		return false;
	entry->flags |= GAPP_THREAD_EXPELLED;
	return true;
}

/* Any event, as a part of what happens at cpu->moment. Interrupts off, under RCU. */
static noinline void any_event(struct gapp_track *track, struct gapp_cpu *cpu,
			       struct gapp_thread *entry, enum gapp_event event)
{
	struct gapp_export *tale = &cpu->tale;
	bool was_gone;

	gapp_export_init(tale);
	gapp_lock(&entry->lock);
	was_gone = entry->core.state == GAPP_THREAD_GONE;
	if (likely(!leaves_later(entry, event)))
		happen(track, cpu, entry, event);
	if (!was_gone && entry->core.state == GAPP_THREAD_GONE)
		tale->what |= GAPP_EXPORT_GONE;
	if (tale->what & GAPP_EXPORT_RECORDS)
		gapp_slices_describe(entry, &cpu->moment.at, tale, false);
	gapp_unlock(&entry->lock);
	if (tale->what)
		follow_up(track, cpu, entry);
}

/*
 * The events of a context switch as they nearly always are, one function each: the thread is in the
 * state that comes before the event, the session runs, and nothing is to be done that is not done
 * every time. They do what any_event() does, without asking for the rest.
 */

static bool is_usual(const struct gapp_thread *entry, enum gapp_thread_state state)
{
	const u8 mask = GAPP_THREAD_USUAL | GAPP_THREAD_UNUSUAL;

	return entry->core.state == state && (entry->flags & mask) == GAPP_THREAD_USUAL;
}

static bool is_usual_slice(const struct gapp_cpu *cpu, const struct gapp_thread *entry)
{
	return is_usual(entry, GAPP_THREAD_RUNNING) && cpu->open_of == entry;
}

/* Session time has not begun, or is over. */
static noinline void out_of_time(struct gapp_track *track, struct gapp_cpu *cpu,
				 struct gapp_thread *entry, enum gapp_event event)
{
	apply(track, cpu, entry, event, gapp_task_step(&entry->core, event), 0, GAPP_WAIT_NONE);
}

/* Notes when it is, for the other events of the same switch and for whoever tells of it. */
static __always_inline void note_moment(struct gapp_cpu *cpu, struct gapp_target *cohort,
					const struct gapp_at *at)
{
	cpu->moment.cohort = cohort;
	cpu->moment.at = *at;
}

static __always_inline void conclude(struct gapp_track *track, struct gapp_cpu *cpu,
				     struct gapp_thread *entry, bool slept)
{
	if (likely(!cpu->tale.what)) {
		gapp_unlock(&entry->lock);
		return;
	}
	if (cpu->tale.what & GAPP_EXPORT_RECORDS)
		gapp_slices_describe(entry, &cpu->moment.at, &cpu->tale, slept);
	gapp_unlock(&entry->lock);
	if (slept && cpu->tale.what == (GAPP_EXPORT_SLICE | GAPP_EXPORT_PATH))
		tell_usual(cpu, entry, &cpu->tale);
	else
		follow_up(track, cpu, entry);
}

static noinline __noclone __flatten void
went_to_sleep(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry)
{
	struct gapp_target *const cohort = entry->cohort;
	u8 waits = GAPP_WAIT_NONE;
	struct gapp_at at;

	gapp_lock(&entry->lock);
	if (unlikely(!is_usual_slice(cpu, entry))) {
		gapp_unlock(&entry->lock);
		any_event(track, cpu, entry, GAPP_EV_OUT_ASLEEP);
		return;
	}
	gapp_export_init(&cpu->tale);
	if (track->level != GAPP_LEVEL_STATS) {
		waits = gapp_slices_sleep(entry, &cpu->tale);
		entry->waits_as = waits;
	}
	gapp_acc_change(&cohort->acc, -1, GAPP_WAIT_NONE, waits, &cpu->times, &at);
	note_moment(cpu, cohort, &at);
	if (likely(at.phase == GAPP_PHASE_RUNNING)) {
		gapp_task_ran(&entry->core, GAPP_THREAD_BLOCKED, &at);
		entry->kernel_runq = gapp_task_run_delay(entry->task);
		gapp_slices_out(track, cpu, entry, GAPP_THEN_WAIT, &at, &cpu->tale);
	} else {
		out_of_time(track, cpu, entry, GAPP_EV_OUT_ASLEEP);
	}
	conclude(track, cpu, entry, true);
}

static noinline __noclone __flatten void
was_preempted(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry)
{
	struct gapp_target *const cohort = entry->cohort;
	struct gapp_at at;

	gapp_lock(&entry->lock);
	if (unlikely(!is_usual_slice(cpu, entry))) {
		gapp_unlock(&entry->lock);
		any_event(track, cpu, entry, GAPP_EV_OUT_RUNNABLE);
		return;
	}
	gapp_export_init(&cpu->tale);
	gapp_acc_read(&cohort->acc, &at);
	note_moment(cpu, cohort, &at);
	if (likely(at.phase == GAPP_PHASE_RUNNING)) {
		gapp_task_ran(&entry->core, GAPP_THREAD_RUNNABLE, &at);
		entry->kernel_runq = gapp_task_run_delay(entry->task);
		gapp_slices_out(track, cpu, entry, GAPP_THEN_PREEMPTED, &at, &cpu->tale);
	} else {
		out_of_time(track, cpu, entry, GAPP_EV_OUT_RUNNABLE);
	}
	conclude(track, cpu, entry, false);
}

static noinline __noclone __flatten void
was_switched_in(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry)
{
	struct gapp_target *const cohort = entry->cohort;
	struct gapp_at at;
	bool wanted;

	gapp_lock(&entry->lock);
	if (unlikely(!is_usual(entry, GAPP_THREAD_RUNNABLE)))
		goto unusual;
	if (still_fits(cohort, &cpu->moment)) {
		at = cpu->moment.at;
	} else {
		gapp_acc_read(&cohort->acc, &at);
		note_moment(cpu, cohort, &at);
	}
	if (unlikely(at.phase != GAPP_PHASE_RUNNING))
		goto unusual;
	gapp_task_runs(&entry->core, &at);
	gapp_slice_begin(&cpu->open, &at);
	cpu->open_of = entry;
	wanted = entry->block.paths == GAPP_PATHS_WANTED;
	gapp_unlock(&entry->lock);
	if (track->period_ns && !cpu->armed)
		gapp_sampler_arm(cpu);
	if (unlikely(wanted))
		irq_work_queue(&cpu->path_work);
	return;
unusual:
	gapp_unlock(&entry->lock);
	any_event(track, cpu, entry, GAPP_EV_IN);
}

static noinline __noclone __flatten void was_woken(struct gapp_track *track, struct gapp_cpu *cpu,
						   struct gapp_thread *entry)
{
	struct gapp_target *const cohort = entry->cohort;
	struct gapp_at at;
	u8 waited;

	gapp_lock(&entry->lock);
	if (unlikely(!is_usual(entry, GAPP_THREAD_BLOCKED))) {
		gapp_unlock(&entry->lock);
		any_event(track, cpu, entry, GAPP_EV_WAKE);
		return;
	}
	gapp_export_init(&cpu->tale);
	waited = entry->waits_as;
	entry->waits_as = GAPP_WAIT_NONE;
	gapp_acc_change(&cohort->acc, 1, waited, GAPP_WAIT_NONE, &cpu->times, &at);
	if (likely(at.phase == GAPP_PHASE_RUNNING)) {
		gapp_task_wakes(&entry->core, &at);
		gapp_slices_active(track, entry, waited != GAPP_WAIT_NONE, &at, &cpu->tale);
		if (unlikely(cpu->tale.what))
			note_moment(cpu, cohort, &at);
	} else {
		note_moment(cpu, cohort, &at);
		out_of_time(track, cpu, entry, GAPP_EV_WAKE);
	}
	conclude(track, cpu, entry, false);
}

/**
 * gapp_thread_event() - an event of a thread
 * @track: the target
 * @entry: the thread
 * @event: the event; a thread that is gone by it is retired
 *
 * Under rcu_read_lock().
 */
void gapp_thread_event(struct gapp_track *track, struct gapp_thread *entry, enum gapp_event event)
{
	struct gapp_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = gapp_this_cpu(track);
	cpu->moment.cohort = NULL;
	any_event(track, cpu, entry, event);
	local_irq_restore(flags);
}

/* It is moved to another CPU; a thread that is being woken is queued there only afterwards. */
void gapp_thread_moved(struct gapp_thread *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	if (entry->core.state == GAPP_THREAD_BLOCKED &&
	    !(gapp_task_state_word(entry->task) & TASK_WAKING))
		gapp_accounts_go_astray(entry);
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

void gapp_thread_renamed(struct gapp_thread *entry, const char *comm)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	if (entry->cohort->tgid && entry->tid == entry->tgid)
		strscpy_pad(entry->cohort->comm, comm, sizeof(entry->cohort->comm));
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

/* It has called exec: its memory is another one. If it was not the leader, its id is too. */
void gapp_thread_executed(struct gapp_track *track, struct gapp_thread *entry, bool took_leader)
{
	unsigned long flags;
	u32 image;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	image = ++track->image_last;
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
	raw_spin_lock_irqsave(&entry->lock, flags);
	if (took_leader)
		entry->flags |= GAPP_THREAD_TOOK_LEADER;
	WRITE_ONCE(entry->image, image);
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

/* Its opener may not follow it any more. */
void gapp_thread_expel(struct gapp_thread *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	entry->flags |= GAPP_THREAD_EXPELLED;
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

void gapp_thread_woken_by(struct gapp_thread *entry, const struct gapp_waker *waker)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&entry->lock, flags);
	entry->waker = *waker;
	raw_spin_unlock_irqrestore(&entry->lock, flags);
}

/**
 * gapp_threads_begin() - threads that run as session time begins are compared from here on
 * @track: the target
 *
 * Others are from their first switch. One that computes on a CPU of its own may have none.
 */
void gapp_threads_begin(struct gapp_track *track)
{
	struct gapp_thread *entry;
	struct gapp_thread_figures now;
	unsigned long flags;
	struct gapp_at at;
	u32 slot;

	mutex_lock(&track->slots_mutex);
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (gapp_thread_use(entry) != GAPP_USE_LIVE)
			continue;
		raw_spin_lock_irqsave(&entry->lock, flags);
		if (entry->core.state == GAPP_THREAD_RUNNING &&
		    !(entry->flags & GAPP_THREAD_BASED)) {
			gapp_acc_read(&entry->cohort->acc, &at);
			gapp_task_figures(&entry->core, &at, &now);
			gapp_accounts_begin(entry, now.run_ns, false);
			entry->flags |= GAPP_THREAD_KERNEL_LATE;
		}
		raw_spin_unlock_irqrestore(&entry->lock, flags);
	}
	mutex_unlock(&track->slots_mutex);
}

/* Interrupts are off. */
static void settle(struct gapp_track *track, struct gapp_thread *entry)
{
	const struct gapp_at *end = &entry->cohort->end;
	struct gapp_cpu *cpu = gapp_this_cpu(track);
	bool rest;

	gapp_export_init(&cpu->tale);
	gapp_lock(&entry->lock);
	if (entry->use != GAPP_USE_EXITED)
		gapp_accounts_end(entry, end);
	gapp_task_event(&entry->core, GAPP_EV_STOP, end);
	entry->cohort->critical_runq += entry->core.critical_runq;
	rest = gapp_slices_rest(track, entry, end, &cpu->tale);
	gapp_unlock(&entry->lock);
	if (rest)
		gapp_export_write(track, cpu, entry, &cpu->tale);
}

/**
 * gapp_threads_settle() - every thread's figures end with session time
 * @track: the target, its accumulators stopped
 *
 * Return: threads whose state counts in n.
 */
u32 gapp_threads_settle(struct gapp_track *track)
{
	struct gapp_thread *entry;
	unsigned long flags;
	u32 slot, active = 0;

	mutex_lock(&track->slots_mutex);
	track->settled = true;
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (gapp_thread_use(entry) == GAPP_USE_FREE)
			continue;
		local_irq_save(flags);
		active += gapp_task_is_active(&entry->core);
		settle(track, entry);
		local_irq_restore(flags);
	}
	mutex_unlock(&track->slots_mutex);
	return active;
}
