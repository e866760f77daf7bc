// SPDX-License-Identifier: GPL-2.0
#include "loop_child.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "observe.h"

/* Threads are started before it is ready: many take a while. */
#define READY_SECONDS 120

/* A line without its end; NULL: none came within @limit seconds. */
static char *hear(const struct loop_child *child, unsigned int limit, char *line, size_t size)
{
	uint64_t deadline = clock_ns() + limit * NSEC_PER_SEC, now;
	size_t length = 0;

	while (length < size && (now = clock_ns()) < deadline) {
		struct pollfd wait = { .fd = child->answers, .events = POLLIN };
		ssize_t got;

		if (poll(&wait, 1, (deadline - now) / NSEC_PER_MSEC + 1) <= 0)
			continue;
		got = read(child->answers, line + length, size - length);
		if (got <= 0)
			break;
		length += got;
		if (line[length - 1] == '\n') {
			line[length - 1] = '\0';
			return line;
		}
	}
	return NULL;
}

static void become(const char *program, char *const *arguments, int orders, int answers,
		   pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(1);
	if (dup2(orders, STDIN_FILENO) >= 0 && dup2(answers, STDOUT_FILENO) >= 0)
		execv(program, arguments);
	complain("cannot execute %s: %m", program);
	_exit(1);
}

bool loop_start(struct loop_child *child, char *const *arguments)
{
	int orders[2], answers[2];
	pid_t parent = getpid();
	char line[64];

	if (pipe2(orders, O_CLOEXEC) || pipe2(answers, O_CLOEXEC)) {
		complain("pipe: %m");
		return false;
	}
	child->pid = fork();
	if (child->pid < 0) {
		complain("fork: %m");
		return false;
	}
	if (!child->pid)
		become(arguments[0], arguments, orders[0], answers[1], parent);
	close(orders[0]);
	close(answers[1]);
	child->orders = orders[1];
	child->answers = answers[0];
	if (hear(child, READY_SECONDS, line, sizeof(line)) && !strcmp(line, "ready"))
		return true;
	complain("the loop %s did not become ready", arguments[1]);
	return false;
}

bool loop_run(const struct loop_child *child, uint64_t count, unsigned int limit,
	      struct rounds *rounds)
{
	char line[128];

	if (dprintf(child->orders, "%" PRIu64 "\n", count) > 0 &&
	    hear(child, limit, line, sizeof(line)) &&
	    sscanf(line, "%" SCNu64 " %" SCNu64 " %" SCNu64, &rounds->ns, &rounds->blocking,
		   &rounds->other) == 3)
		return true;
	complain("the loop did not do %" PRIu64
		 " rounds within %u s (fewer --rounds, or a longer --limit)",
		 count, limit);
	return false;
}

void loop_end(struct loop_child *child)
{
	if (child->pid <= 0)
		return;
	kill(child->pid, SIGKILL);
	waitpid(child->pid, NULL, 0);
	child->pid = 0;
}
