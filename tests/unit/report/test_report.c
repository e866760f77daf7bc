// SPDX-License-Identifier: GPL-2.0
/* Reports of made-up sessions. */
#include "made_up.h"

/* As with --level stats. */
static char *print(report_function report, const struct model *model, const struct options *options)
{
	struct results results = { .model = *model };

	return print_report(report, &results, options);
}

static char *const command[] = { "./prog", "-x", NULL };
static const struct options with_command = { .command = command };

static void text_of_two_threads(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct model model = two_model();

	text = print(report_text, &model, &with_command);
	has(text, "For 4.00 s of 10.00 s (40 %) one thread ran alone, for 1.00 s none.\n");
	assert_ptr_equal(strstr(text, "For 4.00"), text);
	has(text, "Command      ./prog -x\n");
	has(text, "Run time     10.000 s on 4 CPUs\n");
	has(text, "1.40 threads active on average\n");
	has(text, "           2      5.000   50.0  ####################\n");
	has(text, "     10    6.500  65.0    9.000     0.000    1.000       3  first\n");
	has(text, "     11    2.000  20.0    4.000     1.000    5.000       7  second\n");
	assert_true(strstr(text, "first") < strstr(text, "second"));
	has(text, "shares + idle = 100.000 % of the run time\n");
	has(text, "recount at stop: agrees (n = 2, 2 threads)\n");
	has(text, "kernel's own accounting: too little time to compare\n");
	has_not(text, "Warning");
	fits(text, 100);
}

static void text_tells_what_disagrees(void **state)
{
	struct gapp_thread_figures rows[] = {
		{ .tid = 5,
		  .comm = "odd\033",
		  .flags = GAPP_FIGURES_KERNEL_SEEN,
		  .cm_run = SHARE(SECONDS(1)),
		  .kernel_run_ns = SECONDS(1),
		  .kernel_seen_run_ns = MS(900) },
	};
	struct options verbose = { .command = command, .verbose = true };
	struct model model = { .threads = rows,
			       .thread_count = 1,
			       .status = { .wall_ns = SECONDS(1),
					   .threads = 1,
					   .flags = GAPP_STATUS_RECOUNTED |
						    GAPP_STATUS_RECOUNT_OK } };
	_cleanup_free_ char *text = print(report_text, &model, &verbose);

	has(text, "Warning: the figures do not pass every check");
	has(text, "kernel's own accounting: 90.00 % agrees\n");
	has(text, "CMetric may be off by as much");
	has(text, "differs most: 5 odd\\x1b, by 0.100 s\n");
	has(text, "by the kernel: on-CPU 1.000 s");
	has(text, "by gapp:       on-CPU 0.900 s");
	fits(text, 100);
}

static void sentence(const u64 *parallelism, size_t count, u64 threads, const char *expected)
{
	struct model model = { .parallelism = (u64 *)parallelism,
			       .parallelism_count = count,
			       .status = { .threads = threads } };
	_cleanup_free_ char *text = NULL;

	for (size_t n = 0; n < count; n++)
		model.status.wall_ns += parallelism[n];
	model.status.idle_ns = count ? parallelism[0] : 0;
	text = print(report_text, &model, &with_command);
	has(text, expected);
	fits(text, 100);
}

static void first_sentence_of_every_kind(void **state)
{
	sentence((u64[]){ 0, MS(300), MS(1700) }, 3, 2,
		 "For 0.30 s of 2.00 s (15 %) one thread ran alone.\n");
	sentence((u64[]){ MS(1), MS(299), MS(1700) }, 3, 2,
		 "one thread ran alone, for 0.00 s none.\n");
	sentence((u64[]){ 0, SECONDS(1), SECONDS(49999) }, 3, 2,
		 "For 1 s of 50000 s (below 0.1 %) one thread ran alone.\n");
	sentence((u64[]){ MS(100), 0, MS(1900) }, 3, 2,
		 "Two or more threads were active for 1.90 s of 2.00 s (95 %).\n");
	sentence((u64[]){ MS(500), MS(1500) }, 2, 1,
		 "The only thread was active for 1.50 s of 2.00 s (75 %).\n");
	sentence((u64[]){ SECONDS(2) }, 1, 4,
		 "No thread was active in 2.00 s: the whole target waited.\n");
	sentence((u64[]){ 0 }, 1, 1, "Nothing was recorded");
	sentence((u64[]){ MS(5) }, 1, 0, "Nothing was recorded");
	sentence((u64[]){ 0, 500, 1500 }, 3, 2, "For 0.50 us of 2.00 us (25 %)");
}

static void distribution_is_merged_when_long(void **state)
{
	static u64 parallelism[41];
	static const struct gapp_thread_figures rows[1];
	struct model model = { .threads = (struct gapp_thread_figures *)rows,
			       .thread_count = 1,
			       .parallelism = parallelism,
			       .parallelism_count = 41,
			       .status = { .wall_ns = SECONDS(10), .threads = 40 } };
	_cleanup_free_ char *text = NULL;

	parallelism[1] = SECONDS(1);
	parallelism[3] = SECONDS(2);
	parallelism[4] = SECONDS(2);
	parallelism[33] = SECONDS(1);
	parallelism[40] = SECONDS(4);
	text = print(report_text, &model, &with_command);
	has(text, "           0      0.000    0.0\n");
	has(text, "           1      1.000   10.0  ####\n");
	has(text, "           2      0.000    0.0\n");
	has(text, "         3-4      4.000   40.0  ################\n");
	has(text, "       33-40      5.000   50.0  ####################\n");
	has_not(text, "5-8");
	fits(text, 100);
}

