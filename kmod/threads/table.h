/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which threads a session follows: one struct gapp_thread for each, found by task.
 *
 * Locks, outermost first:
 *	slots_mutex	chunks, exited threads, sums of processes; process context
 *	table_lock	which tasks are followed, free threads, targets, their thresholds
 *	gapp_lock()	one thread's figures
 *	acc.lock	n, G, C, S of one target
 * table_lock and the lock of a thread are not nested in each other. The scheduler's context takes
 * the last three only, with interrupts off.
 */
#ifndef GAPP_THREAD_TABLE_H
#define GAPP_THREAD_TABLE_H

#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/irq_work.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "fault/fault.h"
#include "lock.h"
#include "posts.h"
#include "settings.h"
#include "thread.h"

#define GAPP_CHUNK_THREADS 64
/* Free threads that the worker keeps in stock for threads created meanwhile. */
#define GAPP_STOCK_THREADS 1024
#define GAPP_PROCESS_HASH_BITS 8
/* log2 of the number of buckets: a constant, for a hash of a task takes few instructions then. */
#define GAPP_BUCKET_BITS 14
#define GAPP_BUCKETS BIT(GAPP_BUCKET_BITS)

/* Why a thread of a target is not followed. */
enum gapp_not_followed {
	GAPP_NOT_FOLLOWED_BOUND, /* max_threads, or the number of targets, is reached */
	GAPP_NOT_FOLLOWED_LATE, /* no free structure was in stock */
	GAPP_NOT_FOLLOWED_DENIED, /* the opener may not follow it */
	GAPP_NOT_FOLLOWED_CAUSES,
};

/**
 * struct gapp_worker - frees and makes what the scheduler's context may not free or make
 * @irq_work: queued from the scheduler's context; queues @work
 * @work: the worker, see control/session.c
 */
struct gapp_worker {
	struct irq_work irq_work;
	struct work_struct work;
};

/**
 * struct gapp_process - sum of a process's exited threads that are not kept one by one
 * @node: in the hash of processes
 * @tgid: the process's id, a reference; NULL for all processes that share one sum
 * @sum: their figures
 */
struct gapp_process {
	struct hlist_node node;
	struct pid *tgid;
	struct gapp_thread_figures sum;
};

/*
 * struct gapp_thread_table - the threads that a session follows
 * @buckets: threads by task
 * @worker: reaps @retired and refills @free
 * @filter: a bit for each bucket that is not empty
 * @table_lock: protects what @buckets and @filter point to, and the members up to @live_peak;
 *	interrupts off
 * @threshold_rule: what a new target's threshold is initialised to
 * @targets: all targets ever made
 * @target_count: targets in use, the first ones of @targets
 * @phase: enum gapp_phase
 * @start_ns: CLOCK_MONOTONIC at which session time began; 0: it has not
 * @n_min_late: a target's threshold could not be posted: the worker has to set it
 * @image_last: number of the newest address space
 * @in_table: threads in @buckets
 * @followed: threads followed since the start
 * @not_followed: threads of a target that are not followed, by enum gapp_not_followed
 * @live: threads that have not begun to exit
 * @retired: threads to reap
 * @posts: events that are applied later
 * @slots_mutex: protects the members from here on
 * @chunks: all threads ever made, GAPP_CHUNK_THREADS each, of gapp_thread_bytes(); a slot is an
 *	index into all of them
 * @exited: number of threads whose use is GAPP_USE_EXITED
 * @unexpected_reaped: impossible transitions of the threads in @processes
 * @settled: session time has ended, and every thread's figures are in its target's sums
 * @processes: struct gapp_process by tgid
 * @rest: the sum of all processes that have none of their own; in @processes once there is one
 *
 * Every switch of the machine reads @filter.
 */
struct gapp_thread_table {
	struct gapp_thread __rcu **buckets ____cacheline_aligned_in_smp;
	const struct gapp_settings *settings;
	struct gapp_worker *worker;
	DECLARE_BITMAP(filter, GAPP_BUCKETS);

	raw_spinlock_t table_lock ____cacheline_aligned_in_smp;
	u32 free_count;
	struct gapp_thread *free;
	struct gapp_threshold threshold_rule;
	struct gapp_target **targets;
	u32 target_max;
	u32 target_made;
	u32 target_count;
	u32 phase;
	u64 start_ns;
	bool n_min_late;
	u32 image_last;
	u32 in_table;
	u32 in_table_peak;
	u32 live;
	u32 live_peak;
	u64 followed;
	u64 not_followed[GAPP_NOT_FOLLOWED_CAUSES];

	struct llist_head retired;
	struct gapp_posts posts;

	struct mutex slots_mutex;
	void **chunks;
	u32 chunk_count;
	u32 chunk_max;
	u32 exited;
	u32 process_count;
	u64 unexpected_reaped;
	bool settled;
	DECLARE_HASHTABLE(processes, GAPP_PROCESS_HASH_BITS);
	struct gapp_process rest;
};

/* Takes table_lock. Any context. */
static inline void gapp_table_lock(struct gapp_thread_table *threads, unsigned long *flags)
	__acquires(&threads->table_lock)
{
	raw_spin_lock_irqsave(&threads->table_lock, *flags);
	gapp_fault_locked();
}

static inline void gapp_table_unlock(struct gapp_thread_table *threads, unsigned long flags)
	__releases(&threads->table_lock)
{
	gapp_fault_unlocks();
	raw_spin_unlock_irqrestore(&threads->table_lock, flags);
}

