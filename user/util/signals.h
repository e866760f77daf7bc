/* SPDX-License-Identifier: GPL-2.0 */
/* SIGINT and SIGTERM are read from a file descriptor; SIGPIPE is a write error. */
#ifndef GAPP_READ_SIGNALS_H
#define GAPP_READ_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/**
 * struct signals - what a command must get back before its exec
 * @mask: signals blocked before
 * @pipe: disposition of SIGPIPE before
 * @child: likewise of SIGCHLD
 */
struct signals {
	sigset_t mask;
	struct sigaction pipe;
	struct sigaction child;
};

int signals_take(struct signals *signals);
void signals_give_back(const struct signals *signals);

/* The next SIGINT or SIGTERM sets @cancelled, and the one after it ends the program. */
void signals_cancel(const volatile bool **cancelled);

/* From now on they are read from the file descriptor again. */
void signals_hold(void);

/* The signal that came; 0 if none. Does not wait. */
int signals_read(int fd);

#endif /* GAPP_READ_SIGNALS_H */
