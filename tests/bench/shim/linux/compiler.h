/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_COMPILER_H
#define GAPP_BENCH_SHIM_COMPILER_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

#include "core/port.h"

#define likely(x) __builtin_expect(!!(x), 1)

#define noinline __attribute__((noinline))
#define __LITTLE_ENDIAN 1234
#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define U16_MAX UINT16_MAX
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

static inline void barrier(void)
{
	__asm__ __volatile__("" ::: "memory");
}

/* On x86 a barrier between reads, or between writes, is one for the compiler only. */
#define smp_rmb() __atomic_thread_fence(__ATOMIC_ACQUIRE)
/* The same for writes. */
#define smp_wmb() __atomic_thread_fence(__ATOMIC_RELEASE)

#ifdef __x86_64__
#define shim_pause() __builtin_ia32_pause()
#else
#define shim_pause() barrier()
#endif

#endif /* GAPP_BENCH_SHIM_COMPILER_H */
