// SPDX-License-Identifier: GPL-2.0
/* kmod/core/thread_waits.c: waits by reason, stays in the run queue, and preempters. */
#include "rig.h"

#include "random.h"
#include "thread_waits.h"

#define NO_REASON 0xff
#define RUNS 2000
#define EVENTS 200

/**
 * struct life - a thread, and what it waited for
 * @session: phase of the session, enum gapp_phase
 */
struct life {
	struct gapp_task task;
	struct gapp_waits waits;
	u32 session;
};

static void begin(struct life *life, u64 t, u32 session)
{
	const struct gapp_at at = { .t = t, .phase = session };

	memset(&life->waits, 0, sizeof(life->waits));
	gapp_task_init(&life->task, &at);
	life->session = session;
}

static void event(struct life *life, u64 t, enum gapp_event what, u8 reason, u8 preempter)
{
	const struct gapp_at at = { .t = t, .phase = life->session };
	const u32 step = gapp_task_step(&life->task, what);

	gapp_waits_take(&life->waits, &life->task, step, reason, preempter, &at);
	gapp_task_take(&life->task, step, &at);
}

static struct gapp_thread_waits figures(const struct life *life, u64 t)
{
	const struct gapp_at at = { .t = t, .phase = life->session };
	struct gapp_thread_waits figures;

	memset(&figures, 0xa5, sizeof(figures));
	gapp_waits_figures(&life->waits, &life->task, &at, &figures);
	return figures;
}

static u64 blocked_ns(const struct gapp_thread_waits *waits)
{
	u64 ns = 0;
	u32 i;

	for (i = 0; i < GAPP_WAIT_REASONS; i++)
		ns += waits->blocked_ns[i];
	return ns;
}

static void adds_up(const struct life *life, u64 t)
{
	const struct gapp_thread_waits waits = figures(life, t);
	const struct gapp_at at = { .t = t, .phase = life->session };
	struct gapp_thread_figures sums;

	gapp_task_figures(&life->task, &at, &sums);
	assert_int_equal(waits.run_ns, sums.run_ns);
	assert_int_equal(waits.runq_ns, sums.runq_ns);
	assert_int_equal(blocked_ns(&waits), sums.blocked_ns);
	assert_int_equal(waits.run_ns + waits.runq_ns + waits.unknown_ns + blocked_ns(&waits),
			 waits.life_ns);
}

/* Each wait counts under its own reason, from its begin to its end. */
static void test_reasons(void **state)
{
	struct gapp_thread_waits waits;
	struct life life;

	(void)state;
	begin(&life, 100, GAPP_PHASE_RUNNING);
	event(&life, 100, GAPP_EV_NEW, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 103, GAPP_EV_WAKE, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 110, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 200, GAPP_EV_OUT_ASLEEP, GAPP_WAIT_LOCK, GAPP_NOT_PREEMPTED);
	event(&life, 230, GAPP_EV_WAKE, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 270, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 300, GAPP_EV_OUT_ASLEEP, GAPP_WAIT_DISK, GAPP_NOT_PREEMPTED);
	event(&life, 1300, GAPP_EV_WAKE, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 1301, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 1400, GAPP_EV_OUT_ASLEEP, GAPP_WAIT_LOCK, GAPP_NOT_PREEMPTED);

	waits = figures(&life, 1450);
	assert_int_equal(waits.joined_ns, 100);
	assert_int_equal(waits.life_ns, 1350);
	assert_int_equal(waits.unknown_ns, 0);
	assert_int_equal(waits.run_ns, 90 + 30 + 99);
	assert_int_equal(waits.runq_ns, 7 + 40 + 1);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_OTHER], 3);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_LOCK], 30 + 50);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_DISK], 1000);
	assert_int_equal(blocked_ns(&waits), 1083);
	assert_int_equal(waits.runq_stays, 3);
	assert_int_equal(waits.runq_max_ns, 40);
	assert_int_equal(waits.runq_max_at_ns, 230);
	assert_int_equal(waits.preempted, 0);
	adds_up(&life, 1450);
}

