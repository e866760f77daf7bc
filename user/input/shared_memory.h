/* SPDX-License-Identifier: GPL-2.0 */
/* Which file an address of a process is in, if the process shares that memory. */
#ifndef GAPP_READ_SHARED_MEMORY_H
#define GAPP_READ_SHARED_MEMORY_H

#include <sys/types.h>

#include "util/util.h"
#include "wait_files.h"

enum shared_memory {
	SHARED_UNKNOWN, /* the process has ended, or is not ours to look at */
	SHARED_NOT, /* it is the process's own memory, or none */
	SHARED_FILE,
};

/**
 * struct shared_place - an address in memory that processes share
 * @dev: device of the file
 * @inode: inode of the file; memory without a file has one in the kernel, too
 * @offset: of the address in the file
 * @path: the file's, as /proc/PID/maps has it; "": it has none
 */
struct shared_place {
	u64 dev;
	u64 inode;
	u64 offset;
	char path[WAIT_FILE_NAME];
};

/* Looks at /proc/PID/maps, up to the address. Sets @place with SHARED_FILE. */
enum shared_memory shared_memory_find(pid_t pid, u64 address, struct shared_place *place);

#endif /* GAPP_READ_SHARED_MEMORY_H */
