/* SPDX-License-Identifier: GPL-2.0 */
/* What a sleeping thread waits for. Of each way to wait its caller is named, as far as it is known.
 */
#ifndef GAPP_VEC_WAITS_H
#define GAPP_VEC_WAITS_H

#include "same.h"
#include "wait_reason.h"

/**
 * struct vec_wait - one sleep
 * @name: who sleeps
 * @must: the class
 * @sleep: its facts
 * @wants_fd: what gapp_wait_needs_fd() must say
 */
struct vec_wait {
	const char *name;
	enum gapp_wait_reason must;
	struct gapp_wait_start sleep;
	bool wants_fd;
};

#define CALL(number, ...)                                           \
	{                                                           \
		.syscall = __NR_##number, .user = true, __VA_ARGS__ \
	}
#define ON(number, kind) CALL(number, .fd = GAPP_FD_##kind), .wants_fd = true
#define FUTEX(op, value) CALL(futex, .args = { 0x7f0000001000, op, value })
#define TID 14137
#define PRIVATE FUTEX_PRIVATE_FLAG
#define REALTIME FUTEX_CLOCK_REALTIME

/* clang-format off */
static const struct vec_wait vec_waits[] = {
	/* glibc */
	{ "mutex", GAPP_WAIT_LOCK, FUTEX(FUTEX_WAIT | PRIVATE, 2) },
	{ "mutex between processes", GAPP_WAIT_LOCK, FUTEX(FUTEX_WAIT, 2) },
	{ "mutex, upper half of the argument", GAPP_WAIT_LOCK,
	  FUTEX(FUTEX_WAIT | PRIVATE, 0xdead00000002) },
	{ "mutex with a deadline", GAPP_WAIT_LOCK, FUTEX(FUTEX_WAIT_BITSET | PRIVATE, 2) },
	{ "robust mutex", GAPP_WAIT_LOCK, FUTEX(FUTEX_WAIT | PRIVATE, 0x80000000 | TID) },
	{ "mutex with priority inheritance", GAPP_WAIT_LOCK, FUTEX(FUTEX_LOCK_PI | PRIVATE, 0) },
	{ "the same with a clock", GAPP_WAIT_LOCK, FUTEX(FUTEX_LOCK_PI2 | PRIVATE, 0) },
	{ "rwlock, phase of writers", GAPP_WAIT_LOCK,
	  FUTEX(FUTEX_WAIT_BITSET | PRIVATE | REALTIME, 3) },
	{ "rwlock, phase of readers", GAPP_WAIT_LOCK,
	  FUTEX(FUTEX_WAIT_BITSET | PRIVATE | REALTIME, 2) },
	{ "condition variable", GAPP_WAIT_QUEUE, FUTEX(FUTEX_WAIT_BITSET | PRIVATE, 0) },
	{ "condition variable, realtime", GAPP_WAIT_QUEUE,
	  FUTEX(FUTEX_WAIT_BITSET | PRIVATE | REALTIME, 0) },
	{ "condition variable since 2.41", GAPP_WAIT_QUEUE,
	  FUTEX(FUTEX_WAIT_BITSET | PRIVATE, 38) },
	{ "condition variable with inheritance", GAPP_WAIT_QUEUE,
	  FUTEX(FUTEX_WAIT_REQUEUE_PI | PRIVATE, 0) },
	{ "semaphore between processes", GAPP_WAIT_QUEUE, FUTEX(FUTEX_WAIT_BITSET | REALTIME, 0) },
	{ "pthread_join()", GAPP_WAIT_JOIN, FUTEX(FUTEX_WAIT_BITSET | REALTIME, TID) },
	{ "pthread_join() of thread 2", GAPP_WAIT_JOIN, FUTEX(FUTEX_WAIT_BITSET | REALTIME, 2) },
	{ "barrier, first round", GAPP_WAIT_BARRIER, FUTEX(FUTEX_WAIT | PRIVATE, 0) },
	{ "barrier, a later round", GAPP_WAIT_BARRIER, FUTEX(FUTEX_WAIT | PRIVATE, 24) },
	{ "barrier between processes", GAPP_WAIT_BARRIER, FUTEX(FUTEX_WAIT, 0) },
	{ "the same, a later round", GAPP_WAIT_BARRIER, FUTEX(FUTEX_WAIT, 8) },
	/* others */
	{ "libgomp: lock", GAPP_WAIT_LOCK, FUTEX(FUTEX_WAIT | PRIVATE, 0xffffffff) },
	{ "musl: mutex", GAPP_WAIT_LOCK, FUTEX(FUTEX_WAIT | PRIVATE, 0x80000010) },
	{ "libstdc++: future", GAPP_WAIT_FUTEX, FUTEX(FUTEX_WAIT, 0x80000000) },
	{ "futex_waitv()", GAPP_WAIT_FUTEX, CALL(futex_waitv) },
	{ "an operation that does not wait", GAPP_WAIT_FUTEX, FUTEX(FUTEX_WAKE | PRIVATE, 1) },
	{ "an operation that does not exist", GAPP_WAIT_FUTEX, FUTEX(77, 2) },

	{ "read from a file", GAPP_WAIT_DISK, ON(read, FILE) },
	{ "read from a pipe", GAPP_WAIT_PIPE, ON(read, PIPE) },
	{ "read from a socket", GAPP_WAIT_NETWORK, ON(read, SOCKET) },
	{ "read from a terminal", GAPP_WAIT_OTHER, ON(read, CHAR) },
	{ "read from an eventfd", GAPP_WAIT_EVENT, ON(read, OTHER) },
	{ "read from no matter what", GAPP_WAIT_OTHER, ON(read, UNKNOWN) },
	{ "write to a pipe", GAPP_WAIT_PIPE, ON(write, PIPE) },
	{ "readv from a socket", GAPP_WAIT_NETWORK, ON(readv, SOCKET) },
	{ "writev to a socket", GAPP_WAIT_NETWORK, ON(writev, SOCKET) },
	{ "pread from a file", GAPP_WAIT_DISK, ON(pread64, FILE) },
	{ "pwritev2 to a file", GAPP_WAIT_DISK, ON(pwritev2, FILE) },
	{ "splice from a pipe", GAPP_WAIT_PIPE, ON(splice, PIPE) },
	{ "sendfile to a socket", GAPP_WAIT_NETWORK, ON(sendfile, SOCKET) },
	{ "ioctl of a file", GAPP_WAIT_DISK, ON(ioctl, FILE) },
	{ "ioctl of a socket", GAPP_WAIT_NETWORK, ON(ioctl, SOCKET) },
	{ "ioctl of a device", GAPP_WAIT_OTHER, ON(ioctl, CHAR) },
	{ "ioctl of a virtual CPU", GAPP_WAIT_OTHER, ON(ioctl, OTHER) },

	{ "recvfrom", GAPP_WAIT_NETWORK, CALL(recvfrom) },
	{ "accept4", GAPP_WAIT_NETWORK, CALL(accept4) },
	{ "connect", GAPP_WAIT_NETWORK, CALL(connect) },
	{ "wait4", GAPP_WAIT_JOIN, CALL(wait4) },
	{ "waitid", GAPP_WAIT_JOIN, CALL(waitid) },
	{ "posix_spawn()", GAPP_WAIT_JOIN, CALL(clone, .args = { CLONE_VM | CLONE_VFORK | 17 }) },
	{ "pthread_create()", GAPP_WAIT_OTHER, CALL(clone, .args = { CLONE_VM | CLONE_THREAD }) },
	{ "clone3", GAPP_WAIT_JOIN, CALL(clone3) },
	{ "nanosleep", GAPP_WAIT_SLEEP, CALL(nanosleep) },
	{ "clock_nanosleep", GAPP_WAIT_SLEEP, CALL(clock_nanosleep) },
	{ "ppoll", GAPP_WAIT_EVENT, CALL(ppoll, .args = { 0x7f0000001000, 1 }) },
	{ "ppoll of nothing", GAPP_WAIT_SLEEP, CALL(ppoll) },
	{ "pselect6", GAPP_WAIT_EVENT, CALL(pselect6, .args = { 5, 0x7f0000001000 }) },
	{ "pselect6 of nothing", GAPP_WAIT_SLEEP, CALL(pselect6) },
	{ "epoll_pwait", GAPP_WAIT_EVENT, CALL(epoll_pwait) },
	{ "epoll_pwait2", GAPP_WAIT_EVENT, CALL(epoll_pwait2) },
	{ "io_uring", GAPP_WAIT_EVENT, CALL(io_uring_enter) },
	{ "io_uring, called I/O", GAPP_WAIT_EVENT, CALL(io_uring_enter, .io_wait = true) },
	{ "libaio", GAPP_WAIT_DISK, CALL(io_getevents) },
	{ "fsync", GAPP_WAIT_DISK, CALL(fsync) },
	{ "fdatasync", GAPP_WAIT_DISK, CALL(fdatasync) },
	{ "msync", GAPP_WAIT_DISK, CALL(msync) },
	{ "syncfs", GAPP_WAIT_DISK, CALL(syncfs) },
	{ "openat", GAPP_WAIT_DISK, CALL(openat) },
	{ "unlinkat", GAPP_WAIT_DISK, CALL(unlinkat) },
	{ "mmap", GAPP_WAIT_MEMORY, CALL(mmap) },
	{ "munmap", GAPP_WAIT_MEMORY, CALL(munmap) },
	{ "mprotect", GAPP_WAIT_MEMORY, CALL(mprotect) },
	{ "brk", GAPP_WAIT_MEMORY, CALL(brk) },
	{ "madvise", GAPP_WAIT_MEMORY, CALL(madvise) },
	{ "mremap", GAPP_WAIT_MEMORY, CALL(mremap) },
	{ "flock", GAPP_WAIT_LOCK, CALL(flock) },
	{ "fcntl", GAPP_WAIT_LOCK, CALL(fcntl) },
	{ "semop", GAPP_WAIT_QUEUE, CALL(semop) },
	{ "msgrcv", GAPP_WAIT_QUEUE, CALL(msgrcv) },
	{ "mq_timedreceive", GAPP_WAIT_QUEUE, CALL(mq_timedreceive) },
	{ "sigwait()", GAPP_WAIT_SIGNAL, CALL(rt_sigtimedwait) },
	{ "sigsuspend()", GAPP_WAIT_SIGNAL, CALL(rt_sigsuspend) },
#ifdef __NR_open
	{ "open", GAPP_WAIT_DISK, CALL(open) },
	{ "poll", GAPP_WAIT_EVENT, CALL(poll, .args = { 0x7f0000001000, 2 }) },
	{ "poll of nothing", GAPP_WAIT_SLEEP, CALL(poll, .args = { 0x7f0000001000, 0 }) },
	{ "select", GAPP_WAIT_EVENT, CALL(select, .args = { 1, 0x7f0000001000 }) },
	{ "select of nothing", GAPP_WAIT_SLEEP, CALL(select) },
	{ "epoll_wait", GAPP_WAIT_EVENT, CALL(epoll_wait) },
	{ "pause", GAPP_WAIT_SIGNAL, CALL(pause) },
	{ "vfork", GAPP_WAIT_JOIN, CALL(vfork) },
#endif

	{ "a disk, whatever the call", GAPP_WAIT_DISK, CALL(getpid, .io_wait = true) },
	{ "a disk, although of a socket", GAPP_WAIT_DISK,
	  CALL(read, .fd = GAPP_FD_SOCKET, .io_wait = true), .wants_fd = true },
	{ "a page", GAPP_WAIT_FAULT, { .syscall = -1, .user = true } },
	{ "a page on a disk", GAPP_WAIT_FAULT, { .syscall = -1, .user = true, .io_wait = true } },
	{ "no user memory", GAPP_WAIT_OTHER, { .syscall = -1 } },
	{ "no user memory, a disk", GAPP_WAIT_DISK, { .syscall = -1, .io_wait = true } },
	{ "a call that is not in the table", GAPP_WAIT_OTHER, CALL(getpid) },
	{ "a call behind the table", GAPP_WAIT_OTHER, { .syscall = 0x7fffffff, .user = true } },
	{ "a call of another table", GAPP_WAIT_OTHER, { .syscall = 0x40000000, .user = true } },
};

/* clang-format on */

#undef CALL
#undef ON
#undef FUTEX
#undef TID
#undef PRIVATE
#undef REALTIME

static inline void vec_wait_run(void *rig, const struct vec_wait *vec)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "sleep" };

	vec_same(&p, "class", gapp_wait_reason_of(gapp_wait_kind(vec->sleep.syscall), &vec->sleep),
		 vec->must);
	vec_same(&p, "wants_fd", gapp_wait_needs_fd(gapp_wait_kind(vec->sleep.syscall)),
		 vec->wants_fd);
}

#endif /* GAPP_VEC_WAITS_H */
