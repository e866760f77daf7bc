// SPDX-License-Identifier: GPL-2.0
/* Finds threads of the kernel by their names. */
#include "kthreads.h"

#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>

#include "util/each_process.h"
#include "util/util.h"

/* As in include/linux/sched.h; /proc/PID/stat shows the flags. */
#define PF_KTHREAD 0x00200000UL
#define STAT_SIZE 1024

/*
 * Takes "2 (kthreadd) S 0 0 0 0 -1 2129984 ...": sets the bounds of the name. Any character may be
 * in it. Returns whether the thread is the kernel's.
 */
static bool parse(const char *stat, const char **name, const char **end)
{
	unsigned long flags;

	*name = strchr(stat, '(');
	*end = strrchr(stat, ')');
	if (!*name || !*end || *end < *name)
		return false;
	++*name;
	return sscanf(*end, ") %*c %*d %*d %*d %*d %*d %lu", &flags) == 1 && flags & PF_KTHREAD;
}

static bool matches(pid_t pid, const char *glob)
{
	_cleanup_close_ int fd = -1;
	char path[32], stat[STAT_SIZE], own[STAT_SIZE];
	const char *name, *end;
	ssize_t size;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	size = fd < 0 ? 0 : read(fd, stat, sizeof(stat) - 1);
	if (size <= 0)
		return false;
	stat[size] = '\0';
	if (!parse(stat, &name, &end))
		return false;
	memcpy(own, name, end - name);
	own[end - name] = '\0';
	return !fnmatch(glob, own, 0);
}

/* What kthreads_find() was called with, and how many threads it has found. */
struct search {
	const char *glob;
	int (*each)(void *context, pid_t pid);
	void *context;
	int count;
};

static int take(void *context, pid_t pid)
{
	struct search *search = context;

	if (!matches(pid, search->glob))
		return 0;
	search->count++;
	return search->each(search->context, pid) ? -1 : 0;
}

int kthreads_find(const char *glob, int (*each)(void *context, pid_t pid), void *context)
{
	struct search search = { .glob = glob, .each = each, .context = context };

	return each_process(take, &search) ? -1 : search.count;
}
