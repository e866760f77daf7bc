// SPDX-License-Identifier: GPL-2.0
/* Comparisons of made-up sessions. */
#include "made_up.h"
#include "report/diff.h"

static char *const command[] = { "./prog", "-x", NULL };
static const struct options whole = { .command = command };
static const struct options part = { .command = command, .duration_ns = 1 };

struct pair {
	struct made before;
	struct made after;
};

static struct pair *new_pair(void)
{
	struct pair *pair = malloc(sizeof(*pair));

	assert_non_null(pair);
	made_ranked(&pair->before);
	made_ranked(&pair->after);
	return pair;
}

static char *compare(const struct pair *pair, const struct options *recorded,
		     const struct options *options, void (*print)(FILE *, const struct diff *))
{
	_cleanup_diff_ struct diff diff = {
		.before = { "old.data", &pair->before.results, recorded },
		.after = { "new.data", &pair->after.results, recorded },
		.options = options,
	};
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(diff_make(&diff), 0);
	print(out, &diff);
	fclose(out);
	return text;
}

static void like_runs_have_no_change(void **state)
{
	_cleanup_free_ struct pair *pair = new_pair();
	static const struct options options;
	_cleanup_free_ char *text = compare(pair, &whole, &options, diff_text);
	_cleanup_free_ char *short_text = compare(pair, &part, &options, diff_text);

	has(text, "No clear change: the run took 12.41 s, and 12.41 s before.\n");
	has(text, "none has changed");
	has(text, "Base         ./prog -x: 12.410 s, 16 threads, 16 CPUs");
	has(short_text,
	    "No clear change: for 36 % of the run few threads were active or none, and for 36 % before.\n");
	has_not(text, "Warning");
	fits(text, 100);
}

static void a_shorter_run_is_better(void **state)
{
	static const struct options options;
	_cleanup_free_ struct pair *pair = new_pair();
	_cleanup_free_ char *text = NULL;

	pair->after.results.model.status.wall_ns = MS(6205);
	pair->after.parallelism[1] = MS(100);
	pair->after.rows[0].critical_ns = MS(62.05);
	pair->after.results.counters.critical_run = SHARE(MS(400));
	text = compare(pair, &whole, &options, diff_text);
	has(text,
	    "Better: the run took 6.21 s instead of 12.41 s; rehash (hash.c:88) has 1.0 % of the run instead of\n15 %.\n");
	has(text, "Run time            12.41 s         6.21 s     -50.0 %\n");
	has(text, "One active           17.7 %          1.6 %     -16.1 points\n");
	has(text, "Critical             30.6 %          8.1 %     -22.6 points\n");
	has(text, "   15.3     1.0   -14.3           rehash in put  hash.c:88\n");
	fits(text, 100);
}

static void a_longer_run_is_worse(void **state)
{
	static const struct options options;
	_cleanup_free_ struct pair *pair = new_pair();
	_cleanup_free_ char *text = NULL;

	pair->after.results.model.status.wall_ns = MS(24820);
	text = compare(pair, &whole, &options, diff_text);
	has(text, "Worse: the run took 24.82 s instead of 12.41 s.\n");
}

static void without_whole_runs_low_parallelism_decides(void **state)
{
	static const struct options options;
	_cleanup_free_ struct pair *pair = new_pair();
	_cleanup_free_ char *text = NULL;

	pair->after.results.model.status.wall_ns = MS(24820);
	text = compare(pair, &part, &options, diff_text);
	has(text, "Better: for 18 % of the run few threads were active or none instead of 36 %; ");
}

