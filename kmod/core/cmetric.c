// SPDX-License-Identifier: GPL-2.0
/* The accumulators G, C, S, Z and n: arithmetic only. */
#include "cmetric.h"

/**
 * gapp_cm_init() - a session before its start, with no active thread
 * @cm: accumulators
 * @hist: zeroed array of @hist_len elements, which must outlive @cm
 * @hist_len: at least 2
 */
void gapp_cm_init(struct gapp_cm *cm, u64 *hist, u32 hist_len)
{
	memset(cm, 0, sizeof(*cm));
	cm->hist = hist;
	cm->hist_len = hist_len;
	cm->n_min = 1;
	cm->phase = GAPP_PHASE_BEFORE;
}

/**
 * gapp_cm_start() - time counts from @now on, with the n found so far
 * @cm: accumulators
 * @now: session time; 0 but for a target that comes later
 */
void gapp_cm_start(struct gapp_cm *cm, u64 now)
{
	if (cm->phase != GAPP_PHASE_BEFORE)
		return;
	cm->t = now;
	cm->phase = GAPP_PHASE_RUNNING;
}

/**
 * gapp_cm_read() - the accumulators at @now
 * @cm: a consistent copy, or the original with writers locked out
 * @now: session time; an instant before the last change is taken as that change
 * @at: the result
 */
void gapp_cm_read(const struct gapp_cm *cm, u64 now, struct gapp_at *at)
{
	u64 dt = 0, share;

	if (now > GAPP_TIME_MAX)
		now = GAPP_TIME_MAX;
	if (cm->phase == GAPP_PHASE_RUNNING && now > cm->t)
		dt = now - cm->t;

	at->t = cm->t + dt;
	at->g = cm->g;
	at->c = cm->c;
	at->s = cm->s + dt * cm->n;
	at->idle = cm->n ? 0 : cm->idle + dt;
	at->n = cm->n;
	at->n_min = cm->n_min;
	at->phase = cm->phase;
	if (!dt || !cm->n)
		return;

	share = div_u64(dt << GAPP_SHARE_SHIFT, cm->n);
	at->g += share;
	if (cm->n <= cm->n_min)
		at->c += share;
}

static void close_interval(struct gapp_cm *cm, const struct gapp_at *at)
{
	u32 bin = cm->n < cm->hist_len ? cm->n : cm->hist_len - 1;

	cm->hist[bin] += at->t - cm->t;
	cm->idle = at->idle;
	cm->t = at->t;
	cm->g = at->g;
	cm->c = at->c;
	cm->s = at->s;
}

/**
 * gapp_cm_change() - threads become active or inactive
 * @cm: accumulators, writers locked out
 * @now: session time
 * @dn: what is added to n; n never goes below 0
 * @at: the accumulators at the change
 *
 * Nothing changes once the session is stopped: @at says so.
 */
void gapp_cm_change(struct gapp_cm *cm, u64 now, int dn, struct gapp_at *at)
{
	gapp_cm_read(cm, now, at);
	if (cm->phase == GAPP_PHASE_STOPPED)
		return;

	close_interval(cm, at);
	if (dn < 0 && cm->n < (u32)-dn)
		cm->n = 0;
	else
		cm->n += dn;
	if (cm->n)
		cm->idle = 0;
	at->n = cm->n;
}

/**
 * gapp_cm_set_n_min() - a new threshold from @now on
 * @cm: accumulators, writers locked out
 * @now: session time
 * @n_min: the threshold
 */
void gapp_cm_set_n_min(struct gapp_cm *cm, u64 now, u32 n_min)
{
	struct gapp_at at;

	gapp_cm_change(cm, now, 0, &at);
	if (cm->phase != GAPP_PHASE_STOPPED)
		cm->n_min = n_min;
}

/**
 * gapp_cm_stop() - session time ends at @now
 * @cm: accumulators, writers locked out
 * @now: session time
 * @at: the final values, as of a running session: what threads are settled with
 */
void gapp_cm_stop(struct gapp_cm *cm, u64 now, struct gapp_at *at)
{
	gapp_cm_change(cm, now, 0, at);
	cm->phase = GAPP_PHASE_STOPPED;
}
