// SPDX-License-Identifier: GPL-2.0
#include "switch.h"
/*
 * Applies events to threads. The scheduler calls with the run-queue lock held: nothing here
 * allocates, sleeps, wakes or prints.
 */

/*
 * Whether an event that does not change n may reuse the moment of the event before it in the same
 * switch: only in one target, and only if STOP has not come in between, for STOP may have settled
 * the thread at a later time; and not before the thread's posts.
 */
static bool still_fits(const struct gapp_target *target, const struct gapp_moment *moment)
{
	return moment->target == target && READ_ONCE(target->acc.cm.phase) == moment->at.phase &&
	       !gapp_acc_has_posts(&target->acc);
}

/* The thread's wait reason after the event. */
static u8 wait_reason(const struct gapp_session *session, struct gapp_thread *thread,
		      enum gapp_event event, u32 step)
{
	const u32 to = gapp_step_to(step);

	if (unlikely(gapp_state_spins(to)))
		return GAPP_WAIT_SPIN;
	if (to != GAPP_THREAD_BLOCKED || session->settings.level == GAPP_LEVEL_STATS)
		return GAPP_WAIT_NONE;
	if (event != GAPP_EV_OUT_ASLEEP && event != GAPP_EV_SEED_BLOCKED)
		return thread->wait_reason;
	if (event == GAPP_EV_SEED_BLOCKED && thread->core.state != GAPP_THREAD_UNKNOWN)
		return thread->wait_reason;
	return event == GAPP_EV_SEED_BLOCKED ? gapp_slices_found_asleep(session, thread) :
					       gapp_slices_begin_wait(session, thread);
}

/*
 * At a switch-out: brings the comparison with the kernel's account up to date. A thread may also
 * leave the session without a switch; then the kernel's account may be a tick old.
 */
static void account(struct gapp_thread *thread, enum gapp_event event, const struct gapp_at *at)
{
	if (!gapp_is_switch_out(event))
		return;
	gapp_thread_note_kernel_runq(thread);
	if (!(thread->flags & GAPP_THREAD_BASED))
		gapp_accounts_begin(thread, gapp_task_run_ns(&thread->core), false);
	else
		gapp_accounts_come_back(thread);
	if (event != GAPP_EV_OUT_DEAD)
		return;
	if (!(gapp_task_state_word(thread->task) & TASK_DEAD))
		gapp_thread_add_flags(thread, GAPP_THREAD_KERNEL_LATE);
	gapp_accounts_end(thread, at);
}

/* Session time is over: what the thread does from now on does not count. */
static void ends(struct gapp_thread *thread, const struct gapp_at *at)
{
	gapp_accounts_end(thread, at);
	/* @at is the end of session time; the switch has begun later, maybe with another session */
	gapp_budget_used(gapp_clock());
	/* its registers change, and its stack may be freed before struct gapp_thread is */
	if (thread->core.state == GAPP_THREAD_BLOCKED)
		gapp_thread_add_flags(thread, GAPP_THREAD_ENDED);
}

/* Applies an event at cpu->moment, which has the event's change of n. The thread is locked. */
static void apply(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		  enum gapp_event event, u32 step, int dn, u8 waited)
{
	const struct gapp_at *at = &cpu->moment.at;
	const u32 was = thread->core.state;
	const bool ends_slice = gapp_is_switch_out(event) || event == GAPP_EV_SPIN;
	const bool open = ends_slice && gapp_slices_open(cpu, thread);

	if (at->phase == GAPP_PHASE_STOPPED)
		ends(thread, at);
	else if (event == GAPP_EV_IN && was != GAPP_THREAD_GONE &&
		 !(thread->flags & GAPP_THREAD_BASED) && at->phase == GAPP_PHASE_RUNNING)
		gapp_accounts_begin(thread, gapp_task_run_ns(&thread->core), true);
	if (unlikely(session->settings.waits))
		gapp_waits_take(gapp_thread_waits(thread), &thread->core, step, thread->wait_reason,
				event == GAPP_EV_OUT_RUNNABLE ?
					gapp_preempter(session, cpu, thread) :
					GAPP_NOT_PREEMPTED,
				at);
	if (unlikely(was == GAPP_THREAD_SPINNING))
		gapp_accounts_spun(thread, at);
	if (unlikely(thread->flags & GAPP_THREAD_YIELDS && was == GAPP_THREAD_BLOCKED))
		gapp_sampler_looked(cpu, thread);
	gapp_task_take(&thread->core, step, at);
	if (was != GAPP_THREAD_RUNNING && thread->core.state == GAPP_THREAD_RUNNING)
		gapp_thread_note_s_found(thread, at->s);
	/* a thread that was gone before may be RETIRED, see gapp_thread_kernel_runq() */
	if (at->phase == GAPP_PHASE_RUNNING && was != GAPP_THREAD_GONE)
		account(thread, event, at);
	/* a thread that was seen to spin may have events by now that were posted before */
	if (event != GAPP_EV_WORK || was == GAPP_THREAD_SPINNING)
		gapp_slices_event(session, cpu, thread, event, open, at, &cpu->export);
	if (dn > 0 && at->phase == GAPP_PHASE_RUNNING &&
	    session->settings.level != GAPP_LEVEL_STATS)
		cpu->export.what |= gapp_slices_active(session, thread, waited != GAPP_WAIT_NONE,
						       at, &cpu->export);
}

