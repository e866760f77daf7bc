// SPDX-License-Identifier: GPL-2.0
/* What an event means for a thread's slice, and what of it is to be told. The entry is locked. */
#include "cpu.h"
#include "sleep.h"
#include "slices.h"

/* The rest of what records need but the system call. */
static void describe(const struct gapp_thread *entry, const struct gapp_at *at,
		     struct gapp_export *tale)
{
	const struct gapp_block *block = &entry->block;
	bool known;

	tale->t = at->t;
	tale->n = at->n;
	tale->waker = entry->waker;
	if (tale->what == GAPP_EXPORT_WAKE)
		return;
	tale->image = entry->image;
	tale->block.wait = block->wait;
	memcpy(tale->comm, gapp_thread_comm(entry), sizeof(tale->comm));
	if (tale->what & GAPP_EXPORT_PATH)
		return;
	known = block->paths == GAPP_PATHS_KNOWN;
	tale->block.path = known ? block->path : GAPP_PATH_NONE;
	tale->block.kernel_path = known ? block->kernel_path : GAPP_PATH_NONE;
}

/**
 * gapp_slices_describe() - what the records of an event need
 * @entry: the thread, locked
 * @at: the accumulators at the event
 * @tale: what is to be told
 * @slept: it comes from gapp_slices_sleep(), which has set the system call
 *
 * Without that the thread is on this CPU, or is just being woken.
 */
void gapp_slices_describe(const struct gapp_thread *entry, const struct gapp_at *at,
			  struct gapp_export *tale, bool slept)
{
	if (!(tale->what & GAPP_EXPORT_RECORDS))
		return;
	describe(entry, at, tale);
	if (slept || !(tale->what & (GAPP_EXPORT_SLICE | GAPP_EXPORT_WAIT)))
		return;
	if (entry->block.syscall >= 0)
		gapp_sleep_recall(entry->task, entry->block.syscall, &tale->block);
	else
		gapp_sleep_forget(-1, &tale->block);
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
 * @entry: the thread, locked
 *
 * No switch-in has told its begin if it ran already when it joined; then the begin is when its
 * state was found out.
 *
 * Return: whether it has one; then it is @cpu's.
 */
bool gapp_slices_open(struct gapp_cpu *cpu, struct gapp_thread *entry)
{
	const struct gapp_task *task = &entry->core;
	struct gapp_at found;

	if (task->state != GAPP_THREAD_RUNNING || entry->flags & GAPP_THREAD_ENDED)
		return false;
	if (cpu->open_of == entry)
		return true;
	found.t = task->t;
	found.g = task->g;
	found.c = task->c;
	found.s = entry->s_found;
	gapp_slice_begin(&cpu->open, &found);
	cpu->open_of = entry;
	return true;
}

/* The thread is on this CPU, its slice open. */
static void end_slice(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		      enum gapp_slice_how how, const struct gapp_at *at, struct gapp_export *tale)
{
	bool sampled = cpu->sampled == entry && cpu->sample_count;

	gapp_slice_end(&entry->slice, &cpu->open, &track->rule, at, how, sampled, &tale->end);
	cpu->critical_run += tale->end.own_critical_share;
	if (how != GAPP_SLICE_GOES_ON) {
		cpu->open_of = NULL;
		cpu->slices++;
		if (tale->end.critical) {
			cpu->critical_slices++;
			cpu->unsampled_slices += !tale->end.sampled;
		}
	}
	if (tale->end.due && track->level != GAPP_LEVEL_STATS)
		tale->what |= GAPP_EXPORT_SLICE;
	else if (cpu->sampled)
		gapp_cpu_drop_samples(cpu);
}

/**
 * gapp_slices_sleep() - what a thread sleeps in
 * @entry: the thread, locked; asleep from now on
 * @tale: its system call is set
 *
 * Return: enum gapp_wait_reason.
 */
u8 gapp_slices_sleep(struct gapp_thread *entry, struct gapp_export *tale)
{
	struct gapp_block *block = &entry->block;
	struct gapp_exported_wait *told = &tale->block;
	struct gapp_sleep sleep;

	gapp_sleep_read(entry->task, &sleep);
	told->syscall = sleep.syscall;
	told->args[0] = sleep.args[0];
	told->args[1] = sleep.args[1];
	told->args[2] = sleep.args[2];
	block->paths = GAPP_PATHS_NONE;
	block->syscall = gapp_sleep_note(sleep.syscall);
	block->wait = gapp_wait_reason_of(&sleep);
	return block->wait;
}

/* Its slice ends, but it does not sleep. */
static void note_no_sleep(struct gapp_thread *entry)
{
	struct gapp_block *block = &entry->block;

	block->paths = GAPP_PATHS_NONE;
	block->syscall = -1;
	block->wait = entry->waits_as == GAPP_WAIT_NONE ? GAPP_WAIT_OTHER : entry->waits_as;
}

static void take_wait(struct gapp_track *track, struct gapp_thread *entry, struct gapp_export *tale)
{
	tale->wait_begin = entry->slice.wait_begin;
	tale->wait_ns = gapp_slice_take_wait(&entry->slice, &track->rule, &tale->stretches);
	if (tale->wait_ns)
		tale->what |= GAPP_EXPORT_WAIT;
}

/*
 * A thread that is gone may be forgotten before the session ends: what is left of its waits is told
 * now, and is of how it had blocked, and not of how it leaves.
 */
static void take_last_wait(struct gapp_track *track, struct gapp_thread *entry,
			   const struct gapp_block *block, struct gapp_export *tale)
{
	const bool known = block->paths == GAPP_PATHS_KNOWN;

	take_wait(track, entry, tale);
	if (!(tale->what & GAPP_EXPORT_WAIT))
		return;
	tale->what |= GAPP_EXPORT_WAITED;
	tale->waited.path = known ? block->path : GAPP_PATH_NONE;
	tale->waited.kernel_path = known ? block->kernel_path : GAPP_PATH_NONE;
	tale->waited.wait = block->wait;
	gapp_sleep_forget(block->syscall, &tale->waited);
}

/* Whoever leaves nobody active may be the one that all wait for. */
static bool wants_path(const struct gapp_export *tale, bool asleep, const struct gapp_at *at)
{
	return tale->what & GAPP_EXPORT_SLICE || (asleep && !at->n);
}

/**
 * gapp_slices_out() - a thread is switched out in a session that runs, its slice open
 * @track: the target
 * @cpu: this CPU's
 * @entry: the thread, locked; if it sleeps after gapp_slices_sleep()
 * @then: GAPP_THEN_WAIT or GAPP_THEN_PREEMPTED
 * @at: the accumulators at the event
 * @tale: initialized; filled in
 */
void gapp_slices_out(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		     enum gapp_then then, const struct gapp_at *at, struct gapp_export *tale)
{
	end_slice(track, cpu, entry, GAPP_SLICE_SWITCHED, at, tale);
	if (track->level == GAPP_LEVEL_STATS)
		return;
	if (then != GAPP_THEN_WAIT)
		note_no_sleep(entry);
	if (wants_path(tale, then == GAPP_THEN_WAIT, at))
		tale->what |= GAPP_EXPORT_PATH;
	tale->then = then;
}

static void close_slice(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
			enum gapp_event event, const struct gapp_at *at, struct gapp_export *tale)
{
	const struct gapp_block block = entry->block;
	enum gapp_slice_how how = GAPP_SLICE_SWITCHED;

