// SPDX-License-Identifier: GPL-2.0
/*
 * Which lock in the kernel a thread waits for. The kernel says when a thread finds a lock taken,
 * and when it has it. Of a lock for which a thread may sleep this is noted in the thread; whether
 * it sleeps meanwhile, the scheduler's events tell.
 */
#include "compat/lock_tp.h"
#include "compat/preempt.h"
#include "fault/fault.h"
#include "switch.h"

/*
 * What is noted of current; NULL: the session does not follow it, or an interrupt is on. Under RCU.
 * Softirqs count: with PREEMPT_RT they may sleep for a lock in the thread that they interrupted.
 */
static __always_inline struct gapp_kernel_wait *noted(const struct gapp_session *session,
						      unsigned long bucket)
{
	struct gapp_thread *thread;

	if (in_nmi() || in_hardirq())
		return NULL;
	thread = gapp_find(&session->threads, bucket, current);
	return thread ? gapp_thread_kernel_wait(thread) : NULL;
}

static void contended(struct gapp_kernel_wait *wait, const void *told, unsigned int flags)
{
	const bool spins = (flags & (LCB_F_SPIN | LCB_F_MUTEX)) == LCB_F_SPIN;
	const void *lock = gapp_contended_lock(told, flags);
	/* the rt_mutex in the lock that is noted */
	const bool is_inside = READ_ONCE(wait->lock) == lock && !gapp_lock_is_double(flags) &&
			       gapp_lock_is_double(READ_ONCE(wait->flags));

	if (!spins && !is_inside) {
		WRITE_ONCE(wait->flags, flags);
		WRITE_ONCE(wait->inner, false);
		WRITE_ONCE(wait->lock, lock);
	} else if (READ_ONCE(wait->lock) == lock) {
		WRITE_ONCE(wait->inner, true);
	}
}

/*
 * The probe of contention_begin, in any context. Nobody sleeps for a spinlock. But an rt_mutex and
 * a semaphore begin with a spinlock, which then has the address of the lock that is waited for. A
 * mutex may be begun twice, first where it is spun for.
 */
void gapp_lock_contended(void *data, void *lock, unsigned int flags)
{
	const struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(current);
	struct gapp_kernel_wait *wait;

	if (likely(!gapp_bucket_is_used(&session->threads, bucket)))
		return;
	gapp_fault_hold("hold_lock");
	gapp_enter_probe();
	wait = noted(session, bucket);
	if (wait)
		contended(wait, lock, flags);
	gapp_leave_probe();
}

static bool is_noted(const struct gapp_kernel_wait *wait, const void *lock)
{
	const void *noted = READ_ONCE(wait->lock);

	return noted &&
	       (noted == lock || noted == gapp_contended_lock(lock, READ_ONCE(wait->flags)));
}

/*
 * The probe of contention_end, which does not tell a spinlock. Only the lock that was noted counts.
 */
void gapp_lock_taken(void *data, void *lock, int ret)
{
	const struct gapp_session *session = gapp_session_in(data);
	const unsigned long bucket = gapp_bucket(current);
	struct gapp_kernel_wait *wait;

	if (likely(!gapp_bucket_is_used(&session->threads, bucket)))
		return;
	gapp_fault_hold("hold_lock");
	gapp_enter_probe();
	wait = noted(session, bucket);
	if (wait && is_noted(wait, lock)) {
		if (READ_ONCE(wait->inner))
			WRITE_ONCE(wait->inner, false);
		else
			WRITE_ONCE(wait->lock, NULL);
	}
	gapp_leave_probe();
}

/**
 * gapp_sleeps_for_lock() - find out whether a thread goes to sleep for a lock in the kernel
 * @thread: the thread, of a session with GAPP_CONFIG_KERNEL_LOCKS; it is locked, and switched out
 *
 * If so, notes which lock that is, for gapp_put_lock().
 *
 * Return: true if it does.
 */
bool gapp_sleeps_for_lock(struct gapp_thread *thread)
{
	struct gapp_kernel_wait *wait = gapp_thread_kernel_wait(thread);
	const void *lock = READ_ONCE(wait->lock);

	if (!lock)
		return false;
	WRITE_ONCE(wait->slept_for, lock);
	WRITE_ONCE(wait->slept_flags, READ_ONCE(wait->flags));
	return true;
}

/**
 * gapp_put_lock() - add the lock to the record of a wait for it
 * @settings: those of the session, with GAPP_CONFIG_KERNEL_LOCKS
 * @thread: the thread that waits, or waited. At STOP another wait of it may have begun by now
 * @to: where a struct gapp_wait_lock is to be
 *
 * Interrupts off, under RCU.
 *
 * Return: GAPP_SLICE_KERNEL_LOCK.
 */
u32 gapp_put_lock(const struct gapp_settings *settings, struct gapp_thread *thread, void *to)
{
	const struct gapp_kernel_wait *wait = gapp_thread_kernel_wait(thread);
	struct gapp_wait_lock *lock = to;

	lock->address = settings->lock_addresses ? (unsigned long)READ_ONCE(wait->slept_for) : 0;
	lock->kind = gapp_kernel_lock_kind(READ_ONCE(wait->slept_flags));
	lock->reserved = 0;
	return GAPP_SLICE_KERNEL_LOCK;
}
