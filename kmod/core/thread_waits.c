// SPDX-License-Identifier: GPL-2.0
/* Sums of a thread's waits by reason, of its stays in the run queue, and of its preemptions. */
#include "thread_waits.h"

_Static_assert(GAPP_OTHER_PREEMPTERS < GAPP_NOT_PREEMPTED, "an index is none");

/* The element to use again: of whom it is about the fewest stays are known. */
static u8 fewest(const struct gapp_waits *waits)
{
	u8 least = 0, i;

	for (i = 1; i < GAPP_PREEMPTERS; i++)
		if (waits->by[i].times < waits->by[least].times)
			least = i;
	return least;
}

/* Copies a name up to its end: what lies behind that may be of another name. */
static void put_name(char *to, const char *comm)
{
	const size_t length = strnlen(comm, GAPP_COMM_LEN - 1);

	memcpy(to, comm, length);
	memset(to + length, 0, GAPP_COMM_LEN - length);
}

/**
 * gapp_waits_preempter() - the element of a preempter
 * @waits: the sums of the thread that was preempted
 * @tid: the preempter's thread id
 * @comm: the preempter's name, GAPP_COMM_LEN bytes; NULL: the opener may not know the preempter
 *
 * A preempter without an element gets the one with the fewest stays, and what that one has is added
 * to the others. So the sum over all elements is exact, and what an element has is the least that
 * its preempter did.
 *
 * Return: index of gapp_waits.by, for gapp_waits_ready().
 */
u8 gapp_waits_preempter(struct gapp_waits *waits, s32 tid, const char *comm)
{
	struct gapp_preempter *others = &waits->by[GAPP_OTHER_PREEMPTERS];
	struct gapp_preempter *by;
	u8 i;

	if (!comm)
		return GAPP_OTHER_PREEMPTERS;
	for (i = 0; i < waits->known; i++)
		if (waits->by[i].tid == tid)
			return i;
	if (i == GAPP_PREEMPTERS)
		i = fewest(waits);
	else
		waits->known++;
	by = &waits->by[i];
	others->times += by->times;
	others->runq_ns += by->runq_ns;
	by->tid = tid;
	by->times = 0;
	by->runq_ns = 0;
	put_name(by->comm, comm);
	return i;
}

/* Whether a thread in the state waits for something else than a CPU: asleep, or on a CPU. */
static bool is_waiting(u32 state)
{
	return state == GAPP_THREAD_BLOCKED || state == GAPP_THREAD_SPINNING;
}

static u8 known_reason(u8 reason)
{
	return reason < GAPP_WAIT_REASONS ? reason : GAPP_WAIT_OTHER;
}

/**
 * gapp_waits_take() - take a step, before gapp_task_take() takes it
 * @waits: the sums
 * @task: the thread before the step
 * @step: the step
 * @reason: what the thread waits for after the step; GAPP_WAIT_REASONS or more: that is not known
 * @preempter: who gets the CPU if the thread still wants it, as gapp_waits_preempter() has it
 * @at: integrals at the event
 *
 * A stay in the run queue counts if it ends with the thread on a CPU while the session runs.
 */
void gapp_waits_take(struct gapp_waits *waits, const struct gapp_task *task, u32 step, u8 reason,
		     u8 preempter, const struct gapp_at *at)
{
	const u32 from = task->state, to = step & GAPP_STEP_STATE;
	const bool missed = step & GAPP_STEP_WAS_RUNNING;

	if (at->phase == GAPP_PHASE_STOPPED || from == GAPP_THREAD_GONE)
		return;
	if (from == GAPP_THREAD_UNKNOWN && to != GAPP_THREAD_UNKNOWN)
		waits->unknown_ns = at->t - task->joined;
	else if (is_waiting(from))
		gapp_waits_slept(waits, at->t);
	else if (gapp_state_is_ready(from) && gapp_state_is_on_cpu(to) && !missed &&
		 at->phase == GAPP_PHASE_RUNNING)
		gapp_waits_runs(waits, at->t);

	if (is_waiting(to))
		gapp_waits_sleeps(waits, known_reason(reason), at->t);
	else if (gapp_state_is_ready(to) && (!gapp_state_is_ready(from) || missed))
		gapp_waits_ready(waits,
				 step & GAPP_STEP_SLICE || from == GAPP_THREAD_SPINNING ?
					 preempter :
					 GAPP_NOT_PREEMPTED,
				 at->t);
}

/* @sum, or 0 if it has wrapped below 0: see gapp_task_figures(). */
static u64 not_negative(u64 sum)
{
	return (s64)sum < 0 ? 0 : sum;
}

/* Adds what the preempters did to the figures. */
static void put_preempters(const struct gapp_waits *waits, struct gapp_thread_waits *figures)
{
	u8 i;

	for (i = 0; i <= GAPP_PREEMPTERS; i++) {
		const struct gapp_preempter *by = &waits->by[i];
		struct gapp_preempted *row = &figures->by[i];

		figures->preempted += by->times;
		figures->preempted_runq_ns += by->runq_ns;
		if (i == GAPP_PREEMPTERS || !by->times)
			continue;
		row->tid = by->tid;
		row->times = by->times;
		row->runq_ns = not_negative(by->runq_ns);
		memcpy(row->comm, by->comm, sizeof(row->comm));
	}
	figures->preempted_runq_ns = not_negative(figures->preempted_runq_ns);
}

/**
 * gapp_waits_figures() - a thread's waits at an instant, with the open one
 * @waits: the sums
 * @task: the thread
 * @at: integrals at the instant, read after the thread's last event
 * @figures: filled in, but for the ids
 *
 * A stay in the run queue that has not ended can be the longest, but is in no number of stays.
 */
void gapp_waits_figures(const struct gapp_waits *waits, const struct gapp_task *task,
			const struct gapp_at *at, struct gapp_thread_waits *figures)
{
	const u64 end = task->state == GAPP_THREAD_GONE ? task->t : at->t;
	struct gapp_thread_figures sums;
	u64 open_ns = 0;
	u8 i;

	memset(figures, 0, sizeof(*figures));
	gapp_task_figures(task, at, &sums);
	figures->joined_ns = task->joined;
	figures->life_ns = not_negative(end - task->joined);
	figures->unknown_ns = waits->unknown_ns;
	figures->run_ns = sums.run_ns;
	figures->runq_ns = sums.runq_ns;
	for (i = 0; i < GAPP_WAIT_REASONS; i++)
		figures->blocked_ns[i] = waits->blocked_ns[i];
	if (task->state == GAPP_THREAD_UNKNOWN)
		figures->unknown_ns = not_negative(end - task->joined);
	else if (is_waiting(task->state))
		figures->blocked_ns[waits->reason] =
			not_negative(figures->blocked_ns[waits->reason] + end);
	else if (gapp_state_is_ready(task->state))
		open_ns = not_negative(end - waits->ready_since);
	figures->runq_stays = waits->runq_stays;
	figures->runq_max_ns = waits->runq_max_ns;
	figures->runq_max_at_ns = waits->runq_max_at;
	if (open_ns > waits->runq_max_ns) {
		figures->runq_max_ns = open_ns;
		figures->runq_max_at_ns = waits->ready_since;
	}
	put_preempters(waits, figures);
}
