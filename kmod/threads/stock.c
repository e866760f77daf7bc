// SPDX-License-Identifier: GPL-2.0
/*
 * Makes free threads, and reaps retired ones: waits until no event can hold a retired thread, and
 * keeps its figures, one by one up to a bound and summed by process beyond it. Process context.
 */
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "table.h"

/* Sets up locks and lists, which readers of /proc may use before CONFIGURE. */
void gapp_threads_prepare(struct gapp_thread_table *threads, const struct gapp_settings *settings,
			  struct gapp_worker *worker)
{
	threads->settings = settings;
	threads->worker = worker;
	raw_spin_lock_init(&threads->table_lock);
	mutex_init(&threads->slots_mutex);
	init_llist_head(&threads->retired);
	hash_init(threads->processes);
}

/* Allocates the table. The caller has set the settings and the threshold's rule. */
int gapp_threads_init(struct gapp_thread_table *threads)
{
	const struct gapp_settings *settings = threads->settings;
	int ret;

	threads->chunk_max =
		DIV_ROUND_UP(settings->max_threads + settings->max_exited + GAPP_STOCK_THREADS,
			     GAPP_CHUNK_THREADS);

	threads->buckets = kvcalloc(GAPP_BUCKETS, sizeof(*threads->buckets), GAPP_GFP);
	threads->chunks = kvcalloc(threads->chunk_max, sizeof(*threads->chunks), GAPP_GFP);
	ret = -ENOMEM;
	if (threads->buckets && threads->chunks)
		ret = gapp_targets_init(threads);
	if (ret)
		gapp_threads_destroy(threads);
	return ret;
}

/* Drops the references of a thread, which is FREE afterwards. No event may find it. */
static void release(struct gapp_thread *thread)
{
	if (thread->use == GAPP_USE_FREE)
		return;
	if (thread->use != GAPP_USE_EXITED)
		put_task_struct(thread->task);
	put_pid(thread->tid);
	put_pid(thread->tgid);
	thread->task = NULL;
	thread->tid = NULL;
	thread->tgid = NULL;
	thread->use = GAPP_USE_FREE;
}

static void put_free(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	unsigned long flags;

	gapp_table_lock(threads, &flags);
	gapp_threads_put_free(threads, thread);
	gapp_table_unlock(threads, flags);
}

static int add_chunk(struct gapp_thread_table *threads)
{
	const struct gapp_settings *settings = threads->settings;
	void *chunk;
	u32 i;

	if (READ_ONCE(threads->chunk_count) >= threads->chunk_max)
		return -ENOSPC;
	chunk = kvcalloc(GAPP_CHUNK_THREADS, gapp_thread_bytes(settings), GAPP_GFP);
	if (!chunk)
		return -ENOMEM;
	for (i = 0; i < GAPP_CHUNK_THREADS; i++)
		gapp_lock_init(gapp_chunk_thread(settings, chunk, i));

	/* Checked again: the worker and an attach may both be here. */
	mutex_lock(&threads->slots_mutex);
	if (threads->chunk_count >= threads->chunk_max) {
		mutex_unlock(&threads->slots_mutex);
		kvfree(chunk);
		return -ENOSPC;
	}
	threads->chunks[threads->chunk_count] = chunk;
	WRITE_ONCE(threads->chunk_count, threads->chunk_count + 1);
	mutex_unlock(&threads->slots_mutex);
	for (i = 0; i < GAPP_CHUNK_THREADS; i++)
		put_free(threads, gapp_chunk_thread(settings, chunk, i));
	return 0;
}

/**
 * gapp_threads_stock() - make free threads, and targets where processes have their own
 * @threads: the table
 * @count: free threads to have at least, as far as the bounds allow
 *
 * Return: 0, -ENOMEM, or -ENOSPC if a bound was reached.
 */
int gapp_threads_stock(struct gapp_thread_table *threads, u32 count)
{
	/* the threads beyond the usual stock may be of as many processes, each a target */
	u32 lacking = count > GAPP_STOCK_THREADS ? count - GAPP_STOCK_THREADS : 0;
	int ret = gapp_targets_stock(threads, max_t(u32, GAPP_STOCK_TARGETS, lacking));

	while (!ret && READ_ONCE(threads->free_count) < count)
		ret = add_chunk(threads);
	return ret;
}

static struct gapp_process *find_process(struct gapp_thread_table *threads, struct pid *tgid)
{
	struct gapp_process *process;

	hash_for_each_possible(threads->processes, process, node, (unsigned long)tgid)
		if (process->tgid == tgid)
			return process;
	return NULL;
}

