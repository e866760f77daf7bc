// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks have an entry. Entries are made in process context only
 * (reap.c); here they are taken from the stock and given up, from the
 * scheduler's context too.
 */
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "track.h"

static void kick_worker(struct irq_work *irq_work)
{
	struct gapp_track *track = container_of(irq_work, struct gapp_track, irq_work);

	queue_work(system_unbound_wq, &track->work);
}

/* Locks and lists: what readers of /proc may find before anything is set up. */
void gapp_threads_prepare(struct gapp_track *track)
{
	raw_spin_lock_init(&track->table_lock);
	mutex_init(&track->slots_mutex);
	init_llist_head(&track->retired);
	init_irq_work(&track->irq_work, kick_worker);
	INIT_WORK(&track->work, gapp_reap_work);
	INIT_HLIST_HEAD(&track->spaces_free);
	init_llist_head(&track->layers_gone);
	hash_init(track->processes);
}

/* Bounds and rules are set by the caller. */
int gapp_threads_init(struct gapp_track *track)
{
	u32 buckets;
	int ret;

	track->bits = max_t(unsigned int, 6, order_base_2(track->max_threads));
	buckets = 1U << track->bits;
	track->chunk_max = DIV_ROUND_UP(track->max_threads + track->max_exited + GAPP_STOCK_THREADS,
					GAPP_CHUNK_THREADS);

	track->buckets = kvcalloc(buckets, sizeof(*track->buckets), GFP_KERNEL_ACCOUNT);
	track->filter = kvcalloc(BITS_TO_LONGS(buckets), sizeof(long), GFP_KERNEL_ACCOUNT);
	track->chunks = kvcalloc(track->chunk_max, sizeof(*track->chunks), GFP_KERNEL_ACCOUNT);
	ret = -ENOMEM;
	if (track->buckets && track->filter && track->chunks)
		ret = gapp_targets_init(track);
	if (ret)
		gapp_threads_destroy(track);
	return ret;
}

/*
 * After the probes are gone: nothing queues work any more when this returns. That includes the
 * worker, which asks for no other run.
 */
void gapp_threads_quiesce(struct gapp_track *track)
{
	irq_work_sync(&track->irq_work);
	cancel_work_sync(&track->work);
	gapp_reap(track);
}

/* After gapp_threads_quiesce(), or when no probe ever ran. */
void gapp_threads_destroy(struct gapp_track *track)
{
	struct gapp_process *process;
	struct hlist_node *next;
	unsigned int bucket;
	u32 slot;

	for (slot = 0; slot < gapp_slot_count(track); slot++)
		gapp_reap_release(gapp_slot(track, slot));
	for (slot = 0; slot < track->chunk_count; slot++)
		kvfree(track->chunks[slot]);
	hash_for_each_safe(track->processes, bucket, next, process, node) {
		put_pid(process->tgid);
		kfree(process);
	}
	gapp_targets_destroy(track);
	kvfree(track->chunks);
	kvfree(track->filter);
	kvfree(track->buckets);
	track->chunks = NULL;
	track->chunk_count = 0;
	track->filter = NULL;
	track->buckets = NULL;
}

/* Counts threads that belong to the target and are not followed. */
void gapp_threads_not_followed(struct gapp_track *track, u32 count)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	track->not_followed += count;
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

/* Under table_lock. */
static struct gapp_thread *next_of(struct gapp_track *track, struct gapp_thread __rcu *const *link)
{
	return rcu_dereference_protected(*link, lockdep_is_held(&track->table_lock));
}

static struct gapp_thread *take_free(struct gapp_track *track)
{
	struct gapp_thread *entry = track->free;

	if (track->entries_live >= track->max_threads || !entry)
		return NULL;
	track->free = next_of(track, &entry->next);
	track->free_count--;
	return entry;
}

/**
 * gapp_threads_put_free() - an entry is free from now on
 * @track: the target, under table_lock
 * @entry: the entry
 */
void gapp_threads_put_free(struct gapp_track *track, struct gapp_thread *entry)
{
	RCU_INIT_POINTER(entry->next, track->free);
	track->free = entry;
	track->free_count++;
}

/* Under table_lock. */
static void publish(struct gapp_track *track, struct gapp_thread *entry, u32 bucket)
{
	RCU_INIT_POINTER(entry->next, next_of(track, &track->buckets[bucket]));
	rcu_assign_pointer(track->buckets[bucket], entry);
	set_bit(bucket, track->filter);
}

/* Under table_lock. Who is at the entry just now goes on from there. */
static void withdraw(struct gapp_track *track, struct gapp_thread *entry)
{
	u32 bucket = gapp_bucket(track, entry->task);
	struct gapp_thread __rcu **link = &track->buckets[bucket];

	while (next_of(track, link) != entry)
		link = &next_of(track, link)->next;
	rcu_assign_pointer(*link, next_of(track, &entry->next));
	if (!next_of(track, &track->buckets[bucket]))
		clear_bit(bucket, track->filter);
}

