// SPDX-License-Identifier: GPL-2.0
/* A session's state at one instant, and what it has counted. */
#include <linux/cpumask.h>
#include <linux/jiffies.h>

#include "ring/buffers.h"
#include "switch/cpu.h"
#include "session.h"

/* With a target for each process, sums; and the time of the session. */
static void accumulators(struct gapp_session *session, struct gapp_status *status)
{
	u32 targets = gapp_target_count(session), i;
	struct gapp_at at;

	status->start_ns = session->start_ns;
	for (i = 0; i < targets; i++) {
		status->idle_ns += gapp_target_read(session->targets[i], &at);
		status->g += at.g;
		status->c += at.c;
		status->s += at.s;
		status->wall_ns = max(status->wall_ns, at.t);
		if (!session->per_process) {
			status->n = at.n;
			status->n_min = at.n_min;
		}
	}
}

static void table(struct gapp_session *session, struct gapp_status *status)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->table_lock, flags);
	status->live = session->live;
	status->peak = session->live_peak;
	status->threads = session->followed;
	status->not_followed = session->not_followed;
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}

static void threads(struct gapp_session *session, struct gapp_status *status)
{
	struct gapp_thread *thread;
	u32 slot;

	mutex_lock(&session->slots_mutex);
	status->processes = session->process_count;
	status->unexpected = session->unexpected_reaped;
	for (slot = 0; slot < gapp_slot_count(session); slot++) {
		thread = gapp_slot(session, slot);
		if (gapp_thread_use(thread) != GAPP_USE_FREE)
			status->unexpected += READ_ONCE(thread->core.unexpected);
	}
	mutex_unlock(&session->slots_mutex);
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
	if (wait)
		mutex_lock(&session->lock);
	else if (!mutex_trylock(&session->lock))
		return false;
	*status = session->recount;
	status->id = session->id;
	status->state = session->state;
	status->cpus = num_online_cpus();
	status->tick_ns = TICK_NSEC;
	if (session->restricted)
		status->flags |= GAPP_STATUS_RESTRICTED;
	if (session->state != GAPP_SESSION_NEW) {
		accumulators(session, status);
		table(session, status);
		threads(session, status);
	}
	mutex_unlock(&session->lock);
	return true;
}

/* What became of slices, samples and paths. All zero before CONFIGURE. */
void gapp_session_counters(struct gapp_session *session, struct gapp_counters *counters)
{
	u32 i;

	memset(counters, 0, sizeof(*counters));
	mutex_lock(&session->lock);
	if (session->state != GAPP_SESSION_NEW) {
		gapp_cpus_counters(session, counters);
		counters->lost[GAPP_LOST_THREADS] = READ_ONCE(session->not_followed);
		for (i = 0; i < gapp_target_count(session); i++)
			counters->critical_runq += session->targets[i]->critical_runq;
	}
	if (session->buffers) {
		counters->paths = READ_ONCE(session->buffers->table.used);
		counters->path_words = READ_ONCE(session->buffers->table.word_next) - 1;
		counters->lost[GAPP_LOST_PATHS] = READ_ONCE(session->buffers->table.refused);
	}
	counters->tables = session->table_count;
	counters->table_bytes = session->table_bytes;
	counters->spaces = READ_ONCE(session->space_count);
	if (session->kernel_paths)
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
		if (session->buffers)
			*layout = session->buffers->layout;
	}
	mutex_unlock(&session->lock);
	return ret;
}
