// SPDX-License-Identifier: GPL-2.0
/* What an event means for a thread's slice, and what of it is to be told. The thread is locked. */
#include "switch.h"

/* The rest of what records need but the system call. */
static void describe(const struct gapp_thread *thread, const struct gapp_at *at,
		     struct gapp_export *export)
{
	const struct gapp_last_wait *last = &thread->last_wait;
	bool known;

	export->t = at->t;
	export->n = at->n;
	export->waker = thread->waker;
	if (export->what == GAPP_EXPORT_WAKE)
		return;
	export->image = thread->image;
	export->wait.reason = last->reason;
	memcpy(export->comm, gapp_thread_comm(thread), sizeof(export->comm));
	if (export->what & GAPP_EXPORT_PATH)
		return;
	known = last->paths == GAPP_PATHS_KNOWN;
	export->wait.path = known ? last->path : GAPP_PATH_NONE;
	export->wait.kernel_path = known ? last->kernel_path : GAPP_PATH_NONE;
}

/**
 * gapp_slices_describe() - what the records of an event need
 * @thread: the thread, locked
 * @at: the accumulators at the event
 * @export: what is to be told
 * @slept: it comes from gapp_slices_begin_wait(), which has set the system call
 *
 * Without that the thread is on this CPU, or is just being woken.
 */
void gapp_slices_describe(const struct gapp_thread *thread, const struct gapp_at *at,
			  struct gapp_export *export, bool slept)
{
	if (!(export->what & GAPP_EXPORT_RECORDS))
		return;
	describe(thread, at, export);
	if (slept || !(export->what & (GAPP_EXPORT_SLICE | GAPP_EXPORT_WAIT)))
		return;
	if (thread->last_wait.syscall >= 0)
		gapp_wait_recall(thread->task, thread->last_wait.syscall, &export->wait);
	else
		gapp_wait_forget(-1, &export->wait);
}

static enum gapp_then then_of(enum gapp_event event, const struct gapp_at *at)
{
	if (at->phase == GAPP_PHASE_STOPPED)
		return GAPP_THEN_STOPPED;
	switch (event) {
	case GAPP_EV_OUT_ASLEEP:
		return GAPP_THEN_WAIT;
	case GAPP_EV_OUT_DEAD:
		return GAPP_THEN_EXITED;
	default:
		return GAPP_THEN_PREEMPTED;
	}
}

/**
 * gapp_slices_open() - find the open slice of a thread
 * @cpu: the one on which the thread is
 * @thread: the thread, locked
 *
 * No switch-in has told its begin if it ran already when it joined; then the begin is when its
 * state was found out.
 *
 * Return: whether it has one; then it is @cpu's.
 */
bool gapp_slices_open(struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	const struct gapp_task *task = &thread->core;
	struct gapp_at found;

	if (task->state != GAPP_THREAD_RUNNING || thread->flags & GAPP_THREAD_ENDED)
		return false;
	if (cpu->open_of == thread)
		return true;
	found.t = task->t;
	found.g = task->g;
	found.c = task->c;
	found.s = gapp_thread_s_found(thread);
	gapp_slice_begin(&cpu->open, &found);
	cpu->open_of = thread;
	return true;
}

/* The thread is on this CPU, its slice open. */
static void end_slice(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_slice_how how, const struct gapp_at *at,
		      struct gapp_export *export)
{
	bool sampled = cpu->sampled == thread && cpu->sample_count;

	gapp_slice_end(&thread->slice, &cpu->open, &session->settings.rule, at, how, sampled,
		       &export->end);
	cpu->critical_run += export->end.own_critical_share;
	if (how != GAPP_SLICE_GOES_ON) {
		cpu->open_of = NULL;
		cpu->slices++;
		if (export->end.critical) {
			cpu->critical_slices++;
			cpu->unsampled_slices += !export->end.sampled;
		}
	}
	if (export->end.due && session->settings.level != GAPP_LEVEL_STATS)
		export->what |= GAPP_EXPORT_SLICE;
	else if (cpu->sampled)
		gapp_cpu_drop_samples(cpu);
}

/**
 * gapp_slices_begin_wait() - what a thread sleeps in
 * @thread: the thread, locked; asleep from now on
 * @export: its system call is set
 *
 * Return: enum gapp_wait_reason.
 */
u8 gapp_slices_begin_wait(struct gapp_thread *thread, struct gapp_export *export)
{
	struct gapp_last_wait *last = &thread->last_wait;
	struct gapp_exported_wait *exported = &export->wait;
	struct gapp_wait_start start;

	gapp_wait_read(thread->task, &start);
	exported->syscall = start.syscall;
	exported->args[0] = start.args[0];
	exported->args[1] = start.args[1];
	exported->args[2] = start.args[2];
	last->paths = GAPP_PATHS_NONE;
	last->syscall = gapp_wait_note(start.syscall);
	last->reason = gapp_wait_reason_of(&start);
	return last->reason;
}

