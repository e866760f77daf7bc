/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Root folders of processes that see other files than we do. They are kept open, because when the
 * last process of a container has ended no path of ours leads to its files.
 */
#ifndef GAPP_READ_KEPT_ROOT_H
#define GAPP_READ_KEPT_ROOT_H

#include <sys/types.h>

#include "util/util.h"

#define KEPT_ROOT_PATH_SIZE 32

/**
 * struct kept_root - a root folder, of any number of processes
 * @fd: the folder, as an O_PATH descriptor
 * @dev: its device
 * @inode: its inode
 * @mounts: inode of the mount namespace, which says what is mounted below the folder
 * @holds: how many hold it
 */
struct kept_root {
	int fd;
	dev_t dev;
	ino_t inode;
	ino_t mounts;
	u32 holds;
};

/*
 * Finds or opens the root folder of a process, and holds it for the caller. Sets @root to NULL if
 * the process sees the files that we see, or too many are open. Returns 0; -1: the process has
 * ended, or may not be looked at.
 */
int kept_root_find(pid_t pid, struct kept_root **root);
/* NULL: does nothing. */
void kept_root_release(struct kept_root *root);
/* Writes a path that leads to the folder in this process. */
void kept_root_path(const struct kept_root *root, char path[KEPT_ROOT_PATH_SIZE]);

#endif /* GAPP_READ_KEPT_ROOT_H */
