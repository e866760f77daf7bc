/* SPDX-License-Identifier: GPL-2.0 */
/* Processes to follow that do a bit of everything. */
#ifndef GAPP_TESTS_ABI_BUSY_H
#define GAPP_TESTS_ABI_BUSY_H

#include "t.h"

/*
 * A t_fork() body: tells when it is ready; at each word from the parent it is busy for @arg
 * milliseconds (an unsigned int), then answers when all is asleep again.
 */
void busy_mixed(struct t_child *parent, void *arg);

/* Likewise without an end: many short slices and wake-ups, until it is killed. */
void busy_storm(struct t_child *parent, void *unused);

/*
 * Calls a function on a stack whose frames are as many as a path can have, each so far from the
 * next that the module copies them one by one.
 */
void busy_deep(void (*function)(void *arg), void *arg);

#endif /* GAPP_TESTS_ABI_BUSY_H */
