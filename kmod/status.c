// SPDX-License-Identifier: GPL-2.0
/* A session's state at one instant. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>

#include "session.h"

static void accumulators(struct gapp_track *track, struct gapp_status *status)
{
	unsigned long flags;
	struct gapp_at at;

	local_irq_save(flags);
	raw_spin_lock(&track->acc.lock);
	gapp_cm_read(&track->acc.cm, gapp_acc_clock(track->acc.start_ns), &at);
	status->idle_ns = track->hist[0] + (at.n ? 0 : at.t - track->acc.cm.t);
	status->start_ns = track->acc.start_ns;
	status->n_min = track->acc.cm.n_min;
	raw_spin_unlock(&track->acc.lock);
	local_irq_restore(flags);

	status->wall_ns = at.t;
	status->g = at.g;
	status->c = at.c;
	status->s = at.s;
	status->n = at.n;
}

static void table(struct gapp_track *track, struct gapp_status *status)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	status->live = track->crowd.live;
	status->peak = track->crowd.peak;
	status->threads = track->followed;
	status->not_followed = track->not_followed;
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

static void entries(struct gapp_track *track, struct gapp_status *status)
{
	struct gapp_entry *entry;
	u32 slot;

	mutex_lock(&track->slots_mutex);
	status->processes = track->process_count;
	status->unexpected = track->unexpected_reaped;
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (gapp_entry_use(entry) != GAPP_ENTRY_FREE)
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