/* Its slice ends, but it does not sleep. */
static void note_no_sleep(struct gapp_thread *thread)
{
	struct gapp_last_wait *last = &thread->last_wait;

	last->paths = GAPP_PATHS_NONE;
	last->syscall = -1;
	last->reason = thread->wait_reason == GAPP_WAIT_NONE ? GAPP_WAIT_OTHER :
							       thread->wait_reason;
}

static void take_wait(struct gapp_session *session, struct gapp_thread *thread,
		      struct gapp_export *export)
{
	export->wait_begin = thread->slice.wait_begin;
	export->wait_ns =
		gapp_slice_take_wait(&thread->slice, &session->settings.rule, &export->stretches);
	if (export->wait_ns)
		export->what |= GAPP_EXPORT_WAIT;
}

/*
 * A thread that is gone may be forgotten before the session ends: what is left of its waits is told
 * now, and is of how it had blocked, and not of how it leaves.
 */
static void take_last_wait(struct gapp_session *session, struct gapp_thread *thread,
			   const struct gapp_last_wait *last, struct gapp_export *export)
{
	const bool known = last->paths == GAPP_PATHS_KNOWN;

	take_wait(session, thread, export);
	if (!(export->what & GAPP_EXPORT_WAIT))
		return;
	export->what |= GAPP_EXPORT_EARLIER_WAIT;
	export->earlier_wait.path = known ? last->path : GAPP_PATH_NONE;
	export->earlier_wait.kernel_path = known ? last->kernel_path : GAPP_PATH_NONE;
	export->earlier_wait.reason = last->reason;
	gapp_wait_forget(last->syscall, &export->earlier_wait);
}

/* Whoever leaves nobody active may be the one that all wait for. */
static bool wants_path(const struct gapp_export *export, bool asleep, const struct gapp_at *at)
{
	return export->what & GAPP_EXPORT_SLICE || (asleep && !at->n);
}

/**
 * gapp_slices_out() - a thread is switched out in a session that runs, its slice open
 * @session: the session
 * @cpu: this CPU's
 * @thread: the thread, locked; if it sleeps after gapp_slices_begin_wait()
 * @then: GAPP_THEN_WAIT or GAPP_THEN_PREEMPTED
 * @at: the accumulators at the event
 * @export: initialized; filled in
 */
void gapp_slices_out(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		     enum gapp_then then, const struct gapp_at *at, struct gapp_export *export)
{
	end_slice(session, cpu, thread, GAPP_SLICE_SWITCHED, at, export);
	if (session->settings.level == GAPP_LEVEL_STATS)
		return;
	if (then != GAPP_THEN_WAIT)
		note_no_sleep(thread);
	if (wants_path(export, then == GAPP_THEN_WAIT, at))
		export->what |= GAPP_EXPORT_PATH;
	export->then = then;
}

static void close_slice(struct gapp_session *session, struct gapp_cpu *cpu,
			struct gapp_thread *thread, enum gapp_event event, const struct gapp_at *at,
			struct gapp_export *export)
{
	const struct gapp_last_wait block = thread->last_wait;
	enum gapp_slice_how how = GAPP_SLICE_SWITCHED;

	if (event == GAPP_EV_OUT_DEAD || at->phase == GAPP_PHASE_STOPPED)
		how = GAPP_SLICE_LAST;
	end_slice(session, cpu, thread, how, at, export);
	if (session->settings.level == GAPP_LEVEL_STATS)
		return;
	if (event != GAPP_EV_OUT_ASLEEP)
		note_no_sleep(thread);
	if (event == GAPP_EV_OUT_DEAD)
		take_last_wait(session, thread, &block, export);
	if (wants_path(export, event == GAPP_EV_OUT_ASLEEP, at))
		export->what |= GAPP_EXPORT_PATH;
	export->then = then_of(event, at);
}

/**
 * gapp_slices_event() - an event has been applied to a thread
 * @session: the session
 * @cpu: this CPU's
 * @thread: the thread, locked
 * @event: the event
 * @open: its slice was, before the event
 * @at: the accumulators at the event
 * @export: initialized; filled in
 */