/* The thread spins no more: nobody has woken it. */
static void forget_waker(struct gapp_session *session, struct gapp_cpu *cpu,
			 struct gapp_thread *thread)
{
	thread->waker = (struct gapp_waker){ .cpu = cpu->number };
	if (session->settings.waker_paths)
		gapp_thread_woken_from(thread)->image = 0;
}

/* False: nothing was changed, and the event must be posted. */
static bool happen(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		   enum gapp_event event)
{
	u32 step = gapp_task_step(&thread->core, event);
	u8 waits = wait_reason(session, thread, event, step), waited = thread->wait_reason;
	int dn = gapp_step_dn(&thread->core, step);
	struct gapp_moment *moment = &cpu->moment;
	struct gapp_target *target = thread->target;

	if (unlikely(event == GAPP_EV_WORK && thread->core.state == GAPP_THREAD_SPINNING))
		forget_waker(session, cpu, thread);

	if (dn || waits != waited) {
		if (!gapp_acc_change(&target->acc, dn, waited, waits, &cpu->times, &moment->at))
			return false;
		thread->wait_reason = waits;
	} else if (!still_fits(target, moment)) {
		if (!gapp_acc_read(&target->acc, &moment->at))
			return false;
	}
	moment->target = target;
	apply(session, cpu, thread, event, step, dn, waited);
	return true;
}

/*
 * Unlocks the thread, and carries out what cpu->export asks for, by an event at gapp_export_at().
 * Not inlined: an event's function has more registers without it.
 */
GAPP_HOT noinline __noclone __flatten void
gapp_follow_up(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	struct gapp_export *export = &cpu->export;
	u32 what = export->what;

	if (unlikely(what & GAPP_EXPORT_ENDED)) {
		what |= gapp_wait_ended(thread, export);
		export->what = what;
	}
	if (what & GAPP_EXPORT_RECORDS)
		gapp_slices_describe(session, thread, what, export);
	gapp_unlock(thread);
	if (what & GAPP_EXPORT_RECORDS)
		gapp_export_write(cpu, thread, export);
	if (unlikely(what & GAPP_EXPORT_ARM))
		gapp_sampler_arm(cpu);
	if (unlikely(what & GAPP_EXPORT_WANTED))
		irq_work_queue(&cpu->path_work);
	if (unlikely(what & GAPP_EXPORT_GONE))
		gapp_threads_retire(&session->threads, thread);
}

static void conclude(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	if (cpu->export.what)
		gapp_follow_up(session, cpu, thread);
	else
		gapp_unlock(thread);
}

/* gapp_follow_slice(), whatever there is to export. */
static noinline void follow_any_slice(struct gapp_session *session, struct gapp_cpu *cpu,
				      struct gapp_thread *thread, enum gapp_then then)
{
	const struct gapp_at *at = &cpu->moment.at;
	struct gapp_export *export = &cpu->export;

	gapp_export_init(export);
	export->what = gapp_slices_out(session, cpu, thread, then, at, export);
	gapp_slice_begin(&cpu->open, at);
	export->then = then;
	gapp_export_at(export, at);
	conclude(session, cpu, thread);
}

/*
 * The thread, whose slice is open on this CPU, is switched out by a usual event at cpu->moment.at,
 * and there may be something to export. Unlocks the thread; the CPU's next slice begins.
 */
GAPP_HOT noinline __noclone __flatten void gapp_follow_slice(struct gapp_session *session,
							     struct gapp_cpu *cpu,
							     struct gapp_thread *thread,
							     enum gapp_then then)
{
	const struct gapp_at *at = &cpu->moment.at;
	struct gapp_slice_share share;
	struct gapp_waker waker;

