// SPDX-License-Identifier: GPL-2.0
/*
 * Which tasks have an thread. Threads are made in process context only
 * (reap.c); here they are taken from the stock and given up, from the
 * scheduler's context too.
 */
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "table.h"

static void kick_worker(struct irq_work *irq_work)
{
	struct gapp_session *session = container_of(irq_work, struct gapp_session, irq_work);

	queue_work(system_unbound_wq, &session->work);
}

/* Locks and lists: what readers of /proc may find before anything is set up. */
void gapp_threads_prepare(struct gapp_session *session)
{
	raw_spin_lock_init(&session->table_lock);
	mutex_init(&session->slots_mutex);
	init_llist_head(&session->retired);
	init_irq_work(&session->irq_work, kick_worker);
	INIT_WORK(&session->work, gapp_reap_work);
	INIT_HLIST_HEAD(&session->spaces_free);
	init_llist_head(&session->lists_gone);
	hash_init(session->processes);
}

/* Bounds and rules are set by the caller. */
int gapp_threads_init(struct gapp_session *session)
{
	u32 buckets;
	int ret;

	session->bits = max_t(unsigned int, 6, order_base_2(session->max_threads));
	buckets = 1U << session->bits;
	session->chunk_max =
		DIV_ROUND_UP(session->max_threads + session->max_exited + GAPP_STOCK_THREADS,
			     GAPP_CHUNK_THREADS);

	session->buckets = kvcalloc(buckets, sizeof(*session->buckets), GFP_KERNEL_ACCOUNT);
	session->filter = kvcalloc(BITS_TO_LONGS(buckets), sizeof(long), GFP_KERNEL_ACCOUNT);
	session->chunks =
		kvcalloc(session->chunk_max, sizeof(*session->chunks), GFP_KERNEL_ACCOUNT);
	ret = -ENOMEM;
	if (session->buckets && session->filter && session->chunks)
		ret = gapp_targets_init(session);
	if (ret)
		gapp_threads_destroy(session);
	return ret;
}

/*
 * After the probes are gone: nothing queues work any more when this returns. That includes the
 * worker, which asks for no other run.
 */
void gapp_threads_quiesce(struct gapp_session *session)
{
	irq_work_sync(&session->irq_work);
	cancel_work_sync(&session->work);
	gapp_reap(session);
}

/* After gapp_threads_quiesce(), or when no probe ever ran. */
void gapp_threads_destroy(struct gapp_session *session)
{
	struct gapp_process *process;
	struct hlist_node *next;
	unsigned int bucket;
	u32 slot;

	for (slot = 0; slot < gapp_slot_count(session); slot++)
		gapp_reap_release(gapp_slot(session, slot));
	for (slot = 0; slot < session->chunk_count; slot++)
		kvfree(session->chunks[slot]);
	hash_for_each_safe(session->processes, bucket, next, process, node) {
		put_pid(process->tgid);
		kfree(process);
	}
	gapp_targets_destroy(session);
	kvfree(session->chunks);
	kvfree(session->filter);
	kvfree(session->buckets);
	session->chunks = NULL;
	session->chunk_count = 0;
	session->filter = NULL;
	session->buckets = NULL;
}

/* Counts threads that belong to the target and are not followed. */
void gapp_threads_not_followed(struct gapp_session *session, u32 count)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->table_lock, flags);
	session->not_followed += count;
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}

/* Under table_lock. */
static struct gapp_thread *next_of(struct gapp_session *session,
				   struct gapp_thread __rcu *const *link)
{
	return rcu_dereference_protected(*link, lockdep_is_held(&session->table_lock));
}

static struct gapp_thread *take_free(struct gapp_session *session)
{
	struct gapp_thread *thread = session->free;

	if (session->in_table >= session->max_threads || !thread)
		return NULL;
	session->free = next_of(session, &thread->next);
	session->free_count--;
	return thread;
}

/**
 * gapp_threads_put_free() - an thread is free from now on
 * @session: the session, under table_lock
 * @thread: the thread
 */
void gapp_threads_put_free(struct gapp_session *session, struct gapp_thread *thread)
{
	RCU_INIT_POINTER(thread->next, session->free);
	session->free = thread;
	session->free_count++;
}

/* Under table_lock. */
static void publish(struct gapp_session *session, struct gapp_thread *thread, u32 bucket)
{
	RCU_INIT_POINTER(thread->next, next_of(session, &session->buckets[bucket]));
	rcu_assign_pointer(session->buckets[bucket], thread);
	set_bit(bucket, session->filter);
}

/* Under table_lock. Who is at the thread just now goes on from there. */
static void withdraw(struct gapp_session *session, struct gapp_thread *thread)
{
	u32 bucket = gapp_bucket(session, thread->task);
	struct gapp_thread __rcu **link = &session->buckets[bucket];

	while (next_of(session, link) != thread)
		link = &next_of(session, link)->next;
	rcu_assign_pointer(*link, next_of(session, &thread->next));
	if (!next_of(session, &session->buckets[bucket]))
		clear_bit(bucket, session->filter);
}

