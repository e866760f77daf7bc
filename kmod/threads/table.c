// SPDX-License-Identifier: GPL-2.0
/*
 * Which threads are in the table. The worker and attach make threads (stock.c); here they are
 * taken from the stock and given up, from the scheduler's context too.
 */
#include <linux/sched/task.h>
#include <linux/string.h>

#include "table.h"

/* Counts threads that belong to the target and are not followed. */
void gapp_threads_not_followed(struct gapp_thread_table *threads, enum gapp_not_followed cause,
			       u32 count)
{
	unsigned long flags;

	gapp_table_lock(threads, &flags);
	WRITE_ONCE(threads->not_followed[cause], threads->not_followed[cause] + count);
	gapp_table_unlock(threads, flags);
}

/* Counts threads for which gapp_threads_join() has failed with @error. */
void gapp_threads_not_joined(struct gapp_thread_table *threads, int error, u32 count)
{
	const bool full = error == -ENOSPC;

	gapp_threads_not_followed(threads, full ? GAPP_NOT_FOLLOWED_BOUND : GAPP_NOT_FOLLOWED_LATE,
				  count);
}

/* Under table_lock. */
static struct gapp_thread *next_of(struct gapp_thread_table *threads,
				   struct gapp_thread __rcu *const *link)
{
	return rcu_dereference_protected(*link, lockdep_is_held(&threads->table_lock));
}

static struct gapp_thread *take_free(struct gapp_thread_table *threads)
{
	struct gapp_thread *thread = threads->free;

	if (threads->in_table >= threads->settings->max_threads || !thread)
		return NULL;
	threads->free = next_of(threads, &thread->next);
	WRITE_ONCE(threads->free_count, threads->free_count - 1);
	return thread;
}

/**
 * gapp_threads_put_free() - put a thread into the list of free ones
 * @threads: the table, under table_lock
 * @thread: the thread
 */
void gapp_threads_put_free(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	RCU_INIT_POINTER(thread->next, threads->free);
	threads->free = thread;
	WRITE_ONCE(threads->free_count, threads->free_count + 1);
}

/* Under table_lock. */
static void publish(struct gapp_thread_table *threads, struct gapp_thread *thread, u32 bucket)
{
	RCU_INIT_POINTER(thread->next, next_of(threads, &threads->buckets[bucket]));
	rcu_assign_pointer(threads->buckets[bucket], thread);
	set_bit(bucket, threads->filter);
}

/* Under table_lock. A reader under RCU that is at the thread just now still finds the next one. */
static void withdraw(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	u32 bucket = gapp_bucket(thread->task);
	struct gapp_thread __rcu **link = &threads->buckets[bucket];

	while (next_of(threads, link) != thread)
		link = &next_of(threads, link)->next;
	rcu_assign_pointer(*link, next_of(threads, &thread->next));
	if (!next_of(threads, &threads->buckets[bucket]))
		clear_bit(bucket, threads->filter);
}

/* Ids of a task, read once, because an exiting task loses them. */
struct ids {
	struct pid *tid;
	struct pid *tgid;
};

/* Sets target and address space: those of @fellow, or new ones without a fellow. */
static bool place(struct gapp_thread_table *threads, struct gapp_thread *thread,
		  struct task_struct *task, struct pid *tgid, const struct gapp_thread *fellow)
{
	thread->target = fellow ? fellow->target : gapp_target_new(threads, task, tgid);
	if (!thread->target)
		return false;
	thread->image = fellow ? READ_ONCE(fellow->image) : ++threads->image_last;
	return true;
}

/* A new thread, which has not run yet, sleeps until its wake-up. */
static void begin_waits(struct gapp_thread *thread, bool newborn, const struct gapp_at *at)
{
	struct gapp_waits *waits = gapp_thread_waits(thread);

	memset(waits, 0, sizeof(*waits));
	if (newborn)
		gapp_waits_take(waits, &thread->core, gapp_task_step(&thread->core, GAPP_EV_NEW),
				GAPP_WAIT_NONE, GAPP_NOT_PREEMPTED, at);
}

static void fill(struct gapp_thread_table *threads, struct gapp_thread *thread,
		 struct task_struct *task, const struct ids *ids, u8 flags, bool newborn)
{
	struct gapp_at at;

	thread->task = get_task_struct(task);
	thread->tid = get_pid(ids->tid);
	thread->tgid = get_pid(ids->tgid);
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
	gapp_slice_init(&thread->slice, &threads->settings->rule, threads->followed);
	/* What the thread does counts from its first event on. */
	gapp_acc_glance(&thread->target->acc, &at);
	gapp_task_init(&thread->core, &at);
	gapp_thread_set_flags(thread, flags);
	if (threads->settings->waker_paths)
		*gapp_thread_woken_from(thread) =
			(struct gapp_noted_path){ .path = GAPP_PATH_NONE };
	if (threads->settings->kernel_locks)
		*gapp_thread_kernel_wait(thread) = (struct gapp_kernel_wait){};
	if (threads->settings->waits)
		begin_waits(thread, newborn, &at);
	if (threads->settings->tallies) {
		*gapp_thread_tallies(thread) = (struct gapp_tally_sums){};
		*gapp_thread_slice_tallies(thread) = (struct gapp_tally_sums){};
		*gapp_thread_migrations_seen(thread) = gapp_task_migrations(task);
	}
	if (newborn)
		gapp_task_event(&thread->core, GAPP_EV_NEW, &at);
	if (newborn && at.phase == GAPP_PHASE_RUNNING)
		gapp_thread_add_flags(thread, GAPP_THREAD_BASED);
}

