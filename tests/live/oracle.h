/* SPDX-License-Identifier: GPL-2.0 */
/* The call path of a stopped thread as libdwfl finds it, with the same registers and memory. */
#ifndef GAPP_LIVE_ORACLE_H
#define GAPP_LIVE_ORACLE_H

#include "live.h"

/* -1: the process's mappings could not be read. */
int oracle_walk(const struct thread *thread, struct path *path);

#endif /* GAPP_LIVE_ORACLE_H */
