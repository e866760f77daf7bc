/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The accumulators of a session: how many threads are active now, and the
 * integrals over time from which every share is a difference.
 *
 *	G  integral of 1/n over the time with n > 0
 *	C  the same over the time with 0 < n <= n_min
 *	S  integral of n
 *	Z  time with n == 0: hist[0]
 *
 * Between two changes of n (or n_min) all of them are linear in time, so a
 * change writes and everything else only reads. The caller serializes writers
 * and gives readers a consistent copy.
 *
 * Times are session time: nanoseconds since the session was started.
 */
#ifndef GAPP_CORE_CMETRIC_H
#define GAPP_CORE_CMETRIC_H

#include <gapp.h>

#include "port.h"

/* Session time ends here, for (time << GAPP_SHARE_SHIFT) must fit in a u64: 52 days. */
#define GAPP_TIME_MAX ((1ULL << (64 - GAPP_SHARE_SHIFT)) - 1)

/**
 * enum gapp_phase - whether time counts
 * @GAPP_PHASE_BEFORE: n is being found out; session time stands at 0
 * @GAPP_PHASE_RUNNING: time and events count
 * @GAPP_PHASE_STOPPED: nothing changes any more
 */
enum gapp_phase {
	GAPP_PHASE_BEFORE = 0,
	GAPP_PHASE_RUNNING = 1,
	GAPP_PHASE_STOPPED = 2,
};

/**
 * struct gapp_cm - accumulators, as of the last change
 * @t: session time of the last change
 * @g: G, in shares (GAPP_SHARE_SHIFT fractional bits)
 * @c: C, in shares
 * @s: S, thread nanoseconds; wraps, so only differences have a meaning
 * @idle: time with no thread active since the last one became inactive, up to @t
 * @n: active threads
 * @n_min: threshold of C
 * @phase: enum gapp_phase
 * @hist_len: elements of @hist; the last one takes all higher n
 * @hist: nanoseconds spent with 0, 1, 2 ... threads active, but for what is in struct gapp_times
 *
 * With a lock and a sequence number before it all that changes is in one cache line.
 */
struct gapp_cm {
	u64 t;
	u64 g;
	u64 c;
	u64 s;
	u64 idle;
	u32 n;
	u32 n_min;
	u32 phase;
	u32 hist_len;
	u64 *hist;
};

/**
 * struct gapp_times - times by n that a writer keeps for itself
 * @ns: nanoseconds with 1, 2, 3 ... threads active
 * @len: elements of @ns; 0: it keeps none
 *
 * Time with no thread active is in gapp_cm.hist alone, where a reader finds it in step with the
 * rest; so is time with more active than there is room for here. All else is the sum of both.
 */
struct gapp_times {
	u64 *ns;
	u32 len;
};

/**
 * struct gapp_at - the accumulators at one instant
 * @t: the instant, session time
 * @g: G then
 * @c: C then
 * @s: S then
 * @idle: length of the stretch with no thread active that lasts until then
 * @n: active threads then; after the change where one was made
 * @n_min: threshold then
 * @phase: enum gapp_phase then
 */
struct gapp_at {
	u64 t;
	u64 g;
	u64 c;
	u64 s;
	u64 idle;
	u32 n;
	u32 n_min;
	u32 phase;
};

void gapp_cm_init(struct gapp_cm *cm, u64 *hist, u32 hist_len);
void gapp_cm_start(struct gapp_cm *cm, u64 now);
void gapp_cm_stop(struct gapp_cm *cm, u64 now, struct gapp_at *at);
void gapp_cm_read(const struct gapp_cm *cm, u64 now, struct gapp_at *at);
void gapp_cm_change(struct gapp_cm *cm, u64 now, int dn, struct gapp_at *at);
void gapp_cm_change_own(struct gapp_cm *cm, u64 now, int dn, const struct gapp_times *own,
			struct gapp_at *at);
void gapp_cm_set_n_min(struct gapp_cm *cm, u64 now, u32 n_min);

#endif /* GAPP_CORE_CMETRIC_H */
