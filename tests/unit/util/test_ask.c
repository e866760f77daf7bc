// SPDX-License-Identifier: GPL-2.0
/* Commands that answer, and commands that do not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "util/ask.h"

#define LONG_NS (20 * NSEC_PER_SEC)

#define ask_shell(script, most_ns, line) \
	ask((const char *const[]){ "/bin/sh", "-c", script, NULL }, most_ns, line, sizeof(line))

static void the_first_line_is_the_answer(void **state)
{
	char line[64], short_line[4];

	(void)state;
	assert_true(ask_shell("echo first; echo second; echo third >&2", LONG_NS, line));
	assert_string_equal(line, "first");
	assert_true(ask_shell("printf answer", LONG_NS, line));
	assert_string_equal(line, "answer");
	assert_true(ask_shell("printf answer", LONG_NS, short_line));
	assert_string_equal(short_line, "ans");
	/* nothing of ours */
	assert_int_equal(setenv("GAPP_SECRET", "known", 1), 0);
	assert_true(ask_shell("echo x$GAPP_SECRET$LC_ALL", LONG_NS, line));
	assert_string_equal(line, "xC");
}

static void no_answer(void **state)
{
	const char *const missing[] = { "/nonexistent/gapp", NULL };
	char line[64];

	(void)state;
	assert_false(ask(missing, LONG_NS, line, sizeof(line)));
	assert_false(ask_shell("true", LONG_NS, line));
	assert_false(ask_shell("echo", LONG_NS, line));
	assert_false(ask_shell("exec sleep 1000", NSEC_PER_SEC / 100, line));
	/* it waits for input that never comes */
	assert_false(ask_shell("cat", LONG_NS, line));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_line_is_the_answer),
		cmocka_unit_test(no_answer),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("ask", tests, NULL, NULL);
}
