// SPDX-License-Identifier: GPL-2.0
/* Children by posix_spawn(), system() and popen(), from two threads. */
#define _GNU_SOURCE
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void *spawn(void *unused)
{
	char *const args[] = { "true", NULL };
	pid_t pid;

	(void)unused;
	for (;;) {
		if (!posix_spawnp(&pid, "true", NULL, NULL, args, environ))
			waitpid(pid, NULL, 0);
	}
}

int main(void)
{
	pthread_t thread;
	char line[64];
	FILE *pipe;

	pthread_create(&thread, NULL, spawn, NULL);
	for (;;) {
		if (system("true"))
			return 1;
		pipe = popen("echo some text", "r");
		if (!pipe)
			return 1;
		while (fgets(line, sizeof(line), pipe))
			;
		pclose(pipe);
	}
}
