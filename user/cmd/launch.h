/* SPDX-License-Identifier: GPL-2.0 */
/* The command of `-- cmd`: a child that waits for launch_go() before its exec. */
#ifndef GAPP_READ_LAUNCH_H
#define GAPP_READ_LAUNCH_H

#include <sys/resource.h>
#include <sys/types.h>

#include "util/signals.h"
#include "util/util.h"

/**
 * struct launch - a child
 * @pid: process id; 0: there is none
 * @go_fd: a byte written here lets the child execute its command; if it is closed, the child exits
 * @state_fd: the child writes its struct child_state here, and closes it by its exec
 * @no_terminal: the command reads nothing from a terminal, and what it writes to one is lost
 */
struct launch {
	pid_t pid;
	int go_fd;
	int state_fd;
	bool no_terminal;
};

#define LAUNCH_NONE                         \
	{                                   \
		.go_fd = -1, .state_fd = -1 \
	}

/*
 * Raises the limit of open files as far as possible: each followed process takes a descriptor, and
 * so does the side-band of each CPU. @before: set to the former limit, for launch_prepare().
 */
void file_limit_raise(struct rlimit *before);

int launch_prepare(struct launch *launch, char *const *command, const struct signals *signals,
		   const struct rlimit *files);
int launch_go(struct launch *launch, const char *name);
int launch_wait(struct launch *launch);
void launch_cancel(struct launch *launch);

#endif /* GAPP_READ_LAUNCH_H */
