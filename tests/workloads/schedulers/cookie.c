// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program that shares cores with nobody else (core scheduling): while one of its threads
 * runs on a core, the core's other processors run threads of it, or none.
 *
 * Usage: cookie PROGRAM [ARGUMENT...]
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#ifndef PR_SCHED_CORE
#define PR_SCHED_CORE 62
#define PR_SCHED_CORE_CREATE 1
#endif
#define OF_PROCESS 1

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (prctl(PR_SCHED_CORE, PR_SCHED_CORE_CREATE, 0, OF_PROCESS, 0)) {
		fprintf(stderr, "cookie: PR_SCHED_CORE: %s\n", strerror(errno));
		return 77;
	}
	execvp(argv[1], argv + 1);
	fprintf(stderr, "cookie: %s: %s\n", argv[1], strerror(errno));
	return 1;
}
