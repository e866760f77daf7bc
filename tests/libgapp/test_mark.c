// SPDX-License-Identifier: GPL-2.0
/*
 * libgapp, with a node that is made up: each test in a process of its own, as the library keeps
 * state.
 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include <gapp_mark.h>
#include <gapp_record.h>

#include "made_node.h"

#define THREADS 8
#define TRY_AGAIN 4096

static uint32_t sessions[1024];

static void is_mark(uint32_t i, uint32_t kind, const char *text)
{
	assert_true(i < made.count);
	assert_int_equal(made.seen[i].kind, kind);
	assert_string_equal(made.seen[i].text, text);
}

static void nobody_records(void)
{
	errno = ERANGE;
	gapp_mark("x");
	gapp_section_begin("x");
	gapp_section_end("x");
	assert_int_equal(errno, ERANGE);
	assert_false(gapp_marks_wanted());
	assert_int_equal(made.calls, 0);
	assert_int_equal(made.opened, 1);
	assert_int_equal(made.mapped, 1);
}

static void each_kind(void)
{
	sessions[0] = 1;
	errno = ERANGE;
	gapp_mark("a point");
	gapp_section_begin("name");
	gapp_section_end("name");
	gapp_section_end(NULL);
	gapp_section_end("");
	assert_int_equal(errno, ERANGE);
	assert_true(gapp_marks_wanted());
	assert_int_equal(made.count, 5);
	is_mark(0, GAPP_MARK_POINT, "a point");
	is_mark(1, GAPP_MARK_BEGIN, "name");
	is_mark(2, GAPP_MARK_END, "name");
	is_mark(3, GAPP_MARK_END, "");
	is_mark(4, GAPP_MARK_END, "");
	sessions[0] = 0;
	gapp_mark("later");
	assert_int_equal(made.count, 5);
}

#define TEXT_60 "123456789.123456789.123456789.123456789.123456789.123456789."

static void texts(void)
{
	sessions[0] = 3;
	gapp_mark(NULL);
	gapp_mark("");
	gapp_section_begin(NULL);
	gapp_section_begin("");
	assert_int_equal(made.calls, 0);
	gapp_mark("a\nb\tc\x7f\x01");
	gapp_mark(TEXT_60 "123");
	gapp_mark(TEXT_60 "1234");
	gapp_mark(TEXT_60 "1\xc3\xa4");
	gapp_mark(TEXT_60 "12\xc3\xa4");
	gapp_mark(TEXT_60 "12\xe2\x82\xac");
	gapp_mark(TEXT_60 "\xf0\x9f\x98\x80");
	gapp_mark(TEXT_60 "\x80\x80\x80\x80\x80");
	is_mark(0, GAPP_MARK_POINT, "a?b?c??");
	is_mark(1, GAPP_MARK_POINT, TEXT_60 "123");
	is_mark(2, GAPP_MARK_POINT, TEXT_60 "123");
	is_mark(3, GAPP_MARK_POINT, TEXT_60 "1\xc3\xa4");
	is_mark(4, GAPP_MARK_POINT, TEXT_60 "12");
	is_mark(5, GAPP_MARK_POINT, TEXT_60 "12");
	is_mark(6, GAPP_MARK_POINT, TEXT_60);
	/* that is no UTF-8: the last character is sought in four bytes, where '.' is one */
	is_mark(7, GAPP_MARK_POINT, "123456789.123456789.123456789.123456789.123456789.123456789");
}

static void no_module(void)
{
	made.is_there = false;
	errno = ERANGE;
	for (uint32_t i = 0; i < TRY_AGAIN; i++)
		gapp_mark("x");
	assert_int_equal(errno, ERANGE);
	assert_int_equal(made.opened, 1);
	made.is_there = true;
	sessions[0] = 1;
	gapp_mark("it is loaded");
	assert_int_equal(made.opened, 2);
	is_mark(0, GAPP_MARK_POINT, "it is loaded");
}

static void no_page(void)
{
	made.unmappable = true;
	for (uint32_t i = 0; i <= TRY_AGAIN; i++)
		gapp_mark("x");
	assert_int_equal(made.opened, 1);
	assert_int_equal(made.calls, 0);
}

static void closed_by(int error)
{
	sessions[0] = 1;
	gapp_mark("a");
	made.error = error;
	made.good_fd = MADE_FD + 1;
	gapp_mark("b");
	gapp_mark("c");
	assert_int_equal(made.count, 3);
	is_mark(1, GAPP_MARK_POINT, "b");
	is_mark(2, GAPP_MARK_POINT, "c");
	assert_int_equal(made.opened, 2);
	assert_int_equal(made.mapped, 1);
	/* and it cannot be opened any more */
	made.is_there = false;
	made.good_fd = -1;
	errno = ERANGE;
	gapp_mark("d");
	assert_int_equal(errno, ERANGE);
	assert_int_equal(made.count, 3);
}

