/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The accumulators as all CPUs share them: who may write, and how to read
 * without a lock. Everything that knows how n, G, C and S are shared is here,
 * so that another scheme can take its place.
 */
#ifndef GAPP_ACC_H
#define GAPP_ACC_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/prefetch.h>
#include <linux/seqlock.h>
#include <linux/spinlock.h>

#include <gapp_record.h>

#include "core/cmetric.h"
#include "lock.h"

/* Instead of an enum gapp_wait_reason: the thread does not wait, or nobody asks what for. */
#define GAPP_WAIT_NONE 0xff

/* Length of a CPU's own table of times by n, at most. */
#define GAPP_OWN_TIMES 512

/**
 * struct gapp_acc - shared accumulators
 * @lock: serializes writers of all that follows; innermost of all locks, interrupts off
 * @seq: odd while any of it changes
 * @cm: the accumulators
 * @start_ns: CLOCK_MONOTONIC at which session time began
 * @waiting: inactive threads by enum gapp_wait_reason, as records have them: no target has 2^16
 */
struct gapp_acc {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	struct gapp_cm cm;
	u64 start_ns;
	u16 waiting[GAPP_WAIT_REASONS] ____cacheline_aligned_in_smp;
} ____cacheline_aligned_in_smp;

/* Another CPU's change costs a reader one line. */
static_assert(offsetof(struct gapp_acc, cm.hist) <= 64 || IS_ENABLED(CONFIG_DEBUG_SPINLOCK));

static inline void gapp_acc_init(struct gapp_acc *acc, u64 *hist, u32 hist_len)
{
	raw_spin_lock_init(&acc->lock);
	seqcount_raw_spinlock_init(&acc->seq, &acc->lock);
	gapp_cm_init(&acc->cm, hist, hist_len);
	acc->start_ns = 0;
	memset(acc->waiting, 0, sizeof(acc->waiting));
}

/* The clock of another CPU may be behind by nanoseconds: never before the start. */
static inline u64 gapp_acc_clock(u64 start_ns)
{
	s64 elapsed = ktime_get_mono_fast_ns() - start_ns;

	return elapsed > 0 ? elapsed : 0;
}

/*
 * The clock is read inside the write section, or a reader could be ahead of the writer by as long
 * as the writer waits for the lock. By what a store takes to be seen it still can: see
 * not_negative().
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
 * @acc: the accumulators
 * @dn: what is added to n
 * @from: what the thread waited for, or GAPP_WAIT_NONE
 * @to: what it waits for now, or GAPP_WAIT_NONE
 * @own: times that this CPU keeps for itself
 * @at: the accumulators at the change
 *
 * Interrupts off.
 */
static inline void gapp_acc_change(struct gapp_acc *acc, int dn, u8 from, u8 to,
				   const struct gapp_times *own, struct gapp_at *at)
{
	gapp_acc_write_begin(acc);
	/* Another CPU's: it comes while the clock is read, which loads do not overtake. */
	prefetchw(acc->waiting);
	gapp_cm_change_own(&acc->cm, gapp_acc_clock(acc->start_ns), dn, own, at);
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
	gapp_cm_set_n_min(&acc->cm, gapp_acc_clock(acc->start_ns), n_min);
	gapp_acc_write_end(acc);
}

/* Time counts from session time @now on, which began at @start_ns. Interrupts off. */
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
	gapp_cm_stop(&acc->cm, gapp_acc_clock(acc->start_ns), at);
	gapp_acc_write_end(acc);
}

/* Any context but inside a write section of the same CPU: so interrupts off if one may hit. */
static inline void gapp_acc_read(struct gapp_acc *acc, struct gapp_at *at)
{
	unsigned int seq;

	do {
		seq = raw_read_seqcount_begin(&acc->seq);
		gapp_cm_read(&acc->cm, gapp_acc_clock(READ_ONCE(acc->start_ns)), at);
	} while (read_seqcount_retry(&acc->seq, seq));
}

/* What inactive threads wait for, as records have it. Any context, as gapp_acc_read(). */
static inline void gapp_acc_waiting(struct gapp_acc *acc, u16 *waiting)
{
	unsigned int seq;

	do {
		seq = raw_read_seqcount_begin(&acc->seq);
		memcpy(waiting, acc->waiting, sizeof(acc->waiting));
	} while (read_seqcount_retry(&acc->seq, seq));
}

#endif /* GAPP_ACC_H */
