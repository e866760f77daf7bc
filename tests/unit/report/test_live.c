// SPDX-License-Identifier: GPL-2.0
/* What top shows of made-up sessions. */
#include "made_up.h"
#include "report/live.h"

static char *const command[] = { "./prog", "-x", NULL };
static const struct options options = { .command = command };

static char *show(struct live *live)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	live->options = &options;
	assert_int_equal(report_live(out, live), 0);
	fclose(out);
	return text;
}

static void the_last_interval_is_the_difference(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made *made = calloc(2, sizeof(*made));
	struct live live = { .now = &made[0].results, .before = &made[1].results };

	made_ranked(&made[0]);
	made_ranked(&made[1]);
	/* a second ago: one thread has run alone since, in the first place for half of it */
	made[1].results.model.status.wall_ns -= MS(1000);
	made[1].parallelism[1] -= MS(1000);
	made[1].rows[0].critical_ns -= MS(500);
	made[1].threads[0].cm_run -= SHARE(MS(1000));
	made[1].threads[0].run_ns -= MS(250);
	text = show(&live);
	has(text, "Now          1.0 of 16 |#...........| none 0 %, one 100 %");
	has(text, "So far       11.4 of 16");
	has(text, "\n   50.0      15.3  rehash in put  hash.c:88\n");
	has(text, "\n    0.0       4.8  fsync from commit (waited)  commit.c:88\n");
	has(text, "\n  100.0      94.4    25.0      100  main\n");
	has(text, "\n    0.0       0.0     0.0      101  worker-1\n");
	free(made);
}

static void the_first_look_has_all_so_far(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct live live = { .now = &made->results };
	_cleanup_free_ char *text = NULL;

	made_ranked(made);
	text = show(&live);
	has(text, "\n   15.3      15.3  rehash in put  hash.c:88\n");
	free(made);
}

static void order_decides_which_row_comes_first(void **state)
{
	struct made *made = calloc(2, sizeof(*made));
	struct live live = { .now = &made[0].results, .before = &made[1].results };

	made_ranked(&made[0]);
	made_ranked(&made[1]);
	made[1].results.model.status.wall_ns -= MS(1000);
	made[1].rows[1].critical_ns -= MS(500);
	for (int order = 0; order < LIVE_ORDERS; order++) {
		_cleanup_free_ char *text = NULL;
		const char *places, *threads, *rehash, *fsync;

		live.order = order;
		text = show(&live);
		places = strstr(text, "code that held everyone up");
		threads = strstr(text, "thread by its CMetric");
		rehash = strstr(places, "rehash in put");
		fsync = strstr(places, "fsync from commit");
		assert_int_equal(places < threads, order < LIVE_THREADS);
		assert_int_equal(fsync < rehash,
				 order == LIVE_PLACES_NOW || order == LIVE_THREADS_NOW);
	}
	free(made);
}

static void a_screen_has_no_more_than_its_lines(void **state)
{
	struct made *made = calloc(1, sizeof(*made));
	struct live live = { .now = &made->results, .terminal = true };

	made_ranked(made);
	for (unsigned int columns = 40; columns <= 160; columns += 20) {
		_cleanup_free_ char *text = NULL;

		live.columns = columns;
		live.lines = 40;
		text = show(&live);
		fits(text, columns);
		has(text, "100  main");
		assert_in_range(lines_in(text), 20, 42);
	}
	free(made);
}

static void before_anything_ran_it_says_so(void **state)
{
	struct results nothing = { .ranked = true };
	struct live live = { .now = &nothing };
	_cleanup_free_ char *text = show(&live);

	assert_string_equal(text, "Nothing has run yet.\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_last_interval_is_the_difference),
		cmocka_unit_test(the_first_look_has_all_so_far),
		cmocka_unit_test(order_decides_which_row_comes_first),
		cmocka_unit_test(a_screen_has_no_more_than_its_lines),
		cmocka_unit_test(before_anything_ran_it_says_so),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
