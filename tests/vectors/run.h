/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Runs a vector and compares. The rig that includes this defines
 *
 *	VEC_FAIL(rig, format, ...)	something differs; printf's format
 *
 * and hands in the room that the vector needs, for a kernel stack has none.
 */
#ifndef GAPP_VEC_RUN_H
#define GAPP_VEC_RUN_H

#include "drive.h"
#include "same.h"

/**
 * struct vec_room - memory for one vector at a time
 * @drive: the session
 * @tasks: its threads
 * @hist: its histogram
 */
struct vec_room {
	struct drive drive;
	struct gapp_task tasks[VEC_THREADS];
	u64 hist[VEC_BINS];
};

static inline u32 vec_count_threads(const struct vec *vec)
{
	const struct vec_thread *row;
	u32 last, count = 0;

	for (row = vec->threads; row->first != NO_MORE; row++) {
		last = row->last ? row->last : row->first;
		if (last >= count)
			count = last + 1;
	}
	return count;
}

static inline void vec_check_n(struct vec_place *p, const struct drive *drive, u32 must)
{
	u32 i, active = 0;

	vec_same(p, "n", drive->cm.n, must);
	for (i = 0; i < drive->threads; i++)
		active += gapp_task_is_active(&drive->tasks[i]);
	if (drive->threads)
		vec_same(p, "number of active threads", active, must);
}

static inline void vec_check_sums(struct vec_place *p, const struct vec *vec,
				  const struct vec_room *room, const struct gapp_at *at)
{
	const struct gapp_cm *cm = &room->drive.cm;
	const struct vec_bin *bin;
	u64 sum = 0;
	u32 i;

	p->part = "sum";
	p->index = 0;
	vec_same(p, "wall", at->t, vec->wall);
	vec_same(p, "G", at->g, vec->g);
	vec_same(p, "C", at->c, vec->c);
	vec_same(p, "S", at->s, vec->s);

	p->part = "bin";
	for (bin = vec->hist; bin->n != NO_MORE; bin++) {
		p->index = bin->n;
		vec_same(p, "time", cm->hist[bin->n] + (cm->n == bin->n ? at->t - cm->t : 0),
			 bin->ns);
		sum += bin->ns;
	}
	p->index = 0;
	vec_same(p, "sum that the vector gives", sum, vec->wall);
	for (i = 0, sum = 0; i < cm->hist_len; i++)
		sum += cm->hist[i];
	vec_same(p, "sum", sum, cm->t);
}

static inline void vec_check_thread(struct vec_place *p, const struct vec_thread *must,
				    const struct gapp_task *task, const struct gapp_at *at)
{
	struct gapp_thread_figures is = { 0 };

	gapp_task_figures(task, at, &is);
	vec_same(p, "state", is.state, must->state);
	vec_same(p, "run_ns", is.run_ns, must->run);
	vec_same(p, "runq_ns", is.runq_ns, must->runq);
	vec_same(p, "blocked_ns", is.blocked_ns, must->blocked);
	vec_same(p, "cm_run", is.cm_run, must->cm_run);
	vec_same(p, "cm_runq", is.cm_runq, must->cm_runq);
	vec_same(p, "slices", is.slices, must->slices);
	vec_same(p, "wakeups", is.wakeups, must->wakeups);
	vec_same(p, "blocks", is.blocks, must->blocks);
	vec_same(p, "joined_ns", is.joined_ns, must->joined);
	vec_same(p, "left_ns", is.left_ns, must->left);
	vec_same(p, "unexpected", task->unexpected, must->unexpected);
}

static inline void vec_check_crit(struct vec_place *p, const struct vec_crit *must,
				  const struct gapp_task *tasks, const struct gapp_at *at)
{
	struct gapp_thread_figures shown = { 0 };
	struct gapp_at last = { 0 };
	struct gapp_task task;

	for (; must->thread != NO_MORE; must++) {
		p->index = must->thread;
		task = tasks[must->thread];
		gapp_task_figures(&task, at, &shown);
		vec_same(p, "critical_run", shown.critical_run, must->run);
		/* What is left of the last event has no figure of its own: it is collected here. */
		gapp_task_event(&task, GAPP_EV_STOP, at);
		last.c = task.c;
		gapp_task_leave(&task, task.state, &last);
		vec_same(p, "critical_run collected", task.critical_run, must->run);
		vec_same(p, "critical_runq", task.critical_runq, must->runq);
	}
}

/**
 * vec_run() - runs one vector
 * @rig: for VEC_FAIL()
 * @vec: the vector
 * @room: memory, whatever it holds
 */
static inline void vec_run(void *rig, const struct vec *vec, struct vec_room *room)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "step" };
	struct drive *drive = &room->drive;
	const struct vec_step *step;
	const struct vec_thread *row;
	struct gapp_at at;
	u32 i, last;

	drive_init(drive, room->tasks, vec_count_threads(vec), room->hist,
		   vec->bins ? vec->bins : VEC_BINS);
	for (step = vec->steps; step->op != END; step++) {
		drive_step(drive, step);
		p.index = step - vec->steps;
		vec_check_n(&p, drive, step->n);
	}

	gapp_cm_read(&drive->cm, vec->end, &at);
	vec_check_sums(&p, vec, room, &at);
	p.part = "thread";
	for (row = vec->threads; row->first != NO_MORE; row++) {
		last = row->last ? row->last : row->first;
		for (i = row->first; i <= last; i++) {
			p.index = i;
			vec_check_thread(&p, row, &room->tasks[i], &at);
		}
	}
	if (vec->crit)
		vec_check_crit(&p, vec->crit, room->tasks, &at);
}

#endif /* GAPP_VEC_RUN_H */
