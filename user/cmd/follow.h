/* SPDX-License-Identifier: GPL-2.0 */
/* Waits until all processes have ended, a time is over, or a signal comes. */
#ifndef GAPP_READ_FOLLOW_H
#define GAPP_READ_FOLLOW_H

#include <poll.h>
#include <sys/types.h>

#include "util/util.h"

enum follow_end {
	FOLLOW_FAILED = -1,
	FOLLOW_EXITED,
	FOLLOW_TIME,
	FOLLOW_SIGNAL,
	FOLLOW_ENOUGH,
};

/* What a file descriptor is waited for; readable if not noted. */
enum watch {
	WATCH_SIGNALS,
	WATCH_DATA, /* calls @data */
	WATCH_OUTPUT, /* a pipe that has no reader any more: ends the waiting */
	WATCH_WAKEUP, /* calls @wakeup */
	WATCH_KEYS, /* calls @terminal */
	WATCH_SCREEN, /* calls @terminal */
	WATCH_CTL, /* calls @told */
	WATCH_PROCESSES, /* these, and all that follow: a process has ended */
};

/**
 * struct follow - what is waited for
 * @fds: file descriptors by enum watch; -1: none, or ended
 * @count: elements of @fds
 * @open: processes that have not ended
 * @endless: other processes may come, so the end of all in @fds does not end the waiting
 * @signal: the signal that came last
 * @data: called when there is data to take, or NULL; returns 0, above 0 to end, or -1 to fail
 * @wakeup: called for WATCH_WAKEUP; returns like @data
 * @terminal: called for WATCH_KEYS and WATCH_SCREEN; returns like @data
 * @told: called for WATCH_CTL; returns like @data
 * @asked: called for SIGUSR2, which then does not end the waiting; returns like @data
 * @tick: called every @tick_ns, or NULL; returns like @data
 * @tick_ns: 0: a second
 * @context: argument of all
 */
struct follow {
	struct pollfd *fds;
	size_t count;
	size_t open;
	bool endless;
	int signal;
	int (*data)(void *context);
	int (*wakeup)(void *context);
	int (*terminal)(void *context);
	int (*told)(void *context);
	int (*asked)(void *context);
	int (*tick)(void *context);
	u64 tick_ns;
	void *context;
};

int follow_init(struct follow *follow, int signal_fd);
/* Sets what follow_until() waits for besides processes; @fd is -1: nothing. */
void follow_watch(struct follow *follow, enum watch watch, int fd);
int follow_add(struct follow *follow, pid_t pid);
enum follow_end follow_until(struct follow *follow, u64 deadline_ns);
void follow_free(struct follow *follow);

#endif /* GAPP_READ_FOLLOW_H */
