/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The state of one thread, which events of the scheduler change, and the sums
 * that it has collected. The caller locks the thread and applies an event so:
 *
 *	dn = gapp_task_dn(task, event);
 *	gapp_cm_change(cm, now, dn, &at)   if dn, else   gapp_cm_read(cm, now, &at)
 *	gapp_task_event(task, event, &at);
 *
 * A context switch in the usual case needs no look-up: it takes a step of enum
 * gapp_usual_step by gapp_task_go(). Any other event is looked up only once: by
 * gapp_task_step(), for gapp_step_dn() and gapp_task_take().
 */
#ifndef GAPP_CORE_TASKSTATE_H
#define GAPP_CORE_TASKSTATE_H

#include "cmetric.h"
#include "port.h"

/**
 * enum gapp_event - what can happen to a thread
 * @GAPP_EV_NEW: created; a wake-up follows
 * @GAPP_EV_SEED_BLOCKED: found asleep while attaching
 * @GAPP_EV_SEED_RUNNABLE: found waiting for a CPU while attaching
 * @GAPP_EV_SEED_RUNNING: found on a CPU while attaching
 * @GAPP_EV_IN: switched in
 * @GAPP_EV_OUT_RUNNABLE: switched out, still wants to run
 * @GAPP_EV_OUT_ASLEEP: switched out, asleep
 * @GAPP_EV_OUT_DEAD: switched out for the last time
 * @GAPP_EV_WAKE: woken
 * @GAPP_EV_WAKE_ON_CPU: woken before it was switched out, or by itself
 * @GAPP_EV_SPIN: found in a busy-wait loop, on a CPU
 * @GAPP_EV_WORK: found elsewhere, on a CPU
 * @GAPP_EV_STOP: the session ends; an open slice ends with it
 * @GAPP_EV_COUNT: number of events
 *
 * A seed sets the state only while it is unknown; every other event is more recent. A thread that
 * spins is inactive; it stays so if it loses its CPU meanwhile.
 */
enum gapp_event {
	GAPP_EV_NEW,
	GAPP_EV_SEED_BLOCKED,
	GAPP_EV_SEED_RUNNABLE,
	GAPP_EV_SEED_RUNNING,
	GAPP_EV_IN,
	GAPP_EV_OUT_RUNNABLE,
	GAPP_EV_OUT_ASLEEP,
	GAPP_EV_OUT_DEAD,
	GAPP_EV_WAKE,
	GAPP_EV_WAKE_ON_CPU,
	GAPP_EV_SPIN,
	GAPP_EV_WORK,
	GAPP_EV_STOP,
	GAPP_EV_COUNT,
};

static inline bool gapp_is_switch_out(enum gapp_event event)
{
	return event == GAPP_EV_OUT_RUNNABLE || event == GAPP_EV_OUT_ASLEEP ||
	       event == GAPP_EV_OUT_DEAD;
}

/**
 * struct gapp_task - a thread's state and its sums up to the last event
 * @word: @state, @held and @special, for gapp_task_usual()
 * @state: enum gapp_thread_state
 * @held: for the caller: its lock of the thread
 * @special: not 0: an event of the thread needs more than a usual step
 * @unexpected: number of transitions that cannot happen if the module sees every event
 * @t: session time of the last event; while the thread runs, of its switch-in; once gone, of its
 *	end
 * @g: G at @t, in shares; not after GAPP_STEP_SLEEPS and GAPP_STEP_RUNS
 * @c: C at @t, in shares; as @g
 * @run_ns: nanoseconds on a CPU, but for those in which it was known to spin
 * @cm_run: share collected on a CPU
 * @critical_run: part of @cm_run collected with n <= n_min
 * @slices: number of stays on a CPU that ended
 * @blocks: number of switches out and of spins that made the thread inactive
 * @runq_ns: nanoseconds waiting for a CPU
 * @cm_runq: share collected while waiting for a CPU
 * @critical_runq: part of @cm_runq collected with n <= n_min
 * @blocked_ns: nanoseconds asleep or spinning
 * @wakeups: number of wake-ups, and of ends of spinning, that made the thread active
 * @joined: session time at which the thread joined
 *
 * While the thread is in a state, the sums of that state lack the integrals of now: each stay takes
 * away the integrals at its begin, and adds those at its end. gapp_task_figures() adds what lacks.
 */
