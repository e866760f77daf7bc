/* SPDX-License-Identifier: GPL-2.0 */
/* What a descriptor of a process is, looked at while the process has it open. */
#ifndef GAPP_READ_WAIT_FILES_H
#define GAPP_READ_WAIT_FILES_H

#include <sys/sysmacros.h>
#include <sys/types.h>

#include <gapp_record.h>

#include "util/util.h"

enum wait_file_kind {
	WAIT_FILE_NONE, /* it is not open, or the process is not ours to look at */
	WAIT_FILE_PATH, /* a file, a directory or a device */
	WAIT_FILE_SOCKET,
	WAIT_FILE_PIPE,
	WAIT_FILE_ANONYMOUS, /* epoll, eventfd, timerfd and others that have no inode of their own
			      */
};

#define WAIT_FILE_NAME 320

/**
 * struct wait_file - what a descriptor is
 * @kind: enum wait_file_kind
 * @dev: device of its inode
 * @inode: number of its inode
 * @name: the path, or what it is in words: "tcp 10.0.0.1:4000 to 10.0.0.2:80", "pipe to cat (12)"
 */
struct wait_file {
	enum wait_file_kind kind;
	u64 dev;
	u64 inode;
	char name[WAIT_FILE_NAME];
};

/*
 * Looks at descriptor @fd of a process; @name stays empty for sockets and pipes. @file: has @dev
 * and
 * @inode as the kernel knows them, if a record said so; else 0. stat() may say others of an overlay
 * or a subvolume: if it is that file nevertheless, both stay.
 */
void wait_file_look(pid_t pid, u32 fd, struct wait_file *file);
/* Names a socket or a pipe, which takes longer: once for each. @name stays empty if that fails. */
void wait_file_name(pid_t pid, struct wait_file *file);
/* The device as stat() has it. */
static inline u64 wait_file_device(const struct gapp_wait_file *record)
{
	return makedev(record->device >> 20, record->device & 0xfffff);
}

/* What a record says of a file. @kind is that of a file that has no inode of its own, too. */
void wait_file_of_record(const struct gapp_wait_file *record, struct wait_file *file);

/* Names the socket @inode by the tables below /proc/PID/net. False: they do not have it. */
bool wait_socket_name(const char *net, u64 inode, char *name);
/* Names a socket by what the module read of it. */
void wait_socket_of_record(const struct gapp_wait_file *record, char *name);

/* The name of a thread, GAPP_COMM_LEN bytes at most, with a NUL. False: it has ended. */
bool wait_thread_name(pid_t tid, char *name);

#endif /* GAPP_READ_WAIT_FILES_H */
