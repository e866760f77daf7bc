/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A lock that behaves as the kernel's does on x86: one word; the first to wait spins on it, all
 * others stand in a queue in which each spins on a line of its own. Threads must have CPUs of their
 * own, for nobody gives way.
 */
#ifndef GAPP_BENCH_SHIM_SPINLOCK_H
#define GAPP_BENCH_SHIM_SPINLOCK_H

#include <linux/cache.h>
#include <linux/compiler.h>

/* Threads that may wait, each with a number from 1 on. */
#define SHIM_MOST_WAITERS 1024

#define SHIM_LOCKED 1U
#define SHIM_PENDING 0x100U
#define SHIM_TAIL_SHIFT 16

union shim_spinlock {
	u32 word;
	struct {
		u8 locked;
		u8 pending;
		u16 tail;
	};
	u16 locked_pending;
};

#define arch_spinlock_t union shim_spinlock

struct shim_raw_spinlock {
	arch_spinlock_t raw_lock;
};

#define raw_spinlock_t struct shim_raw_spinlock

/* As of a kernel that is in use. */
#define CONFIG_SMP 1

/**
 * struct shim_waiter - a place in a queue
 * @next: who is behind; 0: nobody yet
 * @first: no one is before it any more
 */
struct shim_waiter {
	u32 next;
	u32 first;
} ____cacheline_aligned;

extern struct shim_waiter shim_waiters[SHIM_MOST_WAITERS];
extern __thread u32 shim_waiter_self;

#ifdef __x86_64__
#define shim_pause() __builtin_ia32_pause()
#else
#define shim_pause() barrier()
#endif

static inline void raw_spin_lock_init(raw_spinlock_t *lock)
{
	lock->raw_lock.word = 0;
}

void shim_spin_lock_slow(arch_spinlock_t *lock);

static inline void arch_spin_lock(arch_spinlock_t *lock)
{
	u32 was = 0;

	if (unlikely(!__atomic_compare_exchange_n(&lock->word, &was, SHIM_LOCKED, false,
						  __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
		shim_spin_lock_slow(lock);
}

static inline void arch_spin_unlock(arch_spinlock_t *lock)
{
	/* After all that was done under the lock. */
	smp_store_release(&lock->locked, 0);
}

/* Counting preemption as well would be for nothing here. */
static inline void raw_spin_lock(raw_spinlock_t *lock)
{
	arch_spin_lock(&lock->raw_lock);
}

static inline void raw_spin_unlock(raw_spinlock_t *lock)
{
	arch_spin_unlock(&lock->raw_lock);
}

#endif /* GAPP_BENCH_SHIM_SPINLOCK_H */
