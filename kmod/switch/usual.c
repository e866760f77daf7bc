// SPDX-License-Identifier: GPL-2.0
/*
 * Both sides of a context switch, and a wake-up, as they nearly always are: the session runs, the
 * thread is in the state that the event expects, and is not special. Each is one function, so that
 * the values of one moment stay in registers, and is compiled eight times: see enum exports. Every
 * other case goes to gapp_any_event(), before anything is changed.
 */
#include "fault/fault.h"
#include "switch.h"

/**
 * enum exports - what a session exports at usual events
 * @NOTHING: nothing, it only counts
 * @CRITICAL: what is critical, or slices with their call paths
 * @ALL: every wake-up, and every slice, of which no call path is taken
 * @CRITICAL_WAITS: as @CRITICAL, and it adds up what threads wait for
 * @ALL_WAITS: as @ALL, and it adds up what threads wait for
 * @CRITICAL_HANDOVERS: as @CRITICAL_WAITS, and it counts which thread gives a CPU to which
 * @ALL_HANDOVERS: as @ALL_WAITS, and it counts which thread gives a CPU to which
 * @ALL_FILES: as @ALL, and the records have the files of waits; it may add up what threads wait
 *	for, and count which thread gives a CPU to which
 */
enum exports {
	NOTHING,
	CRITICAL,
	ALL,
	CRITICAL_WAITS,
	ALL_WAITS,
	CRITICAL_HANDOVERS,
	ALL_HANDOVERS,
	ALL_FILES,
};

static __always_inline bool all_of(const enum exports exports)
{
	return exports == ALL || exports == ALL_WAITS || exports == ALL_HANDOVERS ||
	       exports == ALL_FILES;
}

static __always_inline bool adds_waits(const struct gapp_session *session,
				       const enum exports exports)
{
	if (exports == ALL_FILES)
		return session->settings.waits;
	return exports >= CRITICAL_WAITS;
}

static __always_inline bool counts_handovers(const struct gapp_session *session,
					     const enum exports exports)
{
	if (exports == ALL_FILES)
		return session->settings.handovers;
	return exports >= CRITICAL_HANDOVERS;
}

static enum gapp_spins in_loop(const struct gapp_session *session, struct gapp_cpu *cpu,
			       const struct gapp_thread *out, bool deep,
			       struct gapp_spun_word *word)
{
	if (!gapp_shows_regs(&session->settings, out->task))
		return GAPP_SPINS_NOT;
	/* the switch begins for the call path, if no other session's part of it has */
	if (deep)
		gapp_budget_used(gapp_clock());
	return gapp_callpath_spins(&cpu->unwinder, deep, word);
}

/*
 * Of a thread that was found in a busy-wait loop, or may be in one that yields: whether @out, which
 * is current, has left its loop or got into one, as it is switched out.
 */
static noinline void look_for_spin(struct gapp_session *session, struct gapp_cpu *cpu,
				   struct gapp_thread *out, bool wants_to_run)
{
	const bool yields = READ_ONCE(out->flags) & GAPP_THREAD_YIELDS;
	struct gapp_spun_word word = { 0 };
	enum gapp_spins spins;

	if (READ_ONCE(out->core.state) == GAPP_THREAD_SPINNING) {
		/* a call path at each yield would cost much: one for all points until now */
		if (!wants_to_run ||
		    !in_loop(session, cpu, out, !yields || gapp_sampler_missed(cpu, out), NULL))
			gapp_any_event(session, cpu, out, GAPP_EV_WORK);
	} else if (yields && wants_to_run && gapp_sampler_missed(cpu, out) &&
		   READ_ONCE(out->core.state) == GAPP_THREAD_RUNNING &&
		   READ_ONCE(out->target->acc.cm.phase) == GAPP_PHASE_RUNNING) {
		spins = in_loop(session, cpu, out, true, &word);
		if (spins && spins != GAPP_SPINS_UNKNOWN)
			gapp_spins_at(session, cpu, out, &word);
		/* no time, or another CPU holds the integrals: the next switch-out looks again */
		if (spins && READ_ONCE(out->core.state) == GAPP_THREAD_RUNNING)
			return;
	} else {
		return;
	}
	if (yields)
		gapp_sampler_looked(cpu, out);
}

