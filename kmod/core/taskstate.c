// SPDX-License-Identifier: GPL-2.0
/* The state machine of a thread, and the sums that its transitions collect. */
#include "taskstate.h"

enum {
	UNKNOWN = GAPP_THREAD_UNKNOWN,
	BLOCKED = GAPP_THREAD_BLOCKED,
	RUNNABLE = GAPP_THREAD_RUNNABLE,
	RUNNING = GAPP_THREAD_RUNNING,
	GONE = GAPP_THREAD_GONE,
	SPINNING = GAPP_THREAD_SPINNING,
	SPIN_READY = GAPP_THREAD_SPIN_READY,
	STATES,
};

enum {
	ODD = GAPP_STEP_ODD,
	WAS_RUNNING = GAPP_STEP_WAS_RUNNING,
	SLICE = GAPP_STEP_SLICE,
	WAKEUP = GAPP_STEP_WAKEUP,
	BLOCK = GAPP_STEP_BLOCK,
};

/*
 * An event decides the new state whatever the old one was; only of a thread that spins it is also
 * kept that it does, until it works or sleeps. The switch-out of a thread in an unknown
 * state ends a slice whose begin the module has not seen, so the thread collects nothing.
 */
static const u16 transition[STATES][GAPP_EV_COUNT] = {
	[UNKNOWN] = {
		[GAPP_EV_NEW] = BLOCKED,
		[GAPP_EV_SEED_BLOCKED] = BLOCKED,
		[GAPP_EV_SEED_RUNNABLE] = RUNNABLE,
		[GAPP_EV_SEED_RUNNING] = RUNNING,
		[GAPP_EV_IN] = RUNNING,
		[GAPP_EV_OUT_RUNNABLE] = RUNNABLE,
		[GAPP_EV_OUT_ASLEEP] = BLOCKED,
		[GAPP_EV_OUT_DEAD] = GONE,
		[GAPP_EV_WAKE] = RUNNABLE | WAKEUP,
		[GAPP_EV_WAKE_ON_CPU] = RUNNING,
		[GAPP_EV_SPIN] = UNKNOWN,
		[GAPP_EV_WORK] = UNKNOWN,
		[GAPP_EV_STOP] = UNKNOWN,
	},
	[BLOCKED] = {
		[GAPP_EV_NEW] = BLOCKED,
		[GAPP_EV_SEED_BLOCKED] = BLOCKED,
		[GAPP_EV_SEED_RUNNABLE] = BLOCKED,
		[GAPP_EV_SEED_RUNNING] = BLOCKED,
		[GAPP_EV_IN] = RUNNING | ODD,
		[GAPP_EV_OUT_RUNNABLE] = RUNNABLE | ODD,
		[GAPP_EV_OUT_ASLEEP] = BLOCKED | ODD,
		[GAPP_EV_OUT_DEAD] = GONE | ODD,
		[GAPP_EV_WAKE] = GAPP_STEP_WOKEN,
		[GAPP_EV_WAKE_ON_CPU] = RUNNING | ODD,
		[GAPP_EV_SPIN] = BLOCKED,
		[GAPP_EV_WORK] = BLOCKED,
		[GAPP_EV_STOP] = BLOCKED,
	},
	[RUNNABLE] = {
		[GAPP_EV_NEW] = RUNNABLE,
		[GAPP_EV_SEED_BLOCKED] = RUNNABLE,
		[GAPP_EV_SEED_RUNNABLE] = RUNNABLE,
		[GAPP_EV_SEED_RUNNING] = RUNNABLE,
		[GAPP_EV_IN] = GAPP_STEP_RUNS,
		[GAPP_EV_OUT_RUNNABLE] = RUNNABLE | WAS_RUNNING | SLICE | ODD,
		[GAPP_EV_OUT_ASLEEP] = BLOCKED | WAS_RUNNING | SLICE | BLOCK | ODD,
		[GAPP_EV_OUT_DEAD] = GONE | WAS_RUNNING | SLICE | BLOCK | ODD,
		[GAPP_EV_WAKE] = RUNNABLE,
		[GAPP_EV_WAKE_ON_CPU] = RUNNING | WAS_RUNNING | ODD,
		[GAPP_EV_SPIN] = RUNNABLE,
		[GAPP_EV_WORK] = RUNNABLE,
		[GAPP_EV_STOP] = RUNNABLE,
	},
	[RUNNING] = {
		[GAPP_EV_NEW] = RUNNING,
		[GAPP_EV_SEED_BLOCKED] = RUNNING,
		[GAPP_EV_SEED_RUNNABLE] = RUNNING,
		[GAPP_EV_SEED_RUNNING] = RUNNING,
		[GAPP_EV_IN] = RUNNING | ODD,
		[GAPP_EV_OUT_RUNNABLE] = GAPP_STEP_PREEMPTED,
		[GAPP_EV_OUT_ASLEEP] = GAPP_STEP_SLEEPS,
		[GAPP_EV_OUT_DEAD] = GONE | SLICE | BLOCK,
		[GAPP_EV_WAKE] = RUNNING,
		[GAPP_EV_WAKE_ON_CPU] = RUNNING,
		[GAPP_EV_SPIN] = SPINNING | SLICE | BLOCK,
		[GAPP_EV_WORK] = RUNNING,
		[GAPP_EV_STOP] = RUNNING | SLICE,
	},
	[GONE] = {
		[0 ... GAPP_EV_COUNT - 1] = GONE,
	},
	[SPINNING] = {
		[GAPP_EV_NEW] = SPINNING,
		[GAPP_EV_SEED_BLOCKED] = SPINNING,
		[GAPP_EV_SEED_RUNNABLE] = SPINNING,
		[GAPP_EV_SEED_RUNNING] = SPINNING,
		[GAPP_EV_IN] = SPINNING | ODD,
		[GAPP_EV_OUT_RUNNABLE] = SPIN_READY,
		[GAPP_EV_OUT_ASLEEP] = BLOCKED,
		[GAPP_EV_OUT_DEAD] = GONE,
		[GAPP_EV_WAKE] = SPINNING,
		[GAPP_EV_WAKE_ON_CPU] = SPINNING,
		[GAPP_EV_SPIN] = SPINNING,
		[GAPP_EV_WORK] = RUNNING | WAKEUP,
		[GAPP_EV_STOP] = SPINNING,
	},
	[SPIN_READY] = {
		[GAPP_EV_NEW] = SPIN_READY,
		[GAPP_EV_SEED_BLOCKED] = SPIN_READY,
		[GAPP_EV_SEED_RUNNABLE] = SPIN_READY,
		[GAPP_EV_SEED_RUNNING] = SPIN_READY,
		[GAPP_EV_IN] = SPINNING,
		[GAPP_EV_OUT_RUNNABLE] = SPIN_READY | ODD,
		[GAPP_EV_OUT_ASLEEP] = BLOCKED | ODD,
		[GAPP_EV_OUT_DEAD] = GONE | ODD,
		[GAPP_EV_WAKE] = SPIN_READY,
		[GAPP_EV_WAKE_ON_CPU] = SPINNING | ODD,
		[GAPP_EV_SPIN] = SPIN_READY,
		[GAPP_EV_WORK] = SPIN_READY,
		[GAPP_EV_STOP] = SPIN_READY,
	},
};

