/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Puts steps into core/ with slices and waits, as kmod/switch/slices.c does, and notes what is
 * told. For vectors, the property test and the fuzzer. No libc, no allocation.
 */
#ifndef GAPP_SLICING_H
#define GAPP_SLICING_H

#include "drive.h"
#include "slice.h"

/* Nanoseconds with no active thread that end with the last change. */
static inline u64 vec_idle(const struct gapp_cm *cm)
{
	return cm->n ? 0 : cm->t - cm->idle_since;
}

#define SLICING_THREADS 64
#define SLICING_ROWS 32

enum vec_what {
	TOLD_NOTHING, /* after the last row */
	TOLD_SLICE,
	TOLD_PART,
	TOLD_REST,
	TOLD_WAIT,
	TOLD_SAMPLE,
};

/**
 * struct vec_told - a record, or a sample
 * @what: enum vec_what
 * @thread: whose
 * @slices: of a wait its stretches
 *
 * The others are members of struct gapp_slice_end. Of a wait @length is the time and @begin that
 * of the last stretch; of a sample there is @share only.
 */
struct vec_told {
	u32 what;
	u32 thread;
	u64 begin, length;
	u64 critical_share, own, cmetric, thread_ns;
	u32 slices;
	bool critical, sampled;
};

/**
 * struct slicing_sums - what a thread has come to
 * @own: shares of all its slices and parts
 * @told: shares in records
 * @told_slices: slices that they stand for
 * @untold: slices of a thread whose place another one took that had no share since a record
 * @slices: slices that ended
 * @critical: critical ones of them
 * @unsampled: critical ones without a sample
 * @waits: time with nobody active that it ended
 * @stretches: in so many stretches
 * @told_waits: time in records
 * @told_stretches: stretches in records
 */
struct slicing_sums {
	u64 own, told;
	u64 told_slices, untold, slices, critical, unsampled;
	u64 waits, stretches, told_waits, told_stretches;
};

/**
 * struct slicing_thread - one thread
 * @core: what is tested
 * @open: likewise, if @is_open
 * @is_open: it is on a CPU
 * @opened: session time at which @open was opened
 * @sums: what it has come to
 * @sampled: a sample has hit what is open, since it was last told
 * @samples: share of those samples
 * @missed: of the part or slice that ended last: share that no sample had
 */
struct slicing_thread {
	struct gapp_slice core;
	struct gapp_open_slice open;
	bool is_open;
	u64 opened;
	struct slicing_sums sums;
	bool sampled;
	u64 samples;
	s64 missed;
};

/**
 * struct slicing - a session with its threads
 * @drive: n and the states
 * @tasks: room for them
 * @hist: room for the histogram
 * @min: a record is due when about so much has come together
 * @rule: made of it
 * @threads: their slices
 * @rows: what was told, in order
 * @told: how many that are; those beyond SLICING_ROWS are only counted
 * @last: the row that was told last
 * @settled: session time up to which the clock has stepped back; 0: it has not. For checks
 */
struct slicing {
	struct drive drive;
	struct gapp_task tasks[SLICING_THREADS];
	u64 hist[SLICING_THREADS + 1];
	u64 min;
	struct gapp_due rule;
	struct slicing_thread threads[SLICING_THREADS];
	struct vec_told rows[SLICING_ROWS];
	u64 told;
	struct vec_told last;
	u64 settled;
};

static inline void slicing_init(struct slicing *s, u64 min_critical_ns, u32 criterion, u64 seed)
{
	u32 i;

	memset(s, 0, sizeof(*s));
	drive_init(&s->drive, s->tasks, SLICING_THREADS, s->hist, SLICING_THREADS + 1);
	s->min = min_critical_ns;
	gapp_due_init(&s->rule, min_critical_ns, criterion, seed);
	for (i = 0; i < SLICING_THREADS; i++)
		gapp_slice_init(&s->threads[i].core, &s->rule, i);
}

static inline void slicing_tell(struct slicing *s, const struct vec_told *told)
{
	if (s->told < SLICING_ROWS)
		s->rows[s->told] = *told;
	s->told++;
	s->last = *told;
}

static inline void slicing_tell_end(struct slicing *s, u32 i, u32 what,
				    const struct gapp_slice_end *end)
{
	struct slicing_sums *sums = &s->threads[i].sums;
	struct vec_told told = {
		.what = what,
		.thread = i,
		.begin = end->begin,
		.length = end->length,
		.critical_share = end->critical_share,
		.own = end->own_critical_share,
		.cmetric = end->cmetric,
		.thread_ns = end->thread_ns,
		.slices = end->slices,
		.critical = end->critical,
		.sampled = end->sampled,
	};

	sums->told += end->critical_share;
	sums->told_slices += end->slices;
	slicing_tell(s, &told);
}

