/* SPDX-License-Identifier: GPL-2.0 */
/* A core file of one stopped thread, for a debugger to look at. */
#ifndef GAPP_LIVE_CORE_FILE_H
#define GAPP_LIVE_CORE_FILE_H

#include "live.h"

/* All memory that files do not have. -1: the file could not be written, or is too large. */
int core_file_write(int fd, const struct thread *thread);

#endif /* GAPP_LIVE_CORE_FILE_H */
