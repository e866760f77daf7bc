// SPDX-License-Identifier: GPL-2.0
/* From figures of PAUSE to what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "doctor/pause.h"

/* 100 batches of each kind in a quarter of a second, with a TSC of 2 GHz. */
static struct pause_figures guest(u32 pauses, u32 others)
{
	return (struct pause_figures){ .measured = true,
				       .hypervisor = true,
				       .hypervisor_name = "KVMKVMKVM",
				       .tsc_khz = 2e6,
				       .pause_ticks = 60,
				       .long_ticks = 5000,
				       .pause = { 100, 5e8, pauses, 40000 },
				       .plain = { 100, 5e8, others, 20000 } };
}

static enum pause_exits judge(struct pause_figures figures)
{
	return pause_judge(&figures);
}

static void without_a_hypervisor_nothing_is_left(void **state)
{
	struct pause_figures figures = guest(100, 0);

	figures.hypervisor = false;
	assert_int_equal(judge(figures), PAUSE_EXITS_NONE);
	figures.measured = false;
	assert_int_equal(judge(figures), PAUSE_EXITS_UNKNOWN);
}

/* Of a PAUSE by itself 160 cycles are known, and a way out and back is 1,000. */
static void a_slow_pause_leaves_each_time(void **state)
{
	struct pause_figures figures = guest(0, 0);

	figures.pause_ticks = 1000;
	assert_int_equal(judge(figures), PAUSE_EXITS_OF_EACH);
	figures.pause_ticks = 999;
	assert_int_equal(judge(figures), PAUSE_EXITS_NOT_SEEN);
	/* few batches are enough then */
	figures.pause_ticks = 4000;
	figures.pause.batches = 1;
	assert_int_equal(judge(figures), PAUSE_EXITS_OF_EACH);
}

/* With none beside them 17 are more than four times the root of 17, and 16 are not. */
static void markedly_more_interruptions_are_exits(void **state)
{
	assert_int_equal(judge(guest(0, 0)), PAUSE_EXITS_NOT_SEEN);
	assert_int_equal(judge(guest(16, 0)), PAUSE_EXITS_NOT_SEEN);
	assert_int_equal(judge(guest(17, 0)), PAUSE_EXITS_OF_MANY);
	assert_int_equal(judge(guest(100, 10)), PAUSE_EXITS_OF_MANY);
	/* 30 of 50 and 20 */
	assert_int_equal(judge(guest(50, 20)), PAUSE_EXITS_NOT_SEEN);
	/* far from chance, and not twice as many */
	assert_int_equal(judge(guest(98, 50)), PAUSE_EXITS_NOT_SEEN);
	assert_int_equal(judge(guest(0, 40)), PAUSE_EXITS_NOT_SEEN);
}

/* Interruptions come by the time that batches take. */
static void interruptions_are_compared_in_the_same_time(void **state)
{
	struct pause_figures figures = guest(80, 20);

	assert_int_equal(judge(figures), PAUSE_EXITS_OF_MANY);
	figures.pause.ticks *= 4;
	assert_int_equal(judge(figures), PAUSE_EXITS_NOT_SEEN);
}

static void too_little_is_not_known(void **state)
{
	struct pause_figures figures = guest(31, 0);

	figures.pause.batches = 31;
	assert_int_equal(judge(figures), PAUSE_EXITS_UNKNOWN);
	figures.pause.batches = 32;
	assert_int_equal(judge(figures), PAUSE_EXITS_OF_MANY);
	figures.plain.batches = 31;
	assert_int_equal(judge(figures), PAUSE_EXITS_UNKNOWN);
	/* the machine is so busy that all is interrupted */
	assert_int_equal(judge(guest(100, 51)), PAUSE_EXITS_UNKNOWN);
	assert_int_equal(judge(guest(100, 100)), PAUSE_EXITS_UNKNOWN);
}

static void the_median_is_in_the_middle(void **state)
{
	double odd[] = { 5, 1, 100 }, even[] = { 4, 1, 2, 100 };

	assert_true(pause_median(odd, 3) == 5);
	assert_true(pause_median(even, 4) == 3);
	assert_true(pause_median(odd, 1) == 1);
	assert_true(pause_median(odd, 0) == 0);
}

static void batches_are_added_up(void **state)
{
	const double ticks[] = { 1000, 1100, 1101, 900, 5000 };
	struct pause_series series = { 0 };

	pause_series_add(&series, ticks, 5, 1000, 100);
	assert_int_equal(series.batches, 5);
	assert_int_equal(series.interruptions, 2);
	assert_true(series.ticks == 9101 && series.longest == 4000);
	pause_series_add(&series, ticks, 1, 1000, 100);
	assert_int_equal(series.batches, 6);
	assert_int_equal(series.interruptions, 2);
}

static const char *said_of(struct findings *findings, const struct pause_figures *figures)
{
	pause_findings(findings, figures);
	return findings->list[findings->count - 1].text;
}

static void figures_stand_in_the_sentences(void **state)
{
	struct findings findings = { 0 };
	struct pause_figures figures = guest(100, 10);
	const char *text = said_of(&findings, &figures);

	assert_string_equal(
		findings.list[0].text,
		"one PAUSE takes 60.0 cycles of the TSC (30.0 ns; the TSC has 2000.0 MHz); how many instructions it counts as is not known without a counter");
	assert_int_equal(findings.list[1].level, FINDING_WARNING);
	assert_string_equal(
		text,
		"under KVM many PAUSEs likely leave the virtual machine: their runs were interrupted 100 times in 250 ms (longest 20.0 us), and runs of other instructions 10 times in 250 ms (longest 10.0 us)");
	figures = guest(0, 0);
	figures.counted = true;
	figures.instructions = 1.004;
	figures.intel = true;
	text = said_of(&findings, &figures);
	assert_non_null(strstr(findings.list[2].text, "; it counts as 1.00 instructions"));
	assert_int_equal(findings.list[3].level, FINDING_OK);
	assert_non_null(strstr(text, "interrupted 0 times in 250 ms, and"));
	assert_non_null(strstr(text, "the kernel's only"));
	figures.measured = false;
	text = said_of(&findings, &figures);
	assert_string_equal(text, "its cost is measured on x86-64 only");
	assert_int_equal(findings.count, 5);
	findings_free(&findings);
}

static void what_is_measured_is_possible(void **state)
{
	struct pause_figures figures;

	pause_measure(&figures);
#ifdef __x86_64__
	assert_true(figures.measured);
	assert_true(figures.pause_ticks > 1 && figures.tsc_khz > 1e5);
	assert_true(figures.pause.batches && figures.plain.batches);
	assert_true(figures.pause.interruptions <= figures.pause.batches);
	/* it is one, whatever it is counted by */
	if (figures.counted)
		assert_true(figures.instructions > 0.9 && figures.instructions < 1.1);
#else
	assert_false(figures.measured);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_a_hypervisor_nothing_is_left),
		cmocka_unit_test(a_slow_pause_leaves_each_time),
		cmocka_unit_test(markedly_more_interruptions_are_exits),
		cmocka_unit_test(interruptions_are_compared_in_the_same_time),
		cmocka_unit_test(too_little_is_not_known),
		cmocka_unit_test(the_median_is_in_the_middle),
		cmocka_unit_test(batches_are_added_up),
		cmocka_unit_test(figures_stand_in_the_sentences),
		cmocka_unit_test(what_is_measured_is_possible),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
