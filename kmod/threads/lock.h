/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The lock of a thread. It is a byte beside the thread's state, so that a usual event takes the
 * lock and finds out in one instruction whether the thread is in the state that it expects. It is
 * held with interrupts off, for the time of one event or of one look. In kernels that check locks
 * it is a raw spinlock.
 */
#ifndef GAPP_LOCK_H
#define GAPP_LOCK_H

#include <linux/atomic.h>
#include <linux/irqflags.h>
#include <linux/processor.h>

#include "compat/atomic.h"
#include "thread.h"

#if GAPP_CHECKED_LOCK

static inline void gapp_lock_init(struct gapp_thread *thread)
{
	raw_spin_lock_init(&thread->checked_lock);
}

/* Interrupts off. */
static inline void gapp_lock(struct gapp_thread *thread) __acquires(&thread->checked_lock)
{
	raw_spin_lock(&thread->checked_lock);
}

static inline void gapp_unlock(struct gapp_thread *thread) __releases(&thread->checked_lock)
{
	raw_spin_unlock(&thread->checked_lock);
}

#else

static inline void gapp_lock_init(struct gapp_thread *thread)
{
}

/* Interrupts off. */
static __always_inline void gapp_lock(struct gapp_thread *thread)
{
	while (unlikely(xchg_acquire(&thread->core.held, 1)))
		while (READ_ONCE(thread->core.held))
			cpu_relax();
}

static __always_inline void gapp_unlock(struct gapp_thread *thread)
{
	/* Pairs with the acquire of whoever locks the thread next. */
	smp_store_release(&thread->core.held, 0);
}

#endif

/*
 * Locks the thread if it is in @state, is not special, and nobody else holds the lock. Interrupts
 * off.
 */
static __always_inline bool gapp_lock_usual(struct gapp_thread *thread,
					    const enum gapp_thread_state state)
{
	u32 is = gapp_task_usual(state, 0);

	/* KCSAN would take this for an access to all that is in the word */
	if (!IS_ENABLED(CONFIG_KCSAN) && !GAPP_CHECKED_LOCK)
		return try_cmpxchg_acquire(&thread->core.word, &is, gapp_task_usual(state, 1));
	gapp_lock(thread);
	if (likely(thread->core.state == state && !thread->core.special))
		return true;
	gapp_unlock(thread);
	return false;
}

#define gapp_lock_irqsave(thread, flags) \
	do {                             \
		local_irq_save(flags);   \
		gapp_lock(thread);       \
	} while (0)

static inline void gapp_unlock_irqrestore(struct gapp_thread *thread, unsigned long flags)
{
	gapp_unlock(thread);
	local_irq_restore(flags);
}

#endif /* GAPP_LOCK_H */
