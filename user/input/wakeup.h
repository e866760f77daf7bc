/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What wakes the reader beside records: events of the side-band, tables that
 * are ready, a time. One file descriptor to poll.
 */
#ifndef GAPP_READ_NEWS_H
#define GAPP_READ_NEWS_H

#include "util/util.h"

/**
 * struct news - what there is to hear of
 * @fd: readable when there is something
 * @timer: expires at @due_ns
 * @due_ns: CLOCK_MONOTONIC; 0: never
 */
struct news {
	int fd;
	int timer;
	u64 due_ns;
};

#define NEWS_NONE                     \
	{                             \
		.fd = -1, .timer = -1 \
	}

/* Return 0, or -1 with errno set. */
int news_open(struct news *news);
int news_add(struct news *news, int fd);
void news_close(struct news *news);

/* When to wake the reader next; 0: never. */
void news_at(struct news *news, u64 due_ns);

/* What it is readable for has been seen to. What will never be readable but broken is left out. */
void news_heard(struct news *news);

#endif /* GAPP_READ_NEWS_H */
