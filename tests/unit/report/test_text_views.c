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

static void regions_have_their_table(void **state)
{
	static const struct frame frames[] = {
		{ .function = "relax._omp_fn.0", .module = "prog" },
		{ .module = "prog", .offset = 0x861 },
		{ .function = "burn", .module = "prog" },
	};
	struct region_row rows[] = {
		{ .outlined = &frames[0],
		  .function = (char *)"re\x1blax",
		  .file = "f/8.c",
		  .line = 863,
		  .critical_ns = MS(4),
		  .running = 1.75,
		  .idle_ns = MS(2),
		  .function_count = 2,
		  .functions = { { &frames[2], MS(3) }, { &frames[1], MS(1) } } },
		{ .outlined = &frames[1] },
	};
	struct options options = { .command = command, .view = VIEW_SECTIONS };
	struct made made;
	char *text;

	(void)state;
	made_ranked(&made);
	made.results.model.status.wall_ns = MS(400);
	made.results.counters.critical_run = MS(10) << GAPP_SHARE_SHIFT;
	made.results.counters.critical_runq = (MS(1) << GAPP_SHARE_SHIFT) / 2;
	made.results.regions =
		(struct regions){ .rows = rows,
				  .count = 2,
				  .outside = {
					  [OUTSIDE_SEQUENTIAL] = { .critical_ns = MS(5),
								   .running = 1 },
				  } };
	text = print_report(report_text, &made.results, &options);
	has(text,
	    "  crit. ms      % running nobody ran ms  parallel region (OpenMP): where its critical time is\n");
	has(text,
	    "     4.000    1.0    1.75         2.000  re\\x1blax, 8.c:863: burn 75 %, prog+0x861 25 %\n");
	has(text, "     0.000    0.0       -         0.000  (function not known), prog+0x861\n");
	has(text, "     5.000    1.2    1.00         0.000  (sequential part)\n");
	/* the rest */
	has(text, "     0.500    0.1       -         0.000  (in run queues)\n");
	has(text, "     1.000    0.2       -         0.000  (without a whole call path)\n");
	has_not(text, "(OpenMP's runtime");
	has_not(text, "no sections");
	free(text);
	options.top = 1;
	text = print_report(report_text, &made.results, &options);
	has(text, "1 more: --top N or -v shows them");
	free(text);
}

/* Who ended most of the time waited for what most of the others waited for, if it was a thread. */
static void why_low_names_the_strongest_waker(void **state)
{
	static const char words[] = "%: lock 48.3 (most ended by writer), no others";
	struct ranked_object objects[] = { { .reason = GAPP_WAIT_LOCK },
					   { .reason = GAPP_WAIT_DISK } };
	const char *const names[] = { "writer", "reader" };
	const struct wait_kind locks = { .reason = GAPP_WAIT_LOCK };
	struct ranked_pair pairs[] = {
		{ .waker = { .name = names[1], .waited_ns = 30 }, .kind = locks },
		{ .waker = { .name = names[0], .waited_ns = 40 }, .kind = locks },
		/* some waits for what is usually a lock are for something else */
		{ .waker = { .name = names[1], .waited_ns = 90 }, .kind.reason = GAPP_WAIT_DISK },
		{ .waker = { .name = names[0], .waited_ns = 15 }, .kind = locks },
		{ .waker = { .interrupt = true, .waited_ns = 20 }, .kind = locks },
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
	struct ranked_pair pair = { .waker = ender,
				    .waiter = "main",
				    .kind.reason = GAPP_WAIT_JOIN };
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

/* What few of the waits took is not what all of them took. */
static void a_length_that_is_not_known_is_no_figure(void **state)
{
	struct ranked_object object = { .name = "log_lock",
					.reason = GAPP_WAIT_LOCK,
					.critical_ns = 274000000,
					.inferred = true,
					.waited_ns = 214000,
					.waits = 37 };
	struct ranked_pair pair = { .waiter = "main" };
	_cleanup_free_ char *few = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);
	_cleanup_free_ char *most = NULL, *all = NULL;

	(void)state;
	has(few, "          -       37  lock        log_lock\n");
	/* nobody waited critically for longer than at all */
	object.waited_ns = 264000000;
	free(few);
	few = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);
	has(few, "          -       37  lock        log_lock\n");
	object.waited_ns = 300000000;
	most = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);
	has(most, "      0.300       37  lock        log_lock\n");
	object.waited_ns = 214000;
	object.inferred = false;
	all = objects_text(&object, &pair, VIEW_WAIT_OBJECTS);
	has(all, "      0.000       37  lock        log_lock\n");
}

