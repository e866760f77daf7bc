// SPDX-License-Identifier: GPL-2.0
/* What the report says of threads that spin in vain, and of those that end the spinning. */
#include "made_up.h"

#include "report/spin_diagnoses.h"

/* The run of made_ranked() takes 12.41 s, so a hundredth is 124.1 ms. */
#define HUNDREDTH 124100000ULL

static char words[SPIN_WORDS_SIZE];

static bool says(const struct spin_sums *spins, enum spin_diagnosis diagnosis)
{
	const struct ranked_object object = { .name = "turn", .spins = *spins };
	struct made made;

	made_ranked(&made);
	*words = '\0';
	return spin_diagnose(&made.results, &object, diagnosis, words);
}

static void is_said(const struct spin_sums *spins, enum spin_diagnosis diagnosis,
		    const char *wanted)
{
	assert_true(says(spins, diagnosis));
	assert_string_equal(words, wanted);
}

static void a_budget_that_runs_out_is_told_where_it_matters(void **state)
{
	struct spin_sums spins = { .spins = 100,
				   .spun_ns = SECONDS(2),
				   .vain = 3,
				   .vain_ns = HUNDREDTH,
				   .slept_ns = SECONDS(1) };

	(void)state;
	is_said(&spins, SPIN_BUDGET,
		"3 of 100 times that threads spun for it, the time to spin ran out: at least 0.12 s in vain, and then 1.00 s asleep; let them sleep sooner");
	spins.vain_ns = HUNDREDTH - 1;
	assert_false(says(&spins, SPIN_BUDGET));
	/* half of all times, if these are not a few */
	spins.vain = 50;
	assert_true(says(&spins, SPIN_BUDGET));
	spins.vain = 49;
	assert_false(says(&spins, SPIN_BUDGET));
	spins.spins = 20;
	spins.vain = 10;
	assert_true(says(&spins, SPIN_BUDGET));
	spins.spins = 19;
	assert_false(says(&spins, SPIN_BUDGET));
	spins.vain_ns = SECONDS(1);
	assert_true(says(&spins, SPIN_BUDGET));
	/* nobody slept */
	spins.vain = 0;
	assert_false(says(&spins, SPIN_BUDGET));
	assert_false(says(&spins, SPIN_STARVED));
}

/* Who sleeps for longer than it spun had better slept at once; samples know half of a short spin.
 */
static void how_long_they_then_sleep_says_what_to_do(void **state)
{
	struct spin_sums spins = {
		.spins = 10, .spun_ns = SECONDS(2), .vain = 9, .vain_ns = SECONDS(1)
	};

	(void)state;
	spins.slept_ns = SECONDS(2);
	assert_true(says(&spins, SPIN_BUDGET));
	has(words, "; let them spin longer");
	spins.slept_ns++;
	assert_true(says(&spins, SPIN_BUDGET));
	has(words, "; let them sleep sooner");
	/* while who could end it has no CPU, to spin for longer is no help */
	spins.slept_ns = 0;
	spins.seen_ns = SECONDS(1);
	spins.starved_ns = MS(400);
	assert_true(says(&spins, SPIN_BUDGET));
	has(words, "; let them sleep sooner");
}

static void openmp_has_variables_for_it(void **state)
{
	struct ranked_object object = {
		.name = "barrier of OpenMP",
		.called = "barrier of OpenMP",
		.spins = { .spins = 10, .spun_ns = SECONDS(2), .vain = 9, .vain_ns = SECONDS(1) }
	};
	struct made made;

	(void)state;
	made_ranked(&made);
	assert_true(spin_diagnose(&made.results, &object, SPIN_BUDGET, words));
	has(words, "; let them spin longer, by a higher GOMP_SPINCOUNT or KMP_BLOCKTIME");
	object.spins.slept_ns = SECONDS(5);
	assert_true(spin_diagnose(&made.results, &object, SPIN_BUDGET, words));
	has(words, "; let them sleep sooner, by a lower GOMP_SPINCOUNT or KMP_BLOCKTIME");
}

static void an_ender_without_a_cpu_is_told_where_it_matters(void **state)
{
	struct spin_sums spins = {
		.spins = 100, .spun_ns = SECONDS(4), .seen_ns = SECONDS(2), .starved_ns = MS(500)
	};

	(void)state;
	is_said(&spins, SPIN_STARVED,
		"for 0.50 s of 2.00 s of spinning whose end was seen, the thread that ended it had no CPU: more threads want to run than there are CPUs for them; let them sleep sooner, or run fewer");
	assert_false(says(&spins, SPIN_BUDGET));
	spins.starved_ns = MS(100);
	assert_true(says(&spins, SPIN_STARVED));
	spins.starved_ns--;
	assert_false(says(&spins, SPIN_STARVED));
	/* a half of it is a hundredth of the run, as of all spinning */
	spins.spun_ns = 2 * HUNDREDTH;
	spins.seen_ns = MS(1);
	spins.starved_ns = MS(1) / 2;
	assert_true(says(&spins, SPIN_STARVED));
	spins.spun_ns--;
	assert_false(says(&spins, SPIN_STARVED));
	spins.spun_ns = SECONDS(4);
	assert_true(says(&spins, SPIN_STARVED));
	/* of so little nothing follows */
	spins.seen_ns--;
	assert_false(says(&spins, SPIN_STARVED));
	spins.seen_ns = 0;
	spins.starved_ns = 0;
	assert_false(says(&spins, SPIN_STARVED));
}

/* @ends delays that are @us, and @spread_us more or less. */
static struct spin_delays delays(u64 ends, u64 us, u64 spread_us)
{
	return (struct spin_delays){ ends, 1000 * ends * us,
				     ends * (us * us + spread_us * spread_us) };
}