	if (unlikely(!gapp_slices_out_usually(session, cpu, thread, then, at, &share))) {
		follow_any_slice(session, cpu, thread, then);
		return;
	}
	/* another waker may be noted from now on, even before the switch-out is done */
	waker = thread->waker;
	gapp_unlock(thread);
	gapp_export_slice(cpu, thread, then, at, &share, &waker);
	gapp_slice_begin(&cpu->open, at);
}

/*
 * Whether a thread that has to leave came to run on another CPU meanwhile. Only that CPU has the
 * thread's slice, so the thread leaves with its next switch-out.
 */
static bool leaves_later(struct gapp_thread *thread, enum gapp_event event)
{
	if (event != GAPP_EV_OUT_DEAD || !gapp_state_is_on_cpu(thread->core.state) ||
	    thread->task == current)
		return false;
	gapp_thread_add_flags(thread, GAPP_THREAD_EXPELLED);
	return true;
}

/* Applies the event, at cpu->moment if that still fits. */
static void any_event(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_event event)
{
	struct gapp_export *export = &cpu->export;
	bool was_gone;

	gapp_export_init(export);
	gapp_lock(thread);
	was_gone = thread->core.state == GAPP_THREAD_GONE;
	if (likely(!leaves_later(thread, event)) && !happen(session, cpu, thread, event)) {
		gapp_unlock(thread);
		cpu->moment.target = NULL;
		/* the next look will find it in its loop, too, or it has left that */
		if (event != GAPP_EV_SPIN)
			gapp_post_event(session, cpu, thread, event);
		return;
	}
	gapp_export_at(export, &cpu->moment.at);
	if (!was_gone && thread->core.state == GAPP_THREAD_GONE)
		export->what |= GAPP_EXPORT_GONE;
	conclude(session, cpu, thread);
}

/* Applies any event, at cpu->moment if that still fits. Interrupts off, under RCU. */
GAPP_HOT noinline void gapp_any_event(struct gapp_session *session, struct gapp_cpu *cpu,
				      struct gapp_thread *thread, enum gapp_event event)
{
	if (gapp_tasks_run_unwoken() && event == GAPP_EV_IN &&
	    READ_ONCE(thread->core.state) == GAPP_THREAD_BLOCKED) {
		gapp_lock(thread);
		forget_waker(session, cpu, thread);
		gapp_unlock(thread);
		any_event(session, cpu, thread, GAPP_EV_WAKE);
	}
	any_event(session, cpu, thread, event);
}

/* Current, whose thread it is, was found in a busy-wait loop. Interrupts off, under RCU. */
void gapp_spins_at(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		   const struct gapp_spun_word *word)
{
	cpu->moment.target = NULL;
	cpu->export.spun_for = *word;
	gapp_any_event(session, cpu, thread, GAPP_EV_SPIN);
	/* a record of an earlier wait needs the earlier one */
	if (gapp_keeps_waits(&session->settings) &&
	    READ_ONCE(thread->core.state) == GAPP_THREAD_SPINNING)
		*gapp_thread_spun_for(thread) = *word;
}

/* Current, whose thread it is and which spun, was found elsewhere. As gapp_spins_at(). */
void gapp_works(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	gapp_tallies_leave_slice(cpu, thread);
	cpu->moment.target = NULL;
	gapp_any_event(session, cpu, thread, GAPP_EV_WORK);
}

/**
 * gapp_thread_event() - apply an event that comes by itself, not in a switch
 * @session: the session
 * @thread: the thread; it is retired if the event makes it GONE
 * @event: the event
 *
 * Under rcu_read_lock().
 */
void gapp_thread_event(struct gapp_session *session, struct gapp_thread *thread,
		       enum gapp_event event)
{
	struct gapp_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	cpu = gapp_this_cpu(session);
	cpu->moment.target = NULL;
	gapp_budget_begin(gapp_clock());
	gapp_any_event(session, cpu, thread, event);
	local_irq_restore(flags);
}

/*
 * The thread moves to another CPU. If it sleeps, and no wake-up moves it, the kernel may date its
 * next wait for a CPU before the wake-up: the comparison leaves that wait out.
 */
void gapp_thread_moved(struct gapp_thread *thread)
{
	unsigned long flags;

	gapp_lock_irqsave(thread, flags);
	if (thread->core.state == GAPP_THREAD_BLOCKED &&
	    !(gapp_task_state_word(thread->task) & TASK_WAKING))
		gapp_accounts_go_astray(thread);
	gapp_unlock_irqrestore(thread, flags);
}

void gapp_thread_renamed(struct gapp_thread *thread, const char *comm)
{
	unsigned long flags;

	gapp_lock_irqsave(thread, flags);
	if (thread->target->tgid && thread->tid == thread->tgid)
		strscpy_pad(thread->target->comm, comm, sizeof(thread->target->comm));
	gapp_unlock_irqrestore(thread, flags);
}

