// SPDX-License-Identifier: GPL-2.0
/*
 * Children by fork and exec, and by posix_spawn (vfork): some one after the
 * other, some together; each computes in two threads.
 *
 * Bottleneck by construction: the children that run one after the other.
 *
 * Usage: forkexec [children=6] [units=60000]
 */
#include <spawn.h>
#include <sys/wait.h>

#include "work.h"

#define SELF "/proc/self/exe"
#define CHILD "child"

static char units_text[24];
static char *const child_argv[] = { "forkexec-child", CHILD, units_text, NULL };
static char *const no_environment[] = { NULL };

static void *worker(void *arg)
{
	burn((unsigned long)arg);
	return NULL;
}

static int be_child(unsigned long units)
{
	pthread_t thread;

	start_thread(&thread, worker, (void *)units);
	burn(units / 2);
	pthread_join(thread, NULL);
	return 0;
}

static pid_t spawn_child(unsigned int number)
{
	pid_t pid;

	if (number % 3 == 2) {
		errno = posix_spawn(&pid, SELF, NULL, NULL, child_argv, no_environment);
		if (errno)
			die("posix_spawn");
		return pid;
	}
	pid = fork();
	if (pid < 0)
		die("fork");
	if (!pid) {
		execve(SELF, child_argv, no_environment);
		_exit(127);
	}
	return pid;
}

int main(int argc, char **argv)
{
	unsigned int children, running = 0;
	int status;

	if (argc == 3 && !strcmp(argv[1], CHILD))
		return be_child(arg_or(argc, argv, 2, 0));

	children = threads_arg(argc, argv, 1, 6);
	snprintf(units_text, sizeof(units_text), "%lu", arg_or(argc, argv, 2, 60000));
	for (unsigned int i = 0; i < children; i++) {
		pid_t pid = spawn_child(i);

		if (i < children / 2)
			waitpid(pid, &status, 0);
		else
			running++;
		burn(5000);
	}
	while (running--)
		wait(&status);
	return 0;
}