struct gapp_task {
	union {
		u32 word;
		struct {
			u8 state;
			u8 held;
			u16 special;
		};
	};
	u32 unexpected;
	u64 t;
	u64 g;
	u64 c;
	u64 run_ns;
	u64 cm_run;
	u64 critical_run;
	u64 slices;
	u64 blocks;
	u64 runq_ns;
	u64 cm_runq;
	u64 critical_runq;
	u64 blocked_ns;
	u64 wakeups;
	u64 joined;
};

/**
 * gapp_out_state() - the state that counts of a thread that is switched out
 * @preempt: the switch preempts the thread
 * @prev_state: the thread's state word when the scheduler read it
 *
 * A preempted thread may have set its state word and still be on its way to schedule().
 *
 * Return: the state word; 0: running.
 */
static inline u32 gapp_out_state(bool preempt, u32 prev_state)
{
	if (preempt)
		return 0;
	return prev_state;
}

/**
 * gapp_asleep() - whether a thread that is switched out goes to sleep
 * @out_state: gapp_out_state()
 * @state_now: the thread's state word now
 *
 * With a pending signal the scheduler sets the state word back to running after it has read it;
 * then no wake-up follows.
 *
 * Return: true if a wake-up must come before the thread runs again.
 */
static inline bool gapp_asleep(u32 out_state, u32 state_now)
{
	/* one branch each is shorter than their conjunction in one register */
	if (!out_state)
		return false;
	return state_now;
}

/* A step is the new state and these flags. */
enum {
	GAPP_STEP_STATE = 0x0f,
	GAPP_STEP_ODD = 0x10, /* cannot happen if the module sees every event */
	GAPP_STEP_WAS_RUNNING = 0x20, /* the time since the last event was on a CPU */
	GAPP_STEP_SLICE = 0x40, /* a slice ends */
	GAPP_STEP_WAKEUP = 0x80, /* the thread becomes active by a wake-up or spins no more */
	GAPP_STEP_BLOCK = 0x100, /* the thread becomes inactive */
	GAPP_STEP_COUNTS = GAPP_STEP_SLICE | GAPP_STEP_WAKEUP | GAPP_STEP_BLOCK,
};

/**
 * enum gapp_usual_step - steps of threads that are in the state that the event expects
 * @GAPP_STEP_SLEEPS: running, GAPP_EV_OUT_ASLEEP
 * @GAPP_STEP_PREEMPTED: running, GAPP_EV_OUT_RUNNABLE
 * @GAPP_STEP_RUNS: runnable, GAPP_EV_IN
 * @GAPP_STEP_WOKEN: blocked, GAPP_EV_WAKE
 */
enum gapp_usual_step {
	GAPP_STEP_SLEEPS = GAPP_THREAD_BLOCKED | GAPP_STEP_SLICE | GAPP_STEP_BLOCK,
	GAPP_STEP_PREEMPTED = GAPP_THREAD_RUNNABLE | GAPP_STEP_SLICE,
	GAPP_STEP_RUNS = GAPP_THREAD_RUNNING,
	GAPP_STEP_WOKEN = GAPP_THREAD_RUNNABLE | GAPP_STEP_WAKEUP,
};

/**
 * gapp_state_is_on_cpu() - whether a thread is on a CPU
 * @state: enum gapp_thread_state
 *
 * Return: true if it runs or spins.
 */
static inline bool gapp_state_is_on_cpu(u32 state)
{
	return state == GAPP_THREAD_RUNNING || state == GAPP_THREAD_SPINNING;
}

/**
 * gapp_state_is_ready() - whether a thread waits for a CPU
 * @state: enum gapp_thread_state
 *
 * Return: true if it does, active or not.
 */
static inline bool gapp_state_is_ready(u32 state)
{
	return state == GAPP_THREAD_RUNNABLE || state == GAPP_THREAD_SPIN_READY;
}

/**
 * gapp_state_spins() - whether a thread was spinning when it was on a CPU last
 * @state: enum gapp_thread_state
 *
 * Return: true if so, and nothing has ended it.
 */
static inline bool gapp_state_spins(u32 state)
{
	return state == GAPP_THREAD_SPINNING || state == GAPP_THREAD_SPIN_READY;
}

/* A stay in @state ends at @at. */
static __always_inline void gapp_task_leave(struct gapp_task *task, u32 state,
					    const struct gapp_at *at)
{
	switch (state) {
	case GAPP_THREAD_RUNNING:
		task->run_ns += at->t;
		task->cm_run += at->g;
		task->critical_run += at->c;
		break;
	case GAPP_THREAD_RUNNABLE:
		task->runq_ns += at->t;
		task->cm_runq += at->g;
		task->critical_runq += at->c;
		break;
	case GAPP_THREAD_SPIN_READY:
		task->runq_ns += at->t;
		break;
	case GAPP_THREAD_BLOCKED:
	case GAPP_THREAD_SPINNING:
		task->blocked_ns += at->t;
		break;
	}
}

