// SPDX-License-Identifier: GPL-2.0
/*
 * Each process forks, and the child executes the program anew, so many times;
 * each computes for a while, before its fork, between fork and exec, and after.
 *
 * A path: compute(), work_here(), and main().
 *
 * Usage: chain [length=12] [units=20000]
 */
#include <sys/wait.h>

#include "calls.h"

static unsigned long units;

static in_frame void compute(void)
{
	burn(units);
	STAY();
}

static in_frame void work_here(void)
{
	compute();
	sleep_us(1000);
	STAY();
}

static void go_on(char **argv, unsigned long length)
{
	char left[24], work[24];
	char *const arguments[] = { argv[0], left, work, NULL };

	snprintf(left, sizeof(left), "%lu", length);
	snprintf(work, sizeof(work), "%lu", units);
	work_here();
	execv("/proc/self/exe", arguments);
	_exit(127);
}

int main(int argc, char **argv)
{
	unsigned long length = arg_or(argc, argv, 1, 12);
	int status = 0;
	pid_t child;

	units = arg_or(argc, argv, 2, 20000);
	work_here();
	if (!length)
		return 0;
	child = fork();
	if (child < 0)
		die("fork");
	if (!child)
		go_on(argv, length - 1);
	if (waitpid(child, &status, 0) < 0)
		die("waitpid");
	work_here();
	return status != 0;
}
