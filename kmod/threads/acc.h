/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The integrals of a target as all CPUs share them: who may write, and how to read without a lock.
 * Everything that knows how n, G, C and S are shared is here, so that another scheme can take its
 * place.
 */
#ifndef GAPP_ACC_H
#define GAPP_ACC_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/prefetch.h>
#include <linux/rcupdate.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include <gapp_record.h>

#include "clock.h"
#include "core/cmetric.h"

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

/* In place of enum gapp_wait_reason: the thread does not wait, or no record needs the reason. */
#define GAPP_WAIT_NONE 0xff

/* Most elements of a CPU's own table of times by n. */
#define GAPP_OWN_TIMES 512

/**
 * struct gapp_acc - shared integrals
 * @lock: serializes writers of the other members; innermost of all locks, interrupts off
 * @seq: odd while a member changes
 * @cm: the integrals
 * @start_ns: CLOCK_MONOTONIC at which session time began
 * @waiting: inactive threads by enum gapp_wait_reason; no target has 2^16 threads
 */
struct gapp_acc {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	struct gapp_cm cm;
	u64 start_ns;
	u16 waiting[GAPP_WAIT_REASONS] ____cacheline_aligned_in_smp;
} ____cacheline_aligned_in_smp;

/* After another CPU's change a reader misses one cache line; PREEMPT_RT puts an address into @seq.
 */
static_assert(offsetof(struct gapp_acc, cm.hist) <= 64 || IS_ENABLED(CONFIG_DEBUG_SPINLOCK) ||
	      IS_ENABLED(CONFIG_PREEMPT_RT));

static inline void gapp_acc_init(struct gapp_acc *acc, u64 *hist, u32 hist_len)
{
	raw_spin_lock_init(&acc->lock);
	seqcount_raw_spinlock_init(&acc->seq, &acc->lock);
	gapp_cm_init(&acc->cm, hist, hist_len);
	acc->start_ns = 0;
	memset(acc->waiting, 0, sizeof(acc->waiting));
}

/* Session time, at least 0. */
static inline u64 gapp_acc_clock(u64 start_ns)
{
	s64 elapsed;

	rcu_read_lock();
	elapsed = gapp_clock() - start_ns;
	rcu_read_unlock();

	return elapsed > 0 ? elapsed : 0;
}

/* Session time; below 0 if the clock of this CPU is behind the one that START has read. */
static inline s64 gapp_acc_now(const struct gapp_acc *acc)
{
	return gapp_clock() - READ_ONCE(acc->start_ns);
}

/*
 * A writer reads the clock inside the write section. Otherwise a reader could be ahead of the
 * writer by the time for which the writer waits for the lock. The reader can still be ahead by the
 * time that a store takes to be seen: see not_negative().
 */
static inline void gapp_acc_write_begin(struct gapp_acc *acc)
{
	gapp_lock(&acc->lock);
	write_seqcount_begin(&acc->seq);
}

static inline void gapp_acc_write_end(struct gapp_acc *acc)
{
	write_seqcount_end(&acc->seq);
	gapp_unlock(&acc->lock);
}

/**
 * gapp_acc_change() - a thread becomes active or inactive, or waits for something else
 * @acc: the integrals
 * @dn: added to n: -1, 0 or 1
 * @from: what the thread waited for, or GAPP_WAIT_NONE
 * @to: what it waits for now, or GAPP_WAIT_NONE
 * @own: times by n that this CPU keeps for itself
 * @at: the integrals at the change
 *
 * Interrupts off.
 */
static inline void gapp_acc_change(struct gapp_acc *acc, int dn, u8 from, u8 to,
				   const struct gapp_times *own, struct gapp_at *at)
{
	gapp_acc_write_begin(acc);
	/* This line, last written by another CPU, arrives while the clock is read. */
	prefetchw(acc->waiting);
	gapp_cm_change_own(&acc->cm, gapp_acc_now(acc), dn, own, at);
	if (from != GAPP_WAIT_NONE)
		acc->waiting[from]--;
	if (to != GAPP_WAIT_NONE)
		acc->waiting[to]++;
	gapp_acc_write_end(acc);
}

/* Interrupts off. */
static inline void gapp_acc_set_n_min(struct gapp_acc *acc, u32 n_min)
{
	gapp_acc_write_begin(acc);
	gapp_cm_set_n_min(&acc->cm, gapp_acc_now(acc), n_min);
	gapp_acc_write_end(acc);
}

/*
 * Begins to count time, at session time @now. @start_ns: CLOCK_MONOTONIC at session time 0.
 * Interrupts off.
 */
static inline void gapp_acc_start(struct gapp_acc *acc, u64 start_ns, u64 now)
{
	gapp_acc_write_begin(acc);
	acc->start_ns = start_ns;
	gapp_cm_start(&acc->cm, now);
	gapp_acc_write_end(acc);
}

/* Interrupts off. */
static inline void gapp_acc_stop(struct gapp_acc *acc, struct gapp_at *at)
{
	gapp_acc_write_begin(acc);
	gapp_cm_stop(&acc->cm, gapp_acc_now(acc), at);
	gapp_acc_write_end(acc);
}

/* Not inside a write section of this CPU. If an interrupt here may write, interrupts are off. */
static inline void gapp_acc_read(struct gapp_acc *acc, struct gapp_at *at)
{
	unsigned int seq;

	do {
		seq = raw_read_seqcount_begin(&acc->seq);
		gapp_cm_read(&acc->cm, gapp_acc_now(acc), at);
	} while (read_seqcount_retry(&acc->seq, seq));
}

/* Copies the numbers of inactive threads by wait reason. In the contexts of gapp_acc_read(). */
static inline void gapp_acc_waiting(struct gapp_acc *acc, u16 *waiting)
{
	unsigned int seq;

	do {
		seq = raw_read_seqcount_begin(&acc->seq);
		memcpy(waiting, acc->waiting, sizeof(acc->waiting));
	} while (read_seqcount_retry(&acc->seq, seq));
}

#endif /* GAPP_ACC_H */
