/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_EACH_PROCESS_H
#define GAPP_READ_EACH_PROCESS_H

#include <sys/types.h>

/*
 * Calls @each for every process of the machine, threads of the kernel among them, until @each
 * returns something else than 0. Returns that, or -1 with a complaint made if /proc cannot be read.
 */
int each_process(int (*each)(void *context, pid_t pid), void *context);

#endif /* GAPP_READ_EACH_PROCESS_H */
