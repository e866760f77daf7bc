/* SPDX-License-Identifier: GPL-2.0 */
/* Records from the session to where they are wanted: a profile, or text. */
#ifndef GAPP_READ_CAPTURE_H
#define GAPP_READ_CAPTURE_H

#include "input/device.h"
#include "opts.h"
#include "results.h"

struct capture;

/*
 * After CONFIGURE and before START, so that nothing is missed. Without records (GAPP_LEVEL_STATS)
 * it does nothing, here and in what follows. NULL with a complaint made.
 */
struct capture *capture_new(struct device *dev, const struct options *options);
void capture_free(struct capture *capture);

/* A process that runs already, which has been added to the session; -1: every one of them. */
void capture_attach(struct capture *capture, pid_t pid);

/* Likewise that of a command, which waits for its exec until the session has been started. */
void capture_launched(struct capture *capture, pid_t pid);

/* The session is about to be started: waits until the module knows what it needs, some seconds. */
void capture_ready(struct capture *capture);

/* The session has been started. */
int capture_started(struct capture *capture);

enum capture_state {
	CAPTURE_FAILED = -1, /* with a complaint made */
	CAPTURE_ON, /* there may be more */
	CAPTURE_FULL, /* likewise: no memory for more, but what was taken in can be ranked */
	CAPTURE_UNREAD, /* whoever read what was printed is gone */
};

/*
 * What to poll beside the session, until it has been stopped; -1: nothing. Readable, it wants
 * capture_news(), which may take some milliseconds and returns what capture_drain() will.
 */
int capture_news_fd(const struct capture *capture);
enum capture_state capture_news(struct capture *capture);

/*
 * Takes in what has come; @all: everything, for the session has been stopped. Once it has returned
 * anything but CAPTURE_ON, it does nothing any more.
 */
enum capture_state capture_drain(struct capture *capture, bool all);

/* Ranks what has come. @cancel becomes true when the user does not want to wait for names. */
int capture_rank(struct capture *capture, const volatile bool *cancel, struct results *results);

#endif /* GAPP_READ_CAPTURE_H */
