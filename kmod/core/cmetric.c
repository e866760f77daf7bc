// SPDX-License-Identifier: GPL-2.0
/* The integrals G, C, S and Z, the number n of active threads, and the threshold N_min. */
#include "cmetric.h"

/**
 * gapp_cm_init() - integrals before START, with no active thread
 * @cm: integrals
 * @hist: zeroed array, which must outlive @cm
 * @hist_len: elements of @hist, at least 2
 */
void gapp_cm_init(struct gapp_cm *cm, u64 *hist, u32 hist_len)
{
	memset(cm, 0, sizeof(*cm));
	cm->hist = hist;
	cm->hist_len = hist_len;
	cm->n_min = 1;
	cm->phase = GAPP_PHASE_BEFORE;
	cm->t_end = GAPP_TIME_NEVER;
}

/**
 * gapp_cm_start() - time counts from @now on
 * @cm: integrals, writers locked out
 * @now: session time; 0, or later for a target made after START
 */
void gapp_cm_start(struct gapp_cm *cm, u64 now)
{
	if (cm->phase != GAPP_PHASE_BEFORE)
		return;
	cm->s_less -= cm->n * (now - cm->t);
	cm->t = now;
	cm->idle_since = now;
	cm->n_min_most = cm->n_min;
	cm->n_min_least = cm->n_min;
	cm->n_min_since = now;
	cm->t_end = GAPP_TIME_MAX;
	cm->phase = GAPP_PHASE_RUNNING;
}

/* The share of each of @n active threads in @dt nanoseconds. */
static u64 share_of(u64 dt, u32 n)
{
	/* The division would take as long as the rest of an event. */
	return n == 1 ? dt << GAPP_SHARE_SHIFT : div_u64(dt << GAPP_SHARE_SHIFT, n);
}

/* How grow() is called. */
enum {
	HELD = 1, /* writers are locked out */
	COUNTS = 2, /* the caller knows that gapp_cm_counts() */
};

/* READ_ONCE() where writers are not locked out: elsewhere a load need not be an instruction. */
static __always_inline u64 load(const u64 *word, const u32 how)
{
	return how & HELD ? *word : READ_ONCE(*word);
}

static __always_inline u32 load_u32(const u32 *word, const u32 how)
{
	return how & HELD ? *word : READ_ONCE(*word);
}

/* Nanoseconds from the last change, at @t, to @now that count. */
static __always_inline u64 elapsed(const struct gapp_cm *cm, u64 t, s64 now, const u32 how)
{
	s64 dt = (u64)now - t, end;

	if (!(how & COUNTS)) {
		end = load((const u64 *)&cm->t_end, how);
		if (now >= end)
			dt = end == GAPP_TIME_NEVER ? 0 : end - (s64)t;
	}
	return dt > 0 ? dt : 0;
}

/* The integrals at @now. Returns the nanoseconds since the last change. */
static __always_inline u64 grow(const struct gapp_cm *cm, s64 now, const u32 how,
				struct gapp_at *at)
{
	const u64 before = load(&cm->t, how), dt = elapsed(cm, before, now, how), t = before + dt;
	const u32 n = load_u32(&cm->n, how), n_min = load_u32(&cm->n_min, how);
	u64 g = load(&cm->g, how), c = load(&cm->c, how), share;

	at->idle = 0;
	if (n) {
		share = share_of(dt, n);
		g += share;
		if (n <= n_min)
			c += share;
	} else {
		at->idle = t - load(&cm->idle_since, how);
	}
	at->t = t;
	at->g = g;
	at->c = c;
	at->s = load(&cm->s_less, how) + n * t;
	at->n = n;
	at->n_min = n_min;
	at->phase = how & COUNTS ? GAPP_PHASE_RUNNING : load_u32(&cm->phase, how);
	return dt;
}

/**
 * gapp_cm_read() - the integrals at @now
 * @cm: integrals; if writers are not locked out, the caller detects a write and tries again
 * @now: session time; an instant before the last change, or below 0, counts as that change
 * @at: the result
 */
void gapp_cm_read(const struct gapp_cm *cm, s64 now, struct gapp_at *at)
{
	grow(cm, now, 0, at);
}

/**
 * gapp_cm_read_running() - gapp_cm_read() if gapp_cm_counts()
 * @cm: integrals
 * @now: session time
 * @at: the result
 */
void gapp_cm_read_running(const struct gapp_cm *cm, s64 now, struct gapp_at *at)
{
	grow(cm, now, COUNTS, at);
}

/* Adds @dt to the histogram. With n == 0, n - 1 is beyond any length. */
static void note_time(struct gapp_cm *cm, u32 n, u64 dt, const struct gapp_times *own)
{
	if (n - 1 < own->len)
		gapp_count(own->ns[n - 1], dt);
	else
		gapp_count(cm->hist[n < cm->hist_len ? n : cm->hist_len - 1], dt);
}