/*
 * Any switch: @out may have to leave the session, or die, or have no open slice on this CPU. That
 * takes long, and must not count as a wait of @in: its event is at the same moment.
 */
static noinline void switched_anyhow(struct gapp_session *session, struct gapp_cpu *cpu,
				     struct gapp_thread *out, u32 out_state, struct gapp_thread *in)
{
	const unsigned int state_now = gapp_task_state_word(out->task);
	const bool asleep = gapp_asleep(out_state, state_now);
	enum gapp_event event = asleep ? GAPP_EV_OUT_ASLEEP : GAPP_EV_OUT_RUNNABLE;

	if (READ_ONCE(out->flags) & GAPP_THREAD_EXPELLED || (asleep && state_now & TASK_DEAD))
		event = GAPP_EV_OUT_DEAD;
	cpu->moment.target = NULL;
	/* it may have left its loop, and have the lock, or got into one, and no sample saw it */
	if (READ_ONCE(out->core.state) == GAPP_THREAD_SPINNING ||
	    READ_ONCE(out->flags) & GAPP_THREAD_YIELDS)
		look_for_spin(session, cpu, out, event == GAPP_EV_OUT_RUNNABLE);
	gapp_any_event(session, cpu, out, event);
	if (in)
		gapp_any_event(session, cpu, in, GAPP_EV_IN);
}

/* Unlocks the thread after its event at @at, and exports @what. */
static __always_inline void follow_up(struct gapp_session *session, struct gapp_cpu *cpu,
				      struct gapp_thread *thread, u32 what,
				      const struct gapp_at *at)
{
	gapp_export_init(&cpu->export);
	cpu->export.what = what;
	gapp_export_at(&cpu->export, at);
	gapp_follow_up(session, cpu, thread);
}

/* The slice that is open on this CPU ends, in a session that writes no records. */
static __always_inline void only_count(struct gapp_session *session, struct gapp_cpu *cpu,
				       const struct gapp_at *at)
{
	u64 share = gapp_slice_own(&cpu->open, &session->settings.rule, at);

	cpu->open_of = NULL;
	gapp_count(cpu->slices, 1);
	gapp_count(cpu->critical_slices, !!share);
	gapp_count(cpu->critical_run, share);
}

/*
 * @thread, whose slice is open on this CPU, is switched out; it sleeps, or is preempted. Returns
 * false if nothing was changed: its event is not a usual one. The next slice of the CPU begins at
 * this moment: sets *@begun to the target whose integrals cpu->open.begin then has.
 */
static __always_inline bool goes_out(struct gapp_session *session, struct gapp_cpu *cpu,
				     struct gapp_thread *thread, const bool sleeps,
				     struct gapp_target **begun, const enum exports exports)
{
	const enum gapp_then then = sleeps ? GAPP_THEN_WAIT : GAPP_THEN_PREEMPTED;
	struct gapp_target *const target = thread->target;
	struct gapp_slice_share share;
	u8 waits = GAPP_WAIT_NONE;
	struct gapp_at at;

