// SPDX-License-Identifier: GPL-2.0
/* ADD_TALLY, and the sums of tallies. Process context. */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/nospec.h>
#include <linux/perf_event.h>
#include <linux/pid_namespace.h>
#include <linux/string.h>

#include "control.h"

static bool is_valid(const struct gapp_add_tally *tally)
{
	if (tally->source >= GAPP_TALLY_SOURCES ||
	    memchr_inv(tally->reserved, 0, sizeof(tally->reserved)))
		return false;
	if (tally->source != GAPP_TALLY_PERF)
		return !tally->type && !tally->config;
	return tally->type == PERF_TYPE_HARDWARE || tally->type == PERF_TYPE_HW_CACHE ||
	       tally->type == PERF_TYPE_RAW;
}

/**
 * gapp_session_add_tally() - ADD_TALLY
 * @session: the session, locked
 * @tally: what the reader asks for
 *
 * Return: 0, or a negative errno.
 */
int gapp_session_add_tally(struct gapp_session *session, const struct gapp_add_tally *tally)
{
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state != GAPP_SESSION_READY)
		return -EBUSY;
	if (!session->settings.tallies || !is_valid(tally))
		return -EINVAL;
	if (session->tally_count == GAPP_TALLIES)
		return -ENOSPC;
	/* it counts on all CPUs, and the processor has few */
	if (tally->source == GAPP_TALLY_PERF &&
	    (session->settings.restricted || !perfmon_capable()))
		return -EPERM;
	return gapp_tallies_begin(session, tally);
}

/**
 * gapp_tallies_bring_up() - the sums have what threads that run now have done so far
 * @session: the session, RUNNING or STOPPED
 *
 * It interrupts their CPUs, so it does that once a tick at most.
 */
void gapp_tallies_bring_up(struct gapp_session *session)
{
	const u64 now = get_jiffies_64();

	mutex_lock(&session->lock);
	if (session->settings.tallies && session->state == GAPP_SESSION_RUNNING &&
	    session->looked_at != now) {
		session->looked_at = now;
		gapp_cpus_call(session, gapp_tallies_look);
	}
	mutex_unlock(&session->lock);
}

static void copy_sums(const struct gapp_tally_sums *sums, u64 *counts, u32 *uncounted)
{
	u32 i;

	*uncounted = READ_ONCE(sums->uncounted);
	for (i = 0; i < GAPP_TALLIES; i++)
		counts[i] = READ_ONCE(sums->counts[i]);
}

/* Under slots_mutex. False if no thread has the slot. */
static bool put_thread(struct gapp_thread *thread, struct pid_namespace *ns,
		       struct gapp_thread_tallies *row)
{
	/* A thread in use stays so: only a holder of slots_mutex frees it. */
	if (gapp_thread_use(thread) == GAPP_USE_FREE)
		return false;
	row->tid = pid_nr_ns(gapp_thread_tid(thread), ns);
	row->tgid = pid_nr_ns(thread->tgid, ns);
	row->reserved = 0;
	copy_sums(gapp_thread_tallies(thread), row->counts, &row->uncounted);
	return true;
}

/* As gapp_figures_threads(), for tallies. */
u32 gapp_figures_thread_tallies(struct gapp_session *session, u64 *cursor,
				struct gapp_thread_tallies *rows, u32 capacity)
{
	struct gapp_thread_table *threads = &session->threads;
	u32 count = 0, slot, slots;

	if (!session->settings.tallies)
		return 0;
	mutex_lock(&threads->slots_mutex);
	slots = gapp_slot_count(threads);
	for (slot = min_t(u64, *cursor, slots); slot < slots && count < capacity; slot++)
		count += put_thread(gapp_slot(threads, array_index_nospec(slot, slots)),
				    session->settings.ns, &rows[count]);
	*cursor = slot;
	mutex_unlock(&threads->slots_mutex);
	return count;
}

/* As gapp_figures_threads(), for the tallies of CPUs. */
u32 gapp_figures_cpu_tallies(struct gapp_session *session, u64 *cursor,
			     struct gapp_cpu_tallies *rows, u32 capacity)
{
	u32 count = 0, cpu = min_t(u64, *cursor, nr_cpu_ids);

	if (!session->settings.tallies)
		return 0;
	for (; cpu < nr_cpu_ids && count < capacity; cpu++) {
		const u32 number = array_index_nospec(cpu, nr_cpu_ids);

		if (!session->cpus[number])
			continue;
		rows[count].cpu = number;
		copy_sums(gapp_tallies_of_cpu(session->cpus[number]), rows[count].counts,
			  &rows[count].uncounted);
		count++;
	}
	*cursor = cpu;
	return count;
}