static void closed(void)
{
	closed_by(EBADF);
}

static void another_file(void)
{
	closed_by(ENOTTY);
}

/* As that of epoll. */
static void another_file_that_knows_calls(void)
{
	closed_by(EINVAL);
}

static void refused(void)
{
	sessions[0] = 1;
	made.good_fd = -1;
	made.error = EFAULT;
	gapp_mark("x");
	assert_int_equal(made.calls, 1);
	assert_int_equal(made.opened, 1);
}

static pthread_barrier_t barrier;

static void *marks(void *unused)
{
	(void)unused;
	pthread_barrier_wait(&barrier);
	gapp_mark("x");
	return NULL;
}

/* All threads find the node at once: one descriptor and one mapping are kept. */
static void threads(void)
{
	pthread_t all[THREADS];

	sessions[0] = 1;
	/* whoever is first opens it under this number or a later one */
	pthread_barrier_init(&barrier, NULL, THREADS);
	for (int i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&all[i], NULL, marks, NULL), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(all[i], NULL);
	assert_int_equal(made.mapped, 1);
}

static void handle(int signal)
{
	(void)signal;
	gapp_section_end("handled");
}

/* Signals come all the while, the first before anything is open. */
static void signals(void)
{
	const struct itimerspec often = { { 0, 20000 }, { 0, 1 } };
	struct sigevent event = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1 };
	timer_t timer;

	sessions[0] = 1;
	signal(SIGUSR1, handle);
	assert_int_equal(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	timer_settime(timer, 0, &often, NULL);
	for (int i = 0; i < 200000; i++) {
		errno = i;
		gapp_mark("x");
		assert_int_equal(errno, i);
	}
	timer_delete(timer);
	assert_int_equal(made.mapped, 1);
	assert_true(made.calls > 200000);
}

static void mark_meanwhile(void)
{
	gapp_mark("meanwhile");
}

/* The library is interrupted while it maps the page, and whoever interrupts it has one by then. */
static void interrupted(void)
{
	sessions[0] = 1;
	made.meanwhile = mark_meanwhile;
	/* the first call of the thread looks for the node, and the one in between does not */
	gapp_mark("a");
	assert_int_equal(made.mapped, 1);
	is_mark(made.count - 1, GAPP_MARK_POINT, "a");
}

static void *mark_in_thread(void *unused)
{
	mark_meanwhile();
	return unused;
}

static void in_another_thread(void)
{
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, mark_in_thread, NULL), 0);
	pthread_join(thread, NULL);
}

/* Another thread maps it meanwhile: one mapping is kept. */
static void overtaken(void)
{
	sessions[0] = 1;
	made.meanwhile = in_another_thread;
	gapp_mark("a");
	assert_int_equal(made.mapped, 1);
	assert_int_equal(made.count, 2);
	is_mark(0, GAPP_MARK_POINT, "meanwhile");
	is_mark(1, GAPP_MARK_POINT, "a");
}

static void forked(void)
{
	int status;
	pid_t pid;

	gapp_mark("x");
	sessions[0] = 1;
	pid = fork();
	if (!pid) {
		gapp_mark("child");
		_exit(made.count != 1 || made.opened != 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static const struct {
	const char *name;
	void (*run)(void);
} cases[] = {
	{ "nobody_records", nobody_records },
	{ "each_kind", each_kind },
	{ "texts", texts },
	{ "no_module", no_module },
	{ "no_page", no_page },
	{ "closed", closed },
	{ "another_file", another_file },
	{ "another_file_that_knows_calls", another_file_that_knows_calls },
	{ "refused", refused },
	{ "threads", threads },
	{ "signals", signals },
	{ "forked", forked },
	{ "interrupted", interrupted },
	{ "overtaken", overtaken },
};

/* One case, in the state of a program that has just begun. */
static void run(void **state)
{
	const size_t i = (uintptr_t)*state;

	made.page = sessions;
	cases[i].run();
}

int main(int argc, char **argv)
{
	int failed = 0, status;

	if (argc == 2) {
		const size_t i = strtoul(argv[1], NULL, 10) % (sizeof(cases) / sizeof(*cases));
		const struct CMUnitTest test = { .name = cases[i].name,
						 .test_func = run,
						 .initial_state = (void *)(uintptr_t)i };

		cmocka_set_message_output(CM_OUTPUT_TAP);
		return _cmocka_run_group_tests("libgapp", &test, 1, NULL, NULL);
	}
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		char number[16];

		snprintf(number, sizeof(number), "%zu", i);
		fflush(stdout);
		if (!fork()) {
			freopen("/dev/null", "w", stdout);
			execl("/proc/self/exe", argv[0], number, NULL);
			_exit(127);
		}
		wait(&status);
		printf("%s - libgapp: %s\n", status ? "not ok" : "ok", cases[i].name);
		failed |= status;
	}
	return failed != 0;
}