	if (unlikely(!gapp_lock_usual(thread, GAPP_THREAD_RUNNING)))
		return false;
	if (sleeps && exports)
		waits = gapp_slices_begin_wait(session, thread);
	if (unlikely(!(sleeps ? gapp_acc_change_at_once(&target->acc, -1, GAPP_WAIT_NONE, waits,
							&cpu->times, &at) :
				gapp_acc_read_once(&target->acc, true, &at))))
		goto unusual;
	if (sleeps && exports)
		thread->wait_reason = waits;
	gapp_task_go(&thread->core, GAPP_THREAD_RUNNING,
		     sleeps ? GAPP_STEP_SLEEPS : GAPP_STEP_PREEMPTED, &at);
	if (adds_waits(session, exports) && sleeps)
		gapp_waits_sleeps(gapp_thread_waits(thread), waits, at.t);
	else if (adds_waits(session, exports))
		gapp_waits_ready(gapp_thread_waits(thread), gapp_preempter(session, cpu, thread),
				 at.t);
	gapp_thread_note_kernel_runq(thread);
	*begun = target;
	if (all_of(exports) && gapp_slices_out_usually(session, cpu, thread, then, &at, &share)) {
		/* no call path, which would take long: so the record is written under the lock */
		gapp_export_pathless(cpu, thread, then, &at, &share, exports == ALL_FILES);
	} else if (exports && !gapp_slices_out_silently(session, cpu, thread, then, &at)) {
		cpu->moment.target = NULL;
		cpu->moment.at.t = at.t;
		cpu->moment.at.g = at.g;
		cpu->moment.at.c = at.c;
		cpu->moment.at.s = at.s;
		cpu->moment.at.n = at.n;
		cpu->moment.at.n_min = at.n_min;
		gapp_follow_slice(session, cpu, thread, then);
		return true;
	}
	if (!exports)
		only_count(session, cpu, &at);
	gapp_slice_begin(&cpu->open, &at);
	gapp_unlock(thread);
	return true;
unusual:
	gapp_unlock(thread);
	return false;
}

/* @thread is switched in, at cpu->open.begin if its target has @begun there. */
static __always_inline void comes_in(struct gapp_session *session, struct gapp_cpu *cpu,
				     struct gapp_thread *thread, const struct gapp_target *begun,
				     const enum exports exports)
{
	struct gapp_target *const target = thread->target;
	struct gapp_at at;
	bool wanted;

	if (unlikely(!gapp_lock_usual(thread, GAPP_THREAD_RUNNABLE)))
		goto unusual;
	/* if STOP has come in between, it may have settled the thread at a later time */
	if (begun != target || unlikely(!gapp_cm_counts_now(&target->acc.cm, cpu->open.begin.t))) {
		if (unlikely(!gapp_acc_read_once(&target->acc, true, &at)))
			goto unlock;
		gapp_slice_begin(&cpu->open, &at);
	} else {
		at.t = cpu->open.begin.t;
		at.g = cpu->open.begin.g;
		at.c = cpu->open.begin.c;
	}
	gapp_task_go(&thread->core, GAPP_THREAD_RUNNABLE, GAPP_STEP_RUNS, &at);
	if (adds_waits(session, exports))
		gapp_waits_runs(gapp_thread_waits(thread), at.t);
	cpu->open_of = thread;
	wanted = exports && !all_of(exports) && thread->last_wait.paths == GAPP_PATHS_WANTED;
	gapp_unlock(thread);
	if (unlikely(!cpu->armed))
		gapp_sampler_arm(cpu);
	if (unlikely(wanted))
		irq_work_queue(&cpu->path_work);
	return;
unlock:
	gapp_unlock(thread);
unusual:
	cpu->moment.target = NULL;
	gapp_any_event(session, cpu, thread, GAPP_EV_IN);
}

/* @thread is woken, by a task on this CPU or an interrupt. */
static __always_inline void wakes(struct gapp_session *session, struct gapp_cpu *cpu,
				  struct gapp_thread *thread, const enum exports exports)
{
	struct gapp_target *const target = thread->target;
	u8 waited = GAPP_WAIT_NONE;
	struct gapp_at at;
	u32 what;

