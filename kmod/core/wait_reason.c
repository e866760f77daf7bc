// SPDX-License-Identifier: GPL-2.0
/* System calls in which threads sleep, and what they wait for there. */
#include "wait_reason.h"

/* What takes more than the number: behind the classes, in the same table. */
enum {
	BY_FD = GAPP_WAIT_REASONS,
	BY_DEVICE, /* ioctl() */
	BY_FUTEX,
	BY_POLL,
	BY_SELECT,
	BY_CLONE,
	BY_RING, /* io_uring */
};

/* All that there are, and a power of two. */
#define NUMBERS 512

_Static_assert(GAPP_WAIT_OTHER == 0, "what is not in the table is OTHER");

/* clang-format off */
static const u8 class_of[NUMBERS] = {
	[__NR_read] = BY_FD,
	[__NR_write] = BY_FD,
	[__NR_readv] = BY_FD,
	[__NR_writev] = BY_FD,
	[__NR_pread64] = BY_FD,
	[__NR_pwrite64] = BY_FD,
	[__NR_preadv] = BY_FD,
	[__NR_pwritev] = BY_FD,
	[__NR_preadv2] = BY_FD,
	[__NR_pwritev2] = BY_FD,
	[__NR_splice] = BY_FD,
	[__NR_tee] = BY_FD,
	[__NR_vmsplice] = BY_FD,
	[__NR_sendfile] = BY_FD,
	[__NR_ioctl] = BY_DEVICE,

	[__NR_futex] = BY_FUTEX,
	[__NR_futex_waitv] = GAPP_WAIT_FUTEX,
#ifdef __NR_futex_wait
	[__NR_futex_wait] = GAPP_WAIT_FUTEX,
#endif

	/* Of fcntl() only the commands for locks sleep for long. */
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

	/* Asynchronous I/O before io_uring was of disks only. */
	[__NR_fsync] = GAPP_WAIT_DISK,
	[__NR_fdatasync] = GAPP_WAIT_DISK,
	[__NR_sync] = GAPP_WAIT_DISK,
	[__NR_syncfs] = GAPP_WAIT_DISK,
	[__NR_msync] = GAPP_WAIT_DISK,
#ifdef __NR_sync_file_range
	[__NR_sync_file_range] = GAPP_WAIT_DISK,
#endif
#ifdef __NR_sync_file_range2
	[__NR_sync_file_range2] = GAPP_WAIT_DISK,
#endif
	[__NR_io_submit] = GAPP_WAIT_DISK,
	[__NR_io_getevents] = GAPP_WAIT_DISK,
	[__NR_io_pgetevents] = GAPP_WAIT_DISK,
	[__NR_copy_file_range] = GAPP_WAIT_DISK,
	[__NR_readahead] = GAPP_WAIT_DISK,
	[__NR_fadvise64] = GAPP_WAIT_DISK,
	[__NR_fallocate] = GAPP_WAIT_DISK,
	[__NR_truncate] = GAPP_WAIT_DISK,
	[__NR_ftruncate] = GAPP_WAIT_DISK,

	/* Names and attributes of files. */
	[__NR_openat] = GAPP_WAIT_DISK,
	[__NR_openat2] = GAPP_WAIT_DISK,
	[__NR_getdents64] = GAPP_WAIT_DISK,
	[__NR_statx] = GAPP_WAIT_DISK,
	[__NR_fstat] = GAPP_WAIT_DISK,
#ifdef __NR_newfstatat
	[__NR_newfstatat] = GAPP_WAIT_DISK,
#endif
	[__NR_statfs] = GAPP_WAIT_DISK,
	[__NR_fstatfs] = GAPP_WAIT_DISK,
	[__NR_faccessat] = GAPP_WAIT_DISK,
	[__NR_faccessat2] = GAPP_WAIT_DISK,
	[__NR_readlinkat] = GAPP_WAIT_DISK,
	[__NR_mkdirat] = GAPP_WAIT_DISK,
	[__NR_mknodat] = GAPP_WAIT_DISK,
	[__NR_linkat] = GAPP_WAIT_DISK,
	[__NR_symlinkat] = GAPP_WAIT_DISK,
	[__NR_unlinkat] = GAPP_WAIT_DISK,
#ifdef __NR_renameat
	[__NR_renameat] = GAPP_WAIT_DISK,
#endif
	[__NR_renameat2] = GAPP_WAIT_DISK,
	[__NR_fchmod] = GAPP_WAIT_DISK,
	[__NR_fchmodat] = GAPP_WAIT_DISK,
	[__NR_fchown] = GAPP_WAIT_DISK,
	[__NR_fchownat] = GAPP_WAIT_DISK,
	[__NR_utimensat] = GAPP_WAIT_DISK,
	[__NR_chdir] = GAPP_WAIT_DISK,
	[__NR_getxattr] = GAPP_WAIT_DISK,
	[__NR_lgetxattr] = GAPP_WAIT_DISK,
	[__NR_fgetxattr] = GAPP_WAIT_DISK,
	[__NR_setxattr] = GAPP_WAIT_DISK,
	[__NR_lsetxattr] = GAPP_WAIT_DISK,
	[__NR_fsetxattr] = GAPP_WAIT_DISK,
	[__NR_execve] = GAPP_WAIT_DISK,
	[__NR_execveat] = GAPP_WAIT_DISK,
	[__NR_mount] = GAPP_WAIT_DISK,
	[__NR_umount2] = GAPP_WAIT_DISK,

	[__NR_socket] = GAPP_WAIT_NETWORK,
	[__NR_bind] = GAPP_WAIT_NETWORK,
	[__NR_listen] = GAPP_WAIT_NETWORK,
	[__NR_connect] = GAPP_WAIT_NETWORK,
	[__NR_accept] = GAPP_WAIT_NETWORK,
	[__NR_accept4] = GAPP_WAIT_NETWORK,
	[__NR_sendto] = GAPP_WAIT_NETWORK,
	[__NR_sendmsg] = GAPP_WAIT_NETWORK,
	[__NR_sendmmsg] = GAPP_WAIT_NETWORK,
	[__NR_recvfrom] = GAPP_WAIT_NETWORK,
	[__NR_recvmsg] = GAPP_WAIT_NETWORK,
	[__NR_recvmmsg] = GAPP_WAIT_NETWORK,
	[__NR_shutdown] = GAPP_WAIT_NETWORK,
	[__NR_setsockopt] = GAPP_WAIT_NETWORK,
	[__NR_getsockopt] = GAPP_WAIT_NETWORK,

	[__NR_nanosleep] = GAPP_WAIT_SLEEP,
	[__NR_clock_nanosleep] = GAPP_WAIT_SLEEP,

	[__NR_mmap] = GAPP_WAIT_MEMORY,
	[__NR_munmap] = GAPP_WAIT_MEMORY,
	[__NR_mremap] = GAPP_WAIT_MEMORY,
	[__NR_mprotect] = GAPP_WAIT_MEMORY,
	[__NR_pkey_mprotect] = GAPP_WAIT_MEMORY,
	[__NR_brk] = GAPP_WAIT_MEMORY,
	[__NR_madvise] = GAPP_WAIT_MEMORY,
	[__NR_process_madvise] = GAPP_WAIT_MEMORY,
	[__NR_mlock] = GAPP_WAIT_MEMORY,
	[__NR_mlock2] = GAPP_WAIT_MEMORY,
	[__NR_mlockall] = GAPP_WAIT_MEMORY,
	[__NR_munlock] = GAPP_WAIT_MEMORY,
	[__NR_munlockall] = GAPP_WAIT_MEMORY,
	[__NR_mincore] = GAPP_WAIT_MEMORY,
	[__NR_mbind] = GAPP_WAIT_MEMORY,
	[__NR_migrate_pages] = GAPP_WAIT_MEMORY,
	[__NR_move_pages] = GAPP_WAIT_MEMORY,
	[__NR_remap_file_pages] = GAPP_WAIT_MEMORY,
	[__NR_process_vm_readv] = GAPP_WAIT_MEMORY,
	[__NR_process_vm_writev] = GAPP_WAIT_MEMORY,
	[__NR_shmat] = GAPP_WAIT_MEMORY,
	[__NR_shmdt] = GAPP_WAIT_MEMORY,

	[__NR_ppoll] = BY_POLL,
	[__NR_pselect6] = BY_SELECT,
	[__NR_epoll_pwait] = GAPP_WAIT_EVENT,
	[__NR_epoll_pwait2] = GAPP_WAIT_EVENT,
	[__NR_io_uring_enter] = BY_RING,

	[__NR_rt_sigtimedwait] = GAPP_WAIT_SIGNAL,
	[__NR_rt_sigsuspend] = GAPP_WAIT_SIGNAL,

	/* The old calls, which newer architectures do not have. */
#ifdef __NR_open
	[__NR_open] = GAPP_WAIT_DISK,
	[__NR_creat] = GAPP_WAIT_DISK,
	[__NR_stat] = GAPP_WAIT_DISK,
	[__NR_lstat] = GAPP_WAIT_DISK,
	[__NR_access] = GAPP_WAIT_DISK,
	[__NR_getdents] = GAPP_WAIT_DISK,
	[__NR_readlink] = GAPP_WAIT_DISK,
	[__NR_mkdir] = GAPP_WAIT_DISK,
	[__NR_mknod] = GAPP_WAIT_DISK,
	[__NR_rmdir] = GAPP_WAIT_DISK,
	[__NR_link] = GAPP_WAIT_DISK,
	[__NR_symlink] = GAPP_WAIT_DISK,
	[__NR_unlink] = GAPP_WAIT_DISK,
	[__NR_rename] = GAPP_WAIT_DISK,
	[__NR_chmod] = GAPP_WAIT_DISK,
	[__NR_chown] = GAPP_WAIT_DISK,
	[__NR_lchown] = GAPP_WAIT_DISK,
	[__NR_vfork] = GAPP_WAIT_JOIN,
	[__NR_poll] = BY_POLL,
	[__NR_select] = BY_SELECT,
	[__NR_epoll_wait] = GAPP_WAIT_EVENT,
	[__NR_pause] = GAPP_WAIT_SIGNAL,
#endif
};

