// SPDX-License-Identifier: GPL-2.0
/* What follows from a session's figures, and how names are printed. */
#include "made_up.h"

#include <locale.h>

#include "util/names.h"

#define TOLERANCE 0.000000001

static void near(double value, double expected)
{
	if (value < expected - TOLERANCE || value > expected + TOLERANCE)
		fail_msg("%.12f is not %.12f", value, expected);
}

static void shares_are_nanoseconds_rounded(void **state)
{
	(void)state;
	assert_int_equal(share_ns(SHARE(5)), 5);
	assert_int_equal(share_ns(SHARE(5) + 2047), 5);
	assert_int_equal(share_ns(SHARE(5) + 2048), 6);
	assert_true(share_ns(UINT64_MAX) == 1ULL << 52);
}

static void ranks_by_cmetric(void **state)
{
	struct gapp_thread_figures rows[] = { { .tgid = 2, .tid = 3, .cm_run = 5 },
					      { .tgid = 2, .tid = 2, .cm_run = 5 },
					      { .tgid = 1, .tid = 9, .cm_run = 5 },
					      { .tgid = 9, .tid = 9, .cm_run = UINT64_MAX } };
	struct model model = { .threads = rows, .thread_count = 4 };

	(void)state;
	model_rank(&model);
	assert_true(rows[0].cm_run == UINT64_MAX);
	assert_int_equal(rows[1].tgid, 1);
	assert_int_equal(rows[2].tid, 2);
	assert_int_equal(rows[3].tid, 3);
}

static void sums_of_the_run_time(void **state)
{
	struct model model = two_model();

	(void)state;
	assert_int_equal(model.parallelism_count, 3);
	near(model_average(&model), 1.4);
	near(model_accounted(&model), 100);
	near(model_percent(&model, MS(2500)), 25);
	assert_int_equal(model_with(&model, 2), SECONDS(5));
	assert_int_equal(model_with(&model, 3), 0);
}

static void accounts_for_summed_threads(void **state)
{
	struct model model = two_model();
	struct gapp_thread_figures row = { .cm_run = SHARE(SECONDS(1)),
					   .cm_runq = SHARE(SECONDS(1)) };

	(void)state;
	model.processes = &row;
	model.process_count = 1;
	near(model_accounted(&model), 120);
}

static void empty_run_divides_by_nothing(void **state)
{
	struct model model = { 0 };

	(void)state;
	near(model_average(&model), 0);
	near(model_percent(&model, 0), 0);
}

static void agreement_of(struct agreement *agreement, struct gapp_thread_figures *rows,
			 size_t count)
{
	struct model model = { .threads = rows, .thread_count = count, .status.tick_ns = MS(4) };

	model_agreement(&model, agreement);
}

static void agrees_in_full(void **state)
{
	struct gapp_thread_figures row = { .flags = GAPP_FIGURES_KERNEL_SEEN,
					   .kernel_run_ns = MS(70),
					   .kernel_runq_ns = MS(30),
					   .kernel_seen_run_ns = MS(70),
					   .kernel_seen_runq_ns = MS(30) };
	struct agreement agreement;

	(void)state;
	agreement_of(&agreement, &row, 1);
	assert_true(agreement.any);
	near(agreement.percent, 100);
	assert_null(agreement.worst);
}

static void differences_do_not_cancel(void **state)
{
	struct gapp_thread_figures rows[] = {
		{ .flags = GAPP_FIGURES_KERNEL_SEEN,
		  .tid = 1,
		  .kernel_run_ns = MS(100),
		  .kernel_seen_run_ns = MS(98),
		  .kernel_runq_ns = MS(100),
		  .kernel_seen_runq_ns = MS(101) },
		{ .flags = GAPP_FIGURES_KERNEL_SEEN,
		  .tid = 2,
		  .kernel_run_ns = MS(100),
		  .kernel_seen_run_ns = MS(105),
		  .kernel_runq_ns = MS(100),
		  .kernel_seen_runq_ns = MS(100) },
		{ .tid = 3, .kernel_run_ns = 0, .kernel_seen_run_ns = MS(1000) },
	};
	struct agreement agreement;

	(void)state;
	agreement_of(&agreement, rows, 3);
	near(agreement.percent, 98);
	assert_int_equal(agreement.worst->tid, 2);
	assert_int_equal(agreement.worst_ns, MS(5));
}

static void a_shift_between_the_two_is_told_apart(void **state)
{
	struct gapp_thread_figures row = { .flags = GAPP_FIGURES_KERNEL_SEEN,
					   .kernel_run_ns = MS(60),
					   .kernel_runq_ns = MS(40),
					   .kernel_seen_run_ns = MS(50),
					   .kernel_seen_runq_ns = MS(49) };
	struct agreement agreement;

	(void)state;
	agreement_of(&agreement, &row, 1);
	near(agreement.percent, 81);
	near(agreement.active_percent, 99);
}

