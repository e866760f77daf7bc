// SPDX-License-Identifier: GPL-2.0
/* Stays of threads and CPUs, made of records: what each did, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "starve.h"
#include "timeline/stays.h"

#define START 1000
#define TOLD_MAX 64

/**
 * struct told - what stays told, in the order in which they told it
 * @stays: what makes them
 * @told: each
 * @count: elements of @told that are used
 * @end_at: told stays after which the loop is ended
 */
struct told {
	struct stays stays;
	struct stay told[TOLD_MAX];
	u32 count;
	u32 end_at;
};

static int take(void *context, const struct stay *stay)
{
	struct told *told = context;

	assert_true(told->count < TOLD_MAX);
	assert_true(stay->end > stay->begin ||
		    (stay->end == stay->begin && stay->kind == STAY_READY));
	told->told[told->count++] = *stay;
	return told->count == told->end_at ? -1 : 0;
}

static void begin(struct told *told)
{
	*told = (struct told){ .end_at = UINT32_MAX };
	stays_init(&told->stays, START, true, take, told);
}

static struct gapp_record_slice slice_of(s32 tid, u32 cpu, u64 from, u64 to, enum gapp_then then)
{
	return (struct gapp_record_slice){
		.head = { GAPP_RECORD_SLICE, sizeof(struct gapp_record_slice), cpu, START + to },
		.tid = tid,
		.tgid = 1,
		.comm = "name",
		.begin_ns = START + from,
		.then = then,
		.path = 7,
		.kernel_path = GAPP_PATH_NONE,
		.n = 3,
		.own_critical_share = 5ULL << GAPP_SHARE_SHIFT,
	};
}

static int add(struct told *told, const struct gapp_record_slice *slice)
{
	return stays_record(&told->stays, &slice->head);
}

/* A thread ran on a CPU; times are nanoseconds since the begin of the recording. */
static void ran(struct told *told, s32 tid, u32 cpu, u64 from, u64 to, enum gapp_then then)
{
	struct gapp_record_slice slice = slice_of(tid, cpu, from, to, then);

	assert_int_equal(add(told, &slice), 0);
}

/* It ran, and then waits. */
static void ran_until_wait(struct told *told, s32 tid, u32 cpu, u64 from, u64 to, u32 reason)
{
	struct gapp_record_slice slice = slice_of(tid, cpu, from, to, GAPP_THEN_WAIT);

	slice.wait = reason;
	assert_int_equal(add(told, &slice), 0);
}

/* @waker: 0: nobody is named. */
static void woken(struct told *told, s32 tid, u64 at, s32 waker)
{
	const struct gapp_record_wake wake = {
		.head = { GAPP_RECORD_WAKE, sizeof(wake), 0, START + at },
		.tid = tid,
		.tgid = 1,
		.flags = waker ? GAPP_SLICE_WAKER : 0,
		.waker_cpu = 9,
		.waker_tid = waker,
		.waker_tgid = 1,
	};

	assert_int_equal(stays_record(&told->stays, &wake.head), 0);
}

static void lost(struct told *told, u64 from, u64 to, u64 records)
{
	const struct gapp_record_lost record = {
		.head = { GAPP_RECORD_LOST, sizeof(record), 0, START + to },
		.records = records,
		.since_ns = START + from,
	};

	assert_int_equal(stays_record(&told->stays, &record.head), 0);
}

static void end(struct told *told, u64 at)
{
	assert_int_equal(stays_end(&told->stays, START + at), 0);
}

/* What is expected of a stay; times since the begin of the recording. */
struct expected {
	s32 tid;
	enum stay_kind kind;
	u64 begin;
	u64 end;
	u32 cpu;
};

