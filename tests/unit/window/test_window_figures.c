// SPDX-License-Identifier: GPL-2.0
/* Figures of a span from those at its ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "window/window_figures.h"

#define SHARE(ns) ((u64)(ns) << GAPP_SHARE_SHIFT)

static void *copy(const void *rows, size_t size)
{
	void *made = malloc(size);

	assert_non_null(made);
	return memcpy(made, rows, size);
}

#define SET_ROWS(list, count, ...)                              \
	do {                                                    \
		const typeof(*(list)) rows[] = { __VA_ARGS__ }; \
		(list) = copy(rows, sizeof(rows));              \
		(count) = ARRAY_SIZE(rows);                     \
	} while (0)

/* After 10 s: two threads, and one that has left. */
static struct results begin(void)
{
	struct results results = {
		.model.status = {
			.state = GAPP_SESSION_RUNNING, .start_ns = 500, .wall_ns = 10000,
			.c = SHARE(4000), .idle_ns = 1000, .n = 1, .n_min = 2, .n_min_most = 2,
			.n_min_least = 1, .n_min_most_ns = 6000, .live = 2, .peak = 9,
			.unexpected = 1,
		},
		.counters = { .slices = 100,
			      .lost = { [GAPP_LOST_RING] = 5, [GAPP_LOST_THREADS] = 3 } },
	};

	SET_ROWS(results.model.threads, results.model.thread_count,
		 { .tgid = 1, .tid = 3, .cm_run = SHARE(100), .joined_ns = 50, .left_ns = 9000 },
		 { .tgid = 1, .tid = 2, .cm_run = SHARE(3000), .run_ns = 5000 },
		 { .tgid = 1, .tid = 1, .cm_run = SHARE(2000), .critical_run = SHARE(1500) });
	SET_ROWS(results.model.parallelism, results.model.parallelism_count, 1000, 4000, 4500);
	SET_ROWS(results.targets, results.target_count,
		 { .id = 0, .wall_ns = 10000, .c = SHARE(4000) });
	window_complete(&results);
	return results;
}

/* After 15 s: thread 2 is added to the sum of its process, thread 4 has come. */
static struct results end(void)
{
	struct results results = {
		.model.status = {
			.state = GAPP_SESSION_RUNNING, .start_ns = 500, .wall_ns = 15000,
			.c = SHARE(6000), .idle_ns = 1500, .n = 4, .n_min = 2, .n_min_most = 2,
			.n_min_least = 1, .n_min_most_ns = 11000, .live = 2, .peak = 9,
			.unexpected = 1,
			.threads = 4,
		},
		.counters = { .slices = 130,
			      .lost = { [GAPP_LOST_RING] = 7, [GAPP_LOST_THREADS] = 3 } },
	};

	SET_ROWS(results.model.threads, results.model.thread_count,
		 { .tgid = 1, .tid = 1, .cm_run = SHARE(4000), .critical_run = SHARE(3000) },
		 { .tgid = 1, .tid = 3, .cm_run = SHARE(100), .joined_ns = 50, .left_ns = 9000 },
		 { .tgid = 1,
		   .tid = 4,
		   .cm_run = SHARE(700),
		   .joined_ns = 11000,
		   .left_ns = 12000 });
	SET_ROWS(results.model.processes, results.model.process_count,
		 { .tgid = 1, .cm_run = SHARE(3400), .run_ns = 5600, .threads = 1 });
	SET_ROWS(results.model.parallelism, results.model.parallelism_count, 1500, 5500, 6000);
	SET_ROWS(results.targets, results.target_count,
		 { .id = 0, .wall_ns = 15000, .c = SHARE(6000), .critical_runq = 12 });
	window_complete(&results);
	return results;
}

/* The module counts the time since n changed last when n changes. */
static void parallelism_is_completed(void **state)
{
	struct results results = begin();

	(void)state;
	assert_int_equal(model_with(&results.model, 1), 4500);
	results_free(&results);
	results = end();
	assert_int_equal(results.model.parallelism_count, 5);
	assert_int_equal(model_with(&results.model, 4), 2000);
	assert_int_equal(model_with(&results.model, 3), 0);
	results.model.status.state = GAPP_SESSION_STOPPED;
	results.model.status.wall_ns = 20000;
	window_complete(&results);
	assert_int_equal(model_with(&results.model, 4), 2000);
	results_free(&results);
}

static const struct gapp_thread_figures *thread(const struct results *results, s32 tid)
{
	for (size_t i = 0; i < results->model.thread_count; i++)
		if (results->model.threads[i].tid == tid)
			return &results->model.threads[i];
	return NULL;
}

