/* SPDX-License-Identifier: GPL-2.0 */
/* The command of `-- cmd`: a child that waits before its exec until it is told to go. */
#ifndef GAPP_READ_LAUNCH_H
#define GAPP_READ_LAUNCH_H

#include <sys/types.h>

#include "file_limit.h"
#include "util/signals.h"
#include "util/util.h"

/**
 * struct launch - a child
 * @pid: process id; 0: there is none
 * @go_fd: a byte written here lets it exec; closed instead, it exits
 * @news_fd: tells what keeps it from its exec; its end comes with the exec
 */
struct launch {
	pid_t pid;
	int go_fd;
	int news_fd;
};

#define LAUNCH_NONE                        \
	{                                  \
		.go_fd = -1, .news_fd = -1 \
	}
#define _cleanup_launch_ _cleanup_(launch_cancel)

int launch_prepare(struct launch *launch, char *const *command, const struct signals *signals,
		   const struct rlimit *files);
int launch_go(struct launch *launch, const char *name);
int launch_wait(struct launch *launch);
void launch_cancel(struct launch *launch);

#endif /* GAPP_READ_LAUNCH_H */
