// SPDX-License-Identifier: GPL-2.0
/* Finds the wait reason of a system call. */
#include "wait_reason.h"

/* Values of the table besides wait reasons: these calls need a look at their arguments. */
enum {
	BY_FD = GAPP_WAIT_REASONS, /* the kind of the file decides */
	BY_DEVICE, /* ioctl() */
	BY_FUTEX, /* operation and value decide */
	BY_POLL, /* without descriptors it is a sleep */
	BY_SELECT,
	BY_CLONE, /* it sleeps only as a vfork() */
	BY_RING, /* io_uring */
};

/* More than any system call number; a power of two. */
#define NUMBERS 512

_Static_assert(GAPP_WAIT_OTHER == 0, "system calls without an entry are OTHER");

/* clang-format off */
#define FD(name)[__NR_##name] = BY_FD
#define DISK(name)[__NR_##name] = GAPP_WAIT_DISK
#define NETWORK(name)[__NR_##name] = GAPP_WAIT_NETWORK
#define MEMORY(name)[__NR_##name] = GAPP_WAIT_MEMORY

static const u8 reason_of[NUMBERS] = {
	FD(read), FD(write), FD(readv), FD(writev), FD(pread64), FD(pwrite64), FD(preadv),
	FD(pwritev), FD(preadv2), FD(pwritev2), FD(splice), FD(tee), FD(vmsplice), FD(sendfile),
	[__NR_ioctl] = BY_DEVICE,

	[__NR_futex] = BY_FUTEX,
#ifdef __NR_futex_waitv
	[__NR_futex_waitv] = GAPP_WAIT_FUTEX,
#endif
#ifdef __NR_futex_wait
	[__NR_futex_wait] = GAPP_WAIT_FUTEX,
#endif

	/* Only the lock commands of fcntl() sleep for long. */
	[__NR_fcntl] = GAPP_WAIT_LOCK,
	[__NR_flock] = GAPP_WAIT_LOCK,

	/* Semaphores and message queues of System V and POSIX. */
	[__NR_semop] = GAPP_WAIT_QUEUE,
	[__NR_semtimedop] = GAPP_WAIT_QUEUE,
	[__NR_msgsnd] = GAPP_WAIT_QUEUE,
	[__NR_msgrcv] = GAPP_WAIT_QUEUE,
	[__NR_mq_timedsend] = GAPP_WAIT_QUEUE,
	[__NR_mq_timedreceive] = GAPP_WAIT_QUEUE,

	/* clone3() sleeps for long only as a vfork(), until the child executes a file or ends. */
	[__NR_wait4] = GAPP_WAIT_JOIN,
	[__NR_waitid] = GAPP_WAIT_JOIN,
	[__NR_clone] = BY_CLONE,
	[__NR_clone3] = GAPP_WAIT_JOIN,

	/* Asynchronous I/O before io_uring was for disks only. */
	DISK(fsync), DISK(fdatasync), DISK(sync), DISK(syncfs), DISK(msync),
#ifdef __NR_sync_file_range
	DISK(sync_file_range),
#endif
#ifdef __NR_sync_file_range2
	DISK(sync_file_range2),
#endif
	DISK(io_submit), DISK(io_getevents), DISK(io_pgetevents), DISK(copy_file_range),
	DISK(readahead), DISK(fadvise64), DISK(fallocate), DISK(truncate), DISK(ftruncate),

	/* Names and attributes of files. */
	DISK(openat), DISK(openat2), DISK(getdents64), DISK(statx), DISK(fstat),
#ifdef __NR_newfstatat
	DISK(newfstatat),
#endif
	DISK(statfs), DISK(fstatfs), DISK(faccessat), DISK(faccessat2), DISK(readlinkat),
	DISK(mkdirat), DISK(mknodat), DISK(linkat), DISK(symlinkat), DISK(unlinkat),
#ifdef __NR_renameat
	DISK(renameat),
#endif
	DISK(renameat2), DISK(fchmod), DISK(fchmodat), DISK(fchown), DISK(fchownat),
	DISK(utimensat), DISK(chdir), DISK(getxattr), DISK(lgetxattr), DISK(fgetxattr),
	DISK(setxattr), DISK(lsetxattr), DISK(fsetxattr), DISK(execve), DISK(execveat),
	DISK(mount), DISK(umount2),

	NETWORK(socket), NETWORK(bind), NETWORK(listen), NETWORK(connect), NETWORK(accept),
	NETWORK(accept4), NETWORK(sendto), NETWORK(sendmsg), NETWORK(sendmmsg), NETWORK(recvfrom),
	NETWORK(recvmsg), NETWORK(recvmmsg), NETWORK(shutdown), NETWORK(setsockopt),
	NETWORK(getsockopt),

	[__NR_nanosleep] = GAPP_WAIT_SLEEP,
	[__NR_clock_nanosleep] = GAPP_WAIT_SLEEP,

	MEMORY(mmap), MEMORY(munmap), MEMORY(mremap), MEMORY(mprotect), MEMORY(pkey_mprotect),
	MEMORY(brk), MEMORY(madvise), MEMORY(process_madvise), MEMORY(mlock), MEMORY(mlock2),
	MEMORY(mlockall), MEMORY(munlock), MEMORY(munlockall), MEMORY(mincore), MEMORY(mbind),
	MEMORY(migrate_pages), MEMORY(move_pages), MEMORY(remap_file_pages),
	MEMORY(process_vm_readv), MEMORY(process_vm_writev), MEMORY(shmat), MEMORY(shmdt),

	[__NR_ppoll] = BY_POLL,
	[__NR_pselect6] = BY_SELECT,
	[__NR_epoll_pwait] = GAPP_WAIT_EVENT,
#ifdef __NR_epoll_pwait2
	[__NR_epoll_pwait2] = GAPP_WAIT_EVENT,
#endif
	[__NR_io_uring_enter] = BY_RING,

	[__NR_rt_sigtimedwait] = GAPP_WAIT_SIGNAL,
	[__NR_rt_sigsuspend] = GAPP_WAIT_SIGNAL,

	/* Old system calls that newer architectures do not have. */
#ifdef __NR_open
	DISK(open), DISK(creat), DISK(stat), DISK(lstat), DISK(access), DISK(getdents),
	DISK(readlink), DISK(mkdir), DISK(mknod), DISK(rmdir), DISK(link), DISK(symlink),
	DISK(unlink), DISK(rename), DISK(chmod), DISK(chown), DISK(lchown),
	[__NR_vfork] = GAPP_WAIT_JOIN,
	[__NR_poll] = BY_POLL,
	[__NR_select] = BY_SELECT,
	[__NR_epoll_wait] = GAPP_WAIT_EVENT,
	[__NR_pause] = GAPP_WAIT_SIGNAL,
#endif
};