/* clang-format on */

static u32 look_up(s32 syscall)
{
	u32 index = syscall;

	if (index >= NUMBERS)
		return GAPP_WAIT_OTHER;
	/* A tracer sets it to what it likes: for a CPU that guesses it is within bounds too. */
	OPTIMIZER_HIDE_VAR(index);
	return class_of[index % NUMBERS];
}

/*
 * FUTEX_WAIT, by whose value it waits to change. Whether it is private tells nothing: what is
 * between processes is not.
 *
 *	2		glibc: a mutex with waiters; Go's, musl's and others' locks are alike
 *	~0		libgomp: the same
 *	bit 31, tid	glibc: a robust mutex and its owner; musl: a mutex
 *	bit 31 alone	libstdc++: a future
 *	else		glibc: a barrier's round; libgomp: its generation. Also 1: pthread_once(),
 *and before 2.31 a thread's id: pthread_join()
 */
static enum gapp_wait_reason class_of_wait(u32 value)
{
	if (value == 2 || value == ~0U || (value & FUTEX_WAITERS && value & FUTEX_TID_MASK))
		return GAPP_WAIT_LOCK;
	if (value & FUTEX_WAITERS)
		return GAPP_WAIT_FUTEX;
	return GAPP_WAIT_BARRIER;
}