/* All of the run has 40 columns; the nearest whole number of them is shown. */
static void bars_are_rounded(void **state)
{
	static u64 parallelism[] = { 0, MS(3400), MS(6500), MS(100) };
	struct model model = { .parallelism = parallelism,
			       .parallelism_count = ARRAY_SIZE(parallelism),
			       .status = { .wall_ns = SECONDS(10), .threads = 3 } };
	_cleanup_free_ char *text = NULL;

	/* 13.6, 26.0 and 0.4 columns */
	text = print(report_text, &model, &with_command);
	has(text, "           1      3.400   34.0  ##############\n");
	has(text, "           2      6.500   65.0  ##########################\n");
	has(text, "           3      0.100    1.0\n");
}

/* 25 threads of 25 ms down to 1 ms of CMetric, and a process whose 40 exited ones had 1 s. */
static char *many(const struct options *options)
{
	static struct gapp_thread_figures rows[25];
	struct gapp_thread_figures process = {
		.tgid = 77, .comm = "make", .threads = 40, .cm_run = SHARE(SECONDS(1)), .slices = 99
	};
	struct model model = { .threads = rows,
			       .thread_count = 25,
			       .processes = &process,
			       .process_count = 1,
			       .status = { .wall_ns = SECONDS(10), .threads = 65 } };

	for (int i = 0; i < 25; i++) {
		rows[i] = (struct gapp_thread_figures){ .tid = 100 + i,
							.threads = 1,
							.cm_run = SHARE(MS(25 - i)) };
		snprintf((char *)rows[i].comm, GAPP_COMM_LEN, i == 22 ? "io" : "worker-%d", i);
	}
	return print(report_text, &model, options);
}

/* More threads spin than there are CPUs: those that they wait for wait for a CPU. */
static void spinners_that_starve_others_are_told(void **state)
{
	struct gapp_target_figures target = { .spun_ns = SECONDS(15) };
	struct ranked rows[] = {
		{ .kind = PATH_RAN,
		  .critical_ns = MS(4000),
		  .waiting_ns = { [GAPP_WAIT_SPIN] = MS(3000), [GAPP_WAIT_LOCK] = MS(1000) } },
		{ .kind = PATH_WAITED, .critical_ns = MS(900) },
	};
	struct results results = {
		.model = two_model(),
		.targets = &target,
		.target_count = 1,
		.ranked = true,
		.paths = { rows, 2 },
		.counters = { .critical_run = SHARE(MS(4000)), .critical_runq = SHARE(MS(600)) },
	};
	_cleanup_free_ char *text = NULL, *lock = NULL, *seldom = NULL;
	_cleanup_free_ char *asleep = NULL, *handed_on = NULL, *few = NULL;
	_cleanup_free_ char *found = NULL, *unfollowed = NULL;
	struct options sampled = with_command;

	assert_true(results_starved_ns(&results) == MS(600));
	text = print_report(report_text, &results, &with_command);
	has(text, "Spinning     1.50 threads on average waited in busy-wait loops");
	has(text, "loops, not counted above; for 0.60 s of\n");
	has(text, "\n             10.00 s (6.0 %) threads that they waited for had no CPU: ");
	fits(text, 100);

	/* most waited in other ways */
	rows[0].waiting_ns[GAPP_WAIT_SPIN] = MS(1900);
	assert_true(results_starved_ns(&results) == 0);
	lock = print_report(report_text, &results, &with_command);
	has(lock, "not counted above\n");

	/* nobody was seen to work, for others waited asleep, or in loops */
	results.places = (struct ranking){ rows + 1, 1 };
	rows[1].wait = GAPP_WAIT_LOCK;
	asleep = print_report(report_text, &results, &with_command);
	assert_null(strstr(asleep, "seemed to wait"));
	rows[1].wait = GAPP_WAIT_SPIN;
	handed_on = print_report(report_text, &results, &with_command);
	has(handed_on, "not counted above; for 0.90 s of\n");
	has(handed_on, "\n             10.00 s (9.0 %) all seemed to wait, until a sample found");
	fits(handed_on, 100);
	/* for longer than samples take to find who went on */
	rows[1].slices = 300;
	sampled.rate_hz = 333;
	found = print_report(report_text, &results, &sampled);
	has(found, "all seemed to wait, until a sample found");
	rows[1].slices = 299;
	unfollowed = print_report(report_text, &results, &sampled);
	has(unfollowed, "all seemed to wait: what they waited");
	fits(unfollowed, 100);
	rows[1].critical_ns = MS(290);
	few = print_report(report_text, &results, &with_command);
	assert_null(strstr(few, "seemed to wait"));
	results.places.count = 0;

	rows[0].waiting_ns[GAPP_WAIT_SPIN] = MS(3000);
	results.counters.critical_runq = SHARE(MS(499));
	assert_true(results_starved_ns(&results) == 0);
	seldom = print_report(report_text, &results, &with_command);
	has(seldom, "not counted above\n");
}

