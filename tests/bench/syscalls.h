/* SPDX-License-Identifier: GPL-2.0 */
/* System calls that are part of the function they are in: libc is not on the call path. */
#ifndef GAPP_BENCH_SYSCALLS_H
#define GAPP_BENCH_SYSCALLS_H

#include <linux/futex.h>
#include <sys/syscall.h>

static inline __attribute__((always_inline)) long syscall4(long number, long a, long b, long c,
							   long d)
{
	register long fourth asm("r10") = d;
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(number), "D"(a), "S"(b), "d"(c), "r"(fourth)
		     : "rcx", "r11", "memory");
	return result;
}

static inline __attribute__((always_inline)) long read_one(int fd, char *byte)
{
	return syscall4(SYS_read, fd, (long)byte, 1, 0);
}

static inline __attribute__((always_inline)) long write_one(int fd, const char *byte)
{
	return syscall4(SYS_write, fd, (long)byte, 1, 0);
}

/* Not of one process only: the other side may be one of its own. */
static inline __attribute__((always_inline)) long futex_wait(int *word, int value)
{
	return syscall4(SYS_futex, (long)word, FUTEX_WAIT, value, 0);
}

static inline __attribute__((always_inline)) long futex_wake(int *word)
{
	return syscall4(SYS_futex, (long)word, FUTEX_WAKE, 1, 0);
}

#endif /* GAPP_BENCH_SYSCALLS_H */