	if (event == GAPP_EV_OUT_DEAD || at->phase == GAPP_PHASE_STOPPED)
		how = GAPP_SLICE_LAST;
	end_slice(track, cpu, entry, how, at, tale);
	if (track->level == GAPP_LEVEL_STATS)
		return;
	if (event != GAPP_EV_OUT_ASLEEP)
		note_no_sleep(entry);
	if (event == GAPP_EV_OUT_DEAD)
		take_last_wait(track, entry, &block, tale);
	if (wants_path(tale, event == GAPP_EV_OUT_ASLEEP, at))
		tale->what |= GAPP_EXPORT_PATH;
	tale->then = then_of(event, at);
}

/**
 * gapp_slices_event() - an event has been applied to a thread
 * @track: the target
 * @cpu: this CPU's
 * @entry: the thread, locked
 * @event: the event
 * @open: its slice was, before the event
 * @at: the accumulators at the event
 * @tale: initialized; filled in
 */
void gapp_slices_event(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		       enum gapp_event event, bool open, const struct gapp_at *at,
		       struct gapp_export *tale)
{
	if (at->phase == GAPP_PHASE_BEFORE) {
		if (open)
			cpu->open_of = NULL;
	} else if (open) {
		close_slice(track, cpu, entry, event, at, tale);
		if (at->phase == GAPP_PHASE_STOPPED)
			entry->flags |= GAPP_THREAD_ENDED;
	}
	if (event != GAPP_EV_IN)
		return;
	if (at->phase != GAPP_PHASE_STOPPED && entry->core.state == GAPP_THREAD_RUNNING) {
		gapp_slice_begin(&cpu->open, at);
		cpu->open_of = entry;
		if (at->phase == GAPP_PHASE_RUNNING && track->period_ns)
			tale->what |= GAPP_EXPORT_ARM;
	}
	if (at->phase != GAPP_PHASE_BEFORE && entry->block.paths == GAPP_PATHS_WANTED)
		tale->what |= GAPP_EXPORT_WANTED;
}

/**
 * gapp_slices_active() - an event has made a thread active
 * @track: the target
 * @entry: the thread, locked
 * @waited: it was waiting; not so if it is a new one
 * @at: the accumulators at the event
 * @tale: what gapp_slices_event() said
 *
 * If nobody was active, what it waited for is what all have waited for.
 */
void gapp_slices_active(struct gapp_track *track, struct gapp_thread *entry, bool waited,
			const struct gapp_at *at, struct gapp_export *tale)
{
	if (at->phase != GAPP_PHASE_RUNNING || track->level == GAPP_LEVEL_STATS)
		return;
	if (track->level == GAPP_LEVEL_TRACE)
		tale->what |= GAPP_EXPORT_WAKE;
	if (!waited || !at->idle || !gapp_slice_waited(&entry->slice, &track->rule, at))
		return;
	if (entry->block.paths == GAPP_PATHS_KNOWN)
		take_wait(track, entry, tale);
	else
		entry->block.paths = GAPP_PATHS_WANTED;
}

/**
 * gapp_slices_part() - a slice ends here, or is told so far, without an event
 * @track: the target
 * @cpu: this CPU's
 * @entry: the thread that is on this CPU, locked, its slice open
 * @then: GAPP_THEN_ON or GAPP_THEN_STOPPED
 * @at: the accumulators now
 * @tale: initialized; filled in
 */
void gapp_slices_part(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		      enum gapp_then then, const struct gapp_at *at, struct gapp_export *tale)
{
	end_slice(track, cpu, entry, then == GAPP_THEN_ON ? GAPP_SLICE_GOES_ON : GAPP_SLICE_LAST,
		  at, tale);
	tale->then = then;
	if (tale->what & GAPP_EXPORT_SLICE)
		tale->what |= GAPP_EXPORT_PATH;
	if (then == GAPP_THEN_STOPPED)
		entry->flags |= GAPP_THREAD_ENDED;
	describe(entry, at, tale);
	gapp_sleep_forget(-1, &tale->block);
}

/**
 * gapp_slices_wanted() - the wait record whose path was wanted
 * @track: the target
 * @entry: current's, locked
 * @at: the accumulators now
 * @tale: initialized; filled in
 *
 * Return: whether current is still in the system call in which it waited.
 */
bool gapp_slices_wanted(struct gapp_track *track, struct gapp_thread *entry,
			const struct gapp_at *at, struct gapp_export *tale)
{
	entry->block.paths = GAPP_PATHS_NONE;
	take_wait(track, entry, tale);
	describe(entry, at, tale);
	return gapp_sleep_recall(entry->task, entry->block.syscall, &tale->block);
}

/**
 * gapp_slices_rest() - what is left of a thread's shares and waits at the end
 * @track: the target
 * @entry: the thread, locked
 * @end: the accumulators at the end
 * @tale: initialized; filled in
 *
 * Return: whether there is anything.
 */
bool gapp_slices_rest(struct gapp_track *track, struct gapp_thread *entry,
		      const struct gapp_at *end, struct gapp_export *tale)
{
	if (track->level == GAPP_LEVEL_STATS)
		return false;
	if (gapp_slice_rest(&entry->slice, &tale->end))
		tale->what |= GAPP_EXPORT_SLICE;
	tale->flags = GAPP_SLICE_REST;
	tale->then = GAPP_THEN_STOPPED;
	take_wait(track, entry, tale);
	if (!tale->what)
		return false;
	describe(entry, end, tale);
	tale->end.begin = end->t;
	tale->block.path = entry->block.path;
	/* One that still sleeps stays there until its wake-up, which needs the lock of the entry.
	 */
	if (entry->core.state == GAPP_THREAD_BLOCKED && !(entry->flags & GAPP_THREAD_ENDED) &&
	    entry->block.syscall >= 0)
		gapp_sleep_recall(entry->task, entry->block.syscall, &tale->block);
	else
		gapp_sleep_forget(entry->block.syscall, &tale->block);
	return true;
}
