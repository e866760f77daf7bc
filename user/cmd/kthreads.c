// SPDX-License-Identifier: GPL-2.0
#include "kthreads.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>

#include "util/each_process.h"

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

/* A search, and how many threads it has found. */
struct search {
	struct kthreads *kthreads;
	bool running;
	int count;
};

/* It is no error if the thread has ended meanwhile. */
static int add(void *context, pid_t pid)
{
	struct search *search = context;
	struct kthreads *kthreads = search->kthreads;

	if (!matches(pid, kthreads->glob))
		return 0;
	search->count++;
	if (!device_add_process(kthreads->dev, pid, GAPP_ADD_KTHREAD) || errno == ESRCH)
		return 0;
	if (errno != ENOSPC)
		return search->running ? 0 : device_refused_process(pid);
	kthreads->no_room++;
	return 0;
}

/* Returns how many threads have such a name, or -1 with a complaint made. */
static int find(struct kthreads *kthreads, bool running)
{
	struct search search = { .kthreads = kthreads, .running = running };

	kthreads->no_room = 0;
	if (each_process(add, &search))
		return -1;
	if (kthreads->no_room > kthreads->most_without_room)
		kthreads->most_without_room = kthreads->no_room;
	return search.count;
}

int kthreads_add(struct kthreads *kthreads)
{
	int count = find(kthreads, false);

	if (!count)
		complain("no kernel thread is called '%s': `ps -e` shows their names",
			 kthreads->glob);
	return count > 0 ? 0 : -1;
}

void kthreads_add_later(struct kthreads *kthreads)
{
	find(kthreads, true);
}
