/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The integrals of a target as all CPUs share them: who may write, and how to read without a lock.
 * Everything that knows how n, G, C and S are shared is here, so that another scheme can take its
 * place.
 */
#ifndef GAPP_ACC_H
#define GAPP_ACC_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/kcsan-checks.h>
#include <linux/prefetch.h>
#include <linux/rcupdate.h>

#include <gapp_record.h>

#include "clock.h"
#include "core/cmetric.h"
#include "fault/fault.h"

/* In place of enum gapp_wait_reason: the thread does not wait, or no record needs the reason. */
#define GAPP_WAIT_NONE 0xff

/* Most elements of a CPU's own table of times by n. */
#define GAPP_OWN_TIMES 512

/* gapp_acc.word: a CPU holds the integrals; and, counted above that bit, posts of the target. */
#define GAPP_ACC_HELD 1
#define GAPP_ACC_POST 0x100

/**
 * struct gapp_acc - shared integrals
 * @state: @word and @changes, for readers
 * @word: 0, or GAPP_ACC_HELD and the number of posts times GAPP_ACC_POST
 * @held: the byte of @word that has GAPP_ACC_HELD
 * @changes: counts changes
 * @cm: the integrals
 * @start_ns: CLOCK_MONOTONIC at which session time began
 * @last_ns: CLOCK_MONOTONIC of the last change or reading, where the clock has no scale
 * @waiting: inactive threads by enum gapp_wait_reason; no target has 2^16 threads
 *
 * Who holds the integrals writes the other members, with interrupts off. An event takes hold of
 * them only while there are no posts, so posts come before it. This is no spinlock of the kernel:
 * an event gives up after some microseconds, because the holder may be a virtual CPU that does not
 * run. The event is then posted (see posts.h), and nobody waits for the holder.
 */
struct gapp_acc {
	union {
		u64 state;
		struct {
			union {
				atomic_t word;
				u8 held;
			};
			u32 changes;
		};
	};
	struct gapp_cm cm;
	u64 start_ns;
	u64 last_ns;
	u16 waiting[GAPP_WAIT_REASONS] ____cacheline_aligned_in_smp;
} ____cacheline_aligned_in_smp;

/* After another CPU's change a reader misses one cache line. */
static_assert(offsetof(struct gapp_acc, cm.hist) <= 64);
/* The low half of @state is @word, and the low byte of that is @held. */
#ifndef __LITTLE_ENDIAN
#error "struct gapp_acc is laid out for little-endian processors"
#endif

/* acc.c: when the first try fails. Interrupts off. */
bool gapp_acc_take_late(struct gapp_acc *acc);
bool gapp_acc_take_by_slow_clock(struct gapp_acc *acc, s64 *now);
bool gapp_acc_take_for_post(struct gapp_acc *acc);
bool gapp_acc_read_behind(struct gapp_acc *acc, struct gapp_at *at);
bool gapp_acc_read_late(struct gapp_acc *acc, struct gapp_at *at);
void gapp_acc_glance(struct gapp_acc *acc, struct gapp_at *at);
void gapp_acc_waiting_late(struct gapp_acc *acc, u16 *waiting);

