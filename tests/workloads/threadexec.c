// SPDX-License-Identifier: GPL-2.0
/*
 * A thread that is not the leader execs while the others run: it takes over
 * the leader's thread id, and all others, the leader too, are gone. The new
 * program computes alone, then with two more threads.
 *
 * Bottleneck by construction: the new program's main() before its threads.
 *
 * Usage: threadexec [threads=4] [units before=200000] [units after=200000]
 */
#include "work.h"

#define AFTER "after"

static unsigned long units_before;
static char units_after[24];

static void *worker(void *arg)
{
	for (;;) {
		burn(1500 + 300 * (unsigned long)arg);
		sleep_us(1000);
	}
	return NULL;
}

static void *executor(void *arg)
{
	char *const new_argv[] = { "threadexec-after", AFTER, units_after, NULL };
	char *const no_environment[] = { NULL };

	(void)arg;
	burn(units_before);
	execve("/proc/self/exe", new_argv, no_environment);
	die("execve");
	return NULL;
}

static void *after_worker(void *arg)
{
	burn(50000 + 10000 * (unsigned long)arg);
	return NULL;
}

static int after(unsigned long units)
{
	pthread_t threads[2];

	burn(units);
	start_threads(threads, 2, after_worker);
	join_threads(threads, 2);
	return 0;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS];
	unsigned int count;

	if (argc == 3 && !strcmp(argv[1], AFTER))
		return after(arg_or(argc, argv, 2, 0));

	count = threads_arg(argc, argv, 1, 4);
	units_before = arg_or(argc, argv, 2, 200000);
	snprintf(units_after, sizeof(units_after), "%lu", arg_or(argc, argv, 3, 200000));
	start_threads(threads, count - 1, worker);
	start_thread(&threads[count - 1], executor, NULL);
	/* The leader itself is busy, too, when it is killed. */
	for (;;)
		burn(1000);
}
