// SPDX-License-Identifier: GPL-2.0
#include "wait_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
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

/* Sets @value to the number behind @key at the begin of a line. */
static bool read_number(const char *path, const char *key, u64 *value)
{
	unsigned long long number;
	char line[512];
	bool found = false;
	FILE *file = fopen(path, "re");

	while (file && !found && fgets(line, sizeof(line), file))
		found = !strncmp(line, key, strlen(key)) &&
			sscanf(line + strlen(key), "%llu", &number) == 1;
	if (file)
		fclose(file);
	if (found)
		*value = number;
	return found;
}

/* The device of a mount; 0: it is not known. */
static u64 device_of_mount(pid_t pid, u64 mount)
{
	unsigned int id, major, minor;
	char path[64], line[4096];
	u64 device = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/mountinfo", pid);
	file = fopen(path, "re");
	while (file && !device && fgets(line, sizeof(line), file))
		if (sscanf(line, "%u %*u %u:%u", &id, &major, &minor) == 3 && id == mount)
			device = makedev(major, minor);
	if (file)
		fclose(file);
	return device;
}

/*
 * Whether the kernel's own inode of a descriptor is that one. stat() asks the file system, and an
 * overlay or a subvolume has other numbers for it.
 */
static bool is_inode(pid_t pid, u32 fd, u64 dev, u64 inode)
{
	u64 found, mount;
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%u", pid, fd);
	return read_number(path, "ino:", &found) && found == inode &&
	       read_number(path, "mnt_id:", &mount) && device_of_mount(pid, mount) == dev;
}

void wait_file_look(pid_t pid, u32 fd, struct wait_file *file)
{
	const u64 dev = file->dev, inode = file->inode;
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
	if (inode && (file->dev != dev || file->inode != inode) && is_inode(pid, fd, dev, inode)) {
		file->dev = dev;
		file->inode = inode;
	}
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

	*file->name = '\0';
	if (file->kind == WAIT_FILE_SOCKET) {
		snprintf(net, sizeof(net), "/proc/%d/net", pid);
		wait_socket_name(net, file->inode, file->name);
	}
	if (file->kind != WAIT_FILE_PIPE)
		return;
	each_process(look_for_pipe, &search);
	if (search.other && wait_thread_name(search.other, comm))
		snprintf(file->name, sizeof(file->name), "pipe to %s (%d)", comm, search.other);
}

void wait_file_of_record(const struct gapp_wait_file *record, struct wait_file *file)
{
	const unsigned int major = record->device >> 20, minor = record->device & 0xfffff;

	*file = (struct wait_file){ .dev = wait_file_device(record), .inode = record->inode };
	switch (record->kind << 12) {
	case 0:
		file->kind = record->inode ? WAIT_FILE_ANONYMOUS : WAIT_FILE_NONE;
		break;
	case S_IFSOCK:
		file->kind = WAIT_FILE_SOCKET;
		wait_socket_of_record(record, file->name);
		break;
	case S_IFIFO:
		file->kind = WAIT_FILE_PIPE;
		snprintf(file->name, sizeof(file->name), "pipe %llu", record->inode);
		break;
	default:
		file->kind = WAIT_FILE_PATH;
		snprintf(file->name, sizeof(file->name), "%s %u:%u inode %llu",
			 record->kind << 12 == S_IFDIR ? "directory" : "file", major, minor,
			 record->inode);
	}
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