#define ON_FD(name)[__NR_##name] = 1

/* System calls that may sleep and whose first argument is a descriptor. */
static const u8 on_fd[NUMBERS] = {
	ON_FD(read), ON_FD(write), ON_FD(readv), ON_FD(writev), ON_FD(pread64), ON_FD(pwrite64),
	ON_FD(preadv), ON_FD(pwritev), ON_FD(preadv2), ON_FD(pwritev2), ON_FD(splice), ON_FD(tee),
	ON_FD(vmsplice), ON_FD(sendfile), ON_FD(ioctl), ON_FD(fcntl), ON_FD(flock),
	ON_FD(mq_timedsend), ON_FD(mq_timedreceive), ON_FD(fsync), ON_FD(fdatasync), ON_FD(syncfs),
#ifdef __NR_sync_file_range
	ON_FD(sync_file_range),
#endif
	ON_FD(copy_file_range), ON_FD(readahead), ON_FD(fadvise64), ON_FD(fallocate),
	ON_FD(ftruncate), ON_FD(getdents64), ON_FD(fstat), ON_FD(fstatfs), ON_FD(fchmod),
	ON_FD(fchown), ON_FD(connect), ON_FD(accept), ON_FD(accept4), ON_FD(sendto), ON_FD(sendmsg),
	ON_FD(sendmmsg), ON_FD(recvfrom), ON_FD(recvmsg), ON_FD(recvmmsg), ON_FD(shutdown),
	ON_FD(epoll_pwait), ON_FD(io_uring_enter),
#ifdef __NR_epoll_pwait2
	ON_FD(epoll_pwait2),
#endif
#ifdef __NR_epoll_wait
	ON_FD(epoll_wait),
#endif
#ifdef __NR_getdents
	ON_FD(getdents),
#endif
};

/* clang-format on */

/**
 * gapp_wait_kind() - how the wait reason of a system call is found
 * @syscall: number of the system call
 *
 * Return: a number for gapp_wait_needs_fd() and gapp_wait_reason_of().
 */
u32 gapp_wait_kind(s32 syscall)
{
	u32 index = syscall;

	if (unlikely(index >= NUMBERS))
		return GAPP_WAIT_OTHER;
	/* A tracer may set any number; the CPU must not read out of bounds by speculation either.
	 */
	OPTIMIZER_HIDE_VAR(index);
	return reason_of[index % NUMBERS];
}

/*
 * The wait reason of FUTEX_WAIT, by the value that the futex had. The private flag does not help:
 * an object shared between processes has none.
 *
 *	2		a mutex with waiters: glibc, Go, musl and others
 *	~0		a mutex with waiters: libgomp
 *	bit 31, tid	a robust mutex and its owner: glibc; a mutex: musl
 *	bit 31 alone	a future: libstdc++
 *	else		the round of a barrier: glibc, libgomp; rarely pthread_once() with 1, and
 *			pthread_join() with a thread id before glibc 2.31
 */
static enum gapp_wait_reason reason_of_wait(u32 value)
{
	if (value == 2 || value == ~0U || (value & FUTEX_WAITERS && value & FUTEX_TID_MASK))
		return GAPP_WAIT_LOCK;
	if (value & FUTEX_WAITERS)
		return GAPP_WAIT_FUTEX;
	return GAPP_WAIT_BARRIER;
}