/* The time until the first event is unknown; a stay that has not ended can be the longest. */
static void test_open_stay(void **state)
{
	struct gapp_thread_waits waits;
	struct life life;

	(void)state;
	begin(&life, 50, GAPP_PHASE_RUNNING);
	waits = figures(&life, 60);
	assert_int_equal(waits.unknown_ns, 10);
	adds_up(&life, 60);
	event(&life, 70, GAPP_EV_SEED_RUNNABLE, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 80, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 90, GAPP_EV_OUT_RUNNABLE, NO_REASON, GAPP_OTHER_PREEMPTERS);
	waits = figures(&life, 100);
	assert_int_equal(waits.unknown_ns, 20);
	assert_int_equal(waits.runq_stays, 1);
	assert_int_equal(waits.runq_max_ns, 10);
	assert_int_equal(waits.runq_max_at_ns, 70);
	/* a wake-up that comes too late does not begin another stay */
	event(&life, 105, GAPP_EV_WAKE, NO_REASON, GAPP_NOT_PREEMPTED);
	waits = figures(&life, 130);
	assert_int_equal(waits.runq_max_ns, 40);
	assert_int_equal(waits.runq_max_at_ns, 90);
	assert_int_equal(waits.preempted, 0);
	/* the clock of the CPU that reads is behind that of the last event */
	waits = figures(&life, 89);
	assert_int_equal(waits.runq_max_ns, 10);
	event(&life, 140, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	waits = figures(&life, 150);
	assert_int_equal(waits.preempted, 1);
	assert_int_equal(waits.preempted_runq_ns, 50);
	adds_up(&life, 150);
}

/* Stays before session time do not count, and nothing changes after its end. */
static void test_phases(void **state)
{
	struct gapp_thread_waits waits, after;
	struct life life;

	(void)state;
	begin(&life, 0, GAPP_PHASE_BEFORE);
	event(&life, 0, GAPP_EV_SEED_RUNNING, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 0, GAPP_EV_OUT_RUNNABLE, NO_REASON, GAPP_OTHER_PREEMPTERS);
	event(&life, 0, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 0, GAPP_EV_OUT_ASLEEP, GAPP_WAIT_PIPE, GAPP_NOT_PREEMPTED);
	waits = figures(&life, 0);
	assert_int_equal(waits.runq_stays, 0);
	assert_int_equal(waits.preempted, 0);
	life.session = GAPP_PHASE_RUNNING;
	waits = figures(&life, 25);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_PIPE], 25);
	adds_up(&life, 25);
	life.session = GAPP_PHASE_STOPPED;
	event(&life, 40, GAPP_EV_WAKE, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 41, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	after = figures(&life, 25);
	assert_memory_equal(&waits, &after, sizeof(waits));
}

static void name(char *comm, s32 tid)
{
	memset(comm, 0, GAPP_COMM_LEN);
	snprintf(comm, GAPP_COMM_LEN, "by-%d", tid);
}