/* All that was told, in this order; frees it. */
static void tells(struct told *told, const struct expected *expected, size_t count)
{
	for (size_t i = 0; i < count && i < told->count; i++) {
		const struct stay *stay = &told->told[i];

		print_message("# %d: kind %u from %llu to %llu on %u\n",
			      told->stays.threads.rows[stay->thread].key.tid, stay->kind,
			      (unsigned long long)(stay->begin - START),
			      (unsigned long long)(stay->end - START), stay->cpu);
		assert_int_equal(told->stays.threads.rows[stay->thread].key.tid, expected[i].tid);
		assert_int_equal(stay->kind, expected[i].kind);
		assert_int_equal(stay->begin - START, expected[i].begin);
		assert_int_equal(stay->end - START, expected[i].end);
		assert_int_equal(stay->cpu, expected[i].cpu);
	}
	assert_int_equal(told->count, count);
	stays_free(&told->stays);
}

#define TELLS(told, ...)                                      \
	tells(told, (const struct expected[]){ __VA_ARGS__ }, \
	      sizeof((const struct expected[]){ __VA_ARGS__ }) / sizeof(struct expected))

static void a_thread_runs_waits_and_is_woken(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 2, 0, 100, GAPP_WAIT_LOCK);
	woken(&told, 5, 150, 6);
	ran(&told, 5, 3, 160, 200, GAPP_THEN_EXITED);
	end(&told, 300);
	assert_true(told.told[0].first);
	assert_false(told.told[1].first);
	assert_int_equal(told.told[0].path, 7);
	assert_int_equal(told.told[0].n, 3);
	assert_true(told.told[0].critical_ns == 5);
	assert_int_equal(told.told[1].reason, GAPP_WAIT_LOCK);
	assert_int_equal(told.told[1].path, 7);
	assert_int_equal(told.stays.threads.rows[told.told[2].waker].key.tid, 6);
	assert_int_equal(told.told[2].waker_cpu, 9);
	assert_false(told.stays.threads.rows[told.told[2].waker].followed);
	assert_string_equal((char *)told.stays.threads.rows[told.told[0].thread].comm, "name");
	TELLS(&told, { 5, STAY_RAN, 0, 100, 2 }, { 5, STAY_WAITED, 100, 150, STAY_NO_CPU },
	      { 5, STAY_READY, 150, 160, 3 }, { 5, STAY_RAN, 160, 200, 3 });
}

static void a_preempted_thread_is_ready(void **state)
{
	struct told told;

	begin(&told);
	ran(&told, 5, 0, 0, 10, GAPP_THEN_PREEMPTED);
	ran(&told, 6, 0, 10, 30, GAPP_THEN_PREEMPTED);
	ran(&told, 5, 1, 25, 40, GAPP_THEN_STOPPED);
	end(&told, 40);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 0 }, { 6, STAY_RAN, 10, 30, 0 },
	      { 5, STAY_READY, 10, 25, 1 }, { 5, STAY_RAN, 25, 40, 1 },
	      { 6, STAY_READY, 30, 40, STAY_NO_CPU });
}

/* The parts of a long slice, the second of which has lost its begin. */
static void a_slice_in_parts_has_all_its_time(void **state)
{
	struct told told;

	begin(&told);
	ran(&told, 5, 0, 0, 10, GAPP_THEN_ON);
	ran(&told, 5, 0, 10, 20, GAPP_THEN_ON);
	ran(&told, 5, 0, 23, 30, GAPP_THEN_ON);
	end(&told, 35);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 0 }, { 5, STAY_RAN, 10, 20, 0 },
	      { 5, STAY_UNKNOWN, 20, 23, STAY_NO_CPU }, { 5, STAY_RAN, 23, 30, 0 });
}

/* A record of the shares of earlier slices is of no stretch of time. */
static void the_rest_of_shares_is_no_stay(void **state)
{
	struct gapp_record_slice rest = slice_of(5, 0, 10, 20, GAPP_THEN_WAIT);
	struct told told;

	rest.flags = GAPP_SLICE_REST;
	begin(&told);
	assert_int_equal(add(&told, &rest), 0);
	end(&told, 30);
	TELLS(&told);
}