/* NULL: there is no memory. */
static struct gapp_process *add_process(struct gapp_thread_table *threads, struct pid *tgid)
{
	struct gapp_process *process = kzalloc(sizeof(*process), GAPP_GFP);

	if (!process)
		return NULL;
	process->tgid = get_pid(tgid);
	hash_add(threads->processes, &process->node, (unsigned long)tgid);
	threads->process_count++;
	return process;
}

/* The one sum of all processes that have none of their own. */
static struct gapp_process *rest_of(struct gapp_thread_table *threads)
{
	if (hlist_unhashed(&threads->rest.node)) {
		hash_add(threads->processes, &threads->rest.node, 0);
		threads->process_count++;
	}
	return &threads->rest;
}

/*
 * The sum of the process. The processes beyond GAPP_MAX_PROCESSES - 1 share one sum, and so do
 * those for whose sums there was no memory.
 */
static struct gapp_process *process_of(struct gapp_thread_table *threads, struct pid *tgid)
{
	struct gapp_process *process = find_process(threads, tgid);

	if (!process && threads->process_count < GAPP_MAX_PROCESSES - 1)
		process = add_process(threads, tgid);
	if (!process)
		process = rest_of(threads);
	process->sum.state = GAPP_THREAD_GONE;
	return process;
}

static void sum_up(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	struct gapp_process *process;
	struct gapp_thread_figures figures;
	struct gapp_at at;

	/* a thread that is gone collects nothing any more */
	rcu_read_lock();
	gapp_acc_glance(&thread->target->acc, &at);
	rcu_read_unlock();
	gapp_thread_fill_figures(thread, &at, &figures);
	if (!threads->settled)
		thread->target->critical_runq += gapp_task_critical_runq(&thread->core);
	process = process_of(threads, thread->tgid);
	gapp_figures_add(&process->sum, &figures);
	memcpy(process->sum.comm, figures.comm, sizeof(process->sum.comm));
	threads->unexpected_reaped += thread->core.unexpected;
}

/* Drops the thread's task; figures and name stay. No event may find it. Under slots_mutex. */
static void let_go(struct gapp_thread *thread)
{
	put_task_struct(gapp_thread_keep_comm(thread));
}

static void reap_one(struct gapp_thread_table *threads, struct gapp_thread *thread)
{
	mutex_lock(&threads->slots_mutex);
	if (threads->exited < threads->settings->max_exited) {
		threads->exited++;
		let_go(thread);
	} else {
		sum_up(threads, thread);
		release(thread);
		put_free(threads, thread);
	}
	mutex_unlock(&threads->slots_mutex);
}

/* Waits until no event can hold a retired thread, and keeps only the figures of each. */
void gapp_threads_reap(struct gapp_thread_table *threads)
{
	struct llist_node *retired = llist_del_all(&threads->retired);
	struct gapp_thread *thread, *next;

	if (!retired)
		return;
	synchronize_rcu();
	/* an event that held a retired thread may have posted it */
	gapp_posts_wait(&threads->posts);
	llist_for_each_entry_safe(thread, next, retired, retired)
		reap_one(threads, thread);
}

/* Drops the tasks of all threads; figures stay. No event comes, and nobody looks a task up. */
void gapp_threads_let_go(struct gapp_thread_table *threads)
{
	struct gapp_thread *thread;
	unsigned long flags;
	u32 slot;

	gapp_table_lock(threads, &flags);
	bitmap_zero(threads->filter, GAPP_BUCKETS);
	gapp_table_unlock(threads, flags);
	mutex_lock(&threads->slots_mutex);
	for (slot = 0; slot < gapp_slot_count(threads); slot++) {
		cond_resched();
		thread = gapp_slot(threads, slot);
		if (thread->use != GAPP_USE_FREE && thread->use != GAPP_USE_EXITED)
			let_go(thread);
	}
	mutex_unlock(&threads->slots_mutex);
}

/* After the worker has ended, or when no probe ever ran. */
void gapp_threads_destroy(struct gapp_thread_table *threads)
{
	struct gapp_process *process;
	struct hlist_node *next;
	unsigned int bucket;
	u32 slot;

	for (slot = 0; slot < gapp_slot_count(threads); slot++) {
		cond_resched();
		release(gapp_slot(threads, slot));
	}
	for (slot = 0; slot < threads->chunk_count; slot++)
		kvfree(threads->chunks[slot]);
	hash_for_each_safe(threads->processes, bucket, next, process, node) {
		put_pid(process->tgid);
		if (process != &threads->rest)
			kfree(process);
	}
	gapp_targets_destroy(threads);
	kvfree(threads->chunks);
	kvfree(threads->buckets);
	threads->chunks = NULL;
	threads->chunk_count = 0;
	threads->buckets = NULL;
}
