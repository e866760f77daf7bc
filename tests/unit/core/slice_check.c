// SPDX-License-Identifier: GPL-2.0
#include "slice_check.h"

/* Half to one and a half times the minimum, in units of which 1 << @shift are a nanosecond. */
static bool is_draw(u64 due, u64 min, unsigned int shift)
{
	if (min > 1ULL << 50)
		min = 1ULL << 50;
	return due >= (min << shift) / 2 && due <= (min << shift) / 2 * 3 + 1;
}

static const char *check_thread(const struct slicing *s, u32 i)
{
	const struct slicing_thread *thread = &s->threads[i];
	const struct slicing_sums *sums = &thread->sums;
	const struct gapp_slice *core = &thread->core;
	u64 min = s->min;
	u64 due = gapp_slice_due(core, &s->rule), wait_due = gapp_slice_wait_due(core, &s->rule);
	u64 carry = gapp_slice_carried(core, &s->rule);

	if (sums->told + carry != sums->own)
		return "shares told and carried are not those collected";
	if (sums->told_slices + sums->untold + core->carried != sums->slices)
		return "slices told and carried are not those that ended";
	if (sums->told_waits + core->wait_ns != sums->waits)
		return "waits told and kept are not those charged";
	if (sums->told_stretches + core->wait_stretches != sums->stretches)
		return "stretches told and kept are not those charged";
	if (sums->critical > sums->slices || sums->unsampled > sums->critical)
		return "more critical slices than slices";
	if (!is_draw(due, min, GAPP_SHARE_SHIFT) || !is_draw(wait_due, min, 0))
		return "a draw that is out of bounds";
	if (carry ? carry >= due : core->carried && !min)
		return "a share is held back";
	if (core->wait_ns && core->wait_ns >= wait_due)
		return "a wait is held back";
	return NULL;
}

/*
 * What a reader saw ahead of a writer is not what came of it. So a slice that has seen a step back
 * may have more share than time, and more critical share than share, in all its parts, for the
 * integrals may need long to come to what the reader saw; but none that began later.
 */
static const char *check_sizes(const struct slicing *s, const struct vec_told *told)
{
	if (s->settled && s->threads[told->thread].opened <= s->settled)
		return NULL;
	if (told->own > told->cmetric)
		return "a slice has more critical share than share";
	if (told->cmetric > (told->length << GAPP_SHARE_SHIFT))
		return "a slice has more share than time";
	return NULL;
}

/*
 * A clock that has stepped back counts some time twice. Where a slice is then as long as sessions
 * may be, it and what was carried are more than 64 bits hold.
 */
static bool may_wrap(const struct slicing *s, const struct vec_told *told)
{
	return s->settled && told->own >> 63;
}

static const char *check_told(const struct slicing *s)
{
	const struct vec_told *told = &s->last;
	bool small = told->critical_share < (s->min << GAPP_SHARE_SHIFT) / 2;

	switch (told->what) {
	case TOLD_REST:
		if (!told->critical_share || !told->slices || told->own || told->length ||
		    told->cmetric)
			return "a rest that is none";
		break;
	case TOLD_PART:
	case TOLD_SLICE:
		if (told->length > GAPP_TIME_MAX)
			return "a slice is longer than any session";
		if (told->own > told->critical_share && !may_wrap(s, told))
			return "a slice has more than its record";
		if (told->own && !told->critical)
			return "critical share of a slice that is not critical";
		if (!told->critical_share && s->min)
			return "a record without a share";
		if (small && told->what == TOLD_SLICE && s->tasks[told->thread].state != GONE &&
		    s->drive.cm.phase == GAPP_PHASE_RUNNING && s->min < 1ULL << 50)
			return "a record is told that was not due";
		return check_sizes(s, told);
	case TOLD_WAIT:
		if (!told->length || !told->slices)
			return "a wait of no time is told";
		break;
	}
	return NULL;
}

static u64 later(u64 a, u64 b)
{
	return a > b ? a : b;
}

const char *slice_check_step(struct slicing *s, const struct vec_step *step)
{
	struct slicing_thread *thread = &s->threads[step->thread];
	struct gapp_task *task = &s->tasks[step->thread];
	u64 latest = later(s->drive.cm.t, s->drive.at.t);
	u64 told = s->told;
	const char *wrong;
	bool on_cpu;

	if (step->op == JOIN && gapp_task_is_active(task))
		return NULL;
	if (step->t < latest)
		s->settled = later(s->settled, latest);
	slicing_step(s, step);
	on_cpu = task->state == RUNNING && s->drive.cm.phase != GAPP_PHASE_STOPPED;
	if (thread->is_open != on_cpu)
		return "a slice is open, but not while the thread runs";
	if (s->drive.cm.phase == GAPP_PHASE_BEFORE && s->told)
		return "something is told before the start";
	wrong = check_thread(s, step->thread);
	if (!wrong && s->told == told + 1)
		wrong = check_told(s);
	return wrong;
}

const char *slice_check_end(struct slicing *s, u64 now)
{
	const struct vec_step stop = { .t = now, .op = STOP };
	const char *wrong = NULL;
	u64 waits = 0;
	u32 i;

	slicing_step(s, &stop);
	for (i = 0; i < SLICING_THREADS && !wrong; i++) {
		waits += s->threads[i].sums.waits;
		wrong = check_thread(s, i);
		if (!wrong && gapp_slice_carried(&s->threads[i].core, &s->rule))
			wrong = "a share is left behind";
		if (!wrong && s->threads[i].core.wait_ns)
			wrong = "a wait is left behind";
	}
	if (wrong)
		return wrong;
	return waits + vec_idle(&s->drive.cm) == s->hist[0] ? NULL : "the waits are not Z";
}