/* Whether the text says this of who ended waits of @object, at the end of a line. */
static void ends_are(struct ranked_object *object, const char *words)
{
	struct ranked_pair pair = { .waiter = "main" };
	_cleanup_free_ char *text = objects_text(object, &pair, VIEW_WAIT_OBJECTS);

	has(text, words);
}

/* Those that came while the word was watched; who is not known is named only if nobody else is. */
static void ends_of_busy_waits_are_known_in_part(void **state)
{
	const struct frame gives = { .module = "prog", .function = "give" };
	const struct ranked_ender nobody = { .waits = 57 };
	const struct ranked_ender giver = { .name = "w", .frame = &gives, .waits = 43 };
	struct ranked_object object = { .name = "turn",
					.reason = GAPP_WAIT_SPIN,
					.waited_ns = 1000000,
					.waits = 100,
					.enders = { nobody, giver },
					.ender_count = 2,
					.sites = { { .waits = 100 } },
					.site_count = 1 };

	(void)state;
	ends_are(&object, "in no call path; ended by give of w (seen of 43 %)\n");
	object.reason = GAPP_WAIT_LOCK;
	ends_are(&object, "; ended by give of w\n");
	/* threads that sleep for it, most of them, and some that spin */
	object.spins.spins = 60;
	ends_are(&object, "; ended by give of w (seen of 43 %)\n");
	object.reason = GAPP_WAIT_SPIN;
	object.enders[0] = giver;
	object.enders[1] = nobody;
	ends_are(&object, "; ended by give of w (seen of 43 %)\n");
	/* an interrupt is one that is known, and so is a place without a thread */
	object.waits = 50;
	object.enders[1] = (struct ranked_ender){ .interrupt = true, .waits = 7 };
	ends_are(&object, "; ended by give of w, an interrupt\n");
	object.enders[1] = (struct ranked_ender){ .frame = &gives, .waits = 7 };
	ends_are(&object, "; ended by give of w, give of not known\n");
	object.enders[1] = (struct ranked_ender){ .name = "v", .waits = 7 };
	ends_are(&object, "; ended by give of w, v\n");
	/* all of them */
	object.waits = 43;
	object.ender_count = 1;
	ends_are(&object, "; ended by give of w\n");
	/* none */
	object.waits = 57;
	object.enders[0] = nobody;
	ends_are(&object, "; ended by not known\n");
	object.ender_count = 0;
	ends_are(&object, " in no call path\n");
}

