/* SPDX-License-Identifier: GPL-2.0 */
/* A command whose threads, and those of its children, run until one is to be stopped. */
#ifndef GAPP_LIVE_TRACEES_H
#define GAPP_LIVE_TRACEES_H

#include "live.h"

/* Starts it, with its output thrown away; -1: that is not possible, and errno says why. */
int tracees_start(char **command);

/* Lets all run for @ns; -1: none is left. */
int tracees_run(u64 ns);

/*
 * Lets all run for @ns, then stops a thread somewhere, and says which and where it is. 0: none is
 * left; -1: none could be stopped now.
 */
int tracees_stop_one(struct thread *thread, u64 ns);
/* It runs on. */
void tracees_go_on(const struct thread *thread);

/* Ends all that are left. */
void tracees_kill(void);

/* How the command has ended, as waitpid() says; -1: it has not. */
int tracees_status(void);

#endif /* GAPP_LIVE_TRACEES_H */
