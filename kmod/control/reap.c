// SPDX-License-Identifier: GPL-2.0
/*
 * The worker: waits until no event can hold a retired thread, keeps its figures
 * one by one up to the bound and summed by process beyond it, and keeps free
 * threads in stock. Process context.
 */
#include <linux/rcupdate.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "figures.h"
#include "callpath/address_spaces.h"
#include "threads/table.h"

/* Drops what an thread holds; it is FREE afterwards. No event may find it. */
void gapp_reap_release(struct gapp_thread *thread)
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

static void put_free(struct gapp_session *session, struct gapp_thread *thread)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&session->table_lock, flags);
	gapp_threads_put_free(session, thread);
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}

static int add_chunk(struct gapp_session *session)
{
	struct gapp_thread *chunk;
	u32 i;

	if (READ_ONCE(session->chunk_count) >= session->chunk_max)
		return -ENOSPC;
	chunk = kvcalloc(GAPP_CHUNK_THREADS, sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	for (i = 0; i < GAPP_CHUNK_THREADS; i++)
		raw_spin_lock_init(&chunk[i].lock);

	/* Asked again: the worker and an attach may both be here. */
	mutex_lock(&session->slots_mutex);
	if (session->chunk_count >= session->chunk_max) {
		mutex_unlock(&session->slots_mutex);
		kvfree(chunk);
		return -ENOSPC;
	}
	session->chunks[session->chunk_count] = chunk;
	WRITE_ONCE(session->chunk_count, session->chunk_count + 1);
	mutex_unlock(&session->slots_mutex);
	for (i = 0; i < GAPP_CHUNK_THREADS; i++)
		put_free(session, &chunk[i]);
	return 0;
}

/**
 * gapp_threads_stock() - see to it that threads are free
 * @session: the session
 * @threads: how many at least, as far as the bounds allow
 *
 * Targets too, where processes have their own.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if a bound was reached.
 */
int gapp_threads_stock(struct gapp_session *session, u32 threads)
{
	/* beyond the usual stock there are those that an attach lacks: a process each, at most */
	u32 lacking = threads > GAPP_STOCK_THREADS ? threads - GAPP_STOCK_THREADS : 0;
	int ret = gapp_targets_stock(session, max_t(u32, GAPP_STOCK_TARGETS, lacking));

	while (!ret && READ_ONCE(session->free_count) < threads)
		ret = add_chunk(session);
	return ret;
}

static struct gapp_process *find_process(struct gapp_session *session, struct pid *tgid)
{
	struct gapp_process *process;

	hash_for_each_possible(session->processes, process, node, (unsigned long)tgid)
		if (process->tgid == tgid)
			return process;
	return NULL;
}

/* One row takes all processes beyond the bound. */
static struct gapp_process *process_of(struct gapp_session *session, struct pid *tgid)
{
	struct gapp_process *process = find_process(session, tgid);

	if (!process && session->process_count >= GAPP_MAX_PROCESSES - 1) {
		tgid = NULL;
		process = find_process(session, tgid);
	}
	if (process)
		return process;

	process = kzalloc(sizeof(*process), GFP_KERNEL_ACCOUNT | __GFP_NOFAIL);
	process->tgid = get_pid(tgid);
	process->sum.state = GAPP_THREAD_GONE;
	hash_add(session->processes, &process->node, (unsigned long)tgid);
	session->process_count++;
	return process;
}

static void sum_up(struct gapp_session *session, struct gapp_thread *thread)
{
	struct gapp_process *process;
	struct gapp_thread_figures figures;
	struct gapp_at at;

	gapp_acc_read(&thread->target->acc, &at);
	gapp_figures_of(thread, &at, &figures);
	if (!session->settled)
		thread->target->critical_runq += thread->core.critical_runq;
	process = process_of(session, thread->tgid);
	gapp_figures_add(&process->sum, &figures);
	memcpy(process->sum.comm, figures.comm, sizeof(process->sum.comm));
	session->unexpected_reaped += thread->core.unexpected;
}

/* Only the figures stay, and the name. No event may find it. Under slots_mutex. */
static void let_go(struct gapp_thread *thread)
{
	struct task_struct *task = thread->task;

	strscpy_pad(thread->comm, task->comm, sizeof(thread->comm));
	WRITE_ONCE(thread->use, GAPP_USE_EXITED);
	put_task_struct(task);
}

static void reap(struct gapp_session *session, struct gapp_thread *thread)
{
	mutex_lock(&session->slots_mutex);
	if (session->exited < session->max_exited) {
		session->exited++;
		let_go(thread);
	} else {
		sum_up(session, thread);
		gapp_reap_release(thread);
		put_free(session, thread);
	}
	mutex_unlock(&session->slots_mutex);
}

/* Waits until no event can hold what was retired, and keeps only its figures. */
void gapp_reap(struct gapp_session *session)
{
	struct llist_node *retired = llist_del_all(&session->retired);
	struct gapp_thread *thread, *next;

	if (!retired)
		return;
	synchronize_rcu();
	llist_for_each_entry_safe(thread, next, retired, reap)
		reap(session, thread);
}

/* The stock comes first: a target that creates threads does not wait for a grace period. */
void gapp_reap_work(struct work_struct *work)
{
	struct gapp_session *session = container_of(work, struct gapp_session, work);

	gapp_threads_stock(session, GAPP_STOCK_THREADS);
	if (gapp_unwinds_by_tables(session))
		gapp_address_spaces_stock(session, GAPP_STOCK_ADDRESS_SPACES);
	gapp_reap(session);
	gapp_threads_stock(session, GAPP_STOCK_THREADS);
	gapp_address_spaces_reap(session);
}

/* No event comes any more, nor is any task looked up: the figures stay, the tasks are let go. */
void gapp_reap_tasks(struct gapp_session *session)
{
	struct gapp_thread *thread;
	unsigned long flags;
	u32 slot;

	raw_spin_lock_irqsave(&session->table_lock, flags);
	bitmap_zero(session->filter, 1U << session->bits);
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
	mutex_lock(&session->slots_mutex);
	for (slot = 0; slot < gapp_slot_count(session); slot++) {
		thread = gapp_slot(session, slot);
		if (thread->use != GAPP_USE_FREE && thread->use != GAPP_USE_EXITED)
			let_go(thread);
	}
	mutex_unlock(&session->slots_mutex);
}
