// SPDX-License-Identifier: GPL-2.0
#include "selection.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <sys/stat.h>

#include "core/glob.h"
#include "util/each_process.h"

/* Where groups of version 2 are; in the second one if there are some of version 1, too. */
static const char *const mounts[] = { "/sys/fs/cgroup", "/sys/fs/cgroup/unified" };

static bool has_name(pid_t pid, const char *glob)
{
	_cleanup_close_ int fd = -1;
	char path[32], comm[64];
	ssize_t size;

	if (!glob)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? 0 : read(fd, comm, sizeof(comm));
	if (size <= 0)
		return false;
	/* the last character is a newline */
	comm[size - 1] = '\0';
	return gapp_glob_matches(glob, comm);
}

static int add_if_named(void *context, pid_t pid)
{
	const struct selection *selection = context;

	return has_name(pid, selection->comm) ? selection->add(selection->context, pid) : 0;
}

/* A group that was removed meanwhile, or one of threads, has no list of processes. */
static int add_members(const struct selection *selection, const char *group)
{
	_cleanup_free_ char *path = NULL;
	int pid, result = 0;
	FILE *file;

	if (asprintf(&path, "%s/cgroup.procs", group) < 0) {
		path = NULL;
		return out_of_memory();
	}
	file = fopen(path, "re");
	/* 0 is a process of another pid namespace */
	while (file && !result && fscanf(file, "%d", &pid) == 1)
		if (pid)
			result = add_if_named((void *)selection, pid);
	if (file)
		fclose(file);
	return result;
}

/* Of the group and of all below it. */
static int add_all_members(const struct selection *selection, char *group)
{
	char *const groups[] = { group, NULL };
	FTS *walk = fts_open(groups, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	int result = walk ? 0 : out_of_memory();
	FTSENT *entry;

	while (!result && (entry = fts_read(walk)))
		if (entry->fts_info == FTS_D)
			result = add_members(selection, entry->fts_path);
	if (walk)
		fts_close(walk);
	return result;
}

/* Finds the group's folder; returns NULL with a complaint made. */
static char *find_group(const char *cgroup)
{
	struct stat status;
	char *path;

	if (cgroup[0] == '/' && !stat(cgroup, &status))
		return strdup(cgroup);
	for (size_t i = 0; i < ARRAY_SIZE(mounts); i++) {
		if (asprintf(&path, "%s/%s", mounts[i], cgroup + (cgroup[0] == '/')) < 0)
			break;
		if (!stat(path, &status))
			return path;
		free(path);
	}
	complain("there is no control group %s: give its path, as it is below %s", cgroup,
		 mounts[0]);
	return NULL;
}

int selection_add(const struct selection *selection, struct device *dev, u32 flags)
{
	_cleanup_free_ char *group = NULL;
	_cleanup_close_ int fd = -1;

	if (selection->cgroup) {
		group = find_group(selection->cgroup);
		if (!group)
			return -1;
		fd = open(group, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0) {
			complain("cannot open %s: %s", group, strerror(errno));
			return -1;
		}
	}
	/* first, so that no process comes between */
	if (device_add_selection(dev, selection->comm, fd, flags))
		return -1;
	return group ? add_all_members(selection, group) :
		       each_process(add_if_named, (void *)selection);
}
