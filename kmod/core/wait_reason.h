/* SPDX-License-Identifier: GPL-2.0 */
/* The wait reason of a thread, by the system call in which it sleeps. */
#ifndef GAPP_CORE_WAIT_REASON_H
#define GAPP_CORE_WAIT_REASON_H

#include <gapp_record.h>

#include "port.h"

/* What kind of file a descriptor refers to. */
enum gapp_fd_kind {
	GAPP_FD_UNKNOWN,
	GAPP_FD_FILE, /* a regular file, a directory, a block device */
	GAPP_FD_PIPE,
	GAPP_FD_SOCKET,
	GAPP_FD_CHAR, /* a terminal, a device */
	GAPP_FD_OTHER, /* eventfd, timerfd and the like */
};

/**
 * struct gapp_wait_start - what a thread began to wait in
 * @syscall: number of the system call in the kernel's 64-bit table; -1: an exception or interrupt
 * @args: first three arguments of the system call
 * @fd: kind of the file whose descriptor is @args[0], if gapp_wait_wants_fd()
 * @io_wait: the kernel counts the thread as waiting for a disk
 * @user: the thread has user memory; only if @syscall is below 0
 */
struct gapp_wait_start {
	s32 syscall;
	u64 args[3];
	enum gapp_fd_kind fd;
	bool io_wait;
	bool user;
};

bool gapp_wait_wants_fd(s32 syscall);
enum gapp_wait_reason gapp_wait_reason_of(const struct gapp_wait_start *start);

#endif /* GAPP_CORE_WAIT_REASON_H */