/* The slice that is open ends, or a part of it does, with drive.at. */
static inline void slicing_end(struct slicing *s, u32 i, enum gapp_slice_how how)
{
	struct slicing_thread *thread = &s->threads[i];
	struct gapp_slice_end end;

	gapp_slice_end(&thread->core, &thread->open, &s->rule, &s->drive.at, how, thread->sampled,
		       &end);
	thread->is_open = how == GAPP_SLICE_GOES_ON;
	thread->missed = end.own_critical_share - thread->samples;
	thread->sampled = false;
	thread->samples = 0;
	thread->sums.own += end.own_critical_share;
	if (how != GAPP_SLICE_GOES_ON) {
		thread->sums.slices++;
		thread->sums.critical += end.critical;
		thread->sums.unsampled += end.critical && !end.sampled;
	}
	if (end.due)
		slicing_tell_end(s, i, how == GAPP_SLICE_GOES_ON ? TOLD_PART : TOLD_SLICE, &end);
}

static inline void slicing_take_wait(struct slicing *s, u32 i)
{
	struct slicing_thread *thread = &s->threads[i];
	struct vec_told told = {
		.what = TOLD_WAIT,
		.thread = i,
		.begin = thread->core.wait_begin,
	};

	told.length = gapp_slice_take_wait(&thread->core, &s->rule, &told.slices);
	if (!told.length)
		return;
	thread->sums.told_waits += told.length;
	thread->sums.told_stretches += told.slices;
	slicing_tell(s, &told);
}

static inline void slicing_event(struct slicing *s, const struct vec_step *step, u32 i)
{
	struct slicing_thread *thread = &s->threads[i];
	const struct gapp_at *at = &s->drive.at;
	u32 n = s->drive.cm.n;
	bool out, running;

	drive_one(&s->drive, step, i);
	out = step->op == OUT || step->op == OUT_RUNNABLE || step->op == OUT_ASLEEP ||
	      step->op == OUT_DEAD || step->op == SPIN;
	running = s->tasks[i].state == RUNNING;

	if (at->phase == GAPP_PHASE_BEFORE)
		thread->is_open = false;
	if (thread->is_open && out) {
		slicing_end(s, i, step->op == OUT_DEAD ? GAPP_SLICE_LAST : GAPP_SLICE_SWITCHED);
	} else if (!thread->is_open && running && at->phase != GAPP_PHASE_STOPPED) {
		gapp_slice_begin(&thread->open, at);
		thread->is_open = true;
		thread->opened = at->t;
	}
	if (s->drive.cm.n <= n || !at->idle || at->phase != GAPP_PHASE_RUNNING)
		return;
	thread->sums.waits += at->idle;
	thread->sums.stretches++;
	if (gapp_slice_waited(&thread->core, &s->rule, at))
		slicing_take_wait(s, i);
}

static inline void slicing_rest(struct slicing *s, u32 i)
{
	struct slicing_thread *thread = &s->threads[i];
	struct gapp_slice_end end;

	if (gapp_slice_rest(&thread->core, &s->rule, &end))
		slicing_tell_end(s, i, TOLD_REST, &end);
	slicing_take_wait(s, i);
}

static inline void slicing_stop(struct slicing *s, const struct vec_step *step)
{
	bool before = s->drive.cm.phase == GAPP_PHASE_BEFORE;
	u32 i;

	drive_step(&s->drive, step);
	for (i = 0; i < SLICING_THREADS; i++) {
		if (s->threads[i].is_open && !before)
			slicing_end(s, i, GAPP_SLICE_LAST);
		s->threads[i].is_open = false;
		slicing_rest(s, i);
	}
}

static inline void slicing_sample(struct slicing *s, const struct vec_step *step)
{
	struct slicing_thread *thread = &s->threads[step->thread];
	struct vec_told told = { .what = TOLD_SAMPLE, .thread = step->thread };

	if (!thread->is_open || s->drive.cm.phase != GAPP_PHASE_RUNNING)
		return;
	gapp_cm_read(&s->drive.cm, step->t, &s->drive.at);
	told.critical_share = gapp_slice_sample(&thread->open, &s->rule, &s->drive.at);
	thread->samples += told.critical_share;
	thread->sampled = true;
	slicing_tell(s, &told);
}

/**
 * slicing_step() - does what a row says
 * @s: the session
 * @step: the row; DN is not for sessions with slices, for nobody can be charged with it
 */
static inline void slicing_step(struct slicing *s, const struct vec_step *step)
{
	u32 i, last = step->last ? step->last : step->thread;

	switch (step->op) {
	case START:
	case N_MIN:
	case DN:
		drive_step(&s->drive, step);
		break;
	case STOP:
		slicing_stop(s, step);
		break;
	case JOIN:
		for (i = step->thread; i <= last; i++) {
			drive_one(&s->drive, step, i);
			slicing_rest(s, i);
			s->threads[i].sums.untold += s->threads[i].core.carried;
			gapp_slice_init(&s->threads[i].core, &s->rule, step->t + i);
		}
		break;
	case SAMPLE:
		slicing_sample(s, step);
		break;
	case PART:
		if (!s->threads[step->thread].is_open || s->drive.cm.phase != GAPP_PHASE_RUNNING)
			break;
		gapp_cm_read(&s->drive.cm, step->t, &s->drive.at);
		slicing_end(s, step->thread, GAPP_SLICE_GOES_ON);
		break;
	default:
		for (i = step->thread; i <= last; i++)
			slicing_event(s, step, i);
		break;
	}
}

#endif /* GAPP_SLICING_H */