static void rows_appear_and_vanish(void **state)
{
	static const struct options options;
	_cleanup_free_ struct pair *pair = new_pair();
	_cleanup_free_ char *text = NULL, *other = NULL;
	static struct frame fresh[] = { { .function = "fresh", .module = "/opt/prog" } };

	pair->after.results.model.status.wall_ns *= 2;
	pair->after.rows[1].frames = fresh;
	pair->after.rows[1].frame_count = 1;
	pair->after.rows[1].critical_ns = MS(12410);
	text = compare(pair, &whole, &options, diff_text);
	has(text,
	    "Worse: the run took 24.82 s instead of 12.41 s; fresh is new, with 50 % of the run.\n");
	has(text, "      -    50.0   +50.0 appeared  fresh (waited)  prog\n");
	has(text, "    4.8       -    -4.8 vanished  fsync from commit (waited)  commit.c:88\n");
	other = compare(pair, &whole, &(struct options){ .top = 1 }, diff_text);
	has(other, "more changed less\n");
	has_not(other, "vanished");
}

/* Below the places; a function is the same wherever it is called. */
static void functions_have_a_table_of_their_own(void **state)
{
	static struct frame copy = { .function = "copy", .module = "/opt/prog" };
	struct ranked before = { .critical_ns = MS(1241), .frames = &copy, .frame_count = 1 };
	struct ranked after = { .critical_ns = MS(2482), .frames = &copy, .frame_count = 1 };
	_cleanup_free_ struct pair *pair = new_pair();
	static const struct options options;
	_cleanup_free_ char *text = NULL, *json = NULL;
	const char *functions;

	pair->before.results.functions = (struct ranking){ .rows = &before, .count = 1 };
	pair->after.results.functions = (struct ranking){ .rows = &after, .count = 1 };
	text = compare(pair, &whole, &options, diff_text);
	functions = strstr(text, "function, by change; % of the run");
	assert_non_null(functions);
	assert_true(functions > strstr(text, "place, by change; % of the run"));
	has(functions, "   10.0    20.0   +10.0           copy  prog\n");
	json = compare(pair, &whole, &(struct options){ .format = FORMAT_JSON }, diff_json);
	has(strstr(json, "\"functions\": ["), "\"function\": \"copy\"");
}

static void what_does_not_compare_is_told(void **state)
{
	static const struct options options;
	_cleanup_free_ struct pair *pair = new_pair();
	_cleanup_free_ char *text = NULL, *stats = NULL;

	pair->after.results.model.status.n_min = 4;
	pair->after.results.model.status.cpus = 8;
	text = compare(pair, &whole, &options, diff_text);
	has(text,
	    "Warning: few threads were at most 8 before, and 4 now: critical times do not compare");
	has(text, "Warning: there were 16 CPUs before, and 8 now\n");
	pair->after.results.ranked = false;
	stats = compare(pair, &whole, &options, diff_text);
	has(stats, "Warning: new.data was recorded with --level stats");
	has_not(stats, "change; %");
	fits(stats, 100);
}

static void json_has_all_rows(void **state)
{
	_cleanup_free_ struct pair *pair = new_pair();
	_cleanup_free_ char *text = NULL;

	pair->after.results.model.status.wall_ns *= 2;
	text = compare(pair, &whole, &(struct options){ .format = FORMAT_JSON }, diff_json);
	has(text, "\"verdict\": \"worse\"");
	has(text, "\"file\": \"old.data\", \"wall_s\": 12.410000000");
	has(text, "\"file\": \"new.data\", \"wall_s\": 24.820000000");
	has(text,
	    "\"base_percent\": 15.310234, \"new_percent\": 7.655117, \"change_points\": -7.655117, \"base_s\": 1.900000000, \"new_s\": 1.900000000");
	has(text, "\"function\": \"rehash\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(like_runs_have_no_change),
		cmocka_unit_test(a_shorter_run_is_better),
		cmocka_unit_test(a_longer_run_is_worse),
		cmocka_unit_test(without_whole_runs_low_parallelism_decides),
		cmocka_unit_test(rows_appear_and_vanish),
		cmocka_unit_test(functions_have_a_table_of_their_own),
		cmocka_unit_test(what_does_not_compare_is_told),
		cmocka_unit_test(json_has_all_rows),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
