/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_ATOMIC_H
#define GAPP_BENCH_SHIM_ATOMIC_H

#include <linux/compiler.h>

struct shim_atomic {
	int counter;
};

#define atomic_t struct shim_atomic

static inline int atomic_read(const atomic_t *word)
{
	return READ_ONCE(word->counter);
}

static inline void atomic_add(int value, atomic_t *word)
{
	__atomic_fetch_add(&word->counter, value, __ATOMIC_RELAXED);
}

static inline int atomic_fetch_sub_release(int value, atomic_t *word)
{
	return __atomic_fetch_sub(&word->counter, value, __ATOMIC_RELEASE);
}

static inline int atomic_xchg(atomic_t *word, int value)
{
	return __atomic_exchange_n(&word->counter, value, __ATOMIC_SEQ_CST);
}

static inline void atomic_set_release(atomic_t *word, int value)
{
	__atomic_store_n(&word->counter, value, __ATOMIC_RELEASE);
}

static inline bool atomic_try_cmpxchg_acquire(atomic_t *word, int *old, int new)
{
	return __atomic_compare_exchange_n(&word->counter, old, new, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

#define cmpxchg_acquire(word, old, new) cmpxchg(word, old, new)
/* All barriers are complete ones. */
#define smp_mb() __atomic_thread_fence(__ATOMIC_SEQ_CST)
/* The same. */
#define smp_mb__after_atomic() __atomic_thread_fence(__ATOMIC_SEQ_CST)

#endif /* GAPP_BENCH_SHIM_ATOMIC_H */