static void a_tick_is_allowed_to_a_running_thread(void **state)
{
	struct gapp_thread_figures row = { .flags = GAPP_FIGURES_KERNEL_SEEN |
						    GAPP_FIGURES_KERNEL_LATE,
					   .kernel_run_ns = MS(100),
					   .kernel_seen_run_ns = MS(103) };
	struct agreement agreement;

	(void)state;
	agreement_of(&agreement, &row, 1);
	near(agreement.percent, 100);

	row.kernel_seen_run_ns = MS(105);
	agreement_of(&agreement, &row, 1);
	near(agreement.percent, 99);

	row.kernel_runq_ns = 0;
	row.kernel_seen_runq_ns = MS(1);
	agreement_of(&agreement, &row, 1);
	near(agreement.percent, 98);

	row.flags = GAPP_FIGURES_KERNEL_SEEN;
	agreement_of(&agreement, &row, 1);
	near(agreement.percent, 94);
}

static void agreement_has_a_floor_and_may_be_missing(void **state)
{
	struct gapp_thread_figures row = { .flags = GAPP_FIGURES_KERNEL_SEEN,
					   .kernel_run_ns = 1,
					   .kernel_seen_run_ns = MS(11) };
	struct agreement agreement;

	(void)state;
	agreement_of(&agreement, &row, 1);
	assert_true(agreement.any);
	near(agreement.percent, 0);

	row.kernel_seen_run_ns = MS(9);
	agreement_of(&agreement, &row, 1);
	assert_false(agreement.any);

	row.kernel_seen_run_ns = MS(11);
	row.flags = 0;
	agreement_of(&agreement, &row, 1);
	assert_false(agreement.any);
}

static void shown(const char *name, size_t len, unsigned int columns, const char *expected)
{
	char safe[NAME_SAFE_SIZE(64)];
	unsigned int taken = name_safe(safe, name, len, columns);

	assert_string_equal(safe, expected);
	assert_true(columns == NAME_WHOLE || taken <= columns);
}

static void names_on_a_terminal(void **state)
{
	(void)state;
	shown("plain", 5, NAME_WHOLE, "plain");
	shown("", 0, NAME_WHOLE, "");
	shown("a\033[0m", 5, NAME_WHOLE, "a\\x1b[0m");
	shown("\r\n\t\x7f", 4, NAME_WHOLE, "\\x0d\\x0a\\x09\\x7f");
	shown("\0z", 2, NAME_WHOLE, "\\x00z");
	shown("\xff\xc3", 2, NAME_WHOLE, "\\xff\\xc3");
	shown("abcdef", 6, 6, "abcdef");
	shown("abcdefg", 7, 6, "abcde~");
	shown("ab\033", 3, 6, "ab\\x1b");
	shown("abc\033", 4, 6, "abc~");
}

static void names_in_utf8(void **state)
{
	(void)state;
	if (!setlocale(LC_CTYPE, "C.UTF-8"))
		skip_for("no UTF-8 locale");
	shown("caf\xc3\xa9", 5, NAME_WHOLE, "caf\xc3\xa9");
	shown("\xc2\x9b", 2, NAME_WHOLE, "\\xc2\\x9b");
	shown("\342\200\256x", 4, NAME_WHOLE, "\\xe2\\x80\\xaex");
	shown("\xe6\xbc\xa2\xe5\xad\x97", 6, 4, "\xe6\xbc\xa2\xe5\xad\x97");
	shown("\xe6\xbc\xa2\xe5\xad\x97", 6, 3, "\xe6\xbc\xa2~");
	setlocale(LC_CTYPE, "C");
}

static void in_json(const char *name, size_t len, const char *expected)
{
	_cleanup_free_ char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	name_json(out, name, len);
	fclose(out);
	assert_string_equal(text, expected);
}

static void names_in_json(void **state)
{
	(void)state;
	in_json("plain", 5, "\"plain\"");
	in_json("q\"b\\", 4, "\"q\\\"b\\\\\"");
	in_json("\033\n\0\x7f", 4, "\"\\u001b\\u000a\\u0000\\u007f\"");
	in_json("\xc2\x9b", 2, "\"\\u009b\"");
	/* the last control character, and the first that is none */
	in_json("\xc2\x9f\xc2\xa0", 4, "\"\\u009f\xc2\xa0\"");
	in_json("\xc3\xa9\xf0\x9f\x98\x80", 6, "\"\xc3\xa9\xf0\x9f\x98\x80\"");
	in_json("\377a", 2, "\"\\ufffda\"");
	in_json("\xc3", 1, "\"\\ufffd\"");
	in_json("\xc0\xaf", 2, "\"\\ufffd\\ufffd\"");
	in_json("\xed\xa0\x80", 3, "\"\\ufffd\\ufffd\\ufffd\"");
	in_json("\xf4\x90\x80\x80", 4, "\"\\ufffd\\ufffd\\ufffd\\ufffd\"");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shares_are_nanoseconds_rounded),
		cmocka_unit_test(ranks_by_cmetric),
		cmocka_unit_test(sums_of_the_run_time),
		cmocka_unit_test(accounts_for_summed_threads),
		cmocka_unit_test(empty_run_divides_by_nothing),
		cmocka_unit_test(agrees_in_full),
		cmocka_unit_test(differences_do_not_cancel),
		cmocka_unit_test(a_shift_between_the_two_is_told_apart),
		cmocka_unit_test(a_tick_is_allowed_to_a_running_thread),
		cmocka_unit_test(agreement_has_a_floor_and_may_be_missing),
		cmocka_unit_test(names_on_a_terminal),
		cmocka_unit_test(names_in_utf8),
		cmocka_unit_test(names_in_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
