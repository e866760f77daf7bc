// SPDX-License-Identifier: GPL-2.0
/* kmod/core/taskstate.c: what a thread's events make of it. */
#include "rig.h"

#include "all.h"

static struct vec_room room;

static void test_vector(void **state)
{
	struct rig rig = { 0 };

	vec_run(&rig, *state, &room);
	rig_done(&rig);
}

static void test_transitions(void **state)
{
	struct rig rig = { 0 };

	vec_transitions_run(&rig, *state, &room);
	rig_done(&rig);
}

static void test_asleep(void **state)
{
	struct rig rig = { 0 };
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(vec_asleep); i++)
		vec_asleep_run(&rig, &vec_asleep[i]);
	rig_done(&rig);
}

static void test_figures_add(void **state)
{
	struct rig rig = { 0 };

	vec_figures_add_run(&rig, *state);
	rig_done(&rig);
}

static void test_figures_at(void **state)
{
	struct rig rig = { 0 };

	vec_figures_at_run(&rig, *state);
	rig_done(&rig);
}

/* A thread begins with what its joining says, whatever the memory held. */
static void test_init(void **state)
{
	struct gapp_at at = { .t = 12, .g = 34, .c = 5, .s = 6, .n = 7, .phase = 1 };
	struct gapp_task must = { .state = UNKNOWN, .t = 12, .g = 34, .c = 5, .joined = 12 };
	struct gapp_task task;

	(void)state;
	memset(&task, 0xa5, sizeof(task));
	gapp_task_init(&task, &at);
	assert_memory_equal(&task, &must, sizeof(task));
	assert_false(gapp_task_is_active(&task));
}

static struct gapp_task some_task(u32 state)
{
	return (struct gapp_task){
		.state = state,
		.unexpected = 3,
		.t = 100,
		.g = 1000,
		.c = 500,
		.cm_run = 11,
		.cm_runq = 12,
		.critical_run = 13,
		.critical_runq = 14,
		.run_ns = 15,
		.runq_ns = 16,
		.blocked_ns = 17,
		.slices = 18,
		.wakeups = 19,
		.blocks = 20,
		.joined = 21,
	};
}

/* A usual step is what the event does to a thread in the state that the event expects. */
static void test_usual_steps(void **state)
{
	static const struct {
		enum gapp_thread_state from;
		enum gapp_usual_step step;
		enum gapp_event event;
	} steps[] = {
		{ GAPP_THREAD_RUNNING, GAPP_STEP_SLEEPS, GAPP_EV_OUT_ASLEEP },
		{ GAPP_THREAD_RUNNING, GAPP_STEP_PREEMPTED, GAPP_EV_OUT_RUNNABLE },
		{ GAPP_THREAD_RUNNABLE, GAPP_STEP_RUNS, GAPP_EV_IN },
		{ GAPP_THREAD_BLOCKED, GAPP_STEP_WOKEN, GAPP_EV_WAKE },
	};
	struct gapp_at at = { .t = 107, .g = 1017, .c = 529, .phase = GAPP_PHASE_RUNNING };
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(steps); i++) {
		struct gapp_task is = some_task(steps[i].from), must = is;

		gapp_task_event(&must, steps[i].event, &at);
		gapp_task_go(&is, steps[i].from, steps[i].step, &at);
		/* the shares at the last event are kept only where somebody asks for them */
		if (must.state == RUNNABLE)
			assert_int_equal(is.g, at.g);
		is.g = must.g;
		is.c = must.state == RUNNABLE ? is.c : must.c;
		assert_memory_equal(&is, &must, sizeof(is));
	}
}