void gapp_slices_event(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, enum gapp_event event, bool open,
		       const struct gapp_at *at, struct gapp_export *export)
{
	if (at->phase == GAPP_PHASE_BEFORE) {
		if (open)
			cpu->open_of = NULL;
	} else if (open) {
		close_slice(session, cpu, thread, event, at, export);
		if (at->phase == GAPP_PHASE_STOPPED)
			thread->flags |= GAPP_THREAD_ENDED;
	}
	if (event != GAPP_EV_IN)
		return;
	if (at->phase != GAPP_PHASE_STOPPED && thread->core.state == GAPP_THREAD_RUNNING) {
		gapp_slice_begin(&cpu->open, at);
		cpu->open_of = thread;
		if (at->phase == GAPP_PHASE_RUNNING && session->settings.period_ns)
			export->what |= GAPP_EXPORT_ARM;
	}
	if (at->phase != GAPP_PHASE_BEFORE && thread->last_wait.paths == GAPP_PATHS_WANTED)
		export->what |= GAPP_EXPORT_WANTED;
}

/**
 * gapp_slices_active() - an event has made a thread active
 * @session: the session
 * @thread: the thread, locked
 * @waited: it was waiting; not so if it is a new one
 * @at: the accumulators at the event
 * @export: what gapp_slices_event() said
 *
 * If nobody was active, what it waited for is what all have waited for.
 */
void gapp_slices_active(struct gapp_session *session, struct gapp_thread *thread, bool waited,
			const struct gapp_at *at, struct gapp_export *export)
{
	if (at->phase != GAPP_PHASE_RUNNING || session->settings.level == GAPP_LEVEL_STATS)
		return;
	if (session->settings.level == GAPP_LEVEL_TRACE)
		export->what |= GAPP_EXPORT_WAKE;
	if (!waited || !at->idle || !gapp_slice_waited(&thread->slice, &session->settings.rule, at))
		return;
	if (thread->last_wait.paths == GAPP_PATHS_KNOWN)
		take_wait(session, thread, export);
	else
		thread->last_wait.paths = GAPP_PATHS_WANTED;
}

/**
 * gapp_slices_part() - a slice ends here, or is told so far, without an event
 * @session: the session
 * @cpu: this CPU's
 * @thread: the thread that is on this CPU, locked, its slice open
 * @then: GAPP_THEN_ON or GAPP_THEN_STOPPED
 * @at: the accumulators now
 * @export: initialized; filled in
 */
void gapp_slices_part(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_then then, const struct gapp_at *at,
		      struct gapp_export *export)
{
	end_slice(session, cpu, thread, then == GAPP_THEN_ON ? GAPP_SLICE_GOES_ON : GAPP_SLICE_LAST,
		  at, export);
	export->then = then;
	if (export->what & GAPP_EXPORT_SLICE)
		export->what |= GAPP_EXPORT_PATH;
	if (then == GAPP_THEN_STOPPED)
		thread->flags |= GAPP_THREAD_ENDED;
	describe(thread, at, export);
	gapp_wait_forget(-1, &export->wait);
}

/**
 * gapp_slices_wanted() - the wait record whose path was wanted
 * @session: the session
 * @thread: current's, locked
 * @at: the accumulators now
 * @export: initialized; filled in
 *
 * Return: whether current is still in the system call in which it waited.
 */
bool gapp_slices_wanted(struct gapp_session *session, struct gapp_thread *thread,
			const struct gapp_at *at, struct gapp_export *export)
{
	thread->last_wait.paths = GAPP_PATHS_NONE;
	take_wait(session, thread, export);
	describe(thread, at, export);
	return gapp_wait_recall(thread->task, thread->last_wait.syscall, &export->wait);
}

/**
 * gapp_slices_rest() - what is left of a thread's shares and waits at the end
 * @session: the session
 * @thread: the thread, locked
 * @end: the accumulators at the end
 * @export: initialized; filled in
 *
 * Return: whether there is anything.
 */
bool gapp_slices_rest(struct gapp_session *session, struct gapp_thread *thread,
		      const struct gapp_at *end, struct gapp_export *export)
{
	if (session->settings.level == GAPP_LEVEL_STATS)
		return false;
	if (gapp_slice_rest(&thread->slice, &export->end))
		export->what |= GAPP_EXPORT_SLICE;
	export->flags = GAPP_SLICE_REST;
	export->then = GAPP_THEN_STOPPED;
	take_wait(session, thread, export);
	if (!export->what)
		return false;
	describe(thread, end, export);
	export->end.begin = end->t;
	export->wait.path = thread->last_wait.path;
	/* One that still sleeps stays there until its wake-up, which needs the lock of the thread.
	 */
	if (thread->core.state == GAPP_THREAD_BLOCKED && !(thread->flags & GAPP_THREAD_ENDED) &&
	    thread->last_wait.syscall >= 0)
		gapp_wait_recall(thread->task, thread->last_wait.syscall, &export->wait);
	else
		gapp_wait_forget(thread->last_wait.syscall, &export->wait);
	return true;
}
