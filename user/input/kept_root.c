// SPDX-License-Identifier: GPL-2.0
#include "kept_root.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>

#define PROC_PATH_SIZE 64
/* Folders that are open at one time: each is a descriptor. */
#define KEPT_ROOTS_MAX 128

static struct kept_root *roots[KEPT_ROOTS_MAX];

static int open_root(const char *process)
{
	char path[PROC_PATH_SIZE];

	snprintf(path, sizeof(path), "/proc/%s/root", process);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static char *read_path(const char *process)
{
	char path[PROC_PATH_SIZE], target[PATH_MAX];
	ssize_t len;

	snprintf(path, sizeof(path), "/proc/%s/root", process);
	len = readlink(path, target, sizeof(target));
	return len > 0 && (size_t)len < sizeof(target) ? strndup(target, len) : NULL;
}

/* Sets what tells the root folder @root.fd of a process from others. Returns 0, or -1. */
static int identify(const char *process, struct kept_root *root)
{
	char path[PROC_PATH_SIZE];
	struct stat folder, mounts;

	snprintf(path, sizeof(path), "/proc/%s/ns/mnt", process);
	if (root->fd < 0 || fstat(root->fd, &folder) || stat(path, &mounts))
		return -1;
	root->dev = folder.st_dev;
	root->inode = folder.st_ino;
	root->mounts = mounts.st_ino;
	return 0;
}

static bool is_same(const struct kept_root *a, const struct kept_root *b)
{
	return a->dev == b->dev && a->inode == b->inode && a->mounts == b->mounts;
}

static bool is_ours(const struct kept_root *root)
{
	struct kept_root ours = { .fd = open_root("self") };
	bool known = !identify("self", &ours);

	if (ours.fd >= 0)
		close(ours.fd);
	return known && is_same(root, &ours);
}

int kept_root_find(pid_t pid, struct kept_root **root)
{
	_cleanup_close_ int fd = -1;
	struct kept_root found = { .holds = 1 };
	struct kept_root **room = NULL;
	char process[16];

	*root = NULL;
	snprintf(process, sizeof(process), "%d", pid);
	fd = open_root(process);
	found.fd = fd;
	if (identify(process, &found))
		return -1;
	if (is_ours(&found))
		return 0;
	for (size_t i = 0; i < KEPT_ROOTS_MAX; i++) {
		if (!roots[i]) {
			room = room ? room : &roots[i];
		} else if (is_same(roots[i], &found)) {
			roots[i]->holds++;
			*root = roots[i];
			return 0;
		}
	}
	if (!room)
		return 0;
	found.path = read_path(process);
	*room = found.path ? malloc(sizeof(found)) : NULL;
	if (!*room) {
		free(found.path);
		return 0;
	}
	**room = found;
	*root = *room;
	fd = -1;
	return 0;
}

void kept_root_release(struct kept_root *root)
{
	if (!root || --root->holds)
		return;
	for (size_t i = 0; i < KEPT_ROOTS_MAX; i++)
		if (roots[i] == root)
			roots[i] = NULL;
	close(root->fd);
	free(root->path);
	free(root);
}

void kept_root_path(const struct kept_root *root, char path[KEPT_ROOT_PATH_SIZE])
{
	snprintf(path, KEPT_ROOT_PATH_SIZE, "/proc/self/fd/%d", root->fd);
}

const char *kept_root_below(const struct kept_root *root, const char *path)
{
	size_t len = strlen(root->path);

	return !strncmp(path, root->path, len) && path[len] == '/' ? path + len : path;
}