	if (unlikely(!gapp_lock_usual(thread, GAPP_THREAD_BLOCKED)))
		goto unusual;
	if (exports)
		waited = thread->wait_reason;
	if (unlikely(!gapp_acc_change_at_once(&target->acc, 1, waited, GAPP_WAIT_NONE, &cpu->times,
					      &at)))
		goto unlock;
	if (exports)
		thread->wait_reason = GAPP_WAIT_NONE;
	gapp_task_go(&thread->core, GAPP_THREAD_BLOCKED, GAPP_STEP_WOKEN, &at);
	if (adds_waits(session, exports)) {
		gapp_waits_slept(gapp_thread_waits(thread), at.t);
		gapp_waits_ready(gapp_thread_waits(thread), GAPP_NOT_PREEMPTED, at.t);
	}
	if (all_of(exports) && likely(!at.idle)) {
		gapp_export_wake(cpu, thread, at.t, at.n, &thread->waker);
		gapp_unlock(thread);
		return;
	}
	what = exports ? gapp_slices_active(session, thread, waited != GAPP_WAIT_NONE, &at,
					    &cpu->export) :
			 0;
	if (likely(!what))
		gapp_unlock(thread);
	else
		follow_up(session, cpu, thread, what, &at);
	return;
unlock:
	gapp_unlock(thread);
unusual:
	cpu->moment.target = NULL;
	gapp_any_event(session, cpu, thread, GAPP_EV_WAKE);
}

/* @thread, whose slice is open on this CPU, is switched out. Returns as goes_out(). */
static __always_inline bool leaves(struct gapp_session *session, struct gapp_cpu *cpu,
				   struct gapp_thread *thread, u32 out_state,
				   struct gapp_target **begun, const enum exports exports)
{
	const unsigned int state_now = gapp_task_state_word(thread->task);

	if (!gapp_asleep(out_state, state_now))
		return goes_out(session, cpu, thread, false, begun, exports);
	return likely(!(state_now & TASK_DEAD)) &&
	       goes_out(session, cpu, thread, true, begun, exports);
}

/* Calls switched() again, and takes its time, and that of the switch so far. */
static noinline void time_switch(struct gapp_session *session, struct gapp_cpu *cpu,
				 struct task_struct *prev, struct task_struct *next, u32 out_state,
				 enum exports exports)
{
	const unsigned long bucket = gapp_bucket(next);
	const u64 begin = gapp_clock(), used_ns = gapp_budget_timed(begin);
	u64 took_ns;

	cpu->untimed = session->settings.timed_calls + 1;
	if (exports == ALL_FILES)
		gapp_switched_all_files(session, bucket, prev, next, out_state);
	else if (exports == ALL_HANDOVERS)
		gapp_switched_all_handovers(session, bucket, prev, next, out_state);
	else if (exports == CRITICAL_HANDOVERS)
		gapp_switched_records_handovers(session, bucket, prev, next, out_state);
	else if (exports == ALL_WAITS)
		gapp_switched_all_waits(session, bucket, prev, next, out_state);
	else if (exports == CRITICAL_WAITS)
		gapp_switched_records_waits(session, bucket, prev, next, out_state);
	else if (exports == ALL)
		gapp_switched_all(session, bucket, prev, next, out_state);
	else if (exports == CRITICAL)
		gapp_switched_records(session, bucket, prev, next, out_state);
	else
		gapp_switched_stats(session, bucket, prev, next, out_state);
	took_ns = gapp_clock() - begin + gapp_tallies_took(cpu);
	gapp_count(cpu->probe_timed, 1);
	gapp_count(cpu->probe_ns, took_ns);
	gapp_callpath_note_time(&cpu->unwinder, used_ns + took_ns);
}

/*
 * At least one of the two tasks may be followed. @bucket: that of @next. Interrupts are off, which
 * is an RCU read section.
 */
