/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Every event in every state. A thread joins at 0, gets into the state at 500, the event comes at
 * 1000, and everything is read at 3000. One more thread runs all the time. N_min is 2 until the
 * event and 1 after it, so what was collected before is critical and nothing else.
 */
#ifndef GAPP_VEC_TRANSITIONS_H
#define GAPP_VEC_TRANSITIONS_H

#include "run.h"

/* What the time before the event turns out to have been. */
enum vec_was {
	WAS_NOTHING,
	WAS_RUN,
	WAS_RUNQ,
	WAS_BLOCKED,
	WAS_SPIN_READY,
};

/**
 * struct vec_transition - one row
 * @event: the event
 * @next: state afterwards
 * @was: what the time since the last event counts as
 * @slices: so many more slices
 * @wakeups: so many more wake-ups
 * @blocks: so many more blocks
 * @unexpected: 1 if it cannot happen
 */
struct vec_transition {
	u32 event;
	u32 next;
	u32 was;
	u32 slices, wakeups, blocks;
	u32 unexpected;
};

#define VEC_ROWS GAPP_EV_COUNT

/* Nothing is known: the first thing that is heard is believed, and ends no time of any kind. */
static const struct vec_transition vec_from_unknown[VEC_ROWS] = {
	{ NEW, BLOCKED, WAS_NOTHING, 0, 0, 0, 0 },
	{ SEED_BLOCKED, BLOCKED, WAS_NOTHING, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, RUNNABLE, WAS_NOTHING, 0, 0, 0, 0 },
	{ SEED_RUNNING, RUNNING, WAS_NOTHING, 0, 0, 0, 0 },
	{ IN, RUNNING, WAS_NOTHING, 0, 0, 0, 0 },
	{ OUT_RUNNABLE, RUNNABLE, WAS_NOTHING, 0, 0, 0, 0 },
	{ OUT_ASLEEP, BLOCKED, WAS_NOTHING, 0, 0, 0, 0 },
	{ OUT_DEAD, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ WAKE, RUNNABLE, WAS_NOTHING, 0, 1, 0, 0 },
	{ WAKE_ON_CPU, RUNNING, WAS_NOTHING, 0, 0, 0, 0 },
	{ SPIN, UNKNOWN, WAS_NOTHING, 0, 0, 0, 0 },
	{ WORK, UNKNOWN, WAS_NOTHING, 0, 0, 0, 0 },
	{ STOP_ONE, UNKNOWN, WAS_NOTHING, 0, 0, 0, 0 },
};

