/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which call paths of wakers are taken, and how many; and what an interrupt that wakes a thread is
 * called. A path of a waker is taken where a lock is held and interrupts may be off for as long as
 * a list of threads is woken. So besides their number their time is bounded, over all wake-ups of a
 * CPU, whoever wakes and whatever session asks.
 */
#ifndef GAPP_CORE_WAKER_PATH_H
#define GAPP_CORE_WAKER_PATH_H

#include <gapp_record.h>

#include "port.h"
#include "taskstate.h"

/* Call paths of wakers that a session takes on a CPU: in a second, and at once after a pause. */
#define GAPP_WAKER_PATHS_HZ 2000
#define GAPP_WAKER_PATHS_BURST 64
#define GAPP_WAKER_PAUSE_NS (1000000000ULL / GAPP_WAKER_PATHS_HZ)
/* For so long the call paths of wakers share the time that a switch may take. */
#define GAPP_WAKING_NS 1000000ULL

/**
 * struct gapp_rate - how many call paths of wakers a CPU may still take
 * @credit_ns: nanoseconds without one, up to a limit
 * @seen_ns: when @credit_ns was brought up to date
 */
struct gapp_rate {
	u64 credit_ns;
	u64 seen_ns;
};

/**
 * struct gapp_waking - the time that a CPU has spent on call paths of wakers
 * @begin_ns: when the GAPP_WAKING_NS began that @used_ns is about
 * @used_ns: nanoseconds spent since then
 */
struct gapp_waking {
	u64 begin_ns;
	u64 used_ns;
};

/**
 * gapp_rate_take() - take one of the call paths that the rate allows
 * @rate: rate of the CPU
 * @now_ns: the time, in nanoseconds
 *
 * Return: false if there are too many.
 */
static inline bool gapp_rate_take(struct gapp_rate *rate, u64 now_ns)
{
	const u64 most = GAPP_WAKER_PATHS_BURST * GAPP_WAKER_PAUSE_NS;

	/* the clocks of two sessions' events may be nanoseconds out of order */
	if (now_ns > rate->seen_ns) {
		rate->credit_ns += now_ns - rate->seen_ns;
		if (rate->credit_ns > most)
			rate->credit_ns = most;
		rate->seen_ns = now_ns;
	}
	if (rate->credit_ns < GAPP_WAKER_PAUSE_NS)
		return false;
	rate->credit_ns -= GAPP_WAKER_PAUSE_NS;
	return true;
}

/**
 * gapp_waking_used() - how long the CPU has taken for call paths of wakers lately
 * @waking: time of the CPU
 * @now_ns: the time, in nanoseconds
 *
 * Return: nanoseconds spent in the GAPP_WAKING_NS that are under way.
 */
static inline u64 gapp_waking_used(struct gapp_waking *waking, u64 now_ns)
{
	if (now_ns - waking->begin_ns >= GAPP_WAKING_NS) {
		waking->begin_ns = now_ns;
		waking->used_ns = 0;
	}
	return waking->used_ns;
}

/**
 * gapp_wants_waker_path() - whether the waker's call path is worth its time
 * @state: enum gapp_thread_state of the thread that is woken
 * @trace: the session records every wait
 * @exported: the begin of the thread's wait was exported
 * @n: active threads before the wake-up
 *
 * Return: true if the wake-up ends a wait of which the reader knows, or a time with no thread
 * active.
 */
static inline bool gapp_wants_waker_path(u32 state, bool trace, bool exported, u32 n)
{
	return state == GAPP_THREAD_BLOCKED && (trace || exported || !n);
}

/* What a softirq is for, as far as it matters here. */
enum gapp_softirq {
	GAPP_SOFTIRQ_OTHER,
	GAPP_SOFTIRQ_NETWORK,
	GAPP_SOFTIRQ_DISK,
	GAPP_SOFTIRQ_TIMER,
};

/**
 * gapp_interrupt_kind() - which kind of interrupt wakes a thread
 * @hard: it is a hard interrupt, not a softirq
 * @timer: in the hard interrupt a timer expires
 * @softirq: what the softirq is for
 * @io: the thread that is woken waits for a device's input or output
 *
 * Disks end their requests in hard interrupts and in several softirqs: there the wait tells.
 *
 * Return: GAPP_SLICE_IRQ_* or 0.
 */
static inline u32 gapp_interrupt_kind(bool hard, bool timer, enum gapp_softirq softirq, bool io)
{
	if (hard && timer)
		return GAPP_SLICE_IRQ_TIMER;
	if (io)
		return GAPP_SLICE_IRQ_DISK;
	if (hard || softirq == GAPP_SOFTIRQ_OTHER)
		return 0;
	if (softirq == GAPP_SOFTIRQ_DISK)
		return GAPP_SLICE_IRQ_DISK;
	return softirq == GAPP_SOFTIRQ_TIMER ? GAPP_SLICE_IRQ_TIMER : GAPP_SLICE_IRQ_NETWORK;
}

#endif /* GAPP_CORE_WAKER_PATH_H */
