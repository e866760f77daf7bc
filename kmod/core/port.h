/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What core/ needs from its surroundings, in the kernel and in user space. Only this file of core/
 * may test for which of the two it is compiled. In user space the kernel's names for memory order
 * and atomic operations are the compiler's __atomic builtins.
 */
#ifndef GAPP_CORE_PORT_H
#define GAPP_CORE_PORT_H

#ifdef __KERNEL__

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/math64.h>
#include <linux/nospec.h>
#include <linux/string.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/processor.h>
#include <asm/unistd.h>
#include <uapi/linux/futex.h>
#include <uapi/linux/sched.h>

#define __noinline noinline

/*
 * Adds to a count that nobody else changes now. Others read it as it stands, with READ_ONCE().
 * WRITE_ONCE() would take three instructions instead of one.
 */
#define gapp_count(counter, n) data_race((counter) += (n))

/* Plain words, for they lie in structures that are used where there is no atomic_t. */
static inline u32 gapp_fetch_add_u32(u32 *word, u32 n)
{
	return atomic_fetch_add_relaxed(n, (atomic_t *)word);
}

static inline u64 gapp_fetch_add_u64(u64 *word, u64 n)
{
	return atomic64_fetch_add_relaxed(n, (atomic64_t *)word);
}

#else

#include <asm/unistd.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <linux/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#define __packed __attribute((packed))
#define unlikely(condition) __builtin_expect(!!(condition), 0)
#define __noinline __attribute((noinline))
#define __aligned(bytes) __attribute((aligned(bytes)))

typedef __u64 u64;
typedef __s64 s64;
typedef __u32 u32;
typedef __s32 s32;
typedef __u16 u16;
typedef __u8 u8;

#define READ_ONCE(word) __atomic_load_n(&(word), __ATOMIC_RELAXED)
#define WRITE_ONCE(word, value) __atomic_store_n(&(word), value, __ATOMIC_RELAXED)
/* Acquire: what follows comes after the load. */
#define smp_load_acquire(word) __atomic_load_n(word, __ATOMIC_ACQUIRE)
/* Release: what precedes comes before the store. */
#define smp_store_release(word, value) __atomic_store_n(word, value, __ATOMIC_RELEASE)

#define gapp_count(counter, n) ((counter) += (n))

/* Returns the old value; the exchange took place if that equals @old. */
#define cmpxchg(word, old, new)                                                         \
	({                                                                              \
		__typeof__(word) word_ = (word);                                        \
		__typeof__(*word_) was_ = (old);                                        \
		__atomic_compare_exchange_n(word_, &was_, new, false, __ATOMIC_SEQ_CST, \
					    __ATOMIC_SEQ_CST);                          \
		was_;                                                                   \
	})

static inline u32 gapp_fetch_add_u32(u32 *word, u32 n)
{
	return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

static inline u64 gapp_fetch_add_u64(u64 *word, u64 n)
{
	return __atomic_fetch_add(word, n, __ATOMIC_RELAXED);
}

/* The compiler forgets what it knows of the value of @var. */
#define OPTIMIZER_HIDE_VAR(var) __asm__("" : "+r"(var))

/* The kernel's version bounds @index in speculation too; user space needs no such bound. */
static inline u64 array_index_nospec(u64 index, u64 size)
{
	(void)size;
	return index;
}

static inline void cpu_relax(void)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline u64 div_u64(u64 dividend, u32 divisor)
{
	return dividend / divisor;
}

#endif

/* The product of 128 bits, shifted right by @shift. */
static __always_inline s64 gapp_product_s64(s64 a, s64 b, const unsigned int shift)
{
#ifdef __x86_64__
	s64 low = a, high;

	/* A variable of 128 bits makes the compiler align the stack frame of whatever uses it. */
	__asm__("imulq %2\n\tshrdq %3, %1, %0"
		: "+a"(low), "=&d"(high)
		: "rm"(b), "i"(shift)
		: "cc");
	return low;
#else
	return (s64)(((__int128)a * b) >> shift);
#endif
}

#endif /* GAPP_CORE_PORT_H */
