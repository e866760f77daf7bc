// SPDX-License-Identifier: GPL-2.0
/* kmod/core/wait_reason.c: what a sleeping thread waits for. */
#include "rig.h"

#include "waits.h"

static void test_wait(void **state)
{
	struct rig rig = { 0 };

	vec_wait_run(&rig, *state);
	rig_done(&rig);
}

/* Whatever the number and the arguments: the class is one that exists. */
static void test_all_numbers(void **state)
{
	static const s32 far[] = { -2147483647 - 1, -2, -1, 0x40000000, 0x7fffffff };
	struct gapp_wait_start sleep = { 0 };
	s32 i;
	u32 k;

	(void)state;
	for (i = 0; i < 4096 + (s32)RIG_COUNT(far); i++) {
		sleep.syscall = i < 4096 ? i : far[i - 4096];
		for (k = 0; k < 512; k++) {
			sleep.fd = k % 6;
			sleep.io_wait = k & 64;
			sleep.user = k & 128;
			sleep.args[0] = k & 256 ? ~0ULL : k;
			sleep.args[1] = sleep.args[0];
			sleep.args[2] = ~sleep.args[0];
			assert_in_range(gapp_wait_reason_of(gapp_wait_kind(sleep.syscall), &sleep),
					GAPP_WAIT_OTHER, GAPP_WAIT_FUTEX);
		}
		if (gapp_wait_needs_fd(gapp_wait_kind(sleep.syscall)))
			assert_in_range(sleep.syscall, 0, 1000);
	}
}

#define N(name) __NR_##name

/* clang-format off */
static const s32 disk[] = {
	N(fsync), N(fdatasync), N(sync), N(syncfs), N(msync), N(io_submit), N(io_getevents),
	N(io_pgetevents), N(copy_file_range), N(readahead), N(fadvise64), N(fallocate),
	N(truncate), N(ftruncate), N(openat), N(openat2), N(getdents64), N(statx), N(fstat),
	N(statfs), N(fstatfs), N(faccessat), N(faccessat2), N(readlinkat), N(mkdirat), N(mknodat),
	N(linkat), N(symlinkat), N(unlinkat), N(renameat2), N(fchmod), N(fchmodat), N(fchown),
	N(fchownat), N(utimensat), N(chdir), N(getxattr), N(lgetxattr), N(fgetxattr), N(setxattr),
	N(lsetxattr), N(fsetxattr), N(execve), N(execveat), N(mount), N(umount2),
#ifdef __NR_open
	N(open), N(creat), N(stat), N(lstat), N(access), N(getdents), N(readlink),
	N(mkdir), N(mknod), N(rmdir), N(link), N(symlink), N(unlink), N(rename), N(chmod),
	N(chown), N(lchown),
#endif
};

static const s32 network[] = {
	N(socket), N(bind), N(listen), N(connect), N(accept), N(accept4), N(sendto), N(sendmsg),
	N(sendmmsg), N(recvfrom), N(recvmsg), N(recvmmsg), N(shutdown), N(setsockopt),
	N(getsockopt),
};

static const s32 memory[] = {
	N(mmap), N(munmap), N(mremap), N(mprotect), N(pkey_mprotect), N(brk), N(madvise),
	N(process_madvise), N(mlock), N(mlock2), N(mlockall), N(munlock), N(munlockall), N(mincore),
	N(mbind), N(migrate_pages), N(move_pages), N(remap_file_pages), N(process_vm_readv),
	N(process_vm_writev), N(shmat), N(shmdt),
};

static const s32 queue[] = {
	N(semop), N(semtimedop), N(msgsnd), N(msgrcv), N(mq_timedsend), N(mq_timedreceive),
};

/* clang-format on */

static void all_are(const s32 *syscalls, size_t count, enum gapp_wait_reason reason)
{
	for (size_t i = 0; i < count; i++) {
		struct gapp_wait_start start = { .syscall = syscalls[i], .user = true };

		assert_int_equal(gapp_wait_reason_of(gapp_wait_kind(start.syscall), &start),
				 reason);
		assert_false(gapp_wait_needs_fd(gapp_wait_kind(syscalls[i])));
	}
}

static void test_plain_system_calls(void **state)
{
	(void)state;
	all_are(disk, RIG_COUNT(disk), GAPP_WAIT_DISK);
	all_are(network, RIG_COUNT(network), GAPP_WAIT_NETWORK);
	all_are(memory, RIG_COUNT(memory), GAPP_WAIT_MEMORY);
	all_are(queue, RIG_COUNT(queue), GAPP_WAIT_QUEUE);
}

/* What changes the memory map, or faults, waits for the lock of the address space. */
static void test_locks_of_the_kernel(void **state)
{
	(void)state;
	for (u32 reason = 0; reason < GAPP_WAIT_REASONS; reason++)
		assert_int_equal(gapp_wait_reason_in_lock(reason),
				 reason == GAPP_WAIT_FAULT || reason == GAPP_WAIT_MEMORY ?
					 reason :
					 GAPP_WAIT_KERNEL_LOCK);
}

/* An address, a process, or nothing: none of these is a descriptor. */
static void test_descriptors(void **state)
{
	/* clang-format off */
	static const s32 on[] = {
		N(read), N(pwritev2), N(sendfile), N(ioctl), N(flock), N(fsync), N(recvfrom),
		N(accept), N(connect), N(epoll_pwait), N(io_uring_enter), N(mq_timedreceive),
	};
	static const s32 off[] = {
		-1, N(futex), N(wait4), N(nanosleep), N(ppoll), N(openat), N(mmap), N(semop),
		N(socket), N(sync), N(execve), N(statfs), 511, 512, 513, 512 + N(read), 0x7fffffff,
		(s32)0x80000000,
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < RIG_COUNT(on); i++)
		assert_true(gapp_waits_on_fd(on[i]));
	for (size_t i = 0; i < RIG_COUNT(off); i++)
		assert_false(gapp_waits_on_fd(off[i]));
}

/* Where the kind of a file decides, the first argument is its descriptor. */
static void test_kinds_are_of_descriptors(void **state)
{
	(void)state;
	for (s32 syscall = 0; syscall < 1024; syscall++)
		if (gapp_wait_needs_fd(gapp_wait_kind(syscall)))
			assert_true(gapp_waits_on_fd(syscall));
}

int main(void)
{
	static struct rig_group group;
	size_t i;

	for (i = 0; i < RIG_COUNT(vec_waits); i++)
		rig_add(&group, vec_waits[i].name, test_wait, &vec_waits[i]);
	rig_add(&group, "system calls of one reason", test_plain_system_calls, NULL);
	rig_add(&group, "system calls on a descriptor", test_descriptors, NULL);
	rig_add(&group, "locks of the kernel", test_locks_of_the_kernel, NULL);
	rig_add(&group, "kinds of files", test_kinds_are_of_descriptors, NULL);
	rig_add(&group, "any number at all", test_all_numbers, NULL);
	return rig_run("wait_reason", &group);
}
