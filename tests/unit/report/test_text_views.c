// SPDX-License-Identifier: GPL-2.0
/* What --view puts behind the report's head. */
#include "made_up.h"

static char *const command[] = { "./prog", "-x", NULL };

static char *view_text(enum view view, u32 top, bool verbose)
{
	const struct options options = {
		.command = command, .view = view, .top = top, .verbose = verbose
	};
	struct made made;

	made_ranked(&made);
	return print_report(report_text, &made.results, &options);
}

static bool is_head(const char *text)
{
	return strstr(text, "Recorded     ./prog -x") && strstr(text, "Parallelism  ") &&
	       strstr(text, "Why low      ");
}

static void each_view_has_the_head(void **state)
{
	(void)state;
	for (enum view view = VIEW_PLACES; view_names[view]; view++) {
		_cleanup_free_ char *text = view_text(view, 0, false);

		assert_true(is_head(text));
		has(text, "Checks  ");
		fits_words(text, 100);
		if (view == VIEW_PLACES)
			has(text, "code that held everyone up");
		else
			has_not(text, "code that held everyone up");
	}
}

static void waits_have_their_reason(void **state)
{
	_cleanup_free_ char *text = view_text(VIEW_WAITS, 0, false);

	(void)state;
	has(text, "   #  nobody ran s      % stretches  for                  code that waited\n");
	has(text, "   1         ");
}

static void threads_have_their_table(void **state)
{
	_cleanup_free_ char *text = view_text(VIEW_THREADS, 0, false);
	_cleanup_free_ char *verbose = view_text(VIEW_THREADS, 0, true);

	(void)state;
	has(text, "Threads by CMetric");
	has(verbose, "Threads by CMetric");
	has(verbose, "Checks  ");
}

/* Who ended most of the time waited for what most of the others waited for, if it was a thread. */
static void why_low_names_the_strongest_waker(void **state)
{
	static const char words[] = "%: lock 48.3 (most ended by writer), no others";
	struct ranked_object objects[] = { { .reason = GAPP_WAIT_LOCK },
					   { .reason = GAPP_WAIT_DISK } };
	const char *const names[] = { "writer", "reader" };
	struct ranked_pair pairs[] = {
		{ .waker = { .name = names[1], .waited_ns = 30 } },
		{ .waker = { .name = names[0], .waited_ns = 40 } },
		{ .waker = { .name = names[1], .waited_ns = 90 }, .object = 1 },
		{ .waker = { .name = names[0], .waited_ns = 15 } },
		{ .waker = { .interrupt = true, .waited_ns = 20 } },
	};
	const struct options options = { .command = command };
	struct made made;
	char *text;

	(void)state;
	made_ranked(&made);
	for (size_t i = 0; i < made.results.paths.count; i++)
		made.results.paths.rows[i].waiting_ns[GAPP_WAIT_LOCK] = 1e9;
	made.results.waits = (struct ranked_waits){
		.all = true,
		.objects = objects,
		.object_count = ARRAY_SIZE(objects),
		.pairs = pairs,
		.pair_count = ARRAY_SIZE(pairs),
	};
	text = print_report(report_text, &made.results, &options);
	has(text, words);
	free(text);
	/* the same name says nothing of who it was */
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		pairs[i].waiter = names[0];
	text = print_report(report_text, &made.results, &options);
	has_not(text, "ended by");
	free(text);
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		pairs[i].waiter = names[1];
	/* of a part of the waits most may be by others */
	made.results.waits.all = false;
	text = print_report(report_text, &made.results, &options);
	has_not(text, "ended by");
	free(text);
	made.results.waits.all = true;
	text = print_report(report_text, &made.results, &options);
	has(text, words);
	free(text);
	/* 55 of 121 are not most */
	pairs[0].waker.waited_ns += 16;
	text = print_report(report_text, &made.results, &options);
	has_not(text, "ended by");
	free(text);
	pairs[4].waker.waited_ns = 900;
	text = print_report(report_text, &made.results, &options);
	has_not(text, "ended by");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_view_has_the_head),
		cmocka_unit_test(waits_have_their_reason),
		cmocka_unit_test(threads_have_their_table),
		cmocka_unit_test(why_low_names_the_strongest_waker),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_views", tests, NULL, NULL);
}
