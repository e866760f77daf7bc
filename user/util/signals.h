/* SPDX-License-Identifier: GPL-2.0 */
/*
 * SIGINT and SIGTERM are read from a file descriptor. SIGPIPE and SIGXFSZ are ignored. SIGBUS is
 * survived.
 */
#ifndef GAPP_READ_SIGNALS_H
#define GAPP_READ_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

#include "util.h"

/**
 * struct signals - the former state, which a command gets back before its exec
 * @mask: blocked signals
 * @pipe: action of SIGPIPE
 * @child: action of SIGCHLD
 */
struct signals {
	sigset_t mask;
	struct sigaction pipe;
	struct sigaction child;
};

/*
 * Ignores SIGXFSZ, which would kill the reader: writing beyond the limit of a file's size (`ulimit
 * -f`) fails as on a full disk. For main(). signals_give_back() undoes it.
 */
void signals_ignore_limit(void);

int signals_take(struct signals *signals);
/*
 * After signals_take(): @number is read from the file descriptor @fd, too, and does what it does by
 * itself no more. Returns 0, or -1 with a complaint made.
 */
int signals_take_also(int fd, int number);
void signals_give_back(const struct signals *signals);

/*
 * The next SIGINT or SIGTERM sets the flag that @cancelled is set to; the next but one kills.
 * Called again, the flag stays as it is, and signals are counted anew.
 */
void signals_cancel(const volatile bool **cancelled);
/* The same, and signals_hold() still tells one that has come. */
void signals_cancel_again(const volatile bool **cancelled);

/*
 * Undoes signals_cancel(): SIGINT and SIGTERM are read from the file
 * descriptor again, also one that came since signals_cancel() was called last.
 */
void signals_hold(void);
/* Likewise, and unsets the flag, because signals_cancel() will be called again for other work. */
void signals_go_on(void);

/* Reads the number of the signal that came; 0: none. Does not wait. */
int signals_read(int fd);

/*
 * libelf maps files. If a file's owner truncates the file meanwhile, an access raises SIGBUS, which
 * would kill the reader. Between these two calls missing pages read as zeros instead, and libdw
 * fails or returns nonsense. Calls nest; any thread may make them.
 */
void bus_guard_begin(void);
void bus_guard_end(void);

static inline void bus_guard_leave(_unused_ char *block)
{
	bus_guard_end();
}

/* Guards from here to the end of the block. */
#define bus_guard_block() _cleanup_(bus_guard_leave) char block = (bus_guard_begin(), 0)

#endif /* GAPP_READ_SIGNALS_H */
