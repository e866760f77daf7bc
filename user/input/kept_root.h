/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Root folders of processes that see other files than we do. Those of other mount namespaces are
 * kept open, because when the last process of a container has ended no path of ours leads to its
 * files. What is mounted below them is gone then. To a folder of our own namespace (chroot) our
 * paths lead; it is not kept open, so that whoever made it can unmount it.
 */
#ifndef GAPP_READ_KEPT_ROOT_H
#define GAPP_READ_KEPT_ROOT_H

#include <limits.h>
#include <sys/types.h>

#include "util/util.h"

/**
 * struct kept_root - a root folder, of any number of processes
 * @fd: the folder, as an O_PATH descriptor; -1: it is in our namespace, at @path
 * @dev: its device
 * @inode: its inode
 * @mount: number of the mount that it is on, which no other one gets while the folder is open
 * @path: its path in its namespace, with which the kernel begins the paths of files below it: "/",
 *	or that of a folder that is a root by chroot(2) alone
 * @holds: how many hold it
 */
struct kept_root {
	int fd;
	dev_t dev;
	u64 inode;
	u64 mount;
	char *path;
	u32 holds;
};

/*
 * Finds or makes the root folder of a process, and holds it for the caller. Sets @root to NULL if
 * the process sees the files that we see, or too many are held. Returns 0; -1: the process has
 * ended, or may not be looked at.
 */
int kept_root_find(pid_t pid, struct kept_root **root);
/* NULL: does nothing. */
void kept_root_release(struct kept_root *root);
/* Opens it as an O_PATH descriptor. -1: it is no longer there. */
int kept_root_open(const struct kept_root *root);
/* Writes a path that leads to the folder in this process. */
void kept_root_path(const struct kept_root *root, char path[PATH_MAX]);
/* The path that a file, by its path as the kernel gives it, has below the folder. */
const char *kept_root_below(const struct kept_root *root, const char *path);

#endif /* GAPP_READ_KEPT_ROOT_H */
