// SPDX-License-Identifier: GPL-2.0
/* Command lines of processes, while these live and after their end. */
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cmocka.h>

#include "input/command_lines.h"

#define IMAGE 5

/* A process with these words that waits to be ended. */
static pid_t start(char *const *words)
{
	char ready;
	int ends[2];
	pid_t pid;

	assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv("/bin/sleep", words);
		_exit(127);
	}
	close(ends[1]);
	/* the exec closes the other end */
	assert_int_equal(read(ends[0], &ready, 1), 0);
	close(ends[0]);
	return pid;
}

static void end(pid_t pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void words_have_spaces_between_them(void **state)
{
	char *const words[] = { "/usr/lib/cc1", "1000", "0", NULL };
	struct command_lines *lines = command_lines_new();
	pid_t pid = start(words);

	(void)state;
	assert_non_null(lines);
	assert_null(command_lines_find(lines, pid));
	command_lines_note(lines, pid, IMAGE);
	assert_string_equal(command_lines_find(lines, pid), "/usr/lib/cc1 1000 0");
	assert_null(command_lines_find(lines, pid + 1));
	assert_null(command_lines_find(NULL, pid));
	end(pid);
	/* it is kept, however often the process is noted */
	command_lines_note(lines, pid, IMAGE);
	assert_string_equal(command_lines_find(lines, pid), "/usr/lib/cc1 1000 0");
	command_lines_free(lines);
}

/* What was executed since has words of its own; those before are not true any more. */
static void an_exec_has_another_line(void **state)
{
	char *const words[] = { "first", "1000", NULL };
	char *const others[] = { "second", "1000", NULL };
	struct command_lines *lines = command_lines_new();
	pid_t pid = start(words), other;

	(void)state;
	command_lines_note(lines, pid, IMAGE);
	other = start(others);
	command_lines_note(lines, other, IMAGE);
	assert_string_equal(command_lines_find(lines, pid), "first 1000");
	assert_string_equal(command_lines_find(lines, other), "second 1000");
	end(pid);
	end(other);
	command_lines_note(lines, other, IMAGE + 1);
	assert_null(command_lines_find(lines, other));
	assert_string_equal(command_lines_find(lines, pid), "first 1000");
	command_lines_free(lines);
}

/* Who ends soon after its exec has the line all the same, also if records of before come later. */
static void an_exec_that_is_told_of_has_its_line(void **state)
{
	char *const words[] = { "told", "1000", NULL };
	struct command_lines *lines = command_lines_new();
	pid_t pid = start(words);

	(void)state;
	command_lines_executed(lines, pid);
	end(pid);
	command_lines_note(lines, pid, IMAGE);
	command_lines_note(lines, pid, IMAGE + 1);
	assert_string_equal(command_lines_find(lines, pid), "told 1000");
	command_lines_free(lines);
}

static void a_process_without_words_has_no_line(void **state)
{
	struct command_lines *lines = command_lines_new();

	(void)state;
	/* it has ended, or never was */
	command_lines_note(lines, INT32_MAX, IMAGE);
	assert_null(command_lines_find(lines, INT32_MAX));
	command_lines_free(NULL);
	command_lines_free(lines);
}

static void long_lines_are_cut(void **state)
{
	static char word[5000];
	char *const words[] = { word, "1000", NULL };
	struct command_lines *lines = command_lines_new();
	pid_t pid;

	(void)state;
	memset(word, 'w', sizeof(word) - 1);
	pid = start(words);
	command_lines_note(lines, pid, IMAGE);
	assert_in_range(strlen(command_lines_find(lines, pid)), 500, sizeof(word) - 2);
	assert_int_equal(strspn(command_lines_find(lines, pid), "w"),
			 strlen(command_lines_find(lines, pid)));
	end(pid);
	command_lines_free(lines);
}

/* However many processes come and go, memory is bounded. */
static void so_many_lines_at_most(void **state)
{
	struct command_lines *lines = command_lines_new();

	(void)state;
	for (pid_t pid = 1; pid <= 5000; pid++)
		command_lines_note(lines, INT32_MAX - pid, IMAGE);
	command_lines_note(lines, getpid(), IMAGE);
	assert_null(command_lines_find(lines, getpid()));
	command_lines_free(lines);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_have_spaces_between_them),
		cmocka_unit_test(an_exec_has_another_line),
		cmocka_unit_test(an_exec_that_is_told_of_has_its_line),
		cmocka_unit_test(a_process_without_words_has_no_line),
		cmocka_unit_test(long_lines_are_cut),
		cmocka_unit_test(so_many_lines_at_most),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests_name("command lines", tests, NULL, NULL);
}