/*
 * FUTEX_WAIT_BITSET: glibc uses it where the wait may have an end.
 *
 *	0		a condition variable until 2.40, a semaphore, also between processes
 *	2, 3		a rwlock; a mutex with an end of the wait
 *	a tid		pthread_join(), never private: the kernel wakes it
 *	else		a condition variable since 2.41: how many signals there were
 */
static enum gapp_wait_reason class_of_wait_bitset(bool private, u32 value)
{
	if (!value)
		return GAPP_WAIT_QUEUE;
	if (!private)
		return GAPP_WAIT_JOIN;
	return value == 2 || value == 3 ? GAPP_WAIT_LOCK : GAPP_WAIT_QUEUE;
}

static enum gapp_wait_reason class_of_futex(u32 op, u32 value)
{
	bool private = op & FUTEX_PRIVATE_FLAG;

	switch (op & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
		return class_of_wait(value);
	case FUTEX_WAIT_BITSET:
		return class_of_wait_bitset(private, value);
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
		return GAPP_WAIT_LOCK;
	case FUTEX_WAIT_REQUEUE_PI:
		return GAPP_WAIT_QUEUE; /* a condition variable with such a mutex */
	default:
		return GAPP_WAIT_FUTEX;
	}
}

static enum gapp_wait_reason class_of_fd(enum gapp_fd_kind fd)
{
	switch (fd) {
	case GAPP_FD_FILE:
		return GAPP_WAIT_DISK;
	case GAPP_FD_PIPE:
		return GAPP_WAIT_PIPE;
	case GAPP_FD_SOCKET:
		return GAPP_WAIT_NETWORK;
	case GAPP_FD_OTHER:
		return GAPP_WAIT_EVENT;
	default:
		return GAPP_WAIT_OTHER;
	}
}

/**
 * gapp_wait_wants_fd() - whether what the first argument refers to says what is waited for
 * @syscall: the system call
 *
 * Those of sockets do not need it: they work on nothing else.
 *
 * Return: true if gapp_wait_reason_of() looks at &gapp_wait_start.fd for it.
 */
bool gapp_wait_wants_fd(s32 syscall)
{
	u32 class = look_up(syscall);

	return class == BY_FD || class == BY_DEVICE;
}

/**
 * gapp_wait_reason_of() - what a thread waits for
 * @start: what is known of its sleep
 *
 * Return: the class.
 */
enum gapp_wait_reason gapp_wait_reason_of(const struct gapp_wait_start *start)
{
	u32 class = look_up(start->syscall);

	if (start->syscall < 0 && start->user)
		return GAPP_WAIT_FAULT;
	/* Newer kernels call every wait for a completion of io_uring a wait for a disk. */
	if (class == BY_RING)
		return GAPP_WAIT_EVENT;
	if (start->io_wait)
		return GAPP_WAIT_DISK;

	switch (class) {
	case BY_FD:
		return class_of_fd(start->fd);
	case BY_DEVICE:
		/* What is none of the others answers with something of its own. */
		return start->fd == GAPP_FD_OTHER ? GAPP_WAIT_OTHER : class_of_fd(start->fd);
	case BY_FUTEX:
		return class_of_futex(start->args[1], start->args[2]);
	case BY_POLL:
		return (u32)start->args[1] ? GAPP_WAIT_EVENT : GAPP_WAIT_SLEEP;
	case BY_SELECT:
		return (u32)start->args[0] ? GAPP_WAIT_EVENT : GAPP_WAIT_SLEEP;
	case BY_CLONE:
		return start->args[0] & CLONE_VFORK ? GAPP_WAIT_JOIN : GAPP_WAIT_OTHER;
	default:
		return class;
	}
}
