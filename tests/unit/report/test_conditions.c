// SPDX-License-Identifier: GPL-2.0
/* Conditions of --fail-if. The run is that of made_ranked(): 12.41 s, one thread active in 2.2 s.
 */
#include "made_up.h"
#include "report/conditions.h"

static int check(const char *text, const struct results *before, const struct results *after)
{
	struct condition condition;

	assert_int_equal(condition_parse(&condition, text), 0);
	return conditions_check(&condition, 1, before, after);
}

static void figures_compare(void **state)
{
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{ "serial > 17%", true },
		{ "serial > 18%", false },
		{ "serial >= 2.2s", true },
		{ "serial>2.2s", false },
		{ "serial <= 2200 ms", true },
		{ "serial < 2200ms", false },
		{ "idle > 5.6%", true },
		{ "idle > 5.7%", false },
		{ "critical > 30.6 %", true },
		{ "critical > 30.7 %", false },
		{ "wall > 12.4s", true },
		{ "wall > 12.42s", false },
		{ "wall >= 12410000us", true },
		{ "threads >= 16", true },
		{ "threads > 16", false },
		{ "parallelism < 12", true },
		{ "parallelism < 11", false },
		{ "place:put > 1 us", false },
		{ "place:work > 0%", false },
		{ "function:rehash > 15.3%", true },
		{ "function:rehash > 15.4%", false },
		{ "place:rehash in put > 1%", true },
		{ "place:fsync from commit > 4.8%", true },
		{ "place:fsync > 4.9%", false },
	};
	struct made made;

	made_ranked(&made);
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (check(cases[i].text, NULL, &made.results) != STATUS_CONDITION * cases[i].holds)
			fail_msg("%s", cases[i].text);
}

static void changes_compare(void **state)
{
	static const struct {
		const char *text;
		bool holds;
	} cases[] = {
		{ "wall +99%", true },	       { "wall +101%", false },
		{ "wall +12.4s", true },       { "wall +12.42s", false },
		{ "wall -1%", false },	       { "serial -49%", true },
		{ "serial -51%", false },      { "serial -8pp", true },
		{ "serial -9pp", false },      { "serial +0s", false },
		{ "parallelism -40%", true },  { "threads +0", false },
		{ "place:nobody +1%", false },
	};
	struct made before, after;

	made_ranked(&before);
	made_ranked(&after);
	after.results.model.status.wall_ns *= 2;
	for (size_t i = 0; i < ARRAY_SIZE(cases); i++)
		if (check(cases[i].text, &before.results, &after.results) !=
		    STATUS_CONDITION * cases[i].holds)
			fail_msg("%s", cases[i].text);
}

static void a_figure_that_was_nothing_has_risen(void **state)
{
	struct made before, after;

	made_ranked(&before);
	made_ranked(&after);
	before.results.model.status.idle_ns = 0;
	assert_int_equal(check("idle +1000%", &before.results, &after.results), STATUS_CONDITION);
	assert_int_equal(check("idle +1000%", &before.results, &before.results), 0);
}

static void what_is_no_condition_is_refused(void **state)
{
	static const char *const texts[] = {
		"",
		"serial",
		"> 3%",
		"serial > ",
		"serial > x",
		"serial > 3",
		"serial > 3pp",
		"serial > -3%",
		"serial = 3%",
		"serial > 0x3%",
		"serial > 3 % s",
		"serial > inf%",
		"serials > 3%",
		"serial x > 3%",
		"place: > 3%",
		"place > 3%",
		"wall > 3%",
		"parallelism > 3%",
		"parallelism > 3s",
		"threads > 3%",
		"wall +3pp",
		"serial ++3%",
		"serial > 3e999%",
		"serial >> 3%",
		"serial > 1e-3%",
	};
	struct condition condition;

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		if (!condition_parse(&condition, texts[i]))
			fail_msg("'%s' was taken", texts[i]);
}

static void a_name_may_hold_anything(void **state)
{
	struct condition condition;

	assert_int_equal(condition_parse(&condition, "place:operator> in a+b >= 3 %"), 0);
	assert_int_equal(condition.figure, FIGURE_PLACE);
	assert_int_equal(condition.compare, COMPARE_AT_LEAST);
	assert_int_equal(condition.name_len, strlen("operator> in a+b"));
	assert_memory_equal(condition.name, "operator> in a+b", condition.name_len);
}

static void what_is_not_known_fails(void **state)
{
	struct made made;

	made_ranked(&made);
	made.results.ranked = false;
	assert_int_equal(check("critical > 1%", NULL, &made.results), STATUS_FAILED);
	assert_int_equal(check("place:x > 1%", NULL, &made.results), STATUS_FAILED);
	assert_int_equal(check("serial > 90%", NULL, &made.results), 0);
	made.results.model.status.wall_ns = 0;
	assert_int_equal(check("serial > 90%", NULL, &made.results), STATUS_FAILED);
}

static void one_that_holds_is_enough(void **state)
{
	static const char *const texts[] = { "serial > 1%", "serial > 90%" };
	struct condition conditions[ARRAY_SIZE(texts)];
	struct made made;

	made_ranked(&made);
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
		assert_int_equal(condition_parse(&conditions[i], texts[i]), 0);
	assert_int_equal(conditions_check(conditions, 2, NULL, &made.results), STATUS_CONDITION);
	assert_int_equal(conditions_check(conditions + 1, 1, NULL, &made.results), 0);
	assert_int_equal(conditions_check(conditions, 0, NULL, &made.results), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(figures_compare),
		cmocka_unit_test(changes_compare),
		cmocka_unit_test(a_figure_that_was_nothing_has_risen),
		cmocka_unit_test(what_is_no_condition_is_refused),
		cmocka_unit_test(a_name_may_hold_anything),
		cmocka_unit_test(what_is_not_known_fails),
		cmocka_unit_test(one_that_holds_is_enough),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
