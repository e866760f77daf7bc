/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a target adds up: the number n of active threads, and its integrals
 * over time. A share is the difference of an integral at two instants.
 *
 *	G  integral of 1/n over the time with n > 0
 *	C  integral of 1/n over the time with 0 < n <= n_min
 *	S  integral of n
 *	Z  time with n == 0: hist[0]
 *
 * Between two changes of n or n_min all of them are linear in time, so only
 * changes write. The caller serializes writers and gives readers a consistent
 * copy. Times are session time: nanoseconds since START.
 */
#ifndef GAPP_CORE_CMETRIC_H
#define GAPP_CORE_CMETRIC_H

#include <gapp.h>

#include "port.h"

/* Session time ends after 52 days, so that (time << GAPP_SHARE_SHIFT) fits in a u64. */
#define GAPP_TIME_MAX ((1ULL << (64 - GAPP_SHARE_SHIFT)) - 1)
/* Before any session time. */
#define GAPP_TIME_NEVER ((s64)(1ULL << 63))

/**
 * enum gapp_phase - whether time counts
 * @GAPP_PHASE_BEFORE: the session finds the first n; session time is 0
 * @GAPP_PHASE_RUNNING: time and events count
 * @GAPP_PHASE_STOPPED: the integrals keep their values
 */
enum gapp_phase {
	GAPP_PHASE_BEFORE = 0,
	GAPP_PHASE_RUNNING = 1,
	GAPP_PHASE_STOPPED = 2,
};

/**
 * struct gapp_cm - integrals at the last change
 * @t: session time of the last change
 * @g: G, in shares (GAPP_SHARE_SHIFT fractional bits)
 * @c: C, in shares
 * @s_less: S - n * @t, in thread nanoseconds, which stays as it is while n does; it wraps, and only
 *	differences of S have a meaning
 * @idle_since: session time at which the last thread became inactive; for n == 0
 * @t_end: session time at which time ceases to count; GAPP_TIME_NEVER: time does not count now
 * @n: number of active threads
 * @n_min: threshold of C, in threads
 * @hist: nanoseconds with 0, 1, 2 ... active threads, less the time that struct gapp_times has
 * @hist_len: elements of @hist; the last one also has the time with more threads
 * @phase: enum gapp_phase
 * @n_min_most: highest @n_min of session time, in threads
 * @n_min_least: lowest @n_min of session time, in threads
 * @n_min_since: session time at which @n_min began to hold
 * @n_min_most_ns: nanoseconds for which @n_min_most held until @n_min_since
 *
 * With a lock and a sequence number before it, the members that change fit in one cache line.
 */
struct gapp_cm {
	u64 t;
	u64 g;
	u64 c;
	u64 s_less;
	u64 idle_since;
	s64 t_end;
	u32 n;
	u32 n_min;
	u64 *hist;
	u32 hist_len;
	u32 phase;
	u32 n_min_most;
	u32 n_min_least;
	u64 n_min_since;
	u64 n_min_most_ns;
};

/**
 * struct gapp_times - the part of the histogram that one CPU keeps for itself
 * @ns: nanoseconds with 1, 2, 3 ... active threads, for changes that this CPU made
 * @len: elements of @ns; 0: the CPU keeps none
 *
 * The time with n active threads is the sum over the CPUs and gapp_cm.hist. Only gapp_cm.hist has
 * the time with more than @len threads, and the time with none, which so agrees with the integrals.
 */
struct gapp_times {
	u64 *ns;
	u32 len;
};

/**
 * struct gapp_at - integrals at one instant
 * @t: session time of the instant
 * @g: G, in shares
 * @c: C, in shares
 * @s: S, in thread nanoseconds
 * @idle: nanoseconds with no active thread that end at the instant
 * @n: number of active threads; of an instant with a change the number after it
 * @n_min: threshold, in threads
 * @phase: enum gapp_phase
 */
struct gapp_at {
	u64 t;
	u64 g;
	u64 c;
	u64 s;
	u32 n;
	u32 phase;
	u64 idle;
	u32 n_min;
};

/**
 * struct gapp_threshold - the number of live threads, from which N_min follows
 * @mode: enum gapp_n_min_mode
 * @fixed: with GAPP_N_MIN_FIXED the threshold, in threads
 * @cpus: number of CPUs that the target's threads may use
 * @live: number of threads followed that have not begun to exit
 * @peak: highest value that @live had
 */
struct gapp_threshold {
	u32 mode;
	u32 fixed;
	u32 cpus;
	u32 live;
	u32 peak;
};

/**
 * gapp_cm_counts() - whether time counts at @now
 * @cm: integrals, writers locked out
 * @now: session time, or below 0
 *
 * Return: true if so; then the phase is GAPP_PHASE_RUNNING.
 */
static inline bool gapp_cm_counts(const struct gapp_cm *cm, s64 now)
{
	return now < cm->t_end;
}

/**
 * gapp_cm_counts_now() - gapp_cm_counts() if writers are not locked out
 * @cm: integrals
 * @now: session time, or below 0
 *
 * Return: true if so, unless a write came between, which the caller detects.
 */
static inline bool gapp_cm_counts_now(const struct gapp_cm *cm, s64 now)
{
	return now < READ_ONCE(cm->t_end);
}

void gapp_cm_init(struct gapp_cm *cm, u64 *hist, u32 hist_len);
void gapp_cm_start(struct gapp_cm *cm, u64 now);
void gapp_cm_stop(struct gapp_cm *cm, s64 now, struct gapp_at *at);
void gapp_cm_read(const struct gapp_cm *cm, s64 now, struct gapp_at *at);
void gapp_cm_read_running(const struct gapp_cm *cm, s64 now, struct gapp_at *at);
void gapp_cm_change(struct gapp_cm *cm, s64 now, int dn, struct gapp_at *at);
void gapp_cm_change_own(struct gapp_cm *cm, s64 now, int dn, const struct gapp_times *own,
			struct gapp_at *at);
void gapp_cm_change_running(struct gapp_cm *cm, s64 now, int dn, const struct gapp_times *own,
			    struct gapp_at *at);
void gapp_cm_set_n_min(struct gapp_cm *cm, s64 now, u32 n_min);
u64 gapp_cm_n_min_most_ns(const struct gapp_cm *cm, u64 t);

void gapp_threshold_join(struct gapp_threshold *threshold);
void gapp_threshold_leave(struct gapp_threshold *threshold);
u32 gapp_threshold_n_min(const struct gapp_threshold *threshold);

#endif /* GAPP_CORE_CMETRIC_H */
