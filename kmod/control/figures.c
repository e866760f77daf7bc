// SPDX-License-Identifier: GPL-2.0
/* Reads threads: for the ABI's pages and for /proc. Process context, but for gapp_figures_of(). */
#include <linux/pid_namespace.h>

#include "threads/accounts.h"
#include "switch/cpu.h"
#include "figures.h"

/* Everything but the ids. The caller keeps the thread from being reused. */
void gapp_figures_of(struct gapp_thread *thread, const struct gapp_at *at,
		     struct gapp_thread_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	gapp_task_figures(&thread->core, at, figures);
	memcpy(figures->comm, gapp_thread_comm(thread), sizeof(figures->comm));
	figures->threads = 1;
	gapp_accounts_show(thread, at, figures);
}

/* Under slots_mutex. False if no thread has the slot. */
bool gapp_figures_slot(struct gapp_session *session, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_figures *figures)
{
	struct gapp_thread *thread = gapp_slot(session, slot);
	unsigned long flags;
	struct gapp_at at;
	struct pid *tid;

	/* It stays in use: only the holder of slots_mutex frees it. */
	if (gapp_thread_use(thread) == GAPP_USE_FREE)
		return false;
	raw_spin_lock_irqsave(&thread->lock, flags);
	gapp_acc_read(&thread->target->acc, &at);
	gapp_figures_of(thread, &at, figures);
	tid = gapp_thread_tid(thread);
	raw_spin_unlock_irqrestore(&thread->lock, flags);

	figures->tid = pid_nr_ns(tid, ns);
	figures->tgid = pid_nr_ns(thread->tgid, ns);
	return true;
}

/**
 * gapp_figures_threads() - some threads, from a cursor on
 * @session: the session
 * @ns: pid namespace whose ids are given
 * @cursor: where to begin; moved on
 * @rows: filled in
 * @capacity: elements of @rows
 *
 * Return: elements filled in; 0 at the end.
 */
u32 gapp_figures_threads(struct gapp_session *session, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_thread_figures *rows, u32 capacity)
{
	u32 count = 0, slot, slots;

	mutex_lock(&session->slots_mutex);
	slots = gapp_slot_count(session);
	for (slot = min_t(u64, *cursor, slots); slot < slots && count < capacity; slot++)
		if (gapp_figures_slot(session, slot, ns, &rows[count]))
			count++;
	*cursor = slot;
	mutex_unlock(&session->slots_mutex);
	return count;
}

/* As gapp_figures_threads(), for the sums of exited threads. */
u32 gapp_figures_processes(struct gapp_session *session, struct pid_namespace *ns, u64 *cursor,
			   struct gapp_thread_figures *rows, u32 capacity)
{
	struct gapp_process *process;
	u32 count = 0, index = 0;
	unsigned int bucket;

	mutex_lock(&session->slots_mutex);
	hash_for_each(session->processes, bucket, process, node) {
		if (index++ < *cursor || count == capacity)
			continue;
		rows[count] = process->sum;
		rows[count].tgid = pid_nr_ns(process->tgid, ns);
		count++;
	}
	*cursor += count;
	mutex_unlock(&session->slots_mutex);
	return count;
}

/* As gapp_figures_threads(), for the time with 0, 1, 2 ... threads active, in all targets. */
u32 gapp_figures_parallelism(struct gapp_session *session, u64 *cursor, u64 *rows, u32 capacity)
{
	u32 targets = gapp_target_count(session), count = 0, i;
	u64 len = READ_ONCE(session->in_table_peak) + 1;

	for (; *cursor < len && count < capacity; (*cursor)++, count++) {
		rows[count] = gapp_cpus_time(session, *cursor);
		for (i = 0; i < targets; i++)
			if (*cursor < session->targets[i]->acc.cm.hist_len)
				rows[count] += READ_ONCE(session->targets[i]->acc.cm.hist[*cursor]);
	}
	return count;
}

static void target_figures(struct gapp_target *target, struct pid_namespace *ns,
			   struct gapp_target_figures *row)
{
	struct gapp_at at;

	memset(row, 0, sizeof(*row));
	row->idle_ns = gapp_target_read(target, &at);
	row->id = target->id;
	row->tgid = pid_nr_ns(target->tgid, ns);
	row->g = at.g;
	row->c = at.c;
	row->s = at.s;
	row->critical_runq = target->critical_runq;
	row->n = at.n;
	row->n_min = at.n_min;
	row->live = READ_ONCE(target->threshold.live);
	memcpy(row->comm, target->comm, sizeof(row->comm));
	row->wall_ns = at.t - target->born;
}

/* As gapp_figures_threads(), for targets. */
u32 gapp_figures_targets(struct gapp_session *session, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_target_figures *rows, u32 capacity)
{
	u32 targets = gapp_target_count(session), count = 0;

	while (*cursor < targets && count < capacity)
		target_figures(session->targets[(*cursor)++], ns, &rows[count++]);
	return count;
}