static inline void gapp_acc_init(struct gapp_acc *acc, u64 *hist, u32 hist_len)
{
	acc->state = 0;
	gapp_cm_init(&acc->cm, hist, hist_len);
	acc->start_ns = 0;
	acc->last_ns = 0;
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

/* Whether events of the target are posted: then a thread's state may be an old one. */
static __always_inline bool gapp_acc_has_posts(const struct gapp_acc *acc)
{
	return atomic_read(&acc->word) >= GAPP_ACC_POST;
}

/* Whoever takes hold calls this before it writes. */
static __always_inline void gapp_acc_begin_writes(struct gapp_acc *acc)
{
	kcsan_nestable_atomic_begin();
	/* This line, last written by another CPU, arrives while the clock is read. */
	prefetchw(acc->waiting);
	/* Readers that see a write see @held, too: pairs with smp_rmb() in gapp_acc_read(). */
	smp_wmb();
	gapp_fault_hold("hold_integrals");
}

static __always_inline bool gapp_acc_try(struct gapp_acc *acc)
{
	int none = 0;

	if (unlikely(!atomic_try_cmpxchg_acquire(&acc->word, &none, GAPP_ACC_HELD)))
		return false;
	gapp_acc_begin_writes(acc);
	return true;
}

static __always_inline void gapp_acc_let_go(struct gapp_acc *acc)
{
	gapp_fault_hold("hold_integrals");
	kcsan_nestable_atomic_end();
	/* one instruction: who holds the integrals is alone */
	gapp_count(acc->changes, 1);
	/* Pairs with the acquire of whoever takes hold or reads next. */
	smp_store_release(&acc->held, 0);
}

/**
 * gapp_acc_take() - take hold of the integrals
 * @acc: the integrals
 * @now: session time of what the caller does while it holds them
 *
 * The clock is read while they are held. Otherwise a reader could be ahead of the writer by the
 * time for which the writer waits. The reader can still be ahead by the time that a store takes to
 * be seen: see not_negative(). If posts have come before the clock was read, because this CPU
 * stopped in between, their time is before @now, and they must be applied first. Interrupts off.
 *
 * A clock without a scale may take microseconds to read, so it is read before. If it is then behind
 * the last change or reading, @now is that one's time.
 *
 * Return: false if there are posts, or another CPU has held the integrals for long.
 */
static __always_inline bool gapp_acc_take(struct gapp_acc *acc, s64 *now)
{
	const struct gapp_scale *scale = gapp_clock_get_scale();

	if (unlikely(!scale))
		return gapp_acc_take_by_slow_clock(acc, now);
	if (unlikely(!gapp_acc_try(acc) && !gapp_acc_take_late(acc)))
		return false;
	*now = gapp_clock_by(scale) - acc->start_ns;
	if (likely(!gapp_acc_has_posts(acc)))
		return true;
	gapp_acc_let_go(acc);
	return false;
}

/* Held. One thread's change from one wait reason to another. */
static __always_inline void gapp_acc_wait(struct gapp_acc *acc, u8 from, u8 to)
{
	if (from != GAPP_WAIT_NONE)
		acc->waiting[from]--;
	if (to != GAPP_WAIT_NONE)
		acc->waiting[to]++;
}

/* Held. @now: session time of the change. */
static __always_inline void gapp_acc_apply(struct gapp_acc *acc, s64 now, int dn, u8 from, u8 to,
					   const struct gapp_times *own, struct gapp_at *at)
{
	gapp_cm_change_own(&acc->cm, now, dn, own, at);
	gapp_acc_wait(acc, from, to);
}

/*
 * gapp_acc_change() in session time, by a quick clock, if nothing is in the way. False: nothing was
 * changed.
 */
static __always_inline bool gapp_acc_change_at_once(struct gapp_acc *acc, const int dn, u8 from,
						    u8 to, const struct gapp_times *own,
						    struct gapp_at *at)
{
	const struct gapp_scale *scale = gapp_clock_get_scale();
	s64 now;

	if (unlikely(!scale || !gapp_acc_try(acc)))
		return false;
	now = gapp_clock_by(scale) - acc->start_ns;
	if (unlikely(gapp_acc_has_posts(acc) || !gapp_cm_counts(&acc->cm, now))) {
		gapp_acc_let_go(acc);
		return false;
	}
	gapp_cm_change_running(&acc->cm, now, dn, own, at);
	gapp_acc_wait(acc, from, to);
	gapp_acc_let_go(acc);
	return true;
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
 *
 * Return: false if nothing was changed, and the event must be posted.
 */
static __always_inline bool gapp_acc_change(struct gapp_acc *acc, int dn, u8 from, u8 to,
					    const struct gapp_times *own, struct gapp_at *at)
{
	s64 now;

	if (unlikely(!gapp_acc_take(acc, &now)))
		return false;
	gapp_acc_apply(acc, now, dn, from, to, own, at);
	gapp_acc_let_go(acc);
	return true;
}

/* Interrupts off. False: another CPU holds the integrals, or there are posts. */
static inline bool gapp_acc_set_n_min(struct gapp_acc *acc, u32 n_min)
{
	s64 now;

	if (!gapp_acc_take(acc, &now))
		return false;
	gapp_cm_set_n_min(&acc->cm, now, n_min);
	gapp_acc_let_go(acc);
	return true;
}

/*
 * Begins to count time, at session time @now. @start_ns: CLOCK_MONOTONIC at session time 0.
 * Interrupts off. False: as in gapp_acc_set_n_min().
 */
static inline bool gapp_acc_start(struct gapp_acc *acc, u64 start_ns, u64 now)
{
	s64 unused;

	if (!gapp_acc_take(acc, &unused))
		return false;
	acc->start_ns = start_ns;
	gapp_cm_start(&acc->cm, now);
	gapp_acc_let_go(acc);
	return true;
}

/* Interrupts off. False: as in gapp_acc_set_n_min(). */
static inline bool gapp_acc_stop(struct gapp_acc *acc, struct gapp_at *at)
{
	s64 now;

	if (!gapp_acc_take(acc, &now))
		return false;
	gapp_cm_stop(&acc->cm, now, at);
	gapp_acc_let_go(acc);
	return true;
}

/*
 * Reads the integrals once, with nobody kept out. False: another CPU changes them, or there are
 * posts; or the clock has no scale; or, with @running, it is not session time.
 */
static __always_inline bool gapp_acc_read_once(struct gapp_acc *acc, const bool running,
					       struct gapp_at *at)
{
	/* Pairs with the release in gapp_acc_let_go(). */
	u64 state = smp_load_acquire(&acc->state);
	const struct gapp_scale *scale = gapp_clock_get_scale();
	s64 now;

	if (unlikely((u32)state || !scale))
		return false;
	kcsan_atomic_next(100);
	now = gapp_clock_by(scale) - READ_ONCE(acc->start_ns);
	if (running && unlikely(!gapp_cm_counts_now(&acc->cm, now)))
		return false;
	if (running)
		gapp_cm_read_running(&acc->cm, now, at);
	else
		gapp_cm_read(&acc->cm, now, at);
	/* Pairs with smp_wmb() in gapp_acc_begin_writes(). */
	smp_rmb();
	return likely(READ_ONCE(acc->state) == state);
}

/**
 * gapp_acc_read() - read the integrals of now
 * @acc: the integrals, not held by this CPU
 * @at: the result
 *
 * If an interrupt here may write, interrupts are off. Where the clock has no scale, a reading takes
 * hold of the integrals, too, so that no later change is before it.
 *
 * Return: false as in gapp_acc_take().
 */
static __always_inline bool gapp_acc_read(struct gapp_acc *acc, struct gapp_at *at)
{
	return likely(gapp_acc_read_once(acc, false, at)) || gapp_acc_read_late(acc, at);
}

static __always_inline bool gapp_acc_waiting_once(struct gapp_acc *acc, u16 *waiting)
{
	/* Pairs with the release in gapp_acc_let_go(). */
	u64 state = smp_load_acquire(&acc->state);

	if (unlikely(state & GAPP_ACC_HELD))
		return false;
	kcsan_atomic_next(100);
	memcpy(waiting, acc->waiting, sizeof(acc->waiting));
	/* Pairs with smp_wmb() in gapp_acc_begin_writes(). */
	smp_rmb();
	return likely(READ_ONCE(acc->state) == state);
}

/**
 * gapp_acc_waiting() - copy the numbers of inactive threads by wait reason
 * @acc: the integrals, not held by this CPU
 * @waiting: GAPP_WAIT_REASONS numbers
 *
 * They are of one moment, unless another CPU stops in the middle of a change. In the contexts of
 * gapp_acc_read().
 */
static inline void gapp_acc_waiting(struct gapp_acc *acc, u16 *waiting)
{
	if (unlikely(!gapp_acc_waiting_once(acc, waiting)))
		gapp_acc_waiting_late(acc, waiting);
}

#endif /* GAPP_ACC_H */
