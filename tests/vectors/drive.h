/* SPDX-License-Identifier: GPL-2.0 */
/* Puts the steps of a vector into core/, as a session would. No libc, no allocation. */
#ifndef GAPP_DRIVE_H
#define GAPP_DRIVE_H

#include "vec.h"

/**
 * struct drive - a session with its threads
 * @cm: accumulators
 * @at: of the last step
 * @tasks: room for the threads
 * @threads: elements of @tasks
 */
struct drive {
	struct gapp_cm cm;
	struct gapp_at at;
	struct gapp_task *tasks;
	u32 threads;
};

/**
 * drive_init() - a session before its start; no thread has joined
 * @drive: the session
 * @tasks: room for @threads threads
 * @threads: how many
 * @hist: room for @bins elements
 * @bins: how many
 */
static inline void drive_init(struct drive *drive, struct gapp_task *tasks, u32 threads, u64 *hist,
			      u32 bins)
{
	memset(drive, 0, sizeof(*drive));
	memset(tasks, 0, threads * sizeof(*tasks));
	memset(hist, 0, bins * sizeof(*hist));
	gapp_cm_init(&drive->cm, hist, bins);
	drive->tasks = tasks;
	drive->threads = threads;
}

static inline void drive_event(struct drive *drive, u64 t, struct gapp_task *task, u32 event)
{
	int dn = gapp_task_dn(task, event);

	if (dn)
		gapp_cm_change(&drive->cm, t, dn, &drive->at);
	else
		gapp_cm_read(&drive->cm, t, &drive->at);
	gapp_task_event(task, event, &drive->at);
}

static inline void drive_one(struct drive *drive, const struct vec_step *step, u32 thread)
{
	struct gapp_task *task = &drive->tasks[thread];
	const u32 out_state = gapp_out_state(step->preempt, step->prev_state);
	bool asleep = gapp_asleep(out_state, step->state_now);

	switch (step->op) {
	case JOIN:
		gapp_cm_read(&drive->cm, step->t, &drive->at);
		gapp_task_init(task, &drive->at);
		break;
	case OUT:
		drive_event(drive, step->t, task, asleep ? OUT_ASLEEP : OUT_RUNNABLE);
		break;
	default:
		drive_event(drive, step->t, task, step->op);
		break;
	}
}

/**
 * drive_step() - does what a row says
 * @drive: the session
 * @step: the row; its threads must be less than @drive->threads
 */
static inline void drive_step(struct drive *drive, const struct vec_step *step)
{
	u32 i, last = step->last ? step->last : step->thread;

	switch (step->op) {
	case START:
		gapp_cm_start(&drive->cm, 0);
		break;
	case STOP:
		gapp_cm_stop(&drive->cm, step->t, &drive->at);
		for (i = 0; i < drive->threads; i++)
			gapp_task_event(&drive->tasks[i], GAPP_EV_STOP, &drive->at);
		break;
	case N_MIN:
		gapp_cm_set_n_min(&drive->cm, step->t, step->arg);
		break;
	case DN:
		gapp_cm_change(&drive->cm, step->t, step->arg, &drive->at);
		break;
	default:
		for (i = step->thread; i <= last; i++)
			drive_one(drive, step, i);
		break;
	}
}

#endif /* GAPP_DRIVE_H */
