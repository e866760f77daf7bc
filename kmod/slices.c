// SPDX-License-Identifier: GPL-2.0
/* What an event means for a thread's slice, and what of it is to be told. The entry is locked. */
#include "cpu.h"
#include "sleep.h"
#include "slices.h"

/* The rest of what records need. */
void gapp_slices_describe(const struct gapp_entry *entry, const struct gapp_at *at,
			  struct gapp_tale *tale)
{
	if (!(tale->what & GAPP_TALE_RECORDS))
		return;
	tale->at = *at;
	tale->image = entry->image;
	tale->block = entry->block;
	tale->waker = entry->waker;
	memcpy(tale->comm, entry->comm, sizeof(tale->comm));
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

/* The thread is on this CPU. */
static void end_slice(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_entry *entry,
		      enum gapp_slice_how how, const struct gapp_at *at, struct gapp_tale *tale)
{
	bool sampled = cpu->sampled == entry && cpu->sample_count;

	gapp_slice_end(&entry->slice, &track->rule, at, how, sampled, &tale->end);
	cpu->crit_run += tale->end.own_share;
	if (how != GAPP_SLICE_GOES_ON) {
		cpu->slices++;
		if (tale->end.critical) {
			cpu->critical_slices++;
			cpu->unsampled_slices += !tale->end.sampled;
		}
	}
	if (tale->end.due && track->level != GAPP_LEVEL_STATS)
		tale->what |= GAPP_TALE_SLICE;
	else if (cpu->sampled)
		gapp_cpu_drop_samples(cpu);
}

static void note_end(struct gapp_block *block)
{
	block->path = GAPP_PATH_NONE;
	block->kernel_path = GAPP_PATH_NONE;
	block->known = false;
	block->wanted = false;
}

/**
 * gapp_slices_sleep() - what a thread sleeps in
 * @entry: the thread, locked; asleep from now on
 *
 * Return: enum gapp_wait.
 */
u8 gapp_slices_sleep(struct gapp_entry *entry)
{
	struct gapp_block *block = &entry->block;
	struct gapp_sleep sleep;

	gapp_sleep_read(entry->task, &sleep);
	note_end(block);
	block->syscall = sleep.syscall;
	block->args[0] = sleep.args[0];
	block->args[1] = sleep.args[1];
	block->args[2] = sleep.args[2];
	block->wait = gapp_wait_class(&sleep);
	return block->wait;
}

/* Its slice ends, but it does not sleep. */
static void note_no_sleep(struct gapp_entry *entry)
{
	struct gapp_block *block = &entry->block;

	note_end(block);
	block->syscall = -1;
	block->args[0] = 0;
	block->args[1] = 0;
	block->args[2] = 0;
	block->wait = entry->waits_as == GAPP_WAIT_NONE ? GAPP_WAIT_OTHER : entry->waits_as;
}

static void take_wait(struct gapp_track *track, struct gapp_entry *entry, struct gapp_tale *tale)
{
	tale->wait_begin = entry->slice.wait_begin;
	tale->wait_ns = gapp_slice_take_wait(&entry->slice, &track->rule, &tale->stretches);
	if (tale->wait_ns)
		tale->what |= GAPP_TALE_WAIT;
}

/* Whoever leaves nobody active may be the one that all wait for. */
static bool wants_path(const struct gapp_tale *tale, bool asleep, const struct gapp_at *at)
{
	return tale->what & GAPP_TALE_SLICE || (asleep && !at->n);
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
void gapp_slices_out(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_entry *entry,
		     enum gapp_then then, const struct gapp_at *at, struct gapp_tale *tale)
{
	end_slice(track, cpu, entry, GAPP_SLICE_SWITCHED, at, tale);
	if (track->level == GAPP_LEVEL_STATS)
		return;
	if (then != GAPP_THEN_WAIT)
		note_no_sleep(entry);
	if (wants_path(tale, then == GAPP_THEN_WAIT, at))
		tale->what |= GAPP_TALE_PATH;
	tale->then = then;
}

static void close_slice(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_entry *entry,
			enum gapp_event event, const struct gapp_at *at, struct gapp_tale *tale)
{
	enum gapp_slice_how how = GAPP_SLICE_SWITCHED;

	if (event == GAPP_EV_OUT_DEAD || at->phase == GAPP_PHASE_STOPPED)
		how = GAPP_SLICE_LAST;
	end_slice(track, cpu, entry, how, at, tale);
	if (track->level == GAPP_LEVEL_STATS)
		return;
	if (event != GAPP_EV_OUT_ASLEEP)
		note_no_sleep(entry);
	/* A thread that is gone may be forgotten before the session ends. */
	if (event == GAPP_EV_OUT_DEAD)
		take_wait(track, entry, tale);
	if (wants_path(tale, event == GAPP_EV_OUT_ASLEEP, at))
		tale->what |= GAPP_TALE_PATH;
	tale->then = then_of(event, at);
}

/**
 * gapp_slices_event() - an event has been applied to a thread
 * @track: the target
 * @cpu: this CPU's
 * @entry: the thread, locked
 * @event: the event
 * @at: the accumulators at the event
 * @tale: initialized; filled in
 */
void gapp_slices_event(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_entry *entry,
		       enum gapp_event event, const struct gapp_at *at, struct gapp_tale *tale)
{
	struct gapp_slice *slice = &entry->slice;
	bool running = entry->core.state == GAPP_THREAD_RUNNING;

	if (at->phase == GAPP_PHASE_BEFORE) {
		slice->open = false;
		if (running)
			gapp_slice_begin(slice, &track->rule, at);
		return;
	}
	if (slice->open && gapp_is_switch_out(event)) {
		close_slice(track, cpu, entry, event, at, tale);
	} else if (!slice->open && running && at->phase == GAPP_PHASE_RUNNING) {
		gapp_slice_begin(slice, &track->rule, at);
		if (track->period_ns && event == GAPP_EV_IN)
			tale->what |= GAPP_TALE_ARM;
	}
	if (entry->block.wanted && event == GAPP_EV_IN)
		tale->what |= GAPP_TALE_WANTED;
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
void gapp_slices_active(struct gapp_track *track, struct gapp_entry *entry, bool waited,
			const struct gapp_at *at, struct gapp_tale *tale)
{
	if (at->phase != GAPP_PHASE_RUNNING || track->level == GAPP_LEVEL_STATS)
		return;
	if (track->level == GAPP_LEVEL_TRACE)
		tale->what |= GAPP_TALE_WAKE;
	if (!waited || !at->idle || !gapp_slice_waited(&entry->slice, at))
		return;
	if (entry->block.known)
		take_wait(track, entry, tale);
	else
		entry->block.wanted = true;
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
void gapp_slices_part(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_entry *entry,
		      enum gapp_then then, const struct gapp_at *at, struct gapp_tale *tale)
{
	end_slice(track, cpu, entry, then == GAPP_THEN_ON ? GAPP_SLICE_GOES_ON : GAPP_SLICE_LAST,
		  at, tale);
	tale->then = then;
	if (tale->what & GAPP_TALE_SLICE)
		tale->what |= GAPP_TALE_PATH;
	gapp_slices_describe(entry, at, tale);
	tale->block.syscall = -1;
	memset(tale->block.args, 0, sizeof(tale->block.args));
}

/* The wait record whose path was wanted, now that the thread is on a CPU. */
void gapp_slices_wanted(struct gapp_track *track, struct gapp_entry *entry,
			const struct gapp_at *at, struct gapp_tale *tale)
{
	take_wait(track, entry, tale);
	gapp_slices_describe(entry, at, tale);
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
bool gapp_slices_rest(struct gapp_track *track, struct gapp_entry *entry, const struct gapp_at *end,
		      struct gapp_tale *tale)
{
	if (track->level == GAPP_LEVEL_STATS)
		return false;
	if (gapp_slice_rest(&entry->slice, &tale->end))
		tale->what |= GAPP_TALE_SLICE;
	tale->flags = GAPP_SLICE_REST;
	tale->then = GAPP_THEN_STOPPED;
	take_wait(track, entry, tale);
	gapp_slices_describe(entry, end, tale);
	tale->end.begin = end->t;
	if (!entry->block.known)
		tale->block.path = entry->last_path;
	return tale->what;
}
