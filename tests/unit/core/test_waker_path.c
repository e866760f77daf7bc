// SPDX-License-Identifier: GPL-2.0
/* kmod/core/waker_path.h: how many call paths of wakers are taken, which, and kinds of interrupts.
 */
#include "rig.h"

#include "waker_path.h"

#define MS 1000000ULL

static u32 take(struct gapp_rate *rate, u64 now_ns, u32 tries)
{
	u32 taken = 0;

	while (tries--)
		taken += gapp_rate_take(rate, now_ns);
	return taken;
}

static void a_burst_is_bounded(void **state)
{
	struct gapp_rate rate = { 0 };

	(void)state;
	assert_int_equal(take(&rate, 3600 * 1000 * MS, 1000), GAPP_WAKER_PATHS_BURST);
	assert_int_equal(take(&rate, 3600 * 1000 * MS, 1000), 0);
}

static void the_rate_holds(void **state)
{
	struct gapp_rate rate = { 0 };
	u64 now_ns = 1000 * MS;
	u32 taken;

	(void)state;
	take(&rate, now_ns, 1000);
	taken = 0;
	for (u32 i = 0; i < 100000; i++) {
		now_ns += 10000;
		taken += gapp_rate_take(&rate, now_ns);
	}
	/* a second has passed */
	assert_in_range(taken, GAPP_WAKER_PATHS_HZ - 1, GAPP_WAKER_PATHS_HZ);
}

static void a_pause_saves_one(void **state)
{
	struct gapp_rate rate = { 0 };

	(void)state;
	take(&rate, 1000 * MS, 1000);
	assert_int_equal(take(&rate, 1000 * MS + GAPP_WAKER_PAUSE_NS - 1, 10), 0);
	assert_int_equal(take(&rate, 1000 * MS + GAPP_WAKER_PAUSE_NS, 10), 1);
}

static void time_may_go_back(void **state)
{
	struct gapp_rate rate = { 0 };

	(void)state;
	take(&rate, 1000 * MS, 1000);
	assert_int_equal(take(&rate, 999 * MS, 10), 0);
	/* and what went back is not counted twice */
	assert_int_equal(take(&rate, 1000 * MS + GAPP_WAKER_PAUSE_NS, 10), 1);
}

static void time_is_shared_for_a_while(void **state)
{
	struct gapp_waking waking = { 0 };

	(void)state;
	assert_int_equal(gapp_waking_used(&waking, 5 * MS), 0);
	waking.used_ns += 30000;
	assert_int_equal(gapp_waking_used(&waking, 5 * MS + GAPP_WAKING_NS - 1), 30000);
	waking.used_ns += 15000;
	assert_int_equal(gapp_waking_used(&waking, 5 * MS + GAPP_WAKING_NS - 1), 45000);
	assert_int_equal(gapp_waking_used(&waking, 5 * MS + GAPP_WAKING_NS), 0);
	assert_int_equal(waking.begin_ns, 5 * MS + GAPP_WAKING_NS);
}

static void the_clock_of_another_cpu_begins_anew(void **state)
{
	struct gapp_waking waking = { .begin_ns = 5 * MS, .used_ns = 7 };

	(void)state;
	assert_int_equal(gapp_waking_used(&waking, 5 * MS - 1), 0);
}

static void paths_are_for_waits_that_are_known(void **state)
{
	(void)state;
	assert_true(gapp_wants_waker_path(GAPP_THREAD_BLOCKED, true, false, 3));
	assert_true(gapp_wants_waker_path(GAPP_THREAD_BLOCKED, false, true, 3));
	assert_true(gapp_wants_waker_path(GAPP_THREAD_BLOCKED, false, false, 0));
	assert_false(gapp_wants_waker_path(GAPP_THREAD_BLOCKED, false, false, 3));
}

static void who_does_not_wait_has_no_waker(void **state)
{
	(void)state;
	assert_false(gapp_wants_waker_path(GAPP_THREAD_RUNNING, true, true, 0));
	assert_false(gapp_wants_waker_path(GAPP_THREAD_RUNNABLE, true, true, 0));
	assert_false(gapp_wants_waker_path(GAPP_THREAD_UNKNOWN, true, true, 0));
	assert_false(gapp_wants_waker_path(GAPP_THREAD_GONE, true, true, 0));
}

static void hard_interrupts_have_kinds(void **state)
{
	(void)state;
	for (u32 softirq = 0; softirq <= GAPP_SOFTIRQ_TIMER; softirq++) {
		/* a softirq that the hard interrupt has hit says nothing */
		assert_int_equal(gapp_interrupt_kind(true, true, softirq, false),
				 GAPP_SLICE_IRQ_TIMER);
		assert_int_equal(gapp_interrupt_kind(true, true, softirq, true),
				 GAPP_SLICE_IRQ_TIMER);
		assert_int_equal(gapp_interrupt_kind(true, false, softirq, true),
				 GAPP_SLICE_IRQ_DISK);
		assert_int_equal(gapp_interrupt_kind(true, false, softirq, false), 0);
	}
}

static void softirqs_have_kinds(void **state)
{
	static const struct {
		enum gapp_softirq softirq;
		u32 flags;
	} kinds[] = {
		{ GAPP_SOFTIRQ_OTHER, 0 },
		{ GAPP_SOFTIRQ_NETWORK, GAPP_SLICE_IRQ_NETWORK },
		{ GAPP_SOFTIRQ_DISK, GAPP_SLICE_IRQ_DISK },
		{ GAPP_SOFTIRQ_TIMER, GAPP_SLICE_IRQ_TIMER },
	};

	(void)state;
	for (u32 i = 0; i <= GAPP_SOFTIRQ_TIMER; i++) {
		assert_int_equal(gapp_interrupt_kind(false, false, kinds[i].softirq, false),
				 kinds[i].flags);
		/* a timer of a hard interrupt that has ended says nothing */
		assert_int_equal(gapp_interrupt_kind(false, true, kinds[i].softirq, false),
				 kinds[i].flags);
		assert_int_equal(gapp_interrupt_kind(false, false, kinds[i].softirq, true),
				 GAPP_SLICE_IRQ_DISK);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_burst_is_bounded),
		cmocka_unit_test(the_rate_holds),
		cmocka_unit_test(a_pause_saves_one),
		cmocka_unit_test(time_may_go_back),
		cmocka_unit_test(time_is_shared_for_a_while),
		cmocka_unit_test(the_clock_of_another_cpu_begins_anew),
		cmocka_unit_test(paths_are_for_waits_that_are_known),
		cmocka_unit_test(who_does_not_wait_has_no_waker),
		cmocka_unit_test(hard_interrupts_have_kinds),
		cmocka_unit_test(softirqs_have_kinds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