/* The thread executes a program: a new address space; with @took_leader also its leader's id. */
void gapp_thread_executed(struct gapp_session *session, struct gapp_thread *thread,
			  bool took_leader)
{
	u32 image = gapp_threads_new_image(&session->threads);
	unsigned long flags;

	gapp_lock_irqsave(thread, flags);
	if (took_leader)
		gapp_thread_add_flags(thread, GAPP_THREAD_TOOK_LEADER);
	WRITE_ONCE(thread->image, image);
	gapp_unlock_irqrestore(thread, flags);
}

/* The opener may not follow the thread any more. */
void gapp_thread_expel(struct gapp_thread *thread)
{
	unsigned long flags;

	gapp_lock_irqsave(thread, flags);
	gapp_thread_add_flags(thread, GAPP_THREAD_EXPELLED);
	gapp_unlock_irqrestore(thread, flags);
}

void gapp_thread_woken_by(struct gapp_thread *thread, const struct gapp_waker *waker)
{
	unsigned long flags;

	gapp_lock_irqsave(thread, flags);
	thread->waker = *waker;
	gapp_unlock_irqrestore(thread, flags);
}

/**
 * gapp_thread_begin() - compare the accounts of a thread from now on, if it runs
 * @thread: the thread
 *
 * The kernel's account of a running thread may be a tick old.
 */
void gapp_thread_begin(struct gapp_thread *thread)
{
	struct gapp_thread_figures now;
	unsigned long flags;
	struct gapp_at at;

	gapp_lock_irqsave(thread, flags);
	if (thread->core.state == GAPP_THREAD_RUNNING && !(thread->flags & GAPP_THREAD_BASED) &&
	    gapp_acc_read(&thread->target->acc, &at)) {
		gapp_task_figures(&thread->core, &at, &now);
		gapp_accounts_begin(thread, now.run_ns, false);
		gapp_thread_add_flags(thread, GAPP_THREAD_KERNEL_LATE);
	}
	gapp_unlock_irqrestore(thread, flags);
}

/**
 * gapp_threads_begin() - compare the accounts of threads that run when session time begins
 * @session: the session
 *
 * Accounts of other threads are compared from their first switch on; a thread that computes on a
 * CPU of its own may have none.
 */
void gapp_threads_begin(struct gapp_session *session)
{
	struct gapp_thread *thread;
	u32 slot;

	mutex_lock(&session->threads.slots_mutex);
	for (slot = 0; slot < gapp_slot_count(&session->threads); slot++) {
		cond_resched();
		thread = gapp_slot(&session->threads, slot);
		if (gapp_thread_use(thread) == GAPP_USE_LIVE)
			gapp_thread_begin(thread);
	}
	mutex_unlock(&session->threads.slots_mutex);
}

/* Interrupts off. */
static void settle(struct gapp_session *session, struct gapp_thread *thread)
{
	const struct gapp_at *end = &thread->target->end;
	struct gapp_cpu *cpu = gapp_this_cpu(session);
	bool rest;

	gapp_export_init(&cpu->export);
	gapp_lock(thread);
	if (thread->use != GAPP_USE_EXITED)
		gapp_accounts_end(thread, end);
	gapp_accounts_spun(thread, end);
	gapp_task_event(&thread->core, GAPP_EV_STOP, end);
	thread->target->critical_runq += gapp_task_critical_runq(&thread->core);
	rest = gapp_slices_rest(session, thread, end, &cpu->export);
	gapp_unlock(thread);
	if (rest)
		gapp_export_write(cpu, thread, &cpu->export);
}

/**
 * gapp_threads_settle() - every thread's figures end with session time
 * @session: the session, its integrals stopped
 *
 * Return: number of threads that were active at the end.
 */
u32 gapp_threads_settle(struct gapp_session *session)
{
	struct gapp_thread *thread;
	unsigned long flags;
	u32 slot, active = 0;

	mutex_lock(&session->threads.slots_mutex);
	session->threads.settled = true;
	for (slot = 0; slot < gapp_slot_count(&session->threads); slot++) {
		cond_resched();
		thread = gapp_slot(&session->threads, slot);
		if (gapp_thread_use(thread) == GAPP_USE_FREE)
			continue;
		local_irq_save(flags);
		active += gapp_task_is_active(&thread->core);
		settle(session, thread);
		local_irq_restore(flags);
	}
	mutex_unlock(&session->threads.slots_mutex);
	return active;
}
