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
 * @path: its path in that namespace, with which the kernel begins the paths of files below it: "/",
 *	or that of a folder that is a root by chroot(2) alone
 * @holds: how many hold it
 */
struct kept_root {
	int fd;
	dev_t dev;
	ino_t inode;
	ino_t mounts;
	char *path;
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
/* The path that a file, by its path as the kernel gives it, has below the folder. */
const char *kept_root_below(const struct kept_root *root, const char *path);

#endif /* GAPP_READ_KEPT_ROOT_H */