static void who_is_found_asleep_waited_from_the_begin(void **state)
{
	struct told told;

	begin(&told);
	woken(&told, 5, 50, 6);
	woken(&told, 7, 60, 0);
	ran(&told, 5, 0, 55, 70, GAPP_THEN_EXITED);
	ran(&told, 7, 1, 65, 80, GAPP_THEN_EXITED);
	end(&told, 90);
	assert_int_equal(told.told[0].reason, GAPP_WAIT_OTHER);
	TELLS(&told, { 5, STAY_WAITED, 0, 50, STAY_NO_CPU }, { 5, STAY_READY, 50, 55, 0 },
	      { 5, STAY_RAN, 55, 70, 0 }, { 7, STAY_READY, 60, 65, 1 }, { 7, STAY_RAN, 65, 80, 1 });
}

/* The slice of a thread that ran already began before the recording. */
static void time_before_the_recording_does_not_count(void **state)
{
	struct gapp_record_slice slice = slice_of(5, 0, 0, 10, GAPP_THEN_PREEMPTED);
	struct told told;

	slice.begin_ns = START - 500;
	begin(&told);
	assert_int_equal(add(&told, &slice), 0);
	slice = slice_of(6, 0, 0, 0, GAPP_THEN_PREEMPTED);
	slice.begin_ns = START - 500;
	slice.head.time_ns = START - 100;
	assert_int_equal(add(&told, &slice), 0);
	end(&told, 15);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 0 }, { 5, STAY_READY, 10, 15, STAY_NO_CPU });
}

static void a_spinner_has_a_cpu_and_waits(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 2, 0, 10, GAPP_WAIT_SPIN);
	woken(&told, 5, 50, 0);
	ran(&told, 5, 2, 50, 60, GAPP_THEN_EXITED);
	end(&told, 90);
	assert_int_equal(told.told[1].reason, GAPP_WAIT_SPIN);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 2 }, { 5, STAY_WAITED, 10, 50, 2 },
	      { 5, STAY_SPUN, 10, 50, 2 }, { 5, STAY_READY, 50, 50, 2 },
	      { 5, STAY_RAN, 50, 60, 2 });
}

/* Another thread had the CPU for a while; the spinner did not spin there then. */
static void nobody_spins_where_another_runs(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 2, 0, 10, GAPP_WAIT_SPIN);
	ran_until_wait(&told, 6, 2, 20, 30, GAPP_WAIT_LOCK);
	woken(&told, 5, 50, 0);
	end(&told, 50);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 2 }, { 5, STAY_SPUN, 10, 20, 2 },
	      { 6, STAY_RAN, 20, 30, 2 }, { 5, STAY_WAITED, 10, 50, 2 },
	      { 5, STAY_SPUN, 30, 50, 2 }, { 5, STAY_READY, 50, 50, STAY_NO_CPU },
	      { 6, STAY_WAITED, 30, 50, STAY_NO_CPU });
}

/* Two spin on one CPU in turn: the one who was there last has it. */
static void two_spinners_of_a_cpu_take_turns(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 2, 0, 10, GAPP_WAIT_SPIN);
	ran_until_wait(&told, 6, 2, 20, 30, GAPP_WAIT_SPIN);
	end(&told, 40);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 2 }, { 5, STAY_SPUN, 10, 20, 2 },
	      { 6, STAY_RAN, 20, 30, 2 }, { 6, STAY_SPUN, 30, 40, 2 },
	      { 5, STAY_WAITED, 10, 40, 2 }, { 6, STAY_WAITED, 30, 40, 2 });
}

/* A busy wait whose end has no record ends where the next slice begins, on whichever CPU. */
static void a_slice_ends_a_busy_wait(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 2, 0, 10, GAPP_WAIT_SPIN);
	ran(&told, 5, 3, 30, 40, GAPP_THEN_EXITED);
	end(&told, 60);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 2 }, { 5, STAY_WAITED, 10, 30, 2 },
	      { 5, STAY_SPUN, 10, 30, 2 }, { 5, STAY_RAN, 30, 40, 3 });
}

