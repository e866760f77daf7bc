// SPDX-License-Identifier: GPL-2.0
/* A session's state at one instant, and what it has counted. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>

#include "ring/buffers.h"
#include "switch/cpu.h"
#include "session.h"

/* With a cohort for each process, sums; and the time of the session. */
static void accumulators(struct gapp_track *track, struct gapp_status *status)
{
	u32 cohorts = gapp_target_count(track), i;
	struct gapp_at at;

	status->start_ns = track->start_ns;
	for (i = 0; i < cohorts; i++) {
		status->idle_ns += gapp_target_read(track->cohorts[i], &at);
		status->g += at.g;
		status->c += at.c;
		status->s += at.s;
		status->wall_ns = max(status->wall_ns, at.t);
		if (!track->per_process) {
			status->n = at.n;
			status->n_min = at.n_min;
		}
	}
}

static void table(struct gapp_track *track, struct gapp_status *status)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	status->live = track->live;
	status->peak = track->live_peak;
	status->threads = track->followed;
	status->not_followed = track->not_followed;
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

static void entries(struct gapp_track *track, struct gapp_status *status)
{
	struct gapp_thread *entry;
	u32 slot;

	mutex_lock(&track->slots_mutex);
	status->processes = track->process_count;
	status->unexpected = track->unexpected_reaped;
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (gapp_thread_use(entry) != GAPP_USE_FREE)
			status->unexpected += READ_ONCE(entry->core.unexpected);
	}
	mutex_unlock(&track->slots_mutex);
}

/**
 * gapp_session_status() - fill in the whole of @status
 * @session: the session
 * @status: what the reader gets
 * @wait: until a control operation that is under way has ended
 *
 * Return: true, or false if one is and @wait is false.
 */
bool gapp_session_status(struct gapp_session *session, struct gapp_status *status, bool wait)
{
	struct gapp_track *track = &session->track;

	if (wait)
		mutex_lock(&session->lock);
	else if (!mutex_trylock(&session->lock))
		return false;
	*status = session->recount;
	status->id = session->id;
	status->state = session->state;
	status->cpus = num_online_cpus();
	status->tick_ns = TICK_NSEC;
	if (track->restricted)
		status->flags |= GAPP_STATUS_RESTRICTED;
	if (session->state != GAPP_SESSION_NEW) {
		accumulators(track, status);
		table(track, status);
		entries(track, status);
	}
	mutex_unlock(&session->lock);
	return true;
}

/* What became of slices, samples and paths. All zero before CONFIGURE. */
void gapp_session_counters(struct gapp_session *session, struct gapp_counters *counters)
{
	struct gapp_track *track = &session->track;
	u32 i;

	memset(counters, 0, sizeof(*counters));
	mutex_lock(&session->lock);
	if (session->state != GAPP_SESSION_NEW) {
		gapp_cpus_counters(track, counters);
		counters->lost[GAPP_LOST_THREADS] = READ_ONCE(track->not_followed);
		for (i = 0; i < gapp_target_count(track); i++)
			counters->critical_runq += track->cohorts[i]->critical_runq;
	}
	if (track->buffers) {
		counters->paths = READ_ONCE(track->buffers->table.used);
		counters->path_words = READ_ONCE(track->buffers->table.word_next) - 1;
		counters->lost[GAPP_LOST_PATHS] = READ_ONCE(track->buffers->table.refused);
	}
	counters->tables = track->table_count;
	counters->table_bytes = track->table_bytes;
	counters->spaces = READ_ONCE(track->space_count);
	if (track->kernel_paths)
		counters->flags |= GAPP_COUNTERS_KERNEL_PATHS;
	mutex_unlock(&session->lock);
}

/* Return: 0, or -ENOTCONN before CONFIGURE. With GAPP_LEVEL_STATS there is nothing to map. */
int gapp_session_layout(struct gapp_session *session, struct gapp_layout *layout)
{
	int ret = -ENOTCONN;

	memset(layout, 0, sizeof(*layout));
	mutex_lock(&session->lock);
	if (session->state != GAPP_SESSION_NEW) {
		ret = 0;
		if (session->track.buffers)
			*layout = session->track.buffers->layout;
	}
	mutex_unlock(&session->lock);
	return ret;
}