static void as_many_ends_of_busy_waits_are_named_as_of_others(void **state)
{
	struct ranked_object object = { .name = "turn",
					.reason = GAPP_WAIT_SPIN,
					.waited_ns = 1000000,
					.waits = 100,
					.enders = { { .waits = 60 },
						    { .name = "a", .waits = 20 },
						    { .name = "b", .waits = 10 },
						    { .name = "c", .waits = 5 },
						    { .name = "d", .waits = 5 } },
					.ender_count = 5,
					.sites = { { .waits = 100 } },
					.site_count = 1 };

	(void)state;
	ends_are(&object, "; ended by a, b, c (seen of 40 %)\n");
	object.reason = GAPP_WAIT_LOCK;
	ends_are(&object, "; ended by a, b, c\n");
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

/* What most of the time with no thread active was waited for; the sentence has nearly all of it. */
static void why_none_names_what_was_waited_for(void **state)
{
	struct ranked_object objects[] = {
		{ .reason = GAPP_WAIT_DISK, .idle_ns = 700, .name = (char *)"/srv/log/journal" },
		{ .reason = GAPP_WAIT_DISK, .idle_ns = 300, .name = (char *)"/srv/data" },
		{ .reason = GAPP_WAIT_LOCK, .idle_ns = 900, .name = (char *)"table_lock" },
	};
	const struct options options = { .command = command };
	struct made made;
	char *text;

	(void)state;
	made_ranked(&made);
	made.rows[0] = made.rows[1];
	made.rows[0].critical_ns = MS(700);
	made.results.waits =
		(struct ranked_waits){ .objects = objects, .object_count = ARRAY_SIZE(objects) };
	text = print_report(report_text, &made.results, &options);
	has(text, "disk 10.5 (70 % for /srv/log/journal)");
	has_not(text, "(/srv/log/journal)");
	free(text);
	objects[0].idle_ns = 9700;
	text = print_report(report_text, &made.results, &options);
	has(text, "disk 10.5 (for /srv/log/journal)");
	has(text, "waited for the disk\n(/srv/log/journal).\n");
	free(text);
	/* too long for the line, it is left out there */
	objects[0].name =
		(char *)"/srv/a/folder/with/a/long/name/of/more/than/sixty/letters/journal";
	text = print_report(report_text, &made.results, &options);
	has(text, "disk 10.5\n");
	free(text);
}

/* What held nobody up, and was hardly waited for, has no row. */
static void little_waits_have_no_row(void **state)
{
	struct ranked_object objects[] = {
		{ .idle_ns = 2e9,
		  .waited_ns = 2000000000,
		  .waits = 200,
		  .name = (char *)"first",
		  .sites = { { .waits = 199 }, { .waits = 1 } },
		  .site_count = 2 },
		{ .critical_ns = 1e6, .waited_ns = 30000000, .waits = 1, .name = (char *)"second" },
		{ .critical_ns = 1e6, .waited_ns = 10000000, .waits = 1, .name = (char *)"third" },
	};
	struct options options = { .command = command, .view = VIEW_WAIT_OBJECTS };
	struct made made;
	char *text;

	(void)state;
	made_ranked(&made);
	made.results.waits = (struct ranked_waits){ .collected = true,
						    .all = true,
						    .objects = objects,
						    .object_count = ARRAY_SIZE(objects) };
	text = print_report(report_text, &made.results, &options);
	has(text, " first\n    waited for in no call path 100 %, no call path 0 %\n");
	free(text);
	objects[0].waits = 250;
	objects[0].sites[0].waits = 249;
	text = print_report(report_text, &made.results, &options);
	has(text, " first\n    waited for in no call path 100 %\n");
	has(text, " second\n     1 more: --top N or -v shows them\n");
	free(text);
	options.top = 5;
	text = print_report(report_text, &made.results, &options);
	has(text, " third\n");
	free(text);
}

/* A name that says what it is, and where, says it once. */
static void wakers_do_not_repeat_themselves(void **state)
{
	struct frame take = { .function = "pool_take", .module = "/opt/prog" };
	struct frame put = { .function = "pool_put", .module = "/opt/prog" };
	struct ranked_object objects[] = {
		{ .reason = GAPP_WAIT_QUEUE,
		  .called = "condition",
		  .name = (char *)"condition in pool_take",
		  .waits = 1 },
		{ .reason = GAPP_WAIT_DISK, .name = (char *)"/srv/log", .waits = 1 },
	};
	struct ranked_pair pairs[] = {
		{ .waker = { .name = "main", .frame = &put, .waits = 1 },
		  .waiter = "pool",
		  .frame = &take,
		  .kind = { .reason = GAPP_WAIT_QUEUE, .name = "condition" } },
		{ .waker = { .interrupt = true, .kind = "disk", .waits = 1 },
		  .waiter = "pool",
		  .frame = &take,
		  .kind.reason = GAPP_WAIT_DISK,
		  .object = 1 },
	};
	struct options options = { .command = command, .view = VIEW_WAKERS };
	struct made made;
	char *text;

	(void)state;
	made_ranked(&made);
	made.results.waits = (struct ranked_waits){ .collected = true,
						    .all = true,
						    .objects = objects,
						    .object_count = ARRAY_SIZE(objects),
						    .pairs = pairs,
						    .pair_count = ARRAY_SIZE(pairs),
						    .cut = 1 };
	text = print_report(report_text, &made.results, &options);
	has(text, "  pool from condition in pool_take, woken by pool_put of main\n");
	has(text, "  pool from disk /srv/log in pool_take, woken by a disk interrupt\n");
	has(text, "\n1 wait is left out: its begin or end was not recorded.\n");
	free(text);
	made.results.waits.cut = 2;
	text = print_report(report_text, &made.results, &options);
	has(text, "\n2 waits are left out: their begin or end was not recorded.\n");
	free(text);
	options.view = VIEW_WAIT_OBJECTS;
	text = print_report(report_text, &made.results, &options);
	has(text, "  queue       condition in pool_take\n");
	has(text, "  disk        /srv/log\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_view_has_the_head),
		cmocka_unit_test(waits_have_their_reason),
		cmocka_unit_test(threads_have_their_table),
		cmocka_unit_test(regions_have_their_table),
		cmocka_unit_test(a_join_ends_with_a_thread),
		cmocka_unit_test(a_length_that_is_not_known_is_no_figure),
		cmocka_unit_test(ends_of_busy_waits_are_known_in_part),
		cmocka_unit_test(as_many_ends_of_busy_waits_are_named_as_of_others),
		cmocka_unit_test(few_holders_have_words),
		cmocka_unit_test(why_low_names_the_strongest_waker),
		cmocka_unit_test(why_none_names_what_was_waited_for),
		cmocka_unit_test(little_waits_have_no_row),
		cmocka_unit_test(wakers_do_not_repeat_themselves),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("text_views", tests, NULL, NULL);
}