/* A thread that ended has no stay; a later one with its ids is new. */
static void ids_are_used_again(void **state)
{
	struct told told;

	begin(&told);
	ran(&told, 5, 0, 0, 10, GAPP_THEN_EXITED);
	woken(&told, 5, 50, 6);
	ran(&told, 5, 0, 55, 60, GAPP_THEN_EXITED);
	end(&told, 90);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 0 }, { 5, STAY_READY, 50, 55, 0 },
	      { 5, STAY_RAN, 55, 60, 0 });
}

/* What is inferred from the records around lost ones is not known; slices have records. */
static void holes_are_not_known(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 0, 0, 10, GAPP_WAIT_LOCK);
	ran_until_wait(&told, 6, 1, 0, 20, GAPP_WAIT_SPIN);
	lost(&told, 25, 30, 4);
	woken(&told, 5, 40, 6);
	ran(&told, 5, 0, 45, 50, GAPP_THEN_PREEMPTED);
	end(&told, 60);
	assert_int_equal(told.stays.lost_records, 4);
	TELLS(&told, { 5, STAY_RAN, 0, 10, 0 }, { 6, STAY_RAN, 0, 20, 1 },
	      { 5, STAY_UNKNOWN, 10, 40, STAY_NO_CPU }, { 5, STAY_READY, 40, 45, 0 },
	      { 5, STAY_RAN, 45, 50, 0 }, { 5, STAY_READY, 50, 60, STAY_NO_CPU },
	      { 6, STAY_UNKNOWN, 20, 60, STAY_NO_CPU });
}

/* Of many holes the oldest are taken for one, which may only hide more. */
static void holes_beyond_the_bound_are_taken_for_one(void **state)
{
	struct told told;

	begin(&told);
	for (u64 i = 0; i < STAYS_HOLES + 10; i++)
		lost(&told, 100 + 10 * i, 101 + 10 * i, 1);
	assert_int_equal(told.stays.hole_count, STAYS_HOLES);
	assert_int_equal(told.stays.holes[0].begin, START + 100);
	assert_int_equal(told.stays.holes[0].end, START + 201);
	assert_int_equal(told.stays.lost_records, STAYS_HOLES + 10);
	/* with a begin behind its end it is no stretch of time */
	lost(&told, 2000, 1000, 1);
	assert_int_equal(told.stays.lost_records, STAYS_HOLES + 11);
	TELLS(&told);
}

/* Of records that do not come in the order of time no stay overlaps another one of its thread. */
static void late_records_do_not_overlap(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, 0, 50, 60, GAPP_WAIT_LOCK);
	ran_until_wait(&told, 5, 1, 10, 40, GAPP_WAIT_LOCK);
	ran_until_wait(&told, 5, 0, 55, 70, GAPP_WAIT_LOCK);
	woken(&told, 5, 65, 6);
	ran(&told, 5, 0, 66, 80, GAPP_THEN_EXITED);
	end(&told, 90);
	TELLS(&told, { 5, STAY_RAN, 50, 60, 0 }, { 5, STAY_RAN, 60, 70, 0 },
	      { 5, STAY_READY, 70, 70, 0 }, { 5, STAY_RAN, 70, 80, 0 });
}

/* On one CPU too, though each thread's own stays are in order. */
static void no_two_threads_have_a_cpu_at_a_time(void **state)
{
	struct told told;

	begin(&told);
	ran(&told, 5, 0, 0, 50, GAPP_THEN_EXITED);
	ran(&told, 6, 0, 40, 60, GAPP_THEN_EXITED);
	ran(&told, 7, 0, 10, 55, GAPP_THEN_EXITED);
	end(&told, 90);
	for (u32 i = 1; i < told.count; i++)
		assert_true(told.told[i].begin >= told.told[i - 1].end);
	TELLS(&told, { 5, STAY_RAN, 0, 50, 0 }, { 6, STAY_RAN, 50, 60, 0 });
}