/* @life, which runs, is preempted by @tid at @t for @ns. */
static void preempt(struct life *life, u64 t, u64 ns, s32 tid)
{
	char comm[GAPP_COMM_LEN];

	name(comm, tid);
	event(life, t, GAPP_EV_OUT_RUNNABLE, NO_REASON,
	      gapp_waits_preempter(&life->waits, tid, comm));
	event(life, t + ns, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
}

/* Preempters are kept apart while there is room; beyond that the rarest is one of the others. */
static void test_preempters(void **state)
{
	char comm[GAPP_COMM_LEN];
	struct gapp_thread_waits waits;
	struct life life;
	u64 t = 0, times, ns;
	s32 tid;
	u32 i;

	(void)state;
	begin(&life, 0, GAPP_PHASE_RUNNING);
	event(&life, 0, GAPP_EV_SEED_RUNNING, NO_REASON, GAPP_NOT_PREEMPTED);
	for (tid = 0; tid < GAPP_PREEMPTERS; tid++)
		for (i = 0; i < (tid == 5 ? 1 : 3); i++, t += 10)
			preempt(&life, t, 4, tid);
	waits = figures(&life, t);
	for (i = 0; i < GAPP_PREEMPTERS; i++) {
		name(comm, i);
		assert_int_equal(waits.by[i].tid, i);
		assert_int_equal(waits.by[i].times, i == 5 ? 1 : 3);
		assert_int_equal(waits.by[i].runq_ns, 4 * waits.by[i].times);
		assert_memory_equal(waits.by[i].comm, comm, GAPP_COMM_LEN);
	}
	assert_int_equal(waits.preempted, 3 * GAPP_PREEMPTERS - 2);

	preempt(&life, t, 7, 100);
	preempt(&life, t + 10, 8, 100);
	event(&life, t + 20, GAPP_EV_OUT_RUNNABLE, NO_REASON,
	      gapp_waits_preempter(&life.waits, 3, NULL));
	event(&life, t + 30, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	waits = figures(&life, t + 30);
	assert_int_equal(waits.by[5].tid, 100);
	assert_int_equal(waits.by[5].times, 2);
	assert_int_equal(waits.by[5].runq_ns, 15);
	for (i = 0, times = 0, ns = 0; i < GAPP_PREEMPTERS; i++) {
		times += waits.by[i].times;
		ns += waits.by[i].runq_ns;
	}
	assert_int_equal(waits.preempted - times, 2);
	assert_int_equal(waits.preempted_runq_ns - ns, 4 + 10);
	assert_int_equal(waits.preempted_runq_ns, waits.runq_ns);
	adds_up(&life, t + 30);
}

/* A name of full length, as a task's may be for a moment, gets an end. */
static void test_name_without_end(void **state)
{
	char comm[GAPP_COMM_LEN];
	struct life life;

	(void)state;
	begin(&life, 0, GAPP_PHASE_RUNNING);
	memset(comm, 'x', sizeof(comm));
	gapp_waits_preempter(&life.waits, 1, comm);
	assert_int_equal(life.waits.by[0].comm[GAPP_COMM_LEN - 1], '\0');
}

/*
 * A thread that spins waits by the reason that is given, also in parts; without a CPU it is in the
 * run queue, where whoever took the CPU preempts it. Sleeping after it is another wait.
 */
static void test_spins(void **state)
{
	char comm[GAPP_COMM_LEN];
	struct gapp_thread_waits waits;
	struct life life;

	(void)state;
	name(comm, 9);
	begin(&life, 100, GAPP_PHASE_RUNNING);
	event(&life, 100, GAPP_EV_SEED_RUNNING, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 150, GAPP_EV_SPIN, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);
	waits = figures(&life, 160);
	assert_int_equal(waits.run_ns, 50);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_SPIN], 10);
	event(&life, 170, GAPP_EV_OUT_RUNNABLE, GAPP_WAIT_SPIN,
	      gapp_waits_preempter(&life.waits, 9, comm));
	event(&life, 200, GAPP_EV_IN, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);
	event(&life, 210, GAPP_EV_SPIN, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);
	event(&life, 230, GAPP_EV_WORK, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 260, GAPP_EV_SPIN, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);
	event(&life, 300, GAPP_EV_OUT_ASLEEP, GAPP_WAIT_LOCK, GAPP_NOT_PREEMPTED);
	event(&life, 340, GAPP_EV_WAKE, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 345, GAPP_EV_IN, NO_REASON, GAPP_NOT_PREEMPTED);
	event(&life, 400, GAPP_EV_SPIN, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);
	event(&life, 410, GAPP_EV_OUT_RUNNABLE, GAPP_WAIT_SPIN,
	      gapp_waits_preempter(&life.waits, 9, comm));
	/* a wake-up that comes too late does not begin another stay */
	event(&life, 450, GAPP_EV_WAKE, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);

	waits = figures(&life, 500);
	assert_int_equal(waits.run_ns, 50 + 30 + 55);
	assert_int_equal(waits.runq_ns, 30 + 5 + 90);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_SPIN], 20 + 30 + 40 + 10);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_LOCK], 40);
	assert_int_equal(blocked_ns(&waits), 140);
	assert_int_equal(waits.runq_stays, 2);
	assert_int_equal(waits.runq_max_ns, 90);
	assert_int_equal(waits.runq_max_at_ns, 410);
	assert_int_equal(waits.preempted, 1);
	assert_int_equal(waits.preempted_runq_ns, 30);
	adds_up(&life, 500);

	event(&life, 510, GAPP_EV_IN, GAPP_WAIT_SPIN, GAPP_NOT_PREEMPTED);
	waits = figures(&life, 510);
	assert_int_equal(waits.runq_stays, 3);
	assert_int_equal(waits.preempted, 2);
	assert_int_equal(waits.preempted_runq_ns, 130);
	event(&life, 517, GAPP_EV_OUT_DEAD, NO_REASON, GAPP_NOT_PREEMPTED);
	waits = figures(&life, 600);
	assert_int_equal(waits.blocked_ns[GAPP_WAIT_SPIN], 107);
	assert_int_equal(waits.life_ns, 417);
	adds_up(&life, 600);
}