/* Ids of a task, read once: it may be losing them. */
struct ids {
	struct pid *tid;
	struct pid *tgid;
};

/* The process's, which is @fellow's too if there is one. */
static bool place(struct gapp_session *session, struct gapp_thread *thread,
		  struct task_struct *task, struct pid *tgid, const struct gapp_thread *fellow)
{
	thread->target = fellow ? fellow->target : gapp_target_new(session, task, tgid);
	if (!thread->target)
		return false;
	thread->image = fellow ? READ_ONCE(fellow->image) : ++session->image_last;
	return true;
}

static void fill(struct gapp_session *session, struct gapp_thread *thread, struct task_struct *task,
		 const struct ids *ids, u8 flags, bool newborn)
{
	struct gapp_at at;

	thread->task = get_task_struct(task);
	thread->tid = get_pid(ids->tid);
	thread->tgid = get_pid(ids->tgid);
	thread->flags = flags;
	thread->leaving = false;
	memset(&thread->base, 0, sizeof(thread->base));
	thread->kernel_runq = 0;
	thread->wait_reason = GAPP_WAIT_NONE;
	thread->waker = (struct gapp_waker){};
	thread->last_wait = (struct gapp_last_wait){
		.path = GAPP_PATH_NONE,
		.kernel_path = GAPP_PATH_NONE,
		.syscall = -1,
	};
	gapp_slice_init(&thread->slice, &session->rule, session->followed);
	gapp_acc_read(&thread->target->acc, &at);
	gapp_task_init(&thread->core, &at);
	if (newborn)
		gapp_task_event(&thread->core, GAPP_EV_NEW, &at);
	if (newborn && at.phase == GAPP_PHASE_RUNNING)
		thread->flags |= GAPP_THREAD_BASED;
}

/**
 * gapp_threads_join() - a task becomes part of the target
 * @session: the session
 * @task: the task; must not go away during the call
 * @flags: GAPP_THREAD_INHERIT or 0
 * @newborn: it has never run: its kernel accounts are zero and a wake-up will follow
 * @fellow: another thread of its process, or NULL if this is the first one
 *
 * Any context.
 *
 * Return: 1 if it joined, 0 if it is part of the target already or has gone, -ENOSPC if there is
 * no thread for it.
 */
int gapp_threads_join(struct gapp_session *session, struct task_struct *task, u8 flags,
		      bool newborn, const struct gapp_thread *fellow)
{
	struct gapp_thread *thread = NULL;
	unsigned long irq;
	struct ids ids;
	int ret = 0;
	u32 bucket = gapp_bucket(session, task);

	raw_spin_lock_irqsave(&session->table_lock, irq);
	rcu_read_lock();
	ids.tid = task_pid(task);
	ids.tgid = task_tgid(task);
	if (gapp_lookup(session, task) || !ids.tid || !ids.tgid)
		goto unlock;
	thread = take_free(session);
	if (thread && !place(session, thread, task, ids.tgid, fellow)) {
		gapp_threads_put_free(session, thread);
		thread = NULL;
	}
	if (!thread) {
		ret = -ENOSPC;
		goto unlock;
	}
	fill(session, thread, task, &ids, flags, newborn);
	/* Pairs with the acquire in gapp_thread_use(). */
	smp_store_release(&thread->use, GAPP_USE_LIVE);
	session->in_table++;
	session->in_table_peak = max(session->in_table_peak, session->in_table);
	session->followed++;
	session->live++;
	session->live_peak = max(session->live_peak, session->live);
	gapp_threshold_join(&thread->target->threshold);
	gapp_target_apply_n_min(thread->target);
	publish(session, thread, bucket);
	ret = 1;
unlock:
	rcu_read_unlock();
	if (session->free_count < GAPP_STOCK_THREADS / 2 ||
	    (session->per_process &&
	     session->target_made - session->target_count < GAPP_STOCK_TARGETS / 2))
		irq_work_queue(&session->irq_work);
	raw_spin_unlock_irqrestore(&session->table_lock, irq);
	return ret;
}

/* It began to exit: it may still run for a while, but does not count for N_min. */
void gapp_threads_leaving(struct gapp_session *session, struct gapp_thread *thread)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->table_lock, flags);
	if (!thread->leaving) {
		thread->leaving = true;
		session->live--;
		gapp_threshold_leave(&thread->target->threshold);
		gapp_target_apply_n_min(thread->target);
	}
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}

/* Its last event has been applied: no event shall find it any more. */
void gapp_threads_retire(struct gapp_session *session, struct gapp_thread *thread)
{
	unsigned long flags;

	gapp_threads_leaving(session, thread);
	raw_spin_lock_irqsave(&session->table_lock, flags);
	if (thread->use == GAPP_USE_LIVE) {
		WRITE_ONCE(thread->use, GAPP_USE_RETIRED);
		session->in_table--;
		withdraw(session, thread);
		llist_add(&thread->reap, &session->retired);
		irq_work_queue(&session->irq_work);
	}
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}
