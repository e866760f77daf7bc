/* SPDX-License-Identifier: GPL-2.0 */
/* The tracepoints of locks in the kernel, and what their flags mean. */
#ifndef GAPP_COMPAT_LOCK_TP_H
#define GAPP_COMPAT_LOCK_TP_H

#include <trace/events/lock.h>
#if defined(CONFIG_PREEMPT_RT) && defined(LCB_F_RT)
#include <linux/rwbase_rt.h>
#define GAPP_HAVE_DOUBLE_LOCKS
#endif

#include <gapp_record.h>

/* v5.19, 16edd9b511a1: the tracepoints; without them the flags are only compiled, never seen. */
#ifndef LCB_F_SPIN
#define LCB_F_SPIN BIT(0)
#define LCB_F_READ BIT(1)
#define LCB_F_WRITE BIT(2)
#define LCB_F_RT BIT(3)
#define LCB_F_PERCPU BIT(4)
#define LCB_F_MUTEX BIT(5)

static inline void check_trace_callback_type_contention_begin(void (*probe)(void *, void *,
									    unsigned int))
{
}

static inline void check_trace_callback_type_contention_end(void (*probe)(void *, void *, int))
{
}
#endif

/*
 * Whether a lock, by its flags, has an rt_mutex inside: with PREEMPT_RT one for readers and a
 * writer. They wait for the rt_mutex first, or only.
 */
static inline bool gapp_lock_is_double(unsigned int flags)
{
	return IS_ENABLED(CONFIG_PREEMPT_RT) && flags & LCB_F_RT &&
	       flags & (LCB_F_READ | LCB_F_WRITE);
}

/* The address of a lock in all its waits; @lock: that which the kernel gives with the flags. */
static inline const void *gapp_contended_lock(const void *lock, unsigned int flags)
{
#ifdef GAPP_HAVE_DOUBLE_LOCKS
	if (gapp_lock_is_double(flags))
		return &((const struct rwbase_rt *)lock)->rtmutex;
#endif
	return lock;
}

/* The kind of a lock by the flags LCB_F_* of contention_begin. */
static inline enum gapp_kernel_lock gapp_kernel_lock_kind(unsigned int flags)
{
	if (flags & LCB_F_MUTEX)
		return GAPP_LOCK_MUTEX;
	if (flags & LCB_F_PERCPU)
		return GAPP_LOCK_PERCPU;
	if (flags & LCB_F_RT)
		return GAPP_LOCK_RT;
	if (flags & LCB_F_WRITE)
		return GAPP_LOCK_WRITE;
	return flags & LCB_F_READ ? GAPP_LOCK_READ : GAPP_LOCK_OTHER;
}

#endif /* GAPP_COMPAT_LOCK_TP_H */
