// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that wait, as the first argument says, deep in code of the C library: compiled without
 * frame pointers. A line is printed just before.
 */
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

static volatile int left;

static void say(long tid)
{
	printf("%ld\n", tid);
	fflush(stdout);
}

static APART void wait_here(void)
{
	say(syscall(SYS_gettid));
	pause();
	left++;
}

static APART int compare_two(const void *a, const void *b)
{
	wait_here();
	return *(const int *)a - *(const int *)b;
}

static APART void sort_some(void)
{
	int numbers[] = { 3, 2, 1 };

	qsort(numbers, 3, sizeof(numbers[0]), compare_two);
	left += numbers[0];
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

static APART void wait_for_work(void)
{
	pthread_mutex_lock(&lock);
	say(syscall(SYS_gettid));
	pthread_cond_wait(&cond, &lock);
	left++;
}

static APART void *work(void *unused)
{
	wait_for_work();
	left++;
	return unused;
}

static APART void start_thread_and_join(void)
{
	pthread_t thread;

	pthread_create(&thread, NULL, work, NULL);
	pthread_join(thread, NULL);
	left++;
}

static void on_signal(int number)
{
	wait_here();
	left += number;
}

static APART void be_interrupted(void)
{
	signal(SIGUSR1, on_signal);
	raise(SIGUSR1);
	left++;
}

static APART void go_deep(int depth)
{
	volatile char room[256];

	room[depth % 256] = depth;
	if (depth)
		go_deep(depth - 1);
	else
		wait_here();
	left += room[depth % 256];
}

static APART __attribute__((noreturn)) void wait_and_exit(void)
{
	wait_here();
	_exit(0);
}

/* Its last instruction is a call: where that returns to, another function begins. */
static APART void end_with_a_call(void)
{
	volatile char room[256];

	room[left % 256] = left;
	wait_and_exit();
}

/* The child opens a pipe that nobody writes to before it executes anything, and we wait for that.
 */
static APART void spawn_on(const char *pipe)
{
	char *const argv[] = { (char *)"true", NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;

	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_addopen(&actions, 5, pipe, 0, 0);
	say(getpid());
	left += posix_spawn(&pid, "/bin/true", &actions, NULL, argv, NULL);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";

	if (!strcmp(how, "sort"))
		sort_some();
	else if (!strcmp(how, "thread"))
		start_thread_and_join();
	else if (!strcmp(how, "signal"))
		be_interrupted();
	else if (!strcmp(how, "last"))
		end_with_a_call();
	else if (!strcmp(how, "deep"))
		go_deep(40);
	else if (!strcmp(how, "spawn"))
		spawn_on(argv[2]);
	return left;
}