/* Whether no thread can join: @fellow as in gapp_threads_join(). Under table_lock. */
static bool is_full(const struct gapp_thread_table *threads, const struct gapp_thread *fellow)
{
	return threads->in_table >= threads->settings->max_threads ||
	       (!fellow && threads->settings->per_process &&
		threads->target_count >= threads->target_max);
}

/* Whether the worker can refill the stock, and should. Under table_lock. */
static bool wants_stock(const struct gapp_thread_table *threads)
{
	if (threads->free_count < GAPP_STOCK_THREADS / 2 &&
	    READ_ONCE(threads->chunk_count) < threads->chunk_max)
		return true;
	return threads->target_made < threads->target_max &&
	       threads->target_made - threads->target_count < GAPP_STOCK_TARGETS / 2 &&
	       threads->settings->per_process;
}

/**
 * gapp_threads_join() - follow a task
 * @threads: the table
 * @task: the task; must not go away during the call
 * @flags: GAPP_THREAD_INHERIT or 0
 * @newborn: it has never run: its kernel accounts are zero and a wake-up will follow
 * @fellow: another thread of its process, or NULL if this is the first one
 *
 * Any context.
 *
 * Return: 1 if the task joined, 0 if it is followed already or has gone, -ENOSPC if there are as
 * many threads or targets as there may be, -ENOMEM if no free one is in stock.
 */
int gapp_threads_join(struct gapp_thread_table *threads, struct task_struct *task, u8 flags,
		      bool newborn, const struct gapp_thread *fellow)
{
	struct gapp_thread *thread = NULL;
	unsigned long irq;
	struct ids ids;
	int ret = 0;
	u32 bucket = gapp_bucket(task);

	gapp_table_lock(threads, &irq);
	rcu_read_lock();
	ids.tid = task_pid(task);
	ids.tgid = task_tgid(task);
	if (gapp_lookup(threads, task) || !ids.tid || !ids.tgid)
		goto unlock;
	thread = take_free(threads);
	if (thread && !place(threads, thread, task, ids.tgid, fellow)) {
		gapp_threads_put_free(threads, thread);
		thread = NULL;
	}
	if (!thread) {
		ret = is_full(threads, fellow) ? -ENOSPC : -ENOMEM;
		goto unlock;
	}
	fill(threads, thread, task, &ids, flags, newborn);
	/* Pairs with the acquire in gapp_thread_use(). */
	smp_store_release(&thread->use, GAPP_USE_LIVE);
	WRITE_ONCE(threads->in_table, threads->in_table + 1);
	WRITE_ONCE(threads->in_table_peak, max(threads->in_table_peak, threads->in_table));
	threads->followed++;
	threads->live++;
	threads->live_peak = max(threads->live_peak, threads->live);
	gapp_threshold_join(&thread->target->threshold);
	gapp_target_apply_n_min(threads, thread->target);
	publish(threads, thread, bucket);
	ret = 1;
unlock:
	rcu_read_unlock();
	if (wants_stock(threads))
		irq_work_queue(&threads->worker->irq_work);
	gapp_table_unlock(threads, irq);
	return ret;
}

/* The number of an address space that an exec has made. */
u32 gapp_threads_new_image(struct gapp_thread_table *threads)
{
	unsigned long flags;
	u32 image;

	gapp_table_lock(threads, &flags);
	image = ++threads->image_last;
	gapp_table_unlock(threads, flags);
	return image;
}

/* The thread began to exit: it may still run for a while, but does not count for N_min. */
void gapp_threads_leaving(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	unsigned long flags;

	gapp_table_lock(threads, &flags);
	if (!thread->leaving) {
		thread->leaving = true;
		threads->live--;
		gapp_threshold_leave(&thread->target->threshold);
		gapp_target_apply_n_min(threads, thread->target);
	}
	gapp_table_unlock(threads, flags);
}

/* The thread's last event has been applied: no other event finds it. */
void gapp_threads_retire(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	unsigned long flags;

	gapp_threads_leaving(threads, thread);
	gapp_table_lock(threads, &flags);
	if (thread->use == GAPP_USE_LIVE) {
		WRITE_ONCE(thread->use, GAPP_USE_RETIRED);
		WRITE_ONCE(threads->in_table, threads->in_table - 1);
		withdraw(threads, thread);
		llist_add(&thread->retired, &threads->retired);
		irq_work_queue(&threads->worker->irq_work);
	}
	gapp_table_unlock(threads, flags);
}