/* Neither another state nor a lock that is held nor a special thread is usual. */
static void test_usual(void **state)
{
	struct gapp_task task = some_task(GAPP_THREAD_RUNNABLE);

	(void)state;
	task.held = 0;
	task.special = 0;
	assert_int_equal(task.word, gapp_task_usual(GAPP_THREAD_RUNNABLE, 0));
	assert_int_not_equal(task.word, gapp_task_usual(GAPP_THREAD_RUNNING, 0));
	task.held = 1;
	assert_int_not_equal(task.word, gapp_task_usual(GAPP_THREAD_RUNNABLE, 0));
	assert_int_equal(task.word, gapp_task_usual(GAPP_THREAD_RUNNABLE, 1));
	task.special = 1;
	assert_int_not_equal(task.word, gapp_task_usual(GAPP_THREAD_RUNNABLE, 1));
}

/* What each state means, and the sums up to the last event: see some_task(). */
static void test_states(void **state)
{
	static const struct {
		u32 state;
		bool active, on_cpu, ready, spins;
		u64 run, runq, critical_runq, blocked;
	} rows[] = {
		{ UNKNOWN, false, false, false, false, 15, 16, 14, 17 },
		{ BLOCKED, false, false, false, false, 15, 16, 14, 117 },
		{ RUNNABLE, true, false, true, false, 15, 116, 514, 17 },
		{ RUNNING, true, true, false, false, 115, 16, 14, 17 },
		{ GONE, false, false, false, false, 15, 16, 14, 17 },
		{ SPINNING, false, true, false, true, 15, 16, 14, 117 },
		{ SPIN_READY, false, false, true, true, 15, 116, 14, 17 },
	};
	const struct gapp_at at = { .t = 100, .g = 1000, .c = 500, .phase = GAPP_PHASE_RUNNING };
	struct gapp_thread_figures figures;
	size_t i;

	(void)state;
	for (i = 0; i < RIG_COUNT(rows); i++) {
		const struct gapp_task task = some_task(rows[i].state);

		assert_int_equal(rows[i].state, i);
		assert_int_equal(gapp_task_is_active(&task), rows[i].active);
		assert_int_equal(gapp_state_is_on_cpu(i), rows[i].on_cpu);
		assert_int_equal(gapp_state_is_ready(i), rows[i].ready);
		assert_int_equal(gapp_state_spins(i), rows[i].spins);
		assert_int_equal(gapp_task_run_ns(&task), rows[i].run);
		assert_int_equal(gapp_task_runq_ns(&task), rows[i].runq);
		assert_int_equal(gapp_task_critical_runq(&task), rows[i].critical_runq);
		gapp_task_figures(&task, &at, &figures);
		assert_int_equal(figures.run_ns, rows[i].run);
		assert_int_equal(figures.runq_ns, rows[i].runq);
		assert_int_equal(figures.blocked_ns, rows[i].blocked);
		assert_int_equal(figures.cm_run, rows[i].state == RUNNING ? 1011 : 11);
		assert_int_equal(figures.cm_runq, rows[i].state == RUNNABLE ? 1012 : 12);
	}
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_transitions); i++)
		rig_add(&group, vec_transitions[i].name, test_transitions, &vec_transitions[i]);
	for (i = 0; i < RIG_COUNT(vec_taskstate); i++)
		rig_add(&group, vec_taskstate[i]->name, test_vector, vec_taskstate[i]);
	for (i = 0; i < RIG_COUNT(vec_figures_adds); i++)
		rig_add(&group, vec_figures_adds[i].name, test_figures_add, &vec_figures_adds[i]);
	for (i = 0; i < RIG_COUNT(vec_figures_ats); i++)
		rig_add(&group, vec_figures_ats[i].name, test_figures_at, &vec_figures_ats[i]);
	rig_add(&group, "who has gone to sleep", test_asleep, NULL);
	rig_add(&group, "a thread that joins", test_init, NULL);
	rig_add(&group, "steps that are not looked up", test_usual_steps, NULL);
	rig_add(&group, "a state and nothing special", test_usual, NULL);
	rig_add(&group, "what each state means", test_states, NULL);
	return rig_run("taskstate", &group);
}