/* Ids of a task, read once: it may be losing them. */
struct ids {
	struct pid *tid;
	struct pid *tgid;
};

/* The process's, which is @fellow's too if there is one. */
static bool place(struct gapp_track *track, struct gapp_thread *entry, struct task_struct *task,
		  struct pid *tgid, const struct gapp_thread *fellow)
{
	entry->cohort = fellow ? fellow->cohort : gapp_target_new(track, task, tgid);
	if (!entry->cohort)
		return false;
	entry->image = fellow ? READ_ONCE(fellow->image) : ++track->image_last;
	return true;
}

static void fill(struct gapp_track *track, struct gapp_thread *entry, struct task_struct *task,
		 const struct ids *ids, u8 flags, bool newborn)
{
	struct gapp_at at;

	entry->task = get_task_struct(task);
	entry->tid = get_pid(ids->tid);
	entry->tgid = get_pid(ids->tgid);
	entry->flags = flags;
	entry->leaving = false;
	memset(&entry->base, 0, sizeof(entry->base));
	entry->kernel_runq = 0;
	entry->waits_as = GAPP_WAIT_NONE;
	entry->waker = (struct gapp_waker){};
	entry->block = (struct gapp_block){
		.path = GAPP_PATH_NONE,
		.kernel_path = GAPP_PATH_NONE,
		.syscall = -1,
	};
	gapp_slice_init(&entry->slice, &track->rule, track->followed);
	gapp_acc_read(&entry->cohort->acc, &at);
	gapp_task_init(&entry->core, &at);
	if (newborn)
		gapp_task_event(&entry->core, GAPP_EV_NEW, &at);
	if (newborn && at.phase == GAPP_PHASE_RUNNING)
		entry->flags |= GAPP_THREAD_BASED;
}

/**
 * gapp_threads_join() - a task becomes part of the target
 * @track: the target
 * @task: the task; must not go away during the call
 * @flags: GAPP_THREAD_INHERIT or 0
 * @newborn: it has never run: its kernel accounts are zero and a wake-up will follow
 * @fellow: another thread of its process, or NULL if this is the first one
 *
 * Any context.
 *
 * Return: 1 if it joined, 0 if it is part of the target already or has gone, -ENOSPC if there is
 * no entry for it.
 */
int gapp_threads_join(struct gapp_track *track, struct task_struct *task, u8 flags, bool newborn,
		      const struct gapp_thread *fellow)
{
	struct gapp_thread *entry = NULL;
	unsigned long irq;
	struct ids ids;
	int ret = 0;
	u32 bucket = gapp_bucket(track, task);

	raw_spin_lock_irqsave(&track->table_lock, irq);
	rcu_read_lock();
	ids.tid = task_pid(task);
	ids.tgid = task_tgid(task);
	if (gapp_lookup(track, task) || !ids.tid || !ids.tgid)
		goto unlock;
	entry = take_free(track);
	if (entry && !place(track, entry, task, ids.tgid, fellow)) {
		gapp_threads_put_free(track, entry);
		entry = NULL;
	}
	if (!entry) {
		ret = -ENOSPC;
		goto unlock;
	}
	fill(track, entry, task, &ids, flags, newborn);
	/* Pairs with the acquire in gapp_thread_use(). */
	smp_store_release(&entry->use, GAPP_USE_LIVE);
	track->entries_live++;
	track->entries_peak = max(track->entries_peak, track->entries_live);
	track->followed++;
	track->live++;
	track->live_peak = max(track->live_peak, track->live);
	gapp_threshold_join(&entry->cohort->threshold);
	gapp_target_apply_n_min(entry->cohort);
	publish(track, entry, bucket);
	ret = 1;
unlock:
	rcu_read_unlock();
	if (track->free_count < GAPP_STOCK_THREADS / 2 ||
	    (track->per_process &&
	     track->cohort_made - track->cohort_count < GAPP_STOCK_TARGETS / 2))
		irq_work_queue(&track->irq_work);
	raw_spin_unlock_irqrestore(&track->table_lock, irq);
	return ret;
}

/* It began to exit: it may still run for a while, but does not count for N_min. */
void gapp_threads_leaving(struct gapp_track *track, struct gapp_thread *entry)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&track->table_lock, flags);
	if (!entry->leaving) {
		entry->leaving = true;
		track->live--;
		gapp_threshold_leave(&entry->cohort->threshold);
		gapp_target_apply_n_min(entry->cohort);
	}
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}

/* Its last event has been applied: no event shall find it any more. */
void gapp_threads_retire(struct gapp_track *track, struct gapp_thread *entry)
{
	unsigned long flags;

	gapp_threads_leaving(track, entry);
	raw_spin_lock_irqsave(&track->table_lock, flags);
	if (entry->use == GAPP_USE_LIVE) {
		WRITE_ONCE(entry->use, GAPP_USE_RETIRED);
		track->entries_live--;
		withdraw(track, entry);
		llist_add(&entry->reap, &track->retired);
		irq_work_queue(&track->irq_work);
	}
	raw_spin_unlock_irqrestore(&track->table_lock, flags);
}
