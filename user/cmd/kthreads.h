/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_READ_KTHREADS_H
#define GAPP_READ_KTHREADS_H

#include <sys/types.h>

/*
 * Calls @each for every thread of the kernel whose name, as ps(1) shows it, matches @glob. @each
 * returns 0, or -1 to end. Returns how many there were, or -1 if @each did or /proc cannot be read.
 */
int kthreads_find(const char *glob, int (*each)(void *context, pid_t pid), void *context);

#endif /* GAPP_READ_KTHREADS_H */
