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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_view_has_the_head),
		cmocka_unit_test(waits_have_their_reason),
		cmocka_unit_test(threads_have_their_table),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_views", tests, NULL, NULL);
}
