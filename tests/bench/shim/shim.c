// SPDX-License-Identifier: GPL-2.0
/* What of the kernel's lock is not a few instructions, and what its clock needs. */
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "threads/clock.h"

struct shim_clock shim_clock;
/* NULL: the module's clock is the kernel's. */
const struct gapp_scale *gapp_clock_scale;
struct shim_waiter shim_waiters[SHIM_MOST_WAITERS];
__thread u32 shim_waiter_self;

static void take_as_pending(arch_spinlock_t *lock)
{
	/* Pairs with arch_spin_unlock(). */
	while (smp_load_acquire(&lock->locked))
		shim_pause();
	/* Only the one that is pending may take it now. */
	WRITE_ONCE(lock->locked_pending, SHIM_LOCKED);
}

static void take_from_queue(arch_spinlock_t *lock, u32 self)
{
	struct shim_waiter *waiter = &shim_waiters[self];
	u32 alone = self << SHIM_TAIL_SHIFT;
	u16 before;

	waiter->next = 0;
	waiter->first = 0;
	before = __atomic_exchange_n(&lock->tail, self, __ATOMIC_ACQ_REL);
	if (before) {
		/* The place is filled in. */
		smp_store_release(&shim_waiters[before].next, self);
		/* Pairs with the release below, of the one before. */
		while (!smp_load_acquire(&waiter->first))
			shim_pause();
	}
	/* Pairs with arch_spin_unlock(). */
	while (smp_load_acquire(&lock->locked_pending))
		shim_pause();
	if (__atomic_compare_exchange_n(&lock->word, &alone, SHIM_LOCKED, false, __ATOMIC_ACQUIRE,
					__ATOMIC_RELAXED))
		return;
	/* Others are behind, and so nobody may become pending. */
	WRITE_ONCE(lock->locked, 1);
	/* Pairs with the release above, of the one behind. */
	while (!smp_load_acquire(&waiter->next))
		shim_pause();
	/* It is the first now. */
	smp_store_release(&shim_waiters[waiter->next].first, 1);
}

void shim_spin_lock_slow(arch_spinlock_t *lock)
{
	u32 was;

	if (!(READ_ONCE(lock->word) & ~SHIM_LOCKED)) {
		was = __atomic_fetch_or(&lock->word, SHIM_PENDING, __ATOMIC_ACQUIRE);
		if (!(was & ~SHIM_LOCKED)) {
			take_as_pending(lock);
			return;
		}
		if (!(was & SHIM_PENDING))
			__atomic_store_n(&lock->pending, 0, __ATOMIC_RELAXED);
	}
	take_from_queue(lock, shim_waiter_self);
}