static void a_far_node_is_told_where_it_matters(void **state)
{
	struct spin_sums spins = { .spins = 2000,
				   .spun_ns = SECONDS(4),
				   .near = delays(50, 200, 100),
				   .far = delays(50, 1700, 700) };

	(void)state;
	is_said(&spins, SPIN_FAR,
		"threads on another NUMA node than the one that ended the wait went on 1700 us after it on average (50 times seen), those on its own node 200 us (50 times): if they had CPUs, let a thread of each node wait for the store, and the others for a word of their node");
	/* half of the waits were ended from afar: 1500 us of each are a hundredth of the run */
	spins.spins = 2 * HUNDREDTH / 1500000 + 1;
	assert_true(says(&spins, SPIN_FAR));
	spins.spins -= 2;
	assert_false(says(&spins, SPIN_FAR));
	spins.spins = 2000;
	spins.near = delays(9, 200, 0);
	assert_false(says(&spins, SPIN_FAR));
	spins.near = delays(10, 200, 0);
	assert_true(says(&spins, SPIN_FAR));
	spins.far = delays(9, 1700, 0);
	assert_false(says(&spins, SPIN_FAR));
	/* less than twice as late */
	spins.near = delays(50, 851, 0);
	spins.far = delays(50, 1700, 0);
	assert_false(says(&spins, SPIN_FAR));
	spins.near = delays(50, 850, 0);
	assert_true(says(&spins, SPIN_FAR));
	/* four times sqrt(1000 * 1000 / 16 + 0) is all there is */
	spins.near = delays(50, 200, 0);
	spins.far = delays(16, 1200, 999);
	assert_true(says(&spins, SPIN_FAR));
	spins.far = delays(16, 1200, 1001);
	assert_false(says(&spins, SPIN_FAR));
	spins.far = delays(50, 1700, 0);
	assert_true(says(&spins, SPIN_FAR));
	/* who has no CPU is late, too */
	spins.seen_ns = SECONDS(2);
	spins.starved_ns = MS(500);
	assert_true(says(&spins, SPIN_STARVED));
	assert_false(says(&spins, SPIN_FAR));
	spins = (struct spin_sums){ .spins = 2000, .spun_ns = SECONDS(4) };
	assert_false(says(&spins, SPIN_FAR));
}

static void a_short_run_is_told_in_its_unit(void **state)
{
	const struct ranked_object object = {
		.spins = { .spins = 100, .vain = 60, .vain_ns = 123456789, .slept_ns = 7654321 }
	};
	struct made made;

	(void)state;
	made_ranked(&made);
	made.results.model.status.wall_ns = SECONDS(1) - 1;
	assert_true(spin_diagnose(&made.results, &object, SPIN_BUDGET, words));
	has(words, "at least 123.46 ms in vain, and then 7.65 ms asleep;");
}

static void they_are_in_the_view_of_their_object(void **state)
{
	static char *const command[] = { "./prog", NULL };
	const struct options options = { .command = command, .view = VIEW_WAIT_OBJECTS };
	struct ranked_object object = { .name = "turn",
					.reason = GAPP_WAIT_SPIN,
					.waited_ns = SECONDS(4),
					.waits = 100,
					.spins = { .spins = 100,
						   .spun_ns = SECONDS(4),
						   .vain = 60,
						   .vain_ns = SECONDS(1),
						   .seen_ns = SECONDS(2),
						   .starved_ns = MS(500),
						   .near = delays(20, 100, 50),
						   .far = delays(20, 9000, 500) } };
	struct made made;
	char *text, *json;

	(void)state;
	made_ranked(&made);
	made.results.waits = (struct ranked_waits){
		.collected = true, .all = true, .objects = &object, .object_count = 1
	};
	text = print_report(report_text, &made.results, &options);
	json = print_report(report_json, &made.results, &options);
	has(text, "\n    60 of 100 times that threads spun for it, the time to spin ran out: ");
	has(text,
	    "\n    for 0.50 s of 2.00 s of spinning whose end was seen, the thread that ended it ");
	has(json, "\"diagnosis\": \"spin_budget\", \"says\": \"60 of 100 times ");
	has(json, "\"diagnosis\": \"ender_without_cpu\", \"says\": \"for 0.50 s of 2.00 s ");
	has(json, "\"ended_on_its_node\": {\"ends\": 20, \"delay_s\": 0.002000000}");
	free(text);
	free(json);
	object.spins.starved_ns = 0;
	text = print_report(report_text, &made.results, &options);
	json = print_report(report_json, &made.results, &options);
	has(text,
	    "\n    threads on another NUMA node than the one that ended the wait went on 9000 us");
	has(json, "\"diagnosis\": \"far_node\", \"says\": \"threads on another NUMA node ");
	free(text);
	free(json);
	object.spins = (struct spin_sums){ .spins = 100, .spun_ns = SECONDS(4) };
	text = print_report(report_text, &made.results, &options);
	json = print_report(report_json, &made.results, &options);
	has_not(text, "spin ran out");
	has_not(text, "of spinning whose end");
	has(json, "\"diagnoses\": []");
	free(text);
	free(json);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_budget_that_runs_out_is_told_where_it_matters),
		cmocka_unit_test(how_long_they_then_sleep_says_what_to_do),
		cmocka_unit_test(openmp_has_variables_for_it),
		cmocka_unit_test(an_ender_without_a_cpu_is_told_where_it_matters),
		cmocka_unit_test(a_far_node_is_told_where_it_matters),
		cmocka_unit_test(a_short_run_is_told_in_its_unit),
		cmocka_unit_test(they_are_in_the_view_of_their_object),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("spin_diagnoses", tests, NULL, NULL);
}