static bool is_active(u32 state)
{
	return state == RUNNABLE || state == RUNNING;
}

/**
 * gapp_task_init() - a thread joins in an unknown state
 * @task: the thread
 * @at: integrals when it joins
 */
void gapp_task_init(struct gapp_task *task, const struct gapp_at *at)
{
	memset(task, 0, sizeof(*task));
	task->state = UNKNOWN;
	task->t = at->t;
	task->g = at->g;
	task->c = at->c;
	task->joined = at->t;
}

/**
 * gapp_task_is_active() - whether a thread counts in n
 * @task: the thread
 *
 * Return: true while it is runnable or running, and does not spin.
 */
bool gapp_task_is_active(const struct gapp_task *task)
{
	return is_active(task->state);
}

/**
 * gapp_task_step() - look up the transition of a thread by an event
 * @task: the thread
 * @event: the event
 *
 * Return: the step, for gapp_step_to(), gapp_step_dn() and gapp_task_take().
 */
u32 gapp_task_step(const struct gapp_task *task, enum gapp_event event)
{
	return transition[task->state][event];
}

/**
 * gapp_step_to() - the state after a step
 * @step: the step
 *
 * Return: enum gapp_thread_state.
 */
u32 gapp_step_to(u32 step)
{
	return step & GAPP_STEP_STATE;
}

/**
 * gapp_step_dn() - by how much a step changes n
 * @task: the thread before the step
 * @step: the step
 *
 * Return: -1, 0 or 1.
 */
int gapp_step_dn(const struct gapp_task *task, u32 step)
{
	return (int)is_active(step & GAPP_STEP_STATE) - (int)is_active(task->state);
}

/**
 * gapp_task_dn() - by how much an event changes n
 * @task: the thread
 * @event: the event
 *
 * Return: -1, 0 or 1.
 */
int gapp_task_dn(const struct gapp_task *task, enum gapp_event event)
{
	return gapp_step_dn(task, gapp_task_step(task, event));
}