/*
 * The wait reason of FUTEX_WAIT_BITSET, which glibc uses for waits that may time out, by the value.
 *
 *	0		a condition variable until glibc 2.40, a semaphore
 *	2, 3		a rwlock; a mutex with a timeout
 *	a tid		pthread_join(), never private, for the kernel wakes the thread
 *	else		a condition variable since glibc 2.41: its number of signals
 */
static enum gapp_wait_reason reason_of_wait_bitset(bool private, u32 value)
{
	if (!value)
		return GAPP_WAIT_QUEUE;
	if (!private)
		return GAPP_WAIT_JOIN;
	return value == 2 || value == 3 ? GAPP_WAIT_LOCK : GAPP_WAIT_QUEUE;
}

static enum gapp_wait_reason reason_of_futex(u32 op, u32 value)
{
	bool private = op & FUTEX_PRIVATE_FLAG;

	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return reason_of_wait(value);
	case FUTEX_WAIT_BITSET:
		return reason_of_wait_bitset(private, value);
	case FUTEX_LOCK_PI:
#ifdef FUTEX_LOCK_PI2
	case FUTEX_LOCK_PI2:
#endif
		return GAPP_WAIT_LOCK;
	case FUTEX_WAIT_REQUEUE_PI:
		return GAPP_WAIT_QUEUE; /* a condition variable with such a mutex */
	default:
		return GAPP_WAIT_FUTEX;
	}
}

/* All other kinds are OTHER. */
static const u8 reason_of_kind[16] = {
	[GAPP_FD_FILE] = GAPP_WAIT_DISK,      [GAPP_FD_DIRECTORY] = GAPP_WAIT_DISK,
	[GAPP_FD_BLOCK] = GAPP_WAIT_DISK,     [GAPP_FD_PIPE] = GAPP_WAIT_PIPE,
	[GAPP_FD_SOCKET] = GAPP_WAIT_NETWORK, [GAPP_FD_OTHER] = GAPP_WAIT_EVENT,
};

/* The wait reasons that are asked for last: few threads wait so, or rarely. */
static enum gapp_wait_reason reason_of_others(u32 reason, const struct gapp_wait_start *start)
{
	switch (reason) {
	case BY_RING:
		return GAPP_WAIT_EVENT;
	case BY_DEVICE:
		/* An ioctl() of an eventfd or the like may mean anything. */
		return start->fd == GAPP_FD_OTHER ? GAPP_WAIT_OTHER : reason_of_kind[start->fd];
	case BY_POLL:
		return (u32)start->args[1] ? GAPP_WAIT_EVENT : GAPP_WAIT_SLEEP;
	case BY_SELECT:
		return (u32)start->args[0] ? GAPP_WAIT_EVENT : GAPP_WAIT_SLEEP;
	default:
		return start->args[0] & CLONE_VFORK ? GAPP_WAIT_JOIN : GAPP_WAIT_OTHER;
	}
}

/**
 * gapp_wait_needs_fd() - whether the wait reason depends on the kind of a file
 * @kind: gapp_wait_kind() of the system call
 *
 * Return: true if gapp_wait_reason_of() looks at &gapp_wait_start.fd.
 */
bool gapp_wait_needs_fd(u32 kind)
{
	return kind == BY_FD || kind == BY_DEVICE;
}

/**
 * gapp_waits_on_fd() - whether a thread in a system call waits for a descriptor's file
 * @syscall: number of the system call; -1: none
 *
 * Return: true if the first argument is a descriptor.
 */
bool gapp_waits_on_fd(s32 syscall)
{
	u32 index = syscall;

	if (unlikely(index >= NUMBERS))
		return false;
	/* as in gapp_wait_kind() */
	OPTIMIZER_HIDE_VAR(index);
	return on_fd[index % NUMBERS];
}

/**
 * gapp_wait_reason_of() - what a thread waits for
 * @kind: gapp_wait_kind() of the system call
 * @start: what the thread began to wait in
 *
 * Return: its wait reason.
 */
enum gapp_wait_reason gapp_wait_reason_of(u32 kind, const struct gapp_wait_start *start)
{
	const bool fault = start->syscall < 0 && start->user;

	/* Newer kernels count every wait for io_uring as a wait for a disk. */
	if (unlikely(start->io_wait) && kind != BY_RING)
		return fault ? GAPP_WAIT_FAULT : GAPP_WAIT_DISK;
	if (kind == BY_FD)
		return reason_of_kind[start->fd];
	if (kind == BY_FUTEX)
		return reason_of_futex(start->args[1], start->args[2]);
	if (kind < BY_FD)
		return fault ? GAPP_WAIT_FAULT : kind;
	return reason_of_others(kind, start);
}

/**
 * gapp_wait_reason_in_lock() - what a thread waits for that sleeps for a lock in the kernel
 * @reason: its wait reason by the system call
 *
 * Faults and calls that change the memory map nearly always wait for the lock of the address space,
 * which their reasons stand for.
 *
 * Return: its wait reason.
 */
enum gapp_wait_reason gapp_wait_reason_in_lock(enum gapp_wait_reason reason)
{
	return reason == GAPP_WAIT_FAULT || reason == GAPP_WAIT_MEMORY ? reason :
									 GAPP_WAIT_KERNEL_LOCK;
}
