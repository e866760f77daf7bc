/* SPDX-License-Identifier: GPL-2.0 */
/* Waits for the end: of all the processes, of a time, or by a signal. */
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

/**
 * struct follow - what is waited for
 * @fds: file descriptors: of signals, of data, of output, of news, then of processes (-1: ended)
 * @count: of them
 * @open: processes that have not ended
 * @endless: others may come: it does not end because these have
 * @signal: the signal that came last
 * @data: called when there is data to take, unless NULL; returns 0, above 0 when it wants no more,
 *	or -1 to fail
 * @news: likewise when there is news
 * @tick: called once a second, unless NULL
 * @context: for all three
 */
struct follow {
	struct pollfd *fds;
	size_t count;
	size_t open;
	bool endless;
	int signal;
	int (*data)(void *context);
	int (*news)(void *context);
	void (*tick)(void *context);
	void *context;
};

#define _cleanup_follow_ _cleanup_(follow_free)

int follow_init(struct follow *follow, int signal_fd);
/* What to poll for data while waiting; -1: nothing any more. */
void follow_data(struct follow *follow, int fd);
/* Where it goes, likewise: that nobody reads there any more is an end too. */
void follow_output(struct follow *follow, int fd);
/* What else to poll, while @news is to be called; -1: nothing any more. */
void follow_news(struct follow *follow, int fd);
int follow_add(struct follow *follow, pid_t pid);
enum follow_end follow_until(struct follow *follow, u64 deadline_ns);
void follow_free(struct follow *follow);

#endif /* GAPP_READ_FOLLOW_H */
