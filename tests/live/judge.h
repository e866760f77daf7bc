/* SPDX-License-Identifier: GPL-2.0 */
/* A third opinion where two paths differ: gdb's, on a core file of the thread. */
#ifndef GAPP_LIVE_JUDGE_H
#define GAPP_LIVE_JUDGE_H

#include "space.h"

/* There is a gdb that can be asked. */
bool judge_is_there(void);

/* -1: it gave no answer. */
int judge_walk(const struct space *space, const struct thread *thread, struct path *path);

#endif /* GAPP_LIVE_JUDGE_H */
