/* SPDX-License-Identifier: GPL-2.0 */
/* The wait reason of a thread, by the system call in which it sleeps. */
#ifndef GAPP_CORE_WAIT_REASON_H
#define GAPP_CORE_WAIT_REASON_H

#include <gapp_record.h>

#include "port.h"

/* What kind of file a descriptor refers to: of four bits, the file type in an inode's mode. */
enum gapp_fd_kind {
	GAPP_FD_UNKNOWN = 0,
	GAPP_FD_PIPE = 1,
	GAPP_FD_CHAR = 2, /* a terminal, a device */
	GAPP_FD_DIRECTORY = 4,
	GAPP_FD_BLOCK = 6,
	GAPP_FD_FILE = 8,
	GAPP_FD_SOCKET = 12,
	GAPP_FD_OTHER = 15, /* eventfd, timerfd and the like */
};

/**
 * struct gapp_wait_start - what a thread began to wait in
 * @syscall: number of the system call in the kernel's 64-bit table; -1: an exception or interrupt
 * @args: first three arguments of the system call; unused if gapp_wait_needs_fd()
 * @fd: kind of the file whose descriptor is the first argument, if gapp_wait_needs_fd()
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

u32 gapp_wait_kind(s32 syscall);
bool gapp_wait_needs_fd(u32 kind);
bool gapp_waits_on_fd(s32 syscall);
enum gapp_wait_reason gapp_wait_reason_in_lock(enum gapp_wait_reason reason);
enum gapp_wait_reason gapp_wait_reason_of(u32 kind, const struct gapp_wait_start *start);

#endif /* GAPP_CORE_WAIT_REASON_H */
