/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Raw spinlocks of sections that have interrupts off. Nothing preempts there, so what
 * raw_spin_lock() does to see to that is left out: at every context switch it would be more
 * instructions than the lock itself. With the checks of a debug kernel they are raw_spin_lock().
 */
#ifndef GAPP_LOCK_H
#define GAPP_LOCK_H

#include <linux/spinlock.h>

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
