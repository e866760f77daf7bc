/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What wakes the reader besides records: events of the side-band, unwind tables that are ready, and
 * a timer, all in one file descriptor to poll.
 */
#ifndef GAPP_READ_WAKEUP_H
#define GAPP_READ_WAKEUP_H

#include "util/util.h"

/**
 * struct wakeup - file descriptors and a timer
 * @fd: readable when the reader is to wake up
 * @timer: expires at @due_ns
 * @due_ns: CLOCK_MONOTONIC; 0: never
 */
struct wakeup {
	int fd;
	int timer;
	u64 due_ns;
};

#define WAKEUP_NONE                   \
	{                             \
		.fd = -1, .timer = -1 \
	}

/* Both return 0, or -1 with errno set. */
int wakeup_open(struct wakeup *wakeup);
int wakeup_add(struct wakeup *wakeup, int fd);
void wakeup_close(struct wakeup *wakeup);

/* Wakes the reader at @due_ns, and not at the time that was set before; 0: never. */
void wakeup_at(struct wakeup *wakeup, u64 due_ns);

/* The reader is awake: clears the timer, and removes file descriptors that are broken. */
void wakeup_clear(struct wakeup *wakeup);

#endif /* GAPP_READ_WAKEUP_H */