/* The inline functions of usual steps do what gapp_waits_take() does. */
static void usual(struct life *life, u64 t, enum gapp_event what, u8 reason, u8 preempter)
{
	const struct gapp_at at = { .t = t, .phase = life->session };
	const u32 from = life->task.state, step = gapp_task_step(&life->task, what);

	if (from == GAPP_THREAD_RUNNING && step == GAPP_STEP_SLEEPS) {
		gapp_waits_sleeps(&life->waits, reason, t);
	} else if (from == GAPP_THREAD_RUNNING && step == GAPP_STEP_PREEMPTED) {
		gapp_waits_ready(&life->waits, preempter, t);
	} else if (from == GAPP_THREAD_RUNNABLE && step == GAPP_STEP_RUNS) {
		gapp_waits_runs(&life->waits, t);
	} else if (from == GAPP_THREAD_BLOCKED && step == GAPP_STEP_WOKEN) {
		gapp_waits_slept(&life->waits, t);
		gapp_waits_ready(&life->waits, GAPP_NOT_PREEMPTED, t);
	} else {
		event(life, t, what, reason, preempter);
		return;
	}
	gapp_task_take(&life->task, step, &at);
}

/* Whatever happens, possible or not, the times fill the life. */
static void test_any_events(void **state)
{
	u64 random = from_environment("PROPERTY_SEED", 1), t, dt, spun_ns;
	struct gapp_thread_waits x, y;
	struct life life, other;
	u32 run, i;

	(void)state;
	for (run = 0; run < RUNS; run++) {
		t = random_below(&random, 1000);
		begin(&life, t, GAPP_PHASE_RUNNING);
		begin(&other, t, GAPP_PHASE_RUNNING);
		spun_ns = 0;
		for (i = 0; i < EVENTS; i++) {
			enum gapp_event what = random_below(&random, GAPP_EV_COUNT);
			u8 reason = random_below(&random, GAPP_WAIT_FUTEX + 1), by;
			s32 tid = random_below(&random, 2 * GAPP_PREEMPTERS);
			char comm[GAPP_COMM_LEN];

			if (what == GAPP_EV_STOP ||
			    (what == GAPP_EV_OUT_DEAD && random_below(&random, EVENTS)))
				continue;
			name(comm, tid);
			by = gapp_waits_preempter(&life.waits, tid, comm);
			assert_int_equal(gapp_waits_preempter(&other.waits, tid, comm), by);
			if (gapp_state_spins(gapp_step_to(gapp_task_step(&life.task, what))))
				reason = GAPP_WAIT_SPIN;
			dt = random_below(&random, 1000);
			spun_ns += life.task.state == GAPP_THREAD_SPINNING ? dt : 0;
			t += dt;
			event(&life, t, what, reason, by);
			usual(&other, t, what, reason, by);
			adds_up(&life, t + 5);
			x = figures(&life, t + 5);
			y = figures(&other, t + 5);
			assert_memory_equal(&x, &y, sizeof(x));
			assert_true(x.runq_max_ns <= x.life_ns);
			dt = life.task.state == GAPP_THREAD_SPINNING ? 5 : 0;
			assert_int_equal(x.blocked_ns[GAPP_WAIT_SPIN], spun_ns + dt);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reasons),	   cmocka_unit_test(test_open_stay),
		cmocka_unit_test(test_phases),	   cmocka_unit_test(test_preempters),
		cmocka_unit_test(test_any_events), cmocka_unit_test(test_name_without_end),
		cmocka_unit_test(test_spins),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
