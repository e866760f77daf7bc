// SPDX-License-Identifier: GPL-2.0
/* What the report says of how paths were found. */
#include "made_up.h"
#include "report/text.h"

static char *const command[] = { "./prog", NULL };

static char *text_of(const struct made *made, bool verbose, bool verify)
{
	struct options options = { .command = command, .verbose = verbose, .verify = verify };
	char *text = print_report(report_text, &made->results, &options);

	fits(text, 80);
	if (!verbose && lines_in(text) > 24)
		fail_msg("%zu lines:\n%s", lines_in(text), text);
	return text;
}

/* What was put on several lines is on one again. */
static void unwrap(char *text)
{
	char *to = text;

	for (const char *from = text; *from; *to++ = *from++)
		if (!strncmp(from, "\n             ", TEXT_INDENT + 1) &&
		    from[TEXT_INDENT + 1] != ' ')
			from += TEXT_INDENT;
	*to = '\0';
}

static void methods_have_their_shares(void **state)
{
	_cleanup_free_ char *text = NULL, *none = NULL;
	struct made made;

	(void)state;
	made_ranked(&made);
	text = text_of(&made, false, false);
	has(text, "Data         75.0 % of paths' time is on whole paths; overhead 0.01 %\n"
		  "             by tables 70.0 %, copies 5.0 %\n");
	has_not(text, "Verify");
	has_not(text, "Cut paths");
	memset(made.results.sums.complete_by_ns, 0, sizeof(made.results.sums.complete_by_ns));
	none = text_of(&made, false, false);
	has_not(none, "             by ");
}

static void what_is_cut_is_explained(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made made;

	(void)state;
	made_ranked(&made);
	made.results.counters.stack_copies = 40;
	made.results.counters.lost[GAPP_LOST_STACK_COPIES] = 2;
	made.results.teach = (struct teach_figures){ .on = true,
						     .code = { .tables = 12,
							       .table_bytes = 5 << 20,
							       .without = 3,
							       .refused = 1,
							       .compile_ns = MS(310),
							       .load_ns = MS(2) },
						     .processes = 1,
						     .pushes = 4,
						     .needmaps = 7,
						     .push_ns = MS(6) };
	text = text_of(&made, true, false);
	unwrap(text);
	has(text, "Cut paths    at --max-stack 10.0 %, copy ended 15.0 %\n");
	has(text,
	    "Tables       12 of 5.0 MiB, made in 310 ms, loaded in 2.0 ms; 3 objects without, 1 of them refused; told 4 times of 1 process in 6.0 ms, asked 7\n");
	has(text, "Copies       40 of stacks, 2 more were lost; 30 made a path longer, 20 whole; "
		  "1 not known (any more)\n");
}

static void every_reason_fits(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made made;

	(void)state;
	made_ranked(&made);
	for (size_t i = 1; i < PATH_ENDS; i++)
		made.results.sums.cut_ns[i] = 0.1e9;
	text = text_of(&made, true, false);
	unwrap(text);
	has(text, "frame pointer leads nowhere 2.8 %");
	has(text, "code without frame pointer 2.8 %\n");
}

static void comparisons_are_told(void **state)
{
	_cleanup_free_ char *text = NULL, *verbose = NULL;
	struct made made;

	(void)state;
	made_ranked(&made);
	text = text_of(&made, false, true);
	has(text, "Verify       1234 paths equal, 4 differ, 12 beyond the copy\n");
	has_not(text, "libdwfl");
	verbose = text_of(&made, true, true);
	has(verbose, "process 100, 3 times: after 1 equal frame\n");
	has(verbose, "both:    libc.so.6+0x100 (");
	has(verbose, "module:  libc.so.6+0x101 prog\\x1b[2J+0x102");
	has(verbose, "libdwfl: libc.so.6+0x999 (2 frames, no rule)\n");
	has_not(verbose, "\033");
}

/* Even with all the warnings that there can be. */
static void lines_are_few(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct made made;

	(void)state;
	made_ranked(&made);
	for (int i = 0; i < RANKED_ROWS; i++)
		made.rows[i].critical_ns += SECONDS(1);
	made.copies.verify.verdicts[VERIFY_GAVE_UP] = 100000;
	made.copies.verify.verdicts[VERIFY_UNCHECKED] = 100000;
	made.results.model.status.not_followed = 12;
	made.results.model.status.unexpected = 3;
	made.results.model.status.flags = GAPP_STATUS_RECOUNTED;
	made.results.counters.lost[GAPP_LOST_RING] = 7;
	made.results.counters.lost[GAPP_LOST_PATHS] = 1;
	text = text_of(&made, false, true);
	unwrap(text);
	has(text, "12 beyond the copy, 100000 without a rule, 100000 unchecked\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(methods_have_their_shares),
		cmocka_unit_test(what_is_cut_is_explained),
		cmocka_unit_test(every_reason_fits),
		cmocka_unit_test(comparisons_are_told),
		cmocka_unit_test(lines_are_few),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("walks", tests, NULL, NULL);
}
