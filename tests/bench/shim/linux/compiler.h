/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_COMPILER_H
#define GAPP_BENCH_SHIM_COMPILER_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/cdefs.h>

#include "core/port.h"

#define likely(x) __builtin_expect(!!(x), 1)

/* No option of the kernel's is. */
enum { CONFIG_DEBUG_SPINLOCK = 0, CONFIG_PREEMPT_RT = 0 };
static inline int IS_ENABLED(int option)
{
	return option;
}

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define U16_MAX UINT16_MAX
#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))

static inline void barrier(void)
{
	__asm__ __volatile__("" ::: "memory");
}

#endif /* GAPP_BENCH_SHIM_COMPILER_H */