static void figures_are_of_the_span(void **state)
{
	struct results before = begin(), results = end();
	const struct gapp_status *status = &results.model.status;

	(void)state;
	assert_int_equal(window_figures(&results, &before), 0);
	assert_int_equal(status->start_ns, 10500);
	assert_int_equal(status->wall_ns, 5000);
	assert_int_equal(status->idle_ns, 500);
	assert_int_equal(status->c, SHARE(2000));
	assert_int_equal(status->unexpected, 0);
	assert_int_equal(model_with(&results.model, 1), 1000);
	assert_int_equal(model_with(&results.model, 4), 2000);
	assert_int_equal(results.counters.slices, 30);
	assert_int_equal(results.counters.lost[GAPP_LOST_RING], 2);
	assert_int_equal(results.counters.lost[GAPP_LOST_THREADS], 3);
	assert_int_equal(results.targets[0].wall_ns, 5000);
	assert_int_equal(results.targets[0].critical_runq, 0);
	/* what the highest N_min and the most threads were before says nothing of the span */
	assert_int_equal(status->n_min_most_ns, 5000);
	assert_int_equal(status->n_min_least, 2);
	assert_int_equal(status->peak, 4);
	results_free(&results);
	results_free(&before);
}

static void threads_are_those_of_the_span(void **state)
{
	struct results before = begin(), results = end();
	const struct gapp_thread_figures *sum;

	(void)state;
	assert_int_equal(window_figures(&results, &before), 0);
	assert_int_equal(results.model.thread_count, 2);
	assert_int_equal(thread(&results, 1)->cm_run, SHARE(2000));
	/* it left before */
	assert_null(thread(&results, 3));
	assert_int_equal(thread(&results, 4)->cm_run, SHARE(700));
	assert_int_equal(thread(&results, 4)->joined_ns, 1000);
	assert_int_equal(thread(&results, 4)->left_ns, 2000);
	/* what it had before it was added to the sum */
	assert_int_equal(results.model.process_count, 1);
	sum = results.model.processes;
	assert_int_equal(sum->cm_run, SHARE(400));
	assert_int_equal(sum->run_ns, 600);
	assert_int_equal(sum->threads, 1);
	assert_int_equal(results.model.status.threads, 3);
	results_free(&results);
	results_free(&before);
}

/* STOP alone sets it in the counters, for all of the session. */
static void critical_time_is_split_as_the_threads_have_it(void **state)
{
	struct results before = begin(), results = end();

	(void)state;
	results.counters.critical_runq = SHARE(99999);
	/* the threshold has changed: C is what is known */
	before.model.status.n_min = 1;
	results.model.status.n_min_most_ns = before.model.status.n_min_most_ns + 4000;
	assert_int_equal(window_figures(&results, &before), 0);
	assert_int_equal(results.counters.critical_run, SHARE(1500));
	assert_int_equal(results.counters.critical_runq, SHARE(500));
	results_free(&results);
	results_free(&before);
}

/* A time in which two of two threads were active is as critical as one with one of two. */
static void critical_time_is_how_long_few_were_active(void **state)
{
	struct results before = begin(), results = end();
	u64 ns;

	(void)state;
	results.model.status.n_min_most_ns = before.model.status.n_min_most_ns + 5000;
	assert_int_equal(window_figures(&results, &before), 0);
	ns = model_with(&results.model, 1) + model_with(&results.model, 2);
	assert_true(SHARE(ns) > results.model.status.c);
	assert_int_equal(results.counters.critical_run, SHARE(1500));
	assert_int_equal(results.counters.critical_runq, SHARE(ns) - SHARE(1500));
	results_free(&results);
	results_free(&before);
}

static void threads_have_no_more_than_all_has(void **state)
{
	struct results before = begin(), results = end();

	(void)state;
	before.model.status.n_min = 1;
	results.model.status.n_min_most_ns = before.model.status.n_min_most_ns + 4000;
	results.model.threads[0].critical_run = SHARE(4000);
	assert_int_equal(window_figures(&results, &before), 0);
	assert_int_equal(results.counters.critical_run, SHARE(2500));
	assert_int_equal(results.counters.critical_runq, 0);
	results_free(&results);
	results_free(&before);
}

static void a_span_may_begin_with_the_session(void **state)
{
	static const struct results nothing;
	struct results results = end();

	(void)state;
	assert_int_equal(window_figures(&results, &nothing), 0);
	assert_int_equal(results.model.status.wall_ns, 15000);
	assert_int_equal(results.model.status.start_ns, 500);
	assert_int_equal(results.model.status.peak, 9);
	assert_int_equal(results.model.thread_count, 3);
	assert_int_equal(thread(&results, 4)->joined_ns, 11000);
	results_free(&results);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parallelism_is_completed),
		cmocka_unit_test(figures_are_of_the_span),
		cmocka_unit_test(threads_are_those_of_the_span),
		cmocka_unit_test(critical_time_is_split_as_the_threads_have_it),
		cmocka_unit_test(critical_time_is_how_long_few_were_active),
		cmocka_unit_test(threads_have_no_more_than_all_has),
		cmocka_unit_test(a_span_may_begin_with_the_session),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("window_figures", tests, NULL, NULL);
}
