// SPDX-License-Identifier: GPL-2.0
/*
 * The worker: waits until no event can hold a retired entry, keeps its figures
 * one by one up to the bound and summed by process beyond it, and keeps free
 * entries in stock. Process context.
 */
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "figures.h"
#include "callpath/address_spaces.h"
#include "threads/track.h"

/* Drops what an entry holds; it is FREE afterwards. No event may find it. */
void gapp_reap_release(struct gapp_thread *entry)
{
	if (entry->use == GAPP_USE_FREE)
		return;
	if (entry->use != GAPP_USE_EXITED)
		put_task_struct(entry->task);
	put_pid(entry->tid);
	put_pid(entry->tgid);
	entry->task = NULL;
	entry->tid = NULL;
	entry->tgid = NULL;
	entry->use = GAPP_USE_FREE;
}

static void put_free(struct gapp_track *track, struct gapp_thread *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	gapp_threads_put_free(track, entry);
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

static int add_chunk(struct gapp_track *track)
{
	struct gapp_thread *chunk;
	u32 i;

	if (READ_ONCE(track->chunk_count) >= track->chunk_max)
		return -ENOSPC;
	chunk = kvcalloc(GAPP_CHUNK_THREADS, sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	for (i = 0; i < GAPP_CHUNK_THREADS; i++)
		raw_spin_lock_init(&chunk[i].lock);

	/* Asked again: the worker and an attach may both be here. */
	mutex_lock(&track->slots_mutex);
	if (track->chunk_count >= track->chunk_max) {
		mutex_unlock(&track->slots_mutex);
		kvfree(chunk);
		return -ENOSPC;
	}
	track->chunks[track->chunk_count] = chunk;
	WRITE_ONCE(track->chunk_count, track->chunk_count + 1);
	mutex_unlock(&track->slots_mutex);
	for (i = 0; i < GAPP_CHUNK_THREADS; i++)
		put_free(track, &chunk[i]);
	return 0;
}

/**
 * gapp_threads_stock() - see to it that entries are free
 * @track: the target
 * @entries: how many at least, as far as the bounds allow
 *
 * Cohorts too, where processes have their own.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if a bound was reached.
 */
int gapp_threads_stock(struct gapp_track *track, u32 entries)
{
	/* beyond the usual stock there are those that an attach lacks: a process each, at most */
	u32 lacking = entries > GAPP_STOCK_THREADS ? entries - GAPP_STOCK_THREADS : 0;
	int ret = gapp_targets_stock(track, max_t(u32, GAPP_STOCK_TARGETS, lacking));

	while (!ret && READ_ONCE(track->free_count) < entries)
		ret = add_chunk(track);
	return ret;
}

static struct gapp_process *find_process(struct gapp_track *track, struct pid *tgid)
{
	struct gapp_process *process;

	hash_for_each_possible(track->processes, process, node, (unsigned long)tgid)
		if (process->tgid == tgid)
			return process;
	return NULL;
}

/* One row takes all processes beyond the bound. */
static struct gapp_process *process_of(struct gapp_track *track, struct pid *tgid)
{
	struct gapp_process *process = find_process(track, tgid);

	if (!process && track->process_count >= GAPP_MAX_PROCESSES - 1) {
		tgid = NULL;
		process = find_process(track, tgid);
	}
	if (process)
		return process;

	process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	process->tgid = get_pid(tgid);
	process->sum.state = GAPP_THREAD_GONE;
	hash_add(track->processes, &process->node, (unsigned long)tgid);
	track->process_count++;
	return process;
}

static void sum_up(struct gapp_track *track, struct gapp_thread *entry)
{
	struct gapp_process *process;
	struct gapp_thread_figures figures;
	struct gapp_at at;

	gapp_acc_read(&entry->cohort->acc, &at);
	gapp_figures_of(entry, &at, &figures);
	if (!track->settled)
		entry->cohort->critical_runq += entry->core.critical_runq;
	process = process_of(track, entry->tgid);
	gapp_figures_add(&process->sum, &figures);
	memcpy(process->sum.comm, figures.comm, sizeof(process->sum.comm));
	track->unexpected_reaped += entry->core.unexpected;
}

/* Only the figures stay, and the name. No event may find it. Under slots_mutex. */
static void let_go(struct gapp_thread *entry)
{
	struct task_struct *task = entry->task;

	strscpy_pad(entry->comm, task->comm, sizeof(entry->comm));
	WRITE_ONCE(entry->use, GAPP_USE_EXITED);
	put_task_struct(task);
}

static void reap(struct gapp_track *track, struct gapp_thread *entry)
{
	mutex_lock(&track->slots_mutex);
	if (track->exited < track->max_exited) {
		track->exited++;
		let_go(entry);
	} else {
		sum_up(track, entry);
		gapp_reap_release(entry);
		put_free(track, entry);
	}
	mutex_unlock(&track->slots_mutex);
}

/* Waits until no event can hold what was retired, and keeps only its figures. */
void gapp_reap(struct gapp_track *track)
{
	struct llist_node *retired = llist_del_all(&track->retired);
	struct gapp_thread *entry, *next;

	if (!retired)
		return;
	synchronize_rcu();
	llist_for_each_entry_safe(entry, next, retired, reap)
		reap(track, entry);
}

/* The stock comes first: a target that creates threads does not wait for a grace period. */
void gapp_reap_work(struct work_struct *work)
{
	struct gapp_track *track = container_of(work, struct gapp_track, work);

	gapp_threads_stock(track, GAPP_STOCK_THREADS);
	if (gapp_unwinds_by_tables(track))
		gapp_address_spaces_stock(track, GAPP_STOCK_ADDRESS_SPACES);
	gapp_reap(track);
	gapp_threads_stock(track, GAPP_STOCK_THREADS);
	gapp_address_spaces_reap(track);
}

/* No event comes any more, nor is any task looked up: the figures stay, the tasks are let go. */
void gapp_reap_tasks(struct gapp_track *track)
{
	struct gapp_thread *entry;
	unsigned long flags;
	u32 slot;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	bitmap_zero(track->filter, 1U << track->bits);
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
	mutex_lock(&track->slots_mutex);
	for (slot = 0; slot < gapp_slot_count(track); slot++) {
		entry = gapp_slot(track, slot);
		if (entry->use != GAPP_USE_FREE && entry->use != GAPP_USE_EXITED)
			let_go(entry);
	}
	mutex_unlock(&track->slots_mutex);
}
