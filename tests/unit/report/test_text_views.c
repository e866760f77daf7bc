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

static char *objects_text(struct ranked_object *object, struct ranked_pair *pair, enum view view)
{
	const struct options options = { .command = command, .view = view };
	struct made made;

	made_ranked(&made);
	made.results.waits = (struct ranked_waits){
		.collected = true,
		.all = true,
		.objects = object,
		.object_count = 1,
		.pairs = pair,
		.pair_count = 1,
	};
	return print_report(report_text, &made.results, &options);
}

/* Who is joined does nothing for it but end, in code of the C library's. */
static void a_join_ends_with_a_thread(void **state)
{
	const struct frame exits = { .module = "libc.so.6",
				     .function = "start_thread",
				     .library = true };
	struct ranked_ender ender = { .name = "worker", .frame = &exits, .waits = 1 };
	struct ranked_object object = { .name = "thread in run_all",
					.reason = GAPP_WAIT_JOIN,
					.waited_ns = 1000000,
					.waits = 1,
					.enders = { ender },
					.ender_count = 1,
					.sites = { { .waits = 1 } },
					.site_count = 1 };
	struct ranked_pair pair = { .waker = ender, .waiter = "main" };
	_cleanup_free_ char *text = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);
	_cleanup_free_ char *wakers = objects_text(&object, &pair, VIEW_WAKERS);
	_cleanup_free_ char *lock = NULL;

	(void)state;
	has(text, "; ended by the end of a thread of worker\n");
	has(wakers, "woken by the end of\n    a thread of worker\n");
	object.reason = GAPP_WAIT_LOCK;
	lock = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);
	has(lock, "; ended by start_thread of worker\n");
}

/* The first three, of those that ended a hundredth of the time at least. */
static void few_holders_have_words(void **state)
{
	const struct frame frames[] = { { .module = "prog", .function = "append" },
					{ .module = "prog", .function = "flush" },
					{ .module = "prog", .function = "look_up" },
					{ .module = "prog", .function = "close_all" } };
	struct ranked_holder holders[] = {
		{ .frame = &frames[0], .critical = true, .holds = 9, .waited_ns = 970000000 },
		{ .frame = &frames[1], .critical = true, .holds = 2, .waited_ns = 15000000 },
		{ .frame = &frames[2], .critical = true, .holds = 1, .waited_ns = 8000000 },
		{ .frame = &frames[3], .critical = true, .holds = 1, .waited_ns = 7000000 },
	};
	struct ranked_object object = { .name = "journal_lock",
					.reason = GAPP_WAIT_LOCK,
					.waited_ns = 1000000000,
					.waits = 13,
					.holders = holders,
					.holder_count = ARRAY_SIZE(holders) };
	struct ranked_pair pair = { .waiter = "main" };
	_cleanup_free_ char *text = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);

	(void)state;
	has(text, "    held in append 9 times, which ended 0.97 s of waits; flush 2 times, which");
	has(text, "of waits;\n    and 2 more places\n");
	has_not(text, "look_up");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_view_has_the_head),
		cmocka_unit_test(waits_have_their_reason),
		cmocka_unit_test(threads_have_their_table),
		cmocka_unit_test(a_join_ends_with_a_thread),
		cmocka_unit_test(few_holders_have_words),
		cmocka_unit_test(why_low_names_the_strongest_waker),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_views", tests, NULL, NULL);
}
