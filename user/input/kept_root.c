// SPDX-License-Identifier: GPL-2.0
#include "kept_root.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#define PROC_PATH_SIZE 64
/* Folders that are held at one time: most are open descriptors. */
#define KEPT_ROOTS_MAX 128

static struct kept_root *roots[KEPT_ROOTS_MAX];

static const char *proc_path(char *path, const char *process, const char *what)
{
	snprintf(path, PROC_PATH_SIZE, "/proc/%s/%s", process, what);
	return path;
}

static int open_folder(const char *path)
{
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Opens the root folder of a process, and sets what tells it from others. Returns 0, or -1. */
static int open_root(const char *process, struct kept_root *root)
{
	char path[PROC_PATH_SIZE];
	struct statx folder;

	root->fd = open_folder(proc_path(path, process, "root"));
	if (root->fd < 0)
		return -1;
	if (statx(root->fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, &folder)) {
		close(root->fd);
		return -1;
	}
	root->dev = makedev(folder.stx_dev_major, folder.stx_dev_minor);
	root->inode = folder.stx_ino;
	root->mount = folder.stx_mnt_id;
	return 0;
}

static bool is_same(const struct kept_root *a, const struct kept_root *b)
{
	return a->dev == b->dev && a->inode == b->inode && a->mount == b->mount;
}

static bool is_ours(const struct kept_root *root)
{
	struct kept_root ours;
	bool same;

	if (open_root("self", &ours))
		return false;
	same = is_same(root, &ours);
	close(ours.fd);
	return same;
}

/* Whether a process has our mount namespace. */
static bool has_our_mounts(const char *process)
{
	char path[PROC_PATH_SIZE];
	struct stat theirs, ours;

	return !stat(proc_path(path, process, "ns/mnt"), &theirs) &&
	       !stat(proc_path(path, "self", "ns/mnt"), &ours) && theirs.st_ino == ours.st_ino;
}

static char *read_path(const char *process)
{
	char path[PROC_PATH_SIZE], target[PATH_MAX];
	ssize_t len = readlink(proc_path(path, process, "root"), target, sizeof(target));

	return len > 0 && (size_t)len < sizeof(target) ? strndup(target, len) : NULL;
}

/* Takes the open folder. NULL: no memory, or the process has ended. */
static struct kept_root *keep(const char *process, const struct kept_root *found)
{
	struct kept_root *root = malloc(sizeof(*root));
	char *path = read_path(process);

	if (!root || !path) {
		close(found->fd);
		free(path);
		free(root);
		return NULL;
	}
	*root = *found;
	root->path = path;
	root->holds = 1;
	if (has_our_mounts(process)) {
		close(root->fd);
		root->fd = -1;
	}
	return root;
}

int kept_root_find(pid_t pid, struct kept_root **root)
{
	struct kept_root **room = NULL;
	struct kept_root found;
	char process[16];

	*root = NULL;
	snprintf(process, sizeof(process), "%d", pid);
	if (open_root(process, &found))
		return -1;
	for (size_t i = 0; i < KEPT_ROOTS_MAX && !*root; i++) {
		if (!roots[i])
			room = room ? room : &roots[i];
		else if (is_same(roots[i], &found))
			*root = roots[i];
	}
	if (*root)
		(*root)->holds++;
	if (*root || !room || is_ours(&found)) {
		close(found.fd);
		return 0;
	}
	*room = keep(process, &found);
	*root = *room;
	return 0;
}

void kept_root_release(struct kept_root *root)
{
	if (!root || --root->holds)
		return;
	for (size_t i = 0; i < KEPT_ROOTS_MAX; i++)
		if (roots[i] == root)
			roots[i] = NULL;
	if (root->fd >= 0)
		close(root->fd);
	free(root->path);
	free(root);
}

void kept_root_path(const struct kept_root *root, char path[PATH_MAX])
{
	if (root->fd >= 0)
		snprintf(path, PATH_MAX, "/proc/self/fd/%d", root->fd);
	else
		snprintf(path, PATH_MAX, "%s", root->path);
}

int kept_root_open(const struct kept_root *root)
{
	char path[PATH_MAX];

	kept_root_path(root, path);
	return open_folder(path);
}

const char *kept_root_below(const struct kept_root *root, const char *path)
{
	size_t len = strlen(root->path);

	return !strncmp(path, root->path, len) && path[len] == '/' ? path + len : path;
}
