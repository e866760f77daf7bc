// SPDX-License-Identifier: GPL-2.0
#include "wait_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <gapp.h>

#include "util/each_process.h"

/* Of a pipe, processes and descriptors of each that are looked at for its other end. */
#define PROCESSES_MAX 512
#define DESCRIPTORS_MAX 256

static void name_anonymous(struct wait_file *file, const char *link)
{
	static const struct {
		const char *link;
		const char *name;
	} names[] = {
		{ "[eventpoll]", "epoll" },	  { "[eventfd]", "eventfd" },
		{ "[timerfd]", "timerfd" },	  { "[signalfd]", "signalfd" },
		{ "[io_uring]", "io_uring" },	  { "inotify", "inotify" },
		{ "[fanotify]", "fanotify" },	  { "[pidfd]", "process" },
		{ "[perf_event]", "perf event" },
	};

	file->kind = WAIT_FILE_ANONYMOUS;
	snprintf(file->name, sizeof(file->name), "%s", link);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(link, names[i].link))
			snprintf(file->name, sizeof(file->name), "%s", names[i].name);
}

void wait_file_look(pid_t pid, u32 fd, struct wait_file *file)
{
	char path[64], link[WAIT_FILE_NAME];
	struct stat status;
	ssize_t length;

	*file = (struct wait_file){ 0 };
	snprintf(path, sizeof(path), "/proc/%d/fd/%u", pid, fd);
	length = readlink(path, link, sizeof(link) - 1);
	if (length <= 0 || stat(path, &status))
		return;
	link[length] = '\0';
	file->dev = status.st_dev;
	file->inode = status.st_ino;
	if (!strncmp(link, "anon_inode:", strlen("anon_inode:"))) {
		name_anonymous(file, link + strlen("anon_inode:"));
	} else if (S_ISSOCK(status.st_mode)) {
		file->kind = WAIT_FILE_SOCKET;
	} else if (S_ISFIFO(status.st_mode) && *link != '/') {
		file->kind = WAIT_FILE_PIPE;
	} else {
		file->kind = WAIT_FILE_PATH;
		snprintf(file->name, sizeof(file->name), "%s",
			 strncmp(link, "/memfd:", strlen("/memfd:")) ? link : link + 1);
	}
}

/**
 * struct pipe_search - who has a pipe open
 * @file: the pipe
 * @pid: a process that has it
 * @looked: processes that were looked at
 * @other: another one that has it; 0: none was found
 */
struct pipe_search {
	const struct wait_file *file;
	pid_t pid;
	u32 looked;
	pid_t other;
};

static bool has_file(pid_t pid, const struct wait_file *file)
{
	char path[64];
	bool has = false;
	DIR *folder;

	snprintf(path, sizeof(path), "/proc/%d/fd", pid);
	folder = opendir(path);
	if (!folder)
		return false;
	for (u32 i = 0; !has && i < DESCRIPTORS_MAX; i++) {
		const struct dirent *entry = readdir(folder);
		struct stat status;

		if (!entry)
			break;
		has = !fstatat(dirfd(folder), entry->d_name, &status, 0) &&
		      status.st_ino == file->inode && status.st_dev == file->dev;
	}
	closedir(folder);
	return has;
}

static int look_for_pipe(void *context, pid_t pid)
{
	struct pipe_search *search = context;

	if (pid == search->pid || pid == getpid())
		return 0;
	if (++search->looked > PROCESSES_MAX)
		return 1;
	if (has_file(pid, search->file))
		search->other = pid;
	return search->other != 0;
}

void wait_file_name(pid_t pid, struct wait_file *file)
{
	struct pipe_search search = { .file = file, .pid = pid };
	char net[64], comm[GAPP_COMM_LEN + 1];

	if (file->kind == WAIT_FILE_SOCKET) {
		snprintf(net, sizeof(net), "/proc/%d/net", pid);
		wait_socket_name(net, file->inode, file->name);
	}
	if (file->kind != WAIT_FILE_PIPE)
		return;
	each_process(look_for_pipe, &search);
	if (search.other && wait_thread_name(search.other, comm))
		snprintf(file->name, sizeof(file->name), "pipe to %s (%d)", comm, search.other);
	else
		snprintf(file->name, sizeof(file->name), "pipe %llu",
			 (unsigned long long)file->inode);
}

bool wait_thread_name(pid_t tid, char *name)
{
	char path[64];
	size_t length;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/comm", tid);
	file = fopen(path, "re");
	if (!file)
		return false;
	length = fread(name, 1, GAPP_COMM_LEN, file);
	fclose(file);
	while (length && (name[length - 1] == '\n' || length == GAPP_COMM_LEN))
		length--;
	name[length] = '\0';
	return length > 0;
}