/* Asleep: only a wake-up is due. Anything it does on a CPU means that one was missed. */
static const struct vec_transition vec_from_blocked[VEC_ROWS] = {
	{ NEW, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SEED_BLOCKED, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SEED_RUNNING, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ IN, RUNNING, WAS_BLOCKED, 0, 0, 0, 1 },
	{ OUT_RUNNABLE, RUNNABLE, WAS_BLOCKED, 0, 0, 0, 1 },
	{ OUT_ASLEEP, BLOCKED, WAS_BLOCKED, 0, 0, 0, 1 },
	{ OUT_DEAD, GONE, WAS_BLOCKED, 0, 0, 0, 1 },
	{ WAKE, RUNNABLE, WAS_BLOCKED, 0, 1, 0, 0 },
	{ WAKE_ON_CPU, RUNNING, WAS_BLOCKED, 0, 0, 0, 1 },
	{ SPIN, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ WORK, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ STOP_ONE, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
};

/* Waits for a CPU: a switch-in is due. If it leaves a CPU, it has been on it since. */
static const struct vec_transition vec_from_runnable[VEC_ROWS] = {
	{ NEW, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ SEED_BLOCKED, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ SEED_RUNNING, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ IN, RUNNING, WAS_RUNQ, 0, 0, 0, 0 },
	{ OUT_RUNNABLE, RUNNABLE, WAS_RUN, 1, 0, 0, 1 },
	{ OUT_ASLEEP, BLOCKED, WAS_RUN, 1, 0, 1, 1 },
	{ OUT_DEAD, GONE, WAS_RUN, 1, 0, 1, 1 },
	{ WAKE, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ WAKE_ON_CPU, RUNNING, WAS_RUN, 0, 0, 0, 1 },
	{ SPIN, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ WORK, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
	{ STOP_ONE, RUNNABLE, WAS_RUNQ, 0, 0, 0, 0 },
};

/* On a CPU: a switch-out is due. Wake-ups are harmless, they come from a race with sleeping. */
static const struct vec_transition vec_from_running[VEC_ROWS] = {
	{ NEW, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ SEED_BLOCKED, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ SEED_RUNNING, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ IN, RUNNING, WAS_RUN, 0, 0, 0, 1 },
	{ OUT_RUNNABLE, RUNNABLE, WAS_RUN, 1, 0, 0, 0 },
	{ OUT_ASLEEP, BLOCKED, WAS_RUN, 1, 0, 1, 0 },
	{ OUT_DEAD, GONE, WAS_RUN, 1, 0, 1, 0 },
	{ WAKE, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ WAKE_ON_CPU, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ SPIN, SPINNING, WAS_RUN, 1, 0, 1, 0 },
	{ WORK, RUNNING, WAS_RUN, 0, 0, 0, 0 },
	{ STOP_ONE, RUNNING, WAS_RUN, 1, 0, 0, 0 },
};

/* Gone: nothing is due, nothing is believed, nothing is counted. */
static const struct vec_transition vec_from_gone[VEC_ROWS] = {
	{ NEW, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ SEED_BLOCKED, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ SEED_RUNNING, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ IN, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ OUT_RUNNABLE, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ OUT_ASLEEP, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ OUT_DEAD, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ WAKE, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ WAKE_ON_CPU, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ SPIN, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ WORK, GONE, WAS_NOTHING, 0, 0, 0, 0 },
	{ STOP_ONE, GONE, WAS_NOTHING, 0, 0, 0, 0 },
};

/* Spins on a CPU: a switch-out is due, or that it works. It is known to be there, and inactive. */
static const struct vec_transition vec_from_spinning[VEC_ROWS] = {
	{ NEW, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SEED_BLOCKED, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SEED_RUNNING, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ IN, SPINNING, WAS_BLOCKED, 0, 0, 0, 1 },
	{ OUT_RUNNABLE, SPIN_READY, WAS_BLOCKED, 0, 0, 0, 0 },
	{ OUT_ASLEEP, BLOCKED, WAS_BLOCKED, 0, 0, 0, 0 },
	{ OUT_DEAD, GONE, WAS_BLOCKED, 0, 0, 0, 0 },
	{ WAKE, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ WAKE_ON_CPU, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ SPIN, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
	{ WORK, RUNNING, WAS_BLOCKED, 0, 1, 0, 0 },
	{ STOP_ONE, SPINNING, WAS_BLOCKED, 0, 0, 0, 0 },
};

/*
 * Lost its CPU while it was spinning: a switch-in is due, after which it spins on. It waits for a
 * CPU, but without a share.
 */
static const struct vec_transition vec_from_spin_ready[VEC_ROWS] = {
	{ NEW, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ SEED_BLOCKED, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ SEED_RUNNABLE, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ SEED_RUNNING, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ IN, SPINNING, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ OUT_RUNNABLE, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 1 },
	{ OUT_ASLEEP, BLOCKED, WAS_SPIN_READY, 0, 0, 0, 1 },
	{ OUT_DEAD, GONE, WAS_SPIN_READY, 0, 0, 0, 1 },
	{ WAKE, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ WAKE_ON_CPU, SPINNING, WAS_SPIN_READY, 0, 0, 0, 1 },
	{ SPIN, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ WORK, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
	{ STOP_ONE, SPIN_READY, WAS_SPIN_READY, 0, 0, 0, 0 },
};

struct vec_transitions {
	const char *name;
	u32 state;
	const struct vec_transition *rows;
};

static const struct vec_transitions vec_transitions[] = {
	{ "every event while unknown", UNKNOWN, vec_from_unknown },
	{ "every event while blocked", BLOCKED, vec_from_blocked },
	{ "every event while runnable", RUNNABLE, vec_from_runnable },
	{ "every event while running", RUNNING, vec_from_running },
	{ "every event while gone", GONE, vec_from_gone },
	{ "every event while spinning", SPINNING, vec_from_spinning },
	{ "every event while spinning without a CPU", SPIN_READY, vec_from_spin_ready },
};

static inline u32 vec_counts_in_n(u32 state)
{
	return state == RUNNABLE || state == RUNNING;
}

static inline void vec_get_into(struct drive *drive, u32 state)
{
	struct vec_step step = { .t = 500, .thread = B };

	switch (state) {
	case BLOCKED:
		step.op = SEED_BLOCKED;
		break;
	case RUNNABLE:
		step.op = SEED_RUNNABLE;
		break;
	case RUNNING:
	case GONE:
	case SPINNING:
	case SPIN_READY:
		step.op = SEED_RUNNING;
		break;
	default:
		return;
	}
	drive_step(drive, &step);
	if (state == GONE) {
		step.op = OUT_DEAD;
		drive_step(drive, &step);
	}
	if (state == SPINNING || state == SPIN_READY) {
		step.op = SPIN;
		drive_step(drive, &step);
	}
	if (state == SPIN_READY) {
		step.op = OUT_RUNNABLE;
		drive_step(drive, &step);
	}
}

/* What 500 ns before the event and 2000 after it amount to, with @n threads in each part. */
static inline void vec_check_row(struct vec_place *p, const struct vec_transition *row, u32 state,
				 const struct gapp_thread_figures *old,
				 const struct gapp_thread_figures *new)
{
	u64 before = SHARE(500, 1 + vec_counts_in_n(state));
	u64 after = SHARE(2000, 1 + vec_counts_in_n(row->next));
	bool dies = state != GONE && row->next == GONE;
	bool was_runq = row->was == WAS_RUNQ || row->was == WAS_SPIN_READY;
	bool is_runq = row->next == RUNNABLE || row->next == SPIN_READY;
	bool is_blocked = row->next == BLOCKED || row->next == SPINNING;

	vec_same(p, "state", new->state, row->next);
	vec_same(p, "run_ns", new->run_ns - old->run_ns,
		 (row->was == WAS_RUN ? 500 : 0) + (row->next == RUNNING ? 2000 : 0));
	vec_same(p, "cm_run", new->cm_run - old->cm_run,
		 (row->was == WAS_RUN ? before : 0) + (row->next == RUNNING ? after : 0));
	vec_same(p, "runq_ns", new->runq_ns - old->runq_ns,
		 (was_runq ? 500 : 0) + (is_runq ? 2000 : 0));
	vec_same(p, "cm_runq", new->cm_runq - old->cm_runq,
		 (row->was == WAS_RUNQ ? before : 0) + (row->next == RUNNABLE ? after : 0));
	vec_same(p, "blocked_ns", new->blocked_ns - old->blocked_ns,
		 (row->was == WAS_BLOCKED ? 500 : 0) + (is_blocked ? 2000 : 0));
	vec_same(p, "slices", new->slices - old->slices, row->slices);
	vec_same(p, "wakeups", new->wakeups - old->wakeups, row->wakeups);
	vec_same(p, "blocks", new->blocks - old->blocks, row->blocks);
	vec_same(p, "joined_ns", new->joined_ns, 0);
	vec_same(p, "left_ns", new->left_ns, dies ? 1000 : old->left_ns);
}

static inline void vec_check_row_crit(struct vec_place *p, const struct vec_transition *row,
				      u32 state, const struct gapp_task *task,
				      const struct gapp_at *at)
{
	u64 before = SHARE(500, 1 + vec_counts_in_n(state));
	struct gapp_thread_figures shown = { 0 };

	vec_same(p, "critical_runq", gapp_task_critical_runq(task),
		 row->was == WAS_RUNQ ? before : 0);
	gapp_task_figures(task, at, &shown);
	vec_same(p, "critical_run", shown.critical_run, row->was == WAS_RUN ? before : 0);
}

static inline void vec_transition_run(struct vec_place *p, u32 state,
				      const struct vec_transition *row, struct vec_room *room)
{
	struct gapp_thread_figures old = { 0 }, new = { 0 };
	struct drive *drive = &room->drive;
	struct gapp_at at;
	u32 unexpected;

	drive_init(drive, room->tasks, 2, room->hist, VEC_BINS);
	drive_step(drive, &(struct vec_step){ 0, A, SEED_RUNNING });
	drive_step(drive, &(struct vec_step){ 0, A, N_MIN, .arg = 2 });
	drive_step(drive, &(struct vec_step){ 0, A, START });
	drive_step(drive, &(struct vec_step){ 0, B, JOIN });
	vec_get_into(drive, state);
	vec_same(p, "the state to begin with", room->tasks[B].state, state);
	gapp_cm_read(&drive->cm, 500, &at);
	gapp_task_figures(&room->tasks[B], &at, &old);
	unexpected = room->tasks[B].unexpected;
	vec_same(p, "gapp_step_to()", gapp_step_to(gapp_task_step(&room->tasks[B], row->event)),
		 row->next);

	drive_step(drive, &(struct vec_step){ 1000, B, row->event });
	drive_step(drive, &(struct vec_step){ 1000, B, N_MIN, .arg = 1 });
	vec_same(p, "n", drive->cm.n, 1 + vec_counts_in_n(row->next));
	vec_same(p, "unexpected", room->tasks[B].unexpected - unexpected, row->unexpected);
	gapp_cm_read(&drive->cm, 3000, &at);
	gapp_task_figures(&room->tasks[B], &at, &new);
	vec_check_row(p, row, state, &old, &new);
	vec_check_row_crit(p, row, state, &room->tasks[B], &at);
}

/**
 * vec_transitions_run() - every event in one state
 * @rig: for VEC_FAIL()
 * @vec: the state and the rows
 * @room: memory, whatever it holds
 */
static inline void vec_transitions_run(void *rig, const struct vec_transitions *vec,
				       struct vec_room *room)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "event" };
	u32 i, seen = 0;

	for (i = 0; i < VEC_ROWS; i++) {
		p.index = vec->rows[i].event;
		vec_transition_run(&p, vec->state, &vec->rows[i], room);
		seen |= 1U << vec->rows[i].event;
	}
	vec_same(&p, "the set of events", seen, (1U << GAPP_EV_COUNT) - 1);
}

#endif /* GAPP_VEC_TRANSITIONS_H */
