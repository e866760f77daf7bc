/* SPDX-License-Identifier: GPL-2.0 */
/* Sums of several threads' figures, and figures of a thread at odd instants. */
#ifndef GAPP_VEC_FIGURES_H
#define GAPP_VEC_FIGURES_H

#include "run.h"

struct vec_figures_add {
	const char *name;
	struct gapp_thread_figures sum;
	struct gapp_thread_figures add;
	struct gapp_thread_figures must;
};

/* clang-format off */
/* Every member of one has its own digit, so that none can be mistaken for another. */
#define SOME_THREAD \
	{ .tid = 7, .tgid = 5, .state = GONE, .flags = 0, .comm = "worker", \
	  .cm_run = 1, .cm_runq = 20, .run_ns = 300, .runq_ns = 4000, .blocked_ns = 50000, \
	  .slices = 600000, .wakeups = 7000000, .blocks = 80000000, \
	  .kernel_run_ns = 900000000, .kernel_runq_ns = 1000000000, \
	  .kernel_seen_run_ns = 20000000000, .kernel_seen_runq_ns = 300000000000, \
	  .joined_ns = 11, .left_ns = 99, .threads = 1, .critical_run = 4000000000000 }

static const struct vec_figures_add vec_figures_adds[] = {
	{
		.name = "a thread into an empty sum",
		.sum = { .tgid = 5, .comm = "sum" },
		.add = SOME_THREAD,
		.must = {
			.tgid = 5, .comm = "sum",
			.cm_run = 1, .cm_runq = 20, .run_ns = 300, .runq_ns = 4000,
			.blocked_ns = 50000, .slices = 600000, .wakeups = 7000000,
			.blocks = 80000000,
			.kernel_run_ns = 900000000, .kernel_runq_ns = 1000000000,
			.kernel_seen_run_ns = 20000000000, .kernel_seen_runq_ns = 300000000000,
			.left_ns = 99, .threads = 1, .critical_run = 4000000000000,
		},
	},
	{
		.name = "a thread into a sum that left later",
		.sum = {
			.tid = 0, .tgid = 5, .state = GONE, .comm = "sum",
			.cm_run = 1, .cm_runq = 1, .run_ns = 1, .runq_ns = 1, .blocked_ns = 1,
			.slices = 1, .wakeups = 1, .blocks = 1, .kernel_run_ns = 1,
			.kernel_runq_ns = 1, .kernel_seen_run_ns = 1, .kernel_seen_runq_ns = 1,
			.joined_ns = 3, .left_ns = 100, .threads = 41, .critical_run = 1,
		},
		.add = SOME_THREAD,
		.must = {
			.tid = 0, .tgid = 5, .state = GONE, .comm = "sum",
			.cm_run = 2, .cm_runq = 21, .run_ns = 301, .runq_ns = 4001,
			.blocked_ns = 50001, .slices = 600001, .wakeups = 7000001,
			.blocks = 80000001,
			.kernel_run_ns = 900000001, .kernel_runq_ns = 1000000001,
			.kernel_seen_run_ns = 20000000001, .kernel_seen_runq_ns = 300000000001,
			.joined_ns = 3, .left_ns = 100, .threads = 42,
			.critical_run = 4000000000001,
		},
	},
	{
		.name = "a sum into a sum",
		.sum = { .threads = 300, .run_ns = 40, .left_ns = 4 },
		.add = { .threads = 700, .run_ns = 60, .left_ns = 5 },
		.must = { .threads = 1000, .run_ns = 100, .left_ns = 5 },
	},
	{
		.name = "that the kernel's figures were seen is kept, that they are late is not",
		.sum = { .threads = 1 },
		.add = { .flags = GAPP_FIGURES_KERNEL_SEEN | GAPP_FIGURES_KERNEL_LATE,
			 .threads = 1 },
		.must = { .flags = GAPP_FIGURES_KERNEL_SEEN, .threads = 2 },
	},
	{
		.name = "a thread without the kernel's figures does not take the flag away",
		.sum = { .flags = GAPP_FIGURES_KERNEL_SEEN, .threads = 1 },
		.add = { .threads = 1 },
		.must = { .flags = GAPP_FIGURES_KERNEL_SEEN, .threads = 2 },
	},
};

#undef SOME_THREAD
/* clang-format on */

