// SPDX-License-Identifier: GPL-2.0
/* Adds processes of which there may be many: those of -x, --comm and --cgroup. */
#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "record_private.h"
#include "selection.h"
#include "util/each_process.h"

u32 record_add_flags(const struct recording *recording)
{
	return recording->options->no_inherit ? GAPP_ADD_NO_INHERIT : 0;
}

static bool executes(pid_t pid, const struct stat *file)
{
	char path[32];
	struct stat exe;

	snprintf(path, sizeof(path), "/proc/%d/exe", pid);
	return !stat(path, &exe) && exe.st_dev == file->st_dev && exe.st_ino == file->st_ino;
}

/* What record_add_executing() looks for. */
struct executing {
	struct recording *recording;
	struct stat file;
};

/*
 * Adds a process of several, whose end is not waited for. One beyond those that can be named is
 * followed if a parent of it is. Returns 0, or -1 with errno set.
 */
static int add_one_of_many(struct recording *recording, pid_t pid)
{
	if (device_add_process(&recording->device, pid, record_add_flags(recording))) {
		if (errno != ENOSPC)
			return -1;
		recording->no_room++;
	}
	capture_attach(recording->capture, pid);
	return 0;
}

static void tell_no_room(const struct recording *recording)
{
	if (!recording->no_room)
		return;
	if (recording->options->no_inherit)
		complain("%u processes at most can be named: others (%u) are left out",
			 GAPP_MAX_ADDED_PROCESSES, recording->no_room);
	else
		complain(
			"%u processes at most can be named: others (%u) are followed only if a parent of theirs is",
			GAPP_MAX_ADDED_PROCESSES, recording->no_room);
}

/* Adds a process if it executes the file. It is no error if it has ended meanwhile. */
static int add_if_executing(void *context, pid_t pid)
{
	const struct executing *executing = context;
	struct recording *recording = executing->recording;
	int error;

	if (pid == getpid() || !executes(pid, &executing->file))
		return 0;
	if (!add_one_of_many(recording, pid))
		return 0;
	error = errno;
	if (!executes(pid, &executing->file))
		return 0;
	errno = error;
	return device_refused_process(pid);
}

int record_add_executing(struct recording *recording)
{
	struct executing executing = { .recording = recording };
	const char *exe = recording->options->exe;

	if (stat(exe, &executing.file)) {
		complain("cannot look at %s: %s", exe, strerror(errno));
		return -1;
	}
	if (each_process(add_if_executing, &executing))
		return -1;
	tell_no_room(recording);
	return 0;
}

/* It is no error if the process has ended meanwhile, or is the kernel's. */
static int add_selected(void *context, pid_t pid)
{
	struct recording *recording = context;

	if (pid == getpid())
		return 0;
	if (!add_one_of_many(recording, pid))
		return 0;
	if (errno == EPERM || errno == EACCES)
		recording->denied++;
	else if (errno != ESRCH && errno != EOPNOTSUPP)
		return device_refused_process(pid);
	return 0;
}

int record_add_selection(struct recording *recording)
{
	const struct selection selection = {
		.comm = recording->options->comm,
		.cgroup = recording->options->cgroup,
		.add = add_selected,
		.context = recording,
	};

	if (selection_add(&selection, &recording->device, record_add_flags(recording)))
		return -1;
	if (recording->denied)
		complain("processes that are not yours are left out (%u): run gapp-read with sudo",
			 recording->denied);
	tell_no_room(recording);
	return 0;
}