static void reasons_and_cpus_beyond_the_known_are_harmless(void **state)
{
	struct told told;

	begin(&told);
	ran_until_wait(&told, 5, STAYS_CPUS_MAX, 0, 10, 200);
	ran_until_wait(&told, 6, UINT32_MAX, 0, 10, GAPP_WAIT_SPIN);
	assert_int_equal(told.stays.without_room, 2);
	assert_int_equal(told.stays.cpu_room, 0);
	ran_until_wait(&told, 5, 0, 10, 15, 200);
	end(&told, 20);
	assert_int_equal(told.told[1].reason, GAPP_WAIT_OTHER);
	TELLS(&told, { 5, STAY_RAN, 10, 15, 0 }, { 5, STAY_WAITED, 15, 20, STAY_NO_CPU });
}

/* Any record without memory ends the loop, at whichever request. */
static void no_memory_is_said(void **state)
{
	for (size_t requests = 0; requests < 5; requests++) {
		struct gapp_record_slice slice = slice_of(5, 0, 0, 10, GAPP_THEN_EXITED);
		struct told told;
		int result;

		begin(&told);
		memory = requests;
		result = add(&told, &slice);
		memory = SIZE_MAX;
		/* a thread, its index, a CPU */
		assert_int_equal(result, requests < 3 ? -1 : 0);
		stays_free(&told.stays);
	}
}

static void who_takes_may_end_the_loop(void **state)
{
	struct gapp_record_slice slice = slice_of(5, 0, 0, 10, GAPP_THEN_PREEMPTED);
	struct told told;

	begin(&told);
	told.end_at = 1;
	assert_int_equal(add(&told, &slice), -1);
	stays_free(&told.stays);
	begin(&told);
	told.end_at = 2;
	assert_int_equal(add(&told, &slice), 0);
	assert_int_equal(stays_end(&told.stays, START + 20), -1);
	stays_free(&told.stays);
}

/* What lies between slices is in no record, so it is not made up: not a wait, nor a run queue. */
static void without_every_slice_only_slices_are_known(void **state)
{
	const struct expected expected[] = {
		{ 1, STAY_RAN, 10, 20, 0 }, { 1, STAY_UNKNOWN, 20, 50, STAY_NO_CPU },
		{ 1, STAY_RAN, 50, 60, 0 }, { 1, STAY_UNKNOWN, 60, 90, STAY_NO_CPU },
		{ 1, STAY_RAN, 90, 95, 0 },
	};
	struct told told;

	(void)state;
	begin(&told);
	told.stays.every_slice = false;
	ran_until_wait(&told, 1, 0, 10, 20, GAPP_WAIT_LOCK);
	ran(&told, 1, 0, 50, 60, GAPP_THEN_PREEMPTED);
	ran(&told, 1, 0, 90, 95, GAPP_THEN_EXITED);
	end(&told, 100);
	tells(&told, expected, ARRAY_SIZE(expected));
}

static void is_stay(const struct stay *stay, enum stay_kind kind, u64 from, u64 to)
{
	assert_int_equal(stay->kind, kind);
	assert_int_equal(stay->begin, START + from);
	assert_int_equal(stay->end, START + to);
}

/* Of a merged recording: target 0 from 0 to 100 and from 200 to 300, target 1 from 50 on. */
static void set_spans(struct told *told)
{
	static const struct stays_span spans[] = {
		{ 0, true, START, START + 100 },
		{ 0, true, START + 200, START + 300 },
		{ 1, true, START + 50, START + 300 },
	};
	struct stays_span *copy = malloc(sizeof(spans));

	assert_non_null(copy);
	memcpy(copy, spans, sizeof(spans));
	stays_set_spans(&told->stays, copy, ARRAY_SIZE(spans));
}

static void nothing_is_known_between_spans(void **state)
{
	struct told told;

	(void)state;
	begin(&told);
	set_spans(&told);
	ran_until_wait(&told, 5, 0, 10, 20, GAPP_WAIT_LOCK);
	woken(&told, 5, 250, 6);
	ran_until_wait(&told, 5, 0, 260, 270, GAPP_WAIT_DISK);
	assert_int_equal(stays_end(&told.stays, START + 300), 0);
	assert_int_equal(told.count, 6);
	/* the wait of the first span ends with it */
	is_stay(&told.told[1], STAY_WAITED, 20, 100);
	assert_int_equal(told.told[1].reason, GAPP_WAIT_LOCK);
	/* that of the second one begins with it: nobody knows for what */
	is_stay(&told.told[2], STAY_WAITED, 200, 250);
	assert_int_equal(told.told[2].reason, GAPP_WAIT_OTHER);
	assert_true(told.told[2].first);
	is_stay(&told.told[5], STAY_WAITED, 270, 300);
	stays_free(&told.stays);
}