/* Whether to skip the step: the thread is gone, or runs on and keeps the time of its switch-in. */
static bool is_nothing(const struct gapp_task *task, u32 step)
{
	return task->state == GONE || (task->state == RUNNING && step == RUNNING);
}

/* The thread, which seemed to wait for a CPU, was on one since the last event. */
static void was_running(struct gapp_task *task)
{
	const struct gapp_at since = { .t = task->t, .g = task->g, .c = task->c };

	gapp_task_leave(task, RUNNABLE, &since);
	gapp_task_enter(task, RUNNING, &since);
}

/**
 * gapp_task_take() - take a step
 * @task: the thread
 * @step: the step
 * @at: integrals at the event, after the change of n that the event makes
 *
 * A thread of a stopped session does not change. Only running sessions count events.
 */
void gapp_task_take(struct gapp_task *task, u32 step, const struct gapp_at *at)
{
	if (at->phase == GAPP_PHASE_STOPPED || is_nothing(task, step))
		return;

	if (step & ODD)
		WRITE_ONCE(task->unexpected, task->unexpected + 1);
	if (at->phase != GAPP_PHASE_RUNNING)
		step &= ~GAPP_STEP_COUNTS;
	if (step & WAS_RUNNING)
		was_running(task);
	gapp_task_go(task, task->state, step, at);
	task->g = at->g;
	task->c = at->c;
}

/**
 * gapp_task_event() - apply an event
 * @task: the thread
 * @event: the event
 * @at: integrals at the event, after the change of n that the event makes
 */
void gapp_task_event(struct gapp_task *task, enum gapp_event event, const struct gapp_at *at)
{
	gapp_task_take(task, gapp_task_step(task, event), at);
}

/*
 * Returns @sum, or 0 if it has wrapped below 0, that is if it is nearer to 2^64 than to @all. The
 * clocks of CPUs differ, so a reader's instant may be nanoseconds after that of the next writer: a
 * step back, which cancels out as sums grow. The sign bit cannot tell, for 26 days are 2^63 shares.
 */
static u64 not_negative(u64 sum, u64 all)
{
	return sum > all + (~0ULL - all) / 2 ? 0 : sum;
}

/**
 * gapp_task_figures() - a thread's figures at an instant, with the open slice or wait
 * @task: the thread
 * @at: integrals at the instant, read after the thread's last event
 * @figures: gets the sums and the state; other members stay
 */
void gapp_task_figures(const struct gapp_task *task, const struct gapp_at *at,
		       struct gapp_thread_figures *figures)
{
	struct gapp_task now = *task;
	u64 all_t = at->t > task->t ? at->t : task->t;

	gapp_task_leave(&now, now.state, at);
	figures->state = now.state;
	figures->cm_run = not_negative(now.cm_run, at->g);
	figures->cm_runq = not_negative(now.cm_runq, at->g);
	figures->critical_run = not_negative(now.critical_run, at->g);
	figures->run_ns = not_negative(now.run_ns, all_t);
	figures->runq_ns = not_negative(now.runq_ns, all_t);
	figures->blocked_ns = not_negative(now.blocked_ns, all_t);
	figures->slices = now.slices;
	figures->wakeups = now.wakeups;
	figures->blocks = now.blocks;
	figures->joined_ns = now.joined;
	figures->left_ns = task->state == GONE ? task->t : 0;
}

/**
 * gapp_figures_add() - add figures to a sum
 * @sum: the sum; ids, state and name stay
 * @figures: figures of a thread, or a sum
 */
void gapp_figures_add(struct gapp_thread_figures *sum, const struct gapp_thread_figures *figures)
{
	sum->cm_run += figures->cm_run;
	sum->cm_runq += figures->cm_runq;
	sum->critical_run += figures->critical_run;
	sum->run_ns += figures->run_ns;
	sum->runq_ns += figures->runq_ns;
	sum->blocked_ns += figures->blocked_ns;
	sum->slices += figures->slices;
	sum->wakeups += figures->wakeups;
	sum->blocks += figures->blocks;
	sum->kernel_run_ns += figures->kernel_run_ns;
	sum->kernel_runq_ns += figures->kernel_runq_ns;
	sum->kernel_seen_run_ns += figures->kernel_seen_run_ns;
	sum->kernel_seen_runq_ns += figures->kernel_seen_runq_ns;
	sum->flags |= figures->flags & GAPP_FIGURES_KERNEL_SEEN;
	sum->threads += figures->threads;
	if (figures->left_ns > sum->left_ns)
		sum->left_ns = figures->left_ns;
}