static inline void vec_figures_add_run(void *rig, const struct vec_figures_add *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "figures" };
	struct gapp_thread_figures sum = vec->sum;

	gapp_figures_add(&sum, &vec->add);
	vec_same(&p, "cm_run", sum.cm_run, vec->must.cm_run);
	vec_same(&p, "cm_runq", sum.cm_runq, vec->must.cm_runq);
	vec_same(&p, "critical_run", sum.critical_run, vec->must.critical_run);
	vec_same(&p, "run_ns", sum.run_ns, vec->must.run_ns);
	vec_same(&p, "runq_ns", sum.runq_ns, vec->must.runq_ns);
	vec_same(&p, "blocked_ns", sum.blocked_ns, vec->must.blocked_ns);
	vec_same(&p, "threads", sum.threads, vec->must.threads);
	vec_same(&p, "left_ns", sum.left_ns, vec->must.left_ns);
	vec_same(&p, "flags", sum.flags, vec->must.flags);
	/* and whatever else there is, the identity above all */
	vec_same(&p, "memcmp()", memcmp(&sum, &vec->must, sizeof(sum)) != 0, 0);
}

/**
 * struct vec_figures_at - a running thread is asked for its figures
 * @name: what it shows
 * @t: instant that is asked for
 * @g: G then
 * @c: C then
 * @run: run_ns that must come out
 * @cm_run: cm_run likewise
 * @critical_run: critical_run likewise
 *
 * The thread joined at 100 with G at 50, ran from 200 (G at 100, C at 70) to 300 (G at 180, C at
 * 130), is running again since 400 (G at 200, C at 150), and has collected 100, 80 and 60, less
 * what the integrals were when it began to run.
 */
struct vec_figures_at {
	const char *name;
	u64 t, g, c;
	u64 run, cm_run, critical_run;
};

/* clang-format off */
static const struct vec_figures_at vec_figures_ats[] = {
	{ "the open slice is included", 500, 230, 170, 200, 110, 80 },
	{ "at the last event itself", 400, 200, 150, 100, 80, 60 },
	{ "nobody else got anything meanwhile", 450, 200, 150, 150, 80, 60 },
	{ "many were active meanwhile", 450, 210, 150, 150, 90, 60 },
	{ "an instant just before the last event", 399, 199, 149, 99, 79, 59 },
	{ "days later", GAPP_TIME_MAX, ALONE(GAPP_TIME_MAX), ALONE(GAPP_TIME_MAX) - 10,
	  GAPP_TIME_MAX - 300, ALONE(GAPP_TIME_MAX) - 120, ALONE(GAPP_TIME_MAX) - 100 },
};

/* clang-format on */

static inline void vec_figures_at_run(void *rig, const struct vec_figures_at *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "figures" };
	/* clang-format off */
	const struct gapp_task before = {
		.state = RUNNING, .unexpected = 1, .t = 400, .g = 200, .c = 150,
		.cm_run = 80 - 200, .cm_runq = 70, .critical_run = 60 - 150, .critical_runq = 55,
		.run_ns = 100 - 400, .runq_ns = 200, .blocked_ns = 3,
		.slices = 1, .wakeups = 4, .blocks = 5, .joined = 100,
	};
	struct gapp_at at = {
		.t = vec->t, .g = vec->g, .c = vec->c, .n = 1, .phase = GAPP_PHASE_RUNNING,
	};
	struct gapp_thread_figures is = {
		.tid = 7, .tgid = 6, .flags = 1, .comm = "x", .kernel_run_ns = 2,
		.kernel_runq_ns = 3, .kernel_seen_run_ns = 4, .kernel_seen_runq_ns = 5,
		.threads = 1, .left_ns = 77,
	};
	const struct gapp_thread_figures must = {
		.tid = 7, .tgid = 6, .flags = 1, .comm = "x", .kernel_run_ns = 2,
		.kernel_runq_ns = 3, .kernel_seen_run_ns = 4, .kernel_seen_runq_ns = 5,
		.threads = 1, .state = RUNNING, .run_ns = vec->run, .cm_run = vec->cm_run,
		.cm_runq = 70, .runq_ns = 200, .blocked_ns = 3, .slices = 1, .wakeups = 4,
		.blocks = 5, .joined_ns = 100, .critical_run = vec->critical_run,
	};
	/* clang-format on */
	struct gapp_task task = before;

	gapp_task_figures(&task, &at, &is);
	vec_same(&p, "run_ns", is.run_ns, vec->run);
	vec_same(&p, "cm_run", is.cm_run, vec->cm_run);
	vec_same(&p, "critical_run", is.critical_run, vec->critical_run);
	/* the rest of the figures, and that the thread is left as it was */
	vec_same(&p, "memcmp() of figures", memcmp(&is, &must, sizeof(is)) != 0, 0);
	vec_same(&p, "memcmp() of thread", memcmp(&task, &before, sizeof(task)) != 0, 0);
}

#endif /* GAPP_VEC_FIGURES_H */