static void targets_have_spans_of_their_own(void **state)
{
	struct gapp_record_slice slice = slice_of(6, 1, 60, 70, GAPP_THEN_PREEMPTED);
	const struct gapp_record_wake wake = {
		.head = { GAPP_RECORD_WAKE, sizeof(wake), 0, START + 80 },
		.tid = 7,
		.tgid = 1,
		.target = 1,
		.flags = GAPP_SLICE_WAKER,
		.waker_tid = 5,
	};
	struct told told;

	(void)state;
	begin(&told);
	set_spans(&told);
	ran_until_wait(&told, 5, 0, 10, 20, GAPP_WAIT_LOCK);
	slice.target = 1;
	assert_int_equal(add(&told, &slice), 0);
	assert_int_equal(stays_record(&told.stays, &wake.head), 0);
	assert_int_equal(stays_end(&told.stays, START + 300), 0);
	/* found asleep: since its own target's begin, not since that of the recording */
	is_stay(&told.told[2], STAY_WAITED, 50, 80);
	is_stay(&told.told[3], STAY_WAITED, 20, 100);
	is_stay(&told.told[4], STAY_READY, 70, 300);
	stays_free(&told.stays);
}

/* One part of a merged recording has a record of each slice, and the other one has not. */
static void what_is_known_is_known_of_the_span(void **state)
{
	struct gapp_record_slice slice = slice_of(6, 1, 60, 70, GAPP_THEN_PREEMPTED);
	struct told told;

	(void)state;
	begin(&told);
	set_spans(&told);
	told.stays.every_slice = false;
	told.stays.spans[2].every_slice = false;
	ran_until_wait(&told, 5, 0, 10, 20, GAPP_WAIT_LOCK);
	slice.target = 1;
	assert_int_equal(add(&told, &slice), 0);
	assert_int_equal(stays_end(&told.stays, START + 300), 0);
	is_stay(&told.told[2], STAY_WAITED, 20, 100);
	is_stay(&told.told[3], STAY_UNKNOWN, 70, 300);
	stays_free(&told.stays);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_runs_waits_and_is_woken),
		cmocka_unit_test(a_preempted_thread_is_ready),
		cmocka_unit_test(a_slice_in_parts_has_all_its_time),
		cmocka_unit_test(the_rest_of_shares_is_no_stay),
		cmocka_unit_test(who_is_found_asleep_waited_from_the_begin),
		cmocka_unit_test(time_before_the_recording_does_not_count),
		cmocka_unit_test(a_spinner_has_a_cpu_and_waits),
		cmocka_unit_test(nobody_spins_where_another_runs),
		cmocka_unit_test(two_spinners_of_a_cpu_take_turns),
		cmocka_unit_test(a_slice_ends_a_busy_wait),
		cmocka_unit_test(ids_are_used_again),
		cmocka_unit_test(holes_are_not_known),
		cmocka_unit_test(without_every_slice_only_slices_are_known),
		cmocka_unit_test(holes_beyond_the_bound_are_taken_for_one),
		cmocka_unit_test(late_records_do_not_overlap),
		cmocka_unit_test(no_two_threads_have_a_cpu_at_a_time),
		cmocka_unit_test(reasons_and_cpus_beyond_the_known_are_harmless),
		cmocka_unit_test(nothing_is_known_between_spans),
		cmocka_unit_test(targets_have_spans_of_their_own),
		cmocka_unit_test(what_is_known_is_known_of_the_span),
		cmocka_unit_test(no_memory_is_said),
		cmocka_unit_test(who_takes_may_end_the_loop),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
