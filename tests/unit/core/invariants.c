// SPDX-License-Identifier: GPL-2.0
#include "invariants.h"

void invariants_init(struct invariants *inv)
{
	memset(inv, 0, sizeof(*inv));
	inv->ordered = true;
	drive_init(&inv->drive, inv->tasks, INV_THREADS, inv->hist, INV_THREADS + 1);
}

static const char *check_accumulators(const struct gapp_cm *now, const struct gapp_cm *before)
{
	if (now->t < before->t || now->g < before->g || now->c < before->c)
		return "an accumulator went back";
	if (now->t > GAPP_TIME_MAX)
		return "session time has no end";
	if (now->c > now->g)
		return "C is more than G";
	if (now->g > now->t << GAPP_SHARE_SHIFT)
		return "G is more than the time";
	if (before->phase == GAPP_PHASE_BEFORE && now->t)
		return "time went by before the start";
	if (before->phase == GAPP_PHASE_STOPPED && (now->t != before->t || now->n != before->n))
		return "something changed after the stop";
	return NULL;
}

struct gapp_task invariants_collected(const struct gapp_task *task)
{
	const struct gapp_at last = { .t = task->t, .g = task->g, .c = task->c };
	struct gapp_task sums = *task;

	gapp_task_leave(&sums, task->state, &last);
	return sums;
}

static bool counts_in_n(u32 state)
{
	return state == RUNNABLE || state == RUNNING;
}

/* The sums of a thread wrap, so they add up in any order of times. */
static const char *check_task(struct invariants *inv, u32 i, const struct gapp_task *was)
{
	const struct gapp_task sums = invariants_collected(&inv->tasks[i]),
			       sums_before = invariants_collected(was);
	const struct gapp_task *task = &sums, *before = &sums_before;
	u64 until = task->state == GONE ? inv->gone[i] : task->t;

	if (before->state == GONE && task->state != GONE)
		return "a gone thread came back";
	if (before->state != UNKNOWN && task->state == UNKNOWN)
		return "a known state was forgotten";
	if (task->state == UNKNOWN &&
	    (task->run_ns || task->runq_ns || task->blocked_ns || task->cm_run || task->cm_runq ||
	     task->critical_run || task->critical_runq))
		return "an unknown thread collected something";
	if (task->state != UNKNOWN &&
	    task->run_ns + task->runq_ns + task->blocked_ns != until - inv->known[i])
		return "run + runq + blocked is not the time since the thread is known";
	if (task->slices < before->slices || task->wakeups < before->wakeups ||
	    task->blocks < before->blocks || task->unexpected < before->unexpected)
		return "a count went back";
	if (inv->ordered &&
	    (task->run_ns < before->run_ns || task->runq_ns < before->runq_ns ||
	     task->blocked_ns < before->blocked_ns || task->cm_run < before->cm_run ||
	     task->cm_runq < before->cm_runq || task->critical_run < before->critical_run ||
	     task->critical_runq < before->critical_runq))
		return "a sum went back";
	if (inv->ordered &&
	    (task->critical_run > task->cm_run || task->critical_runq > task->cm_runq))
		return "more critical share than share";
	if (before->state == GONE && task->t != before->t)
		return "a thread left twice";
	if (!counts_in_n(before->state) &&
	    (task->run_ns != before->run_ns || task->cm_run != before->cm_run ||
	     task->cm_runq != before->cm_runq || task->critical_run != before->critical_run ||
	     task->critical_runq != before->critical_runq))
		return "an inactive thread collected a share, or time on a CPU";
	if (before->state == SPIN_READY && task->blocked_ns != before->blocked_ns)
		return "a thread that waits for a CPU collected time asleep";
	if (before->state == SPINNING && task->runq_ns != before->runq_ns)
		return "a thread on a CPU collected time without one";
	return NULL;
}

static const char *check_n(const struct invariants *inv)
{
	u32 i, active = 0;

	for (i = 0; i < INV_THREADS; i++) {
		active += counts_in_n(inv->tasks[i].state);
		if (gapp_task_is_active(&inv->tasks[i]) != counts_in_n(inv->tasks[i].state))
			return "a thread is active that cannot be";
	}
	return active == inv->drive.cm.n ? NULL : "n is not the number of active threads";
}

const char *invariants_step(struct invariants *inv, const struct vec_step *step)
{
	struct gapp_cm cm = inv->drive.cm;
	struct gapp_task *task = &inv->tasks[step->thread];
	struct gapp_task before = *task;
	const char *wrong;

	if (step->op == JOIN && gapp_task_is_active(task))
		return NULL;
	if (step->t < inv->last)
		inv->ordered = false;
	inv->last = step->t;
	drive_step(&inv->drive, step);
	if (step->op == JOIN) {
		before = invariants_collected(&before);
		inv->departed += before.cm_run + before.cm_runq;
		inv->departed_crit += before.critical_run + before.critical_runq;
		before = *task;
	}
	if (inv->drive.cm.t > cm.t && cm.n)
		inv->loss += cm.n - 1;
	if (cm.n && cm.n <= cm.n_min)
		inv->critical += inv->drive.cm.t - cm.t;
	if (before.state == UNKNOWN && task->state != UNKNOWN)
		inv->known[step->thread] = task->t;
	if (before.state != GONE && task->state == GONE)
		inv->gone[step->thread] = task->t;

	wrong = check_accumulators(&inv->drive.cm, &cm);
	if (step->op == N_MIN && cm.phase == GAPP_PHASE_RUNNING && inv->drive.cm.t < step->t &&
	    inv->drive.cm.t < GAPP_TIME_MAX)
		wrong = "a change of N_min did not close the interval";
	if (!wrong)
		wrong = check_task(inv, step->thread, &before);
	if (!wrong)
		wrong = check_n(inv);
	return wrong;
}

static const char *check_figures(const struct gapp_task *task, const struct gapp_at *at)
{
	struct gapp_thread_figures figures = { 0 };
	const u64 zero = 1ULL << 62;

	gapp_task_figures(task, at, &figures);
	if (figures.run_ns > zero || figures.runq_ns > zero || figures.blocked_ns > zero)
		return "a time is shown that cannot be";
	if (figures.state != task->state)
		return "another state is shown";
	return NULL;
}

const char *invariants_end(struct invariants *inv, u64 now)
{
	const struct vec_step stop = { .t = now, .op = STOP };
	const char *wrong = invariants_step(inv, &stop);
	const struct gapp_cm *cm = &inv->drive.cm;
	u64 shares = inv->departed, crit = inv->departed_crit, total = 0;
	struct gapp_at at;
	u32 i;

	gapp_cm_read(cm, now, &at);
	for (i = 0; i < INV_THREADS && !wrong; i++) {
		const struct gapp_task sums = invariants_collected(&inv->tasks[i]);

		shares += sums.cm_run + sums.cm_runq;
		crit += sums.critical_run + sums.critical_runq;
		wrong = check_task(inv, i, &inv->tasks[i]);
		if (!wrong)
			wrong = check_figures(&inv->tasks[i], &at);
	}
	if (wrong)
		return wrong;

	for (i = 0; i <= INV_THREADS; i++)
		total += inv->hist[i];
	if (total != cm->t)
		return "the histogram is not the wall time";
	/* shares + Z + what was rounded down = wall */
	if ((cm->t << GAPP_SHARE_SHIFT) - (inv->hist[0] << GAPP_SHARE_SHIFT) - shares > inv->loss)
		return "the shares and Z are not the wall time";
	if ((inv->critical << GAPP_SHARE_SHIFT) - crit > inv->loss)
		return "the critical shares are not the time with few active";
	return NULL;
}
