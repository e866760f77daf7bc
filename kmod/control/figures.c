// SPDX-License-Identifier: GPL-2.0
/* Reads entries: for the ABI's pages and for /proc. Process context, but for gapp_figures_of(). */
#include <linux/pid_namespace.h>

#include "threads/accounts.h"
#include "switch/cpu.h"
#include "figures.h"

/* Everything but the ids. The caller keeps the entry from being reused. */
void gapp_figures_of(struct gapp_thread *entry, const struct gapp_at *at,
		     struct gapp_thread_figures *figures)
{
	memset(figures, 0, sizeof(*figures));
	gapp_task_figures(&entry->core, at, figures);
	memcpy(figures->comm, gapp_thread_comm(entry), sizeof(figures->comm));
	figures->threads = 1;
	gapp_accounts_show(entry, at, figures);
}

/* Under slots_mutex. False if no thread has the slot. */
bool gapp_figures_slot(struct gapp_track *track, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_figures *figures)
{
	struct gapp_thread *entry = gapp_slot(track, slot);
	unsigned long flags;
	struct gapp_at at;
	struct pid *tid;

	/* It stays in use: only the holder of slots_mutex frees it. */
	if (gapp_thread_use(entry) == GAPP_USE_FREE)
		return false;
	raw_spin_lock_irqsave(&entry->lock, flags);
	gapp_acc_read(&entry->cohort->acc, &at);
	gapp_figures_of(entry, &at, figures);
	tid = gapp_thread_tid(entry);
	raw_spin_unlock_irqrestore(&entry->lock, flags);

	figures->tid = pid_nr_ns(tid, ns);
	figures->tgid = pid_nr_ns(entry->tgid, ns);
	return true;
}

/**
 * gapp_figures_threads() - some threads, from a cursor on
 * @track: the target
 * @ns: pid namespace whose ids are given
 * @cursor: where to begin; moved on
 * @rows: filled in
 * @capacity: elements of @rows
 *
 * Return: elements filled in; 0 at the end.
 */
u32 gapp_figures_threads(struct gapp_track *track, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_thread_figures *rows, u32 capacity)
{
	u32 count = 0, slot, slots;

	mutex_lock(&track->slots_mutex);
	slots = gapp_slot_count(track);
	for (slot = min_t(u64, *cursor, slots); slot < slots && count < capacity; slot++)
		if (gapp_figures_slot(track, slot, ns, &rows[count]))
			count++;
	*cursor = slot;
	mutex_unlock(&track->slots_mutex);
	return count;
}

/* As gapp_figures_threads(), for the sums of exited threads. */
u32 gapp_figures_processes(struct gapp_track *track, struct pid_namespace *ns, u64 *cursor,
			   struct gapp_thread_figures *rows, u32 capacity)
{
	struct gapp_process *process;
	u32 count = 0, index = 0;
	unsigned int bucket;

	mutex_lock(&track->slots_mutex);
	hash_for_each(track->processes, bucket, process, node) {
		if (index++ < *cursor || count == capacity)
			continue;
		rows[count] = process->sum;
		rows[count].tgid = pid_nr_ns(process->tgid, ns);
		count++;
	}
	*cursor += count;
	mutex_unlock(&track->slots_mutex);
	return count;
}

/* As gapp_figures_threads(), for the time with 0, 1, 2 ... threads active, in all cohorts. */
u32 gapp_figures_parallelism(struct gapp_track *track, u64 *cursor, u64 *rows, u32 capacity)
{
	u32 cohorts = gapp_target_count(track), count = 0, i;
	u64 len = READ_ONCE(track->entries_peak) + 1;

	for (; *cursor < len && count < capacity; (*cursor)++, count++) {
		rows[count] = gapp_cpus_time(track, *cursor);
		for (i = 0; i < cohorts; i++)
			if (*cursor < track->cohorts[i]->acc.cm.hist_len)
				rows[count] += READ_ONCE(track->cohorts[i]->acc.cm.hist[*cursor]);
	}
	return count;
}

static void cohort_figures(struct gapp_target *cohort, struct pid_namespace *ns,
			   struct gapp_target_figures *row)
{
	struct gapp_at at;

	memset(row, 0, sizeof(*row));
	row->idle_ns = gapp_target_read(cohort, &at);
	row->id = cohort->id;
	row->tgid = pid_nr_ns(cohort->tgid, ns);
	row->g = at.g;
	row->c = at.c;
	row->s = at.s;
	row->critical_runq = cohort->critical_runq;
	row->n = at.n;
	row->n_min = at.n_min;
	row->live = READ_ONCE(cohort->threshold.live);
	memcpy(row->comm, cohort->comm, sizeof(row->comm));
	row->wall_ns = at.t - cohort->born;
}

/* As gapp_figures_threads(), for cohorts. */
u32 gapp_figures_targets(struct gapp_track *track, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_target_figures *rows, u32 capacity)
{
	u32 cohorts = gapp_target_count(track), count = 0;

	while (*cursor < cohorts && count < capacity)
		cohort_figures(track->cohorts[(*cursor)++], ns, &rows[count++]);
	return count;
}