static void table_ends_after_twenty(void **state)
{
	_cleanup_free_ char *text = many(&with_command);

	has(text, "     77    1.000  10.0    0.000     0.000    0.000      99  make (40)\n");
	assert_true(strstr(text, "make (40)") < strstr(text, "worker-0"));
	has(text, "worker-18\n");
	has_not(text, "worker-19");
	/* 6+5+4+3+2+1 ms, io 3 of it */
	has(text, "6 more, 0.021 s (0.2 %): 5 worker-*, 1 io\n");
	fits(text, 100);
}

static void table_is_whole_when_verbose(void **state)
{
	struct options verbose = { .command = command, .verbose = true };
	_cleanup_free_ char *text = many(&verbose);

	has(text, "worker-24\n");
	has_not(text, " more, ");
	fits(text, 100);
}

static void rest_fits_its_line(void **state)
{
	static struct gapp_thread_figures rows[60];
	struct model model = { .threads = rows,
			       .thread_count = 60,
			       .status = { .wall_ns = SECONDS(10), .threads = 60 } };
	_cleanup_free_ char *text = NULL;

	for (int i = 0; i < 60; i++) {
		rows[i].tid = i + 1;
		snprintf((char *)rows[i].comm, GAPP_COMM_LEN, "%c\001name-%c%c", 'a' + i % 26,
			 'a' + i / 26, 'a' + i % 26);
	}
	text = print(report_text, &model, &with_command);
	has(text, "40 more, 0.000 s (0.0 %): 1 ");
	has(text, " others\n");
	fits(text, 100);
}

/* A number tells threads of a team apart only where each of them has one. */
static void teams_have_one_name_or_numbers(void **state)
{
	static const char *const names[] = { "cc", "cc1", "cc1", "worker-1", "worker-2" };
	static const u64 run_ms[] = { 9000, 1000, 3000, 1000, 2000 };
	struct options verbose = { .command = command, .verbose = true };
	struct gapp_thread_figures rows[ARRAY_SIZE(names)];
	struct results results = { .ranked = true };
	_cleanup_free_ char *text = NULL, *workers = NULL;

	(void)state;
	results.model = (struct model){ .threads = rows,
					.thread_count = ARRAY_SIZE(names),
					.status = { .wall_ns = SECONDS(10), .threads = 5 } };
	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		rows[i] = (struct gapp_thread_figures){
			.tid = 11 + i, .tgid = 10, .threads = 1, .run_ns = MS(run_ms[i])
		};
		strcpy((char *)rows[i].comm, names[i]);
	}
	text = print_report(report_text, &results, &verbose);
	has(text, "Imbalance    2 cc1: 1.00..3.00 s on CPUs, most/average 1.5; 1 more team\n");
	results.model.threads += 3;
	results.model.thread_count = 2;
	workers = print_report(report_text, &results, &verbose);
	has(workers, "Imbalance    2 worker-*: 1.00..2.00 s on CPUs, most/average 1.3\n");
}

static void long_command_is_cut(void **state)
{
	char *const arguments[] = { "prog",
				    "a long one that is repeated a long one that is repeated",
				    "a long one that is repeated", "more", NULL };
	struct options options = { .command = arguments };
	struct model model = two_model();
	_cleanup_free_ char *text = print(report_text, &model, &options);

	has(text, "Command      prog a long one");
	fits(text, 100);
}

/* No place stands out: the sentence says in how many of them code ran, not counting waits. */
static void sentence_says_how_many_places(void **state)
{
	struct ranked process = { .critical_ns = MS(2000), .tgid = 4711, .comm = "a" };
	char in_places[64];
	_cleanup_free_ char *text = NULL;
	struct made made;

	(void)state;
	made_ranked(&made);
	for (size_t i = 0; i < RANKED_ROWS; i++)
		made.rows[i].critical_ns = MS(100);
	made.results.functions.count = 0;
	made.results.by_thread.count = 0;
	made.results.by_process = (struct ranking){ &process, 1 };
	text = print_report(report_text, &made.results, &with_command);
	snprintf(in_places, sizeof(in_places), ", in %d\nplaces; process", RANKED_ROWS - 1);
	has(text, in_places);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(text_of_two_threads),
		cmocka_unit_test(text_tells_what_disagrees),
		cmocka_unit_test(first_sentence_of_every_kind),
		cmocka_unit_test(distribution_is_merged_when_long),
		cmocka_unit_test(bars_are_rounded),
		cmocka_unit_test(spinners_that_starve_others_are_told),
		cmocka_unit_test(table_ends_after_twenty),
		cmocka_unit_test(table_is_whole_when_verbose),
		cmocka_unit_test(rest_fits_its_line),
		cmocka_unit_test(teams_have_one_name_or_numbers),
		cmocka_unit_test(long_command_is_cut),
		cmocka_unit_test(sentence_says_how_many_places),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