/* table.c: who is in the table. Any context. */
int gapp_threads_join(struct gapp_thread_table *threads, struct task_struct *task, u8 flags,
		      bool newborn, const struct gapp_thread *fellow);
void gapp_threads_leaving(struct gapp_thread_table *threads, struct gapp_thread *thread);
void gapp_threads_retire(struct gapp_thread_table *threads, struct gapp_thread *thread);
void gapp_threads_put_free(struct gapp_thread_table *threads, struct gapp_thread *thread);
void gapp_threads_not_followed(struct gapp_thread_table *threads, enum gapp_not_followed cause,
			       u32 count);
void gapp_threads_not_joined(struct gapp_thread_table *threads, int error, u32 count);
u32 gapp_threads_new_image(struct gapp_thread_table *threads);

/* stock.c: making, reaping and freeing. Process context. */
void gapp_threads_prepare(struct gapp_thread_table *threads, const struct gapp_settings *settings,
			  struct gapp_worker *worker);
int gapp_threads_init(struct gapp_thread_table *threads);
int gapp_threads_stock(struct gapp_thread_table *threads, u32 count);
void gapp_threads_reap(struct gapp_thread_table *threads);
void gapp_threads_let_go(struct gapp_thread_table *threads);
void gapp_threads_destroy(struct gapp_thread_table *threads);

/* target.c */
int gapp_targets_init(struct gapp_thread_table *threads);
void gapp_targets_destroy(struct gapp_thread_table *threads);
int gapp_targets_stock(struct gapp_thread_table *threads, u32 count);
struct gapp_target *gapp_target_new(struct gapp_thread_table *threads, struct task_struct *task,
				    struct pid *tgid);
void gapp_target_apply_n_min(struct gapp_thread_table *threads, struct gapp_target *target);
void gapp_target_add_cpus(struct gapp_thread_table *threads, u32 cpus);
void gapp_targets_add_cpus(struct gapp_thread_table *threads, u32 cpus);
void gapp_targets_catch_up(struct gapp_thread_table *threads);
void gapp_target_read(struct gapp_thread_table *threads, struct gapp_target *target,
		      struct gapp_target_sums *sums);
bool gapp_target_start(struct gapp_thread_table *threads);
void gapp_targets_start(struct gapp_thread_table *threads);
u32 gapp_targets_stop(struct gapp_thread_table *threads);
u64 gapp_session_time(struct gapp_thread_table *threads);

/* recount.c */
int gapp_recount(struct gapp_thread_table *threads, struct gapp_status *status);

/* Under slots_mutex. */
static inline u32 gapp_slot_count(const struct gapp_thread_table *threads)
{
	return threads->chunk_count * GAPP_CHUNK_THREADS;
}

/* Bytes of a thread in a chunk. */
static inline size_t gapp_thread_bytes(const struct gapp_settings *settings)
{
	if (settings->tallies)
		return sizeof(struct gapp_tallied_thread);
	return gapp_keeps_waits(settings) ? sizeof(struct gapp_waiting_thread) :
					    sizeof(struct gapp_thread);
}

/* The thread with number @i of a chunk. */
static inline struct gapp_thread *gapp_chunk_thread(const struct gapp_settings *settings,
						    void *chunk, u32 i)
{
	return chunk + i * gapp_thread_bytes(settings);
}

/* Under slots_mutex. */
static inline struct gapp_thread *gapp_slot(struct gapp_thread_table *threads, u32 slot)
{
	return gapp_chunk_thread(threads->settings, threads->chunks[slot / GAPP_CHUNK_THREADS],
				 slot % GAPP_CHUNK_THREADS);
}

/* How many targets are in use, and filled in. Any context. */
static inline u32 gapp_target_count(const struct gapp_thread_table *threads)
{
	/* Pairs with the release in gapp_target_new(). */
	return smp_load_acquire(&threads->target_count);
}

/* CLOCK_MONOTONIC, in nanoseconds, of a session time. */
static inline u64 gapp_clock_of(const struct gapp_thread_table *threads, u64 session_time)
{
	return threads->start_ns + session_time;
}

/* A long, for it is an index: a shorter one that is handed on is extended each time. */
static __always_inline unsigned long gapp_bucket(const struct task_struct *task)
{
	return hash_64((unsigned long)task, GAPP_BUCKET_BITS);
}

/* Whether a bucket has threads. The common answer is no, and must cost next to nothing. */
static __always_inline bool gapp_bucket_is_used(const struct gapp_thread_table *threads,
						unsigned long bucket)
{
	return test_bit(bucket, threads->filter);
}

/* Under rcu_read_lock(), or with preemption off. */
static __always_inline struct gapp_thread *gapp_find(const struct gapp_thread_table *threads,
						     unsigned long bucket,
						     const struct task_struct *task)
{
	struct gapp_thread *thread = rcu_dereference_raw(threads->buckets[bucket]);

	while (thread && thread->task != task)
		thread = rcu_dereference_raw(thread->next);
	return thread;
}

/* Under rcu_read_lock(), or with preemption off. */
static inline struct gapp_thread *gapp_lookup(const struct gapp_thread_table *threads,
					      const struct task_struct *task)
{
	const unsigned long bucket = gapp_bucket(task);

	return likely(!gapp_bucket_is_used(threads, bucket)) ? NULL :
							       gapp_find(threads, bucket, task);
}

#endif /* GAPP_THREAD_TABLE_H */
