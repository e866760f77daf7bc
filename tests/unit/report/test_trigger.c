// SPDX-License-Identifier: GPL-2.0
/* The condition of --when: what it may be, and when it holds for long enough. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "report/trigger.h"

#define MS(n) (1000000ULL * (n))

static void conditions_that_are_understood(void **state)
{
	static const struct {
		const char *text;
		u64 for_ns;
		u64 step_ns;
	} good[] = {
		{ "parallelism < 2 for 100ms", MS(100), MS(10) },
		{ "  parallelism<2 for 1.5 s", MS(1500), MS(150) },
		{ "idle > 50% for 20s", MS(20000), MS(1000) },
		{ "idle >= 5 %", TRIGGER_FOR_NS, MS(10) },
		{ "threads > 100 for 10000us", MS(10), MS(10) },
	};
	struct trigger trigger;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		assert_int_equal(trigger_parse(&trigger, good[i].text), 0);
		assert_int_equal(trigger.for_ns, good[i].for_ns);
		assert_int_equal(trigger_step_ns(&trigger), good[i].step_ns);
	}
}

static void conditions_that_are_not(void **state)
{
	static const char *const bad[] = {
		"",
		"parallelism",
		"parallelism < 2 for",
		"parallelism < 2 for ms",
		"parallelism < 2 for 100",
		"parallelism < 2 for 100 m",
		"parallelism < 2 for 1ms",
		"parallelism < 2 for 9999s",
		"parallelism < 2 for 100ms for 100ms",
		"serial > 10% for 1s",
		"wall > 3s",
		"place:f > 10%",
		"idle > 20ms for 1s",
		"parallelism < 2%",
		"parallelism -2",
		"critical > 10% for 1s",
		"idle +10% for 1s",
		"for 100ms",
		"parallelism < 2 for -1s",
		"parallelism < 2 for 0x10ms",
	};
	struct trigger trigger;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++)
		if (!trigger_parse(&trigger, bad[i]))
			fail_msg("'%s' is taken", bad[i]);
}

/**
 * struct run - a session that is looked at
 * @trigger: the condition
 * @state: of the looks
 * @status: figures so far
 */
struct run {
	struct trigger trigger;
	struct trigger_state state;
	struct gapp_status status;
};

static void begin(struct run *run, const char *text)
{
	*run = (struct run){ 0 };
	assert_int_equal(trigger_parse(&run->trigger, text), 0);
	run->state.trigger = &run->trigger;
	run->status.wall_ns = MS(1000);
	assert_false(trigger_look(&run->state, &run->status, true));
}

/* Looks after each of @steps times 10 ms with @n threads active. Returns how often it was said. */
static unsigned int pass(struct run *run, unsigned int steps, unsigned int n, bool allowed)
{
	unsigned int said = 0;

	while (steps--) {
		run->status.wall_ns += MS(10);
		run->status.s += n * MS(10);
		run->status.idle_ns += n ? 0 : MS(10);
		run->status.c += n == 1 ? MS(10) << GAPP_SHARE_SHIFT : 0;
		said += trigger_look(&run->state, &run->status, allowed);
	}
	return said;
}

static void it_must_hold_for_long_enough(void **state)
{
	struct run run;

	(void)state;
	begin(&run, "parallelism < 2 for 100ms");
	assert_int_equal(pass(&run, 50, 4, true), 0);
	assert_int_equal(pass(&run, 9, 1, true), 0);
	assert_true(trigger_holds(&run.state));
	/* a break begins it anew */
	assert_int_equal(pass(&run, 1, 2, true), 0);
	assert_false(trigger_holds(&run.state));
	assert_int_equal(pass(&run, 9, 1, true), 0);
	assert_int_equal(pass(&run, 1, 1, true), 1);
}

static void it_is_said_once_until_it_fails(void **state)
{
	struct run run;

	(void)state;
	begin(&run, "parallelism < 2 for 100ms");
	assert_int_equal(pass(&run, 500, 0, true), 1);
	assert_int_equal(pass(&run, 1, 3, true), 0);
	assert_int_equal(pass(&run, 500, 0, true), 1);
}

static void what_is_not_allowed_is_said_later(void **state)
{
	struct run run;

	(void)state;
	begin(&run, "parallelism < 2 for 100ms");
	assert_int_equal(pass(&run, 50, 1, false), 0);
	assert_int_equal(pass(&run, 1, 1, true), 1);
	assert_int_equal(pass(&run, 1, 4, false), 0);
	assert_int_equal(pass(&run, 50, 1, false), 0);
	assert_int_equal(pass(&run, 1, 4, true), 0);
}

static void parts_are_percent_of_the_time(void **state)
{
	struct run run;

	(void)state;
	begin(&run, "idle >= 90% for 50ms");
	assert_int_equal(pass(&run, 20, 1, true), 0);
	assert_int_equal(pass(&run, 20, 0, true), 1);
}

/* Before session time begins, and between two looks at one moment. */
static void without_time_nothing_holds(void **state)
{
	struct run run;

	(void)state;
	begin(&run, "parallelism < 2 for 100ms");
	for (int i = 0; i < 100; i++)
		assert_false(trigger_look(&run.state, &run.status, true));
	run = (struct run){ .trigger = run.trigger };
	run.state.trigger = &run.trigger;
	for (int i = 0; i < 100; i++)
		assert_false(trigger_look(&run.state, &run.status, true));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(conditions_that_are_understood),
		cmocka_unit_test(conditions_that_are_not),
		cmocka_unit_test(it_must_hold_for_long_enough),
		cmocka_unit_test(it_is_said_once_until_it_fails),
		cmocka_unit_test(what_is_not_allowed_is_said_later),
		cmocka_unit_test(parts_are_percent_of_the_time),
		cmocka_unit_test(without_time_nothing_holds),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("trigger", tests, NULL, NULL);
}