static __always_inline void change(struct gapp_cm *cm, s64 now, const u32 how, const int dn,
				   const struct gapp_times *own, struct gapp_at *at)
{
	u64 dt = grow(cm, now, how, at);
	const u32 before = at->n;

	if (at->phase == GAPP_PHASE_STOPPED)
		return;
	note_time(cm, before, dt, own);
	cm->t = at->t;
	cm->g = at->g;
	cm->c = at->c;
	if (unlikely(dn < 0 && before < (u32)-dn)) {
		cm->s_less += (u64)before * at->t;
		at->n = 0;
	} else {
		cm->s_less -= (s64)dn * (s64)at->t;
		at->n = before + dn;
	}
	cm->n = at->n;
	if (dn < 0 && before && !at->n)
		cm->idle_since = at->t;
}

/**
 * gapp_cm_change() - threads become active or inactive
 * @cm: integrals, writers locked out
 * @now: session time
 * @dn: number to add to n; n never goes below 0
 * @at: the integrals at the change
 *
 * The integrals of a stopped session do not change; @at gets its phase.
 */
void gapp_cm_change(struct gapp_cm *cm, s64 now, int dn, struct gapp_at *at)
{
	static const struct gapp_times none;

	change(cm, now, HELD, dn, &none, at);
}

/**
 * gapp_cm_change_own() - gapp_cm_change() by a CPU that keeps times for itself
 * @cm: integrals, writers locked out
 * @now: session time
 * @dn: number to add to n; n never goes below 0
 * @own: times of this CPU, which get the time since the last change
 * @at: the integrals at the change
 */
void gapp_cm_change_own(struct gapp_cm *cm, s64 now, int dn, const struct gapp_times *own,
			struct gapp_at *at)
{
	change(cm, now, HELD, dn, own, at);
}

/**
 * gapp_cm_change_running() - gapp_cm_change_own() if gapp_cm_counts()
 * @cm: integrals, writers locked out
 * @now: session time
 * @dn: number to add to n; n never goes below 0
 * @own: times of this CPU, which get the time since the last change
 * @at: the integrals at the change
 */
void gapp_cm_change_running(struct gapp_cm *cm, s64 now, int dn, const struct gapp_times *own,
			    struct gapp_at *at)
{
	change(cm, now, HELD | COUNTS, dn, own, at);
}

/* Another threshold holds from session time @t on. */
static void note_n_min(struct gapp_cm *cm, u64 t, u32 n_min)
{
	cm->n_min_most_ns = gapp_cm_n_min_most_ns(cm, t);
	cm->n_min_since = t;
	if (n_min > cm->n_min_most) {
		cm->n_min_most = n_min;
		cm->n_min_most_ns = 0;
	}
	if (n_min < cm->n_min_least)
		cm->n_min_least = n_min;
}

/**
 * gapp_cm_set_n_min() - another threshold holds from @now on
 * @cm: integrals, writers locked out
 * @now: session time
 * @n_min: the threshold, in threads
 */
void gapp_cm_set_n_min(struct gapp_cm *cm, s64 now, u32 n_min)
{
	struct gapp_at at;

	gapp_cm_change(cm, now, 0, &at);
	if (cm->phase == GAPP_PHASE_STOPPED)
		return;
	if (cm->phase == GAPP_PHASE_RUNNING)
		note_n_min(cm, at.t, n_min);
	cm->n_min = n_min;
}

/**
 * gapp_cm_n_min_most_ns() - for how long the highest threshold held
 * @cm: integrals, writers locked out
 * @t: session time until which to count: that of the last change, or later
 *
 * Return: nanoseconds of session time.
 */
u64 gapp_cm_n_min_most_ns(const struct gapp_cm *cm, u64 t)
{
	return cm->n_min_most_ns + (cm->n_min == cm->n_min_most ? t - cm->n_min_since : 0);
}

/**
 * gapp_cm_stop() - session time ends at @now
 * @cm: integrals, writers locked out
 * @now: session time
 * @at: the final values, with the phase before: the caller ends each thread's time with them
 */
void gapp_cm_stop(struct gapp_cm *cm, s64 now, struct gapp_at *at)
{
	gapp_cm_change(cm, now, 0, at);
	cm->phase = GAPP_PHASE_STOPPED;
	cm->t_end = GAPP_TIME_NEVER;
}

/**
 * gapp_threshold_join() - a thread joins the target
 * @threshold: threshold of the target
 */
void gapp_threshold_join(struct gapp_threshold *threshold)
{
	WRITE_ONCE(threshold->live, threshold->live + 1);
	if (threshold->live > threshold->peak)
		threshold->peak = threshold->live;
}

/**
 * gapp_threshold_leave() - a live thread begins to exit
 * @threshold: threshold of the target
 */
void gapp_threshold_leave(struct gapp_threshold *threshold)
{
	if (threshold->live)
		WRITE_ONCE(threshold->live, threshold->live - 1);
}

/**
 * gapp_threshold_n_min() - the threshold that holds now
 * @threshold: threshold of the target
 *
 * Return: N_min in threads, at least 1.
 */
u32 gapp_threshold_n_min(const struct gapp_threshold *threshold)
{
	u32 half = threshold->live / 2;

	if (threshold->mode == GAPP_N_MIN_FIXED)
		return threshold->fixed ? threshold->fixed : 1;
	if (threshold->mode == GAPP_N_MIN_AUTO && threshold->cpus &&
	    threshold->cpus < threshold->live)
		half = threshold->cpus / 2;
	return half ? half : 1;
}
