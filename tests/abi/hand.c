// SPDX-License-Identifier: GPL-2.0
/*
 * Small things that the shell scripts of the guest cannot do themselves:
 *
 *	hand hold PID...	a session on these processes, until killed; prints its number
 *	hand once PID COUNT	sessions on a process that stop soon, the first one at once
 *	hand starve PID COUNT	sessions on a process while memory allocations fail
 *	hand tell FD		a byte there, then waits: what a test executes under other rights
 *	hand named NAME		a thread with that name computes
 *	hand load THREADS	threads compute and sleep until killed
 *	hand storm COUNT	so many short processes, some at a time
 *	hand execs COUNT	executes itself so many times
 *	hand zombie		a child that has exited; prints its id, waits
 */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "t.h"

#define STORM_AT_ONCE 8

static int hold(char **pids)
{
	struct gapp_status status;
	int fd = t_ready();

	for (; *pids; pids++) {
		errno = -t_add(fd, atoi(*pids), 0);
		if (errno)
			t_die(*pids);
	}
	errno = -t_start(fd);
	if (errno)
		t_die("START");
	t_status(fd, &status);
	printf("%u\n", status.id);
	fflush(stdout);
	for (;;)
		pause();
	return 0;
}

/* Whatever a session of hardly any length shows, nothing in it may be wrong. */
static int once(pid_t pid, int count)
{
	int bad = 0;

	for (int i = 0; i < count; i++) {
		struct gapp_status status;
		int fd = t_ready();

		bad += t_add(fd, pid, 0) || t_start(fd);
		t_sleep(i % 5 * NSEC_PER_MSEC);
		bad += t_stop(fd) != 0;
		t_status(fd, &status);
		bad += status.unexpected || status.not_followed || !status.live ||
		       !(status.flags & GAPP_STATUS_RECOUNT_OK);
		t_group = "once: ";
		if (!t_sums(fd, "sums"))
			bad++;
		close(fd);
	}
	if (bad)
		printf("not ok - once: %d short sessions (%d bad)\n", count, bad);
	return bad != 0;
}

static void may_fail(bool may)
{
	static int fd = -1;

	if (fd < 0)
		fd = open("/proc/self/make-it-fail", O_WRONLY | O_CLOEXEC);
	if (pwrite(fd, may ? "1" : "0", 1, 0) != 1)
		t_die("make-it-fail");
}

/* Sessions while memory is refused now and then: each call succeeds, or says so and can be left. */
static int starve(pid_t pid, int count)
{
	unsigned int refused = 0, done = 0, other = 0;

	t_group = "starve: ";
	for (int i = 0; i < count; i++) {
		int fd, error = 0;

		may_fail(true);
		fd = open(GAPP_NODE, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			error = -errno;
		if (!error)
			error = t_configure(fd, 100, 10);
		if (!error)
			error = t_add(fd, pid, 0);
		if (!error)
			error = t_start(fd);
		if (!error)
			error = t_stop(fd);
		may_fail(false);
		if (!error && !t_sums(fd, "sums"))
			other++;
		if (fd >= 0)
			close(fd);
		refused += error == -ENOMEM;
		done += !error;
		other += error && error != -ENOMEM;
	}
	t_check(refused && done && !other, "every session ends well, or for lack of memory",
		"%u ended well, %u for lack of memory, %u otherwise", done, refused, other);
	return t_done();
}

static int tell(int fd)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (write(fd, "", 1) != 1)
		return 1;
	for (;;)
		pause();
}

static int named(const char *name)
{
	prctl(PR_SET_NAME, name);
	for (;;) {
		t_burn_until(t_now() + 2 * NSEC_PER_MSEC);
		t_sleep(NSEC_PER_MSEC);
	}
	return 0;
}

static void *load_thread(void *arg)
{
	u64 number = (unsigned long)arg;

	for (;;) {
		t_burn_until(t_now() + (number + 1) * 200000);
		t_sleep((number + 1) * 300000);
	}
	return NULL;
}

static int load(unsigned long threads)
{
	for (unsigned long i = 1; i < threads; i++) {
		pthread_t thread;

		errno = pthread_create(&thread, NULL, load_thread, (void *)i);
		if (errno)
			t_die("pthread_create");
	}
	load_thread(NULL);
	return 0;
}

static int storm(int count)
{
	int running = 0;

	while (count || running) {
		if (count && running < STORM_AT_ONCE) {
			pid_t pid = fork();

			if (pid < 0)
				t_die("fork");
			if (!pid) {
				t_burn_until(t_now() + 100000);
				_exit(0);
			}
			count--;
			running++;
			continue;
		}
		wait(NULL);
		running--;
	}
	return 0;
}

static int execs(int count)
{
	char text[24];

	t_burn_until(t_now() + NSEC_PER_MSEC);
	if (!count)
		return 0;
	snprintf(text, sizeof(text), "%d", count - 1);
	execl("/proc/self/exe", "hand", "execs", text, NULL);
	t_die("exec");
	return 1;
}

static int zombie(void)
{
	pid_t pid = fork();
	siginfo_t info;

	if (!pid)
		_exit(0);
	waitid(P_PID, pid, &info, WEXITED | WNOWAIT);
	printf("%d\n", pid);
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	if (!strcmp(what, "hold") && argc > 2)
		return hold(&argv[2]);
	if (!strcmp(what, "once") && argc > 3)
		return once(atoi(argv[2]), atoi(argv[3]));
	if (!strcmp(what, "starve") && argc > 3)
		return starve(atoi(argv[2]), atoi(argv[3]));
	if (!strcmp(what, "tell") && argc > 2)
		return tell(atoi(argv[2]));
	if (!strcmp(what, "named") && argc > 2)
		return named(argv[2]);
	if (!strcmp(what, "load") && argc > 2)
		return load(atoi(argv[2]));
	if (!strcmp(what, "storm") && argc > 2)
		return storm(atoi(argv[2]));
	if (!strcmp(what, "execs") && argc > 2)
		return execs(atoi(argv[2]));
	if (!strcmp(what, "zombie"))
		return zombie();
	fprintf(stderr, "hand: what?\n");
	return 2;
}