static __always_inline void switched(struct gapp_session *session, unsigned long bucket,
				     struct task_struct *prev, struct task_struct *next,
				     u32 out_state, const enum exports exports)
{
	struct gapp_thread *in = gapp_find(&session->threads, bucket, next);
	struct gapp_cpu *cpu = gapp_this_cpu(session);
	struct gapp_thread *out = cpu->open_of;
	const struct gapp_thread *const to = in;
	struct gapp_target *begun = NULL;
	bool open = true;

	/* the open slice is of @prev, unless no probe saw @prev switched in */
	if (unlikely(!out || out->task != prev)) {
		out = gapp_find(&session->threads, gapp_bucket(prev), prev);
		if (!out && !in)
			return;
		open = false;
	}
	if (unlikely(!--cpu->untimed)) {
		time_switch(session, cpu, prev, next, out_state, exports);
		return;
	}
	gapp_count(cpu->switches, 1);
	if (adds_waits(session, exports))
		cpu->next = next;
	if (out && !gapp_fault("drop_switch_out") &&
	    unlikely(!open || !leaves(session, cpu, out, out_state, &begun, exports))) {
		switched_anyhow(session, cpu, out, out_state, in);
		in = NULL;
	}
	if (in)
		comes_in(session, cpu, in, begun, exports);
	if (counts_handovers(session, exports) && out && to)
		gapp_hand_over(session, cpu, out, to, prev, next, in ? cpu->open.begin.t : 0);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_stats(struct gapp_session *session, unsigned long bucket, struct task_struct *prev,
		    struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, NOTHING);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_records(struct gapp_session *session, unsigned long bucket, struct task_struct *prev,
		      struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, CRITICAL);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_all(struct gapp_session *session, unsigned long bucket, struct task_struct *prev,
		  struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, ALL);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_records_waits(struct gapp_session *session, unsigned long bucket,
			    struct task_struct *prev, struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, CRITICAL_WAITS);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_all_waits(struct gapp_session *session, unsigned long bucket,
			struct task_struct *prev, struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, ALL_WAITS);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_records_handovers(struct gapp_session *session, unsigned long bucket,
				struct task_struct *prev, struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, CRITICAL_HANDOVERS);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_all_handovers(struct gapp_session *session, unsigned long bucket,
			    struct task_struct *prev, struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, ALL_HANDOVERS);
}

GAPP_HOT noinline __noclone __flatten void
gapp_switched_all_files(struct gapp_session *session, unsigned long bucket,
			struct task_struct *prev, struct task_struct *next, u32 out_state)
{
	switched(session, bucket, prev, next, out_state, ALL_FILES);
}

/* The wake-up of current may come with interrupts on, and before its switch-out. */
static noinline void current_woken(struct gapp_session *session)
{
	struct gapp_thread *thread;
	struct gapp_cpu *cpu;
	unsigned long flags;

	local_irq_save(flags);
	thread = gapp_lookup(&session->threads, current);
	if (thread && !gapp_fault("drop_wakeup")) {
		cpu = gapp_this_cpu(session);
		cpu->moment.target = NULL;
		gapp_any_event(session, cpu, thread, GAPP_EV_WAKE_ON_CPU);
	}
	local_irq_restore(flags);
}

/* @task, which is of @bucket, may be followed. */
static __always_inline void woken(struct gapp_session *session, struct task_struct *task,
				  unsigned long bucket, const enum exports exports)
{
	struct gapp_thread *thread;

	if (unlikely(task == current)) {
		current_woken(session);
		return;
	}
	thread = gapp_find(&session->threads, bucket, task);
	if (thread && !gapp_fault("drop_wakeup"))
		wakes(session, gapp_this_cpu(session), thread, exports);
}

GAPP_HOT noinline __noclone __flatten void
gapp_woken_stats(struct gapp_session *session, struct task_struct *task, unsigned long bucket)
{
	woken(session, task, bucket, NOTHING);
}

GAPP_HOT noinline __noclone __flatten void
gapp_woken_records(struct gapp_session *session, struct task_struct *task, unsigned long bucket)
{
	woken(session, task, bucket, CRITICAL);
}

GAPP_HOT noinline __noclone __flatten void
gapp_woken_all(struct gapp_session *session, struct task_struct *task, unsigned long bucket)
{
	woken(session, task, bucket, ALL);
}

GAPP_HOT noinline __noclone __flatten void gapp_woken_records_waits(struct gapp_session *session,
								    struct task_struct *task,
								    unsigned long bucket)
{
	woken(session, task, bucket, CRITICAL_WAITS);
}

GAPP_HOT noinline __noclone __flatten void
gapp_woken_all_waits(struct gapp_session *session, struct task_struct *task, unsigned long bucket)
{
	woken(session, task, bucket, ALL_WAITS);
}