/* A stay in @state begins at @at. */
static __always_inline void gapp_task_enter(struct gapp_task *task, u32 state,
					    const struct gapp_at *at)
{
	switch (state) {
	case GAPP_THREAD_RUNNING:
		task->run_ns -= at->t;
		task->cm_run -= at->g;
		task->critical_run -= at->c;
		break;
	case GAPP_THREAD_RUNNABLE:
		task->runq_ns -= at->t;
		task->cm_runq -= at->g;
		task->critical_runq -= at->c;
		break;
	case GAPP_THREAD_SPIN_READY:
		task->runq_ns -= at->t;
		break;
	case GAPP_THREAD_BLOCKED:
	case GAPP_THREAD_SPINNING:
		task->blocked_ns -= at->t;
		break;
	}
	task->state = state;
	task->t = at->t;
}

/**
 * gapp_task_go() - take a step that takes place, in a session that runs
 * @task: the thread
 * @from: its state
 * @step: the step
 * @at: integrals at the event, after the change of n that the event makes
 *
 * All steps are taken here. With constants for @from and @step little is left of it.
 */
static __always_inline void gapp_task_go(struct gapp_task *task, u32 from, u32 step,
					 const struct gapp_at *at)
{
	gapp_task_leave(task, from, at);
	gapp_task_enter(task, step & GAPP_STEP_STATE, at);
	if ((step & GAPP_STEP_STATE) == GAPP_THREAD_RUNNABLE) {
		task->g = at->g;
		task->c = at->c;
	}
	if (step & GAPP_STEP_SLICE)
		task->slices++;
	if (step & GAPP_STEP_WAKEUP)
		task->wakeups++;
	if (step & GAPP_STEP_BLOCK)
		task->blocks++;
}

/**
 * gapp_task_run_ns() - nanoseconds on a CPU up to the last event, but for those of spinning
 * @task: the thread
 *
 * Return: nanoseconds.
 */
static inline u64 gapp_task_run_ns(const struct gapp_task *task)
{
	return task->run_ns + (task->state == GAPP_THREAD_RUNNING ? task->t : 0);
}

/**
 * gapp_task_runq_ns() - nanoseconds waiting for a CPU up to the last event
 * @task: the thread
 *
 * Return: nanoseconds.
 */
static inline u64 gapp_task_runq_ns(const struct gapp_task *task)
{
	return task->runq_ns + (gapp_state_is_ready(task->state) ? task->t : 0);
}

/**
 * gapp_task_critical_runq() - critical share of waiting for a CPU up to the last event
 * @task: the thread
 *
 * Return: shares.
 */
static inline u64 gapp_task_critical_runq(const struct gapp_task *task)
{
	return task->critical_runq + (task->state == GAPP_THREAD_RUNNABLE ? task->c : 0);
}

/**
 * gapp_task_usual() - what &gapp_task.word has if nothing but a usual step is needed
 * @state: the thread's state
 * @held: &gapp_task.held
 *
 * Return: the word, so that one comparison is enough.
 */
static __always_inline u32 gapp_task_usual(const enum gapp_thread_state state, const u8 held)
{
	const struct gapp_task task = { .state = state, .held = held };

	return task.word;
}

void gapp_task_init(struct gapp_task *task, const struct gapp_at *at);
u32 gapp_task_step(const struct gapp_task *task, enum gapp_event event);
u32 gapp_step_to(u32 step);
int gapp_step_dn(const struct gapp_task *task, u32 step);
void gapp_task_take(struct gapp_task *task, u32 step, const struct gapp_at *at);
int gapp_task_dn(const struct gapp_task *task, enum gapp_event event);
void gapp_task_event(struct gapp_task *task, enum gapp_event event, const struct gapp_at *at);
bool gapp_task_is_active(const struct gapp_task *task);
void gapp_task_figures(const struct gapp_task *task, const struct gapp_at *at,
		       struct gapp_thread_figures *figures);
void gapp_figures_add(struct gapp_thread_figures *sum, const struct gapp_thread_figures *figures);

#endif /* GAPP_CORE_TASKSTATE_H */
