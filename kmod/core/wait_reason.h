/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread waits for, by the system call that it sleeps in. */
#ifndef GAPP_CORE_WAIT_REASON_H
#define GAPP_CORE_WAIT_REASON_H

#include <gapp_record.h>

#include "port.h"

enum gapp_fd_kind {
	GAPP_FD_UNKNOWN,
	GAPP_FD_FILE, /* a regular file, a directory, a block device */
	GAPP_FD_PIPE,
	GAPP_FD_SOCKET,
	GAPP_FD_CHAR, /* a terminal, a device */
	GAPP_FD_OTHER, /* eventfd, timerfd and the like */
};

/**
 * struct gapp_wait_start - facts about a thread that goes to sleep
 * @syscall: number in the kernel's own (64-bit) table; -1: none, so an exception or interrupt
 * @args: its first arguments
 * @fd: what the descriptor in @args[0] is, for system calls that have one there
 * @io_wait: the kernel says that it waits for a disk
 * @user: it has user memory at all
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
