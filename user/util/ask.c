// SPDX-License-Identifier: GPL-2.0
#include "ask.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>

/* Starts the command with its output in @output. Returns its process id, or -1. */
static pid_t start(const char *const *command, int output)
{
	static char *const environment[] = { (char *)"PATH=/usr/bin:/bin", (char *)"LC_ALL=C",
					     NULL };
	posix_spawn_file_actions_t actions;
	pid_t pid;
	int error;

	if (posix_spawn_file_actions_init(&actions))
		return -1;
	error = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0) ||
		posix_spawn_file_actions_adddup2(&actions, output, 1) ||
		posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0) ||
		posix_spawn(&pid, command[0], &actions, NULL, (char *const *)command, environment);
	posix_spawn_file_actions_destroy(&actions);
	return error ? -1 : pid;
}

/* Reads until the end, until @line is full, or until @until_ns. Returns the bytes. */
static size_t take(int input, u64 until_ns, char *line, size_t size)
{
	struct pollfd fd = { .fd = input, .events = POLLIN };
	size_t length = 0;
	ssize_t bytes = 1;

	while (bytes > 0 && length + 1 < size) {
		u64 now = clock_ns();
		int left = now < until_ns ? (until_ns - now) / (NSEC_PER_SEC / 1000) + 1 : 0;

		if (poll(&fd, 1, left) <= 0)
			break;
		bytes = read(input, line + length, size - length - 1);
		if (bytes > 0)
			length += bytes;
	}
	line[length] = '\0';
	return length;
}

bool ask(const char *const *command, u64 most_ns, char *line, size_t size)
{
	_cleanup_close_ int input = -1, output = -1;
	int ends[2], status;
	size_t length;
	pid_t pid;

	if (access(command[0], X_OK) || pipe2(ends, O_CLOEXEC))
		return false;
	input = ends[0];
	output = ends[1];
	pid = start(command, output);
	if (pid < 0)
		return false;
	cleanup_close(&output);
	output = -1;
	length = take(input, clock_ns() + most_ns, line, size);
	/* it has answered, or is too slow: nothing else of it is wanted */
	kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	line[strcspn(line, "\n")] = '\0';
	return length && *line;
}
