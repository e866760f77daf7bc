/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a session follows: one thread for each thread, found by task.
 *
 * Locks, outermost first:
 *	slots_mutex	chunks, exited threads, process rows; process context
 *	table_lock	which tasks have an thread, free threads, targets, their thresholds
 *	thread->lock	one thread's figures
 *	acc.lock	n, G, C, S
 * table_lock and thread->lock are not nested in each other. From the scheduler
 * only the last three are taken, with interrupts off.
 */
#ifndef GAPP_THREADS_TABLE_H
#define GAPP_THREADS_TABLE_H

#include <linux/bits.h>
#include <linux/hash.h>
#include <linux/hashtable.h>
#include <linux/irq_work.h>
#include <linux/llist.h>
#include <linux/mutex.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>

#include "target.h"
#include "core/slice.h"
#include "core/taskstate.h"

enum gapp_thread_use {
	GAPP_USE_FREE,
	GAPP_USE_LIVE, /* events find it */
	GAPP_USE_RETIRED, /* no event finds it, but one may still hold it */
	GAPP_USE_EXITED, /* figures only */
};

/* The process's children are followed too. */
#define GAPP_THREAD_INHERIT BIT(0)
/* The kernel's own account is compared with ours, since @base. */
#define GAPP_THREAD_BASED BIT(1)
/* No longer: @base is the result. */
#define GAPP_THREAD_KERNEL_DONE BIT(2)
/* The comparison began or ended while it ran, when the kernel's may be a tick old. */
#define GAPP_THREAD_KERNEL_LATE BIT(3)
/*
 * The kernel's account of the wait for a CPU that is to come may begin before its wake-up: the
 * wait began before session time, or the thread was moved to another CPU while it slept (since
 * v6.12 a sleeping thread may stay queued).
 */
#define GAPP_THREAD_KERNEL_ASTRAY BIT(4)
/* It may not be followed any more: it leaves with its next switch-out, on its own CPU. */
#define GAPP_THREAD_EXPELLED BIT(5)
/* Its id is its process's, since an exec. */
#define GAPP_THREAD_TOOK_LEADER BIT(6)
/* Session time has ended: its last slice is over, or it slept then and sleeps no longer. */
#define GAPP_THREAD_ENDED BIT(7)
/* Of these nearly all threads have only the first. */
#define GAPP_THREAD_USUAL GAPP_THREAD_BASED
#define GAPP_THREAD_UNUSUAL                                                           \
	(GAPP_THREAD_KERNEL_DONE | GAPP_THREAD_KERNEL_ASTRAY | GAPP_THREAD_EXPELLED | \
	 GAPP_THREAD_ENDED)

/* By how much the kernel's account of a thread is ahead of ours, of the same moment; nanoseconds.
 */
struct gapp_accounts {
	u64 run;
	u64 runq;
};

/**
 * struct gapp_waker - who woke a thread last
 * @tid: thread, as the opener sees it
 * @tgid: its process
 * @cpu: where
 * @flags: GAPP_SLICE_WAKER and GAPP_SLICE_WOKEN_BY_IRQ
 */
struct gapp_waker {
	s32 tid;
	s32 tgid;
	u16 cpu;
	u16 flags;
};

/* Whether there are paths of the end of a slice. */
enum gapp_paths {
	GAPP_PATHS_NONE, /* they were not taken */
	GAPP_PATHS_WANTED, /* nor, and a record waits for them */
	GAPP_PATHS_KNOWN, /* they were taken at that very end */
};

/**
 * struct gapp_last_wait - how a thread's last slice ended
 * @path: user path last taken, GAPP_PATH_NONE: none ever was
 * @kernel_path: kernel path, likewise
 * @syscall: system call it was in, or -1; see gapp_wait_note()
 * @reason: enum gapp_wait_reason
 * @paths: enum gapp_paths
 */
struct gapp_last_wait {
	u32 path;
	u32 kernel_path;
	s16 syscall;
	u8 reason;
	u8 paths;
};

/**
 * struct gapp_thread - one thread
 * @next: in a bucket while live, in the free list while free; table_lock, read under RCU
 * @task: the thread, a reference
 * @comm: its name when it was EXITED, in the place of both
 * @target: whose n it counts in
 * @lock: protects @core, @slice, @last_wait, @waker, @wait_reason, @image, @base, @kernel_runq and
 *@flags; interrupts off
 * @use: enum gapp_thread_use; to LIVE and RETIRED under table_lock, to EXITED and FREE under
 *	slots_mutex
 * @leaving: it began to exit and does not count as live; table_lock
 * @flags: GAPP_THREAD_* bits
 * @wait_reason: what it counts as in its target's waiting threads, or GAPP_WAIT_NONE
 * @core: state and sums
 * @kernel_runq: the kernel's account of its waits for a CPU when it was last switched out
 * @s_found: instead, while it runs: S when it came to run, if no switch-in told of it
 * @reap: instead, when it is gone: in the list of retired threads
 * @slice: what is carried over from its slices; the open one is its CPU's
 * @image: number of its address space
 * @base: accounts at the first moment that can be compared, see accounts.c
 * @tid: its id, a reference
 * @tgid: its process's id, a reference
 * @last_wait: how its last slice ended
 * @waker: who woke it
 *
 * There are many, so it is no larger than 256 bytes. Where nothing is exported a switch needs the
 * members up to @slice only, and @last_wait of one that goes to sleep.
 */
struct gapp_thread {
	union {
		struct {
			struct gapp_thread __rcu *next;
			struct task_struct *task;
		};
		char comm[TASK_COMM_LEN];
	};
	struct gapp_target *target;
	raw_spinlock_t lock;
	u8 use;
	bool leaving;
	u8 flags;
	u8 wait_reason;
	struct gapp_task core;
	union {
		u64 kernel_runq;
		u64 s_found;
		struct llist_node reap;
	};
	struct gapp_slice slice;
	u32 image;
	struct gapp_accounts base;
	struct pid *tid;
	struct pid *tgid;
	struct gapp_last_wait last_wait;
	struct gapp_waker waker;
};

#if defined(CONFIG_64BIT) && !defined(CONFIG_DEBUG_SPINLOCK) && !defined(CONFIG_DEBUG_LOCK_ALLOC)
static_assert(sizeof(struct gapp_thread) <= 256);
#endif
static_assert(CONFIG_NR_CPUS <= U16_MAX);

/**
 * struct gapp_moment - when something happened that is several events
 * @at: the accumulators of @target then
 * @target: NULL: no event has told
 */
struct gapp_moment {
	struct gapp_at at;
	struct gapp_target *target;
};

#define GAPP_CHUNK_THREADS 64
/* Free threads that the worker keeps in stock for threads created meanwhile. */
#define GAPP_STOCK_THREADS 1024
#define GAPP_PROCESS_HASH_BITS 8

/* Address spaces in a session; more than that are walked without tables. */
#define GAPP_MAX_ADDRESS_SPACES 4096
/* Made at a time, and kept in stock for processes that fork. */
#define GAPP_STOCK_ADDRESS_SPACES 64
#define GAPP_SPACE_HASH_BITS 11

/**
 * struct gapp_process - sum of a process's exited threads that are not kept one by one
 * @node: in the hash of processes
 * @tgid: the process's id, a reference; NULL for all processes beyond the bound
 * @sum: their figures
 */
struct gapp_process {
	struct hlist_node node;
	struct pid *tgid;
	struct gapp_thread_figures sum;
};

struct gapp_cpu;
struct gapp_buffers;
struct gapp_address_space;
struct gapp_request;
struct proc_dir_entry;

/**
 * struct gapp_session - one profile: what stands behind an open file of /dev/gapp
 * @buckets: threads by task; read at every switch of the machine, and so are the next five
 * @filter: a bit for each bucket that is not empty
 * @bits: log2 of the number of buckets
 * @level: enum gapp_level
 * @cpus: what each CPU has of its own, by CPU number
 * @rule: when records are due
 * @period_ns: of the sampler; 0: none
 * @seed: secret of the session's draws
 * @max_stack: frames of a path
 * @unwind_by: enum gapp_unwind_by
 * @verify: the stack of every path goes along
 * @stack_copy_bytes: of a stack that goes along
 * @copy_pause_ns: a CPU sends one so often, in the long run; 0: as often as it likes
 * @kernel_paths: the opener may see them, and asked for them
 * @wakers: who wakes is asked for
 * @all: every process of the machine is followed
 * @per_process: each process has a target of its own
 * @buffers: rings and the table of paths; NULL with GAPP_LEVEL_STATS
 * @ns: pid namespace of the opener, whose ids records have
 * @ns_level: its level; 0: ids are those of the kernel
 * @table_lock: protects what @buckets and @filter point to, and the members from here to
 *	@lists_gone; interrupts off
 * @free: free threads
 * @free_count: how many
 * @threshold_rule: what the threshold of a new target begins as
 * @targets: all of them ever made
 * @target_max: length of @targets
 * @target_made: how many were made
 * @target_count: how many of those are in use
 * @phase: enum gapp_phase
 * @start_ns: CLOCK_MONOTONIC at which session time began
 * @image_last: number of the newest address space
 * @in_table: threads in @buckets
 * @in_table_peak: most of them at one time
 * @followed: threads followed since the start
 * @live: threads that have not begun to exit
 * @live_peak: most of them at one time
 * @not_followed: threads of the target that found no thread
 * @spaces: address spaces by their mm, read under RCU
 * @spaces_free: free ones
 * @space_free_count: how many
 * @space_count: how many are in use
 * @space_chunks: all of them ever made, GAPP_STOCK_ADDRESS_SPACES each
 * @space_chunk_count: how many chunks
 * @lists_gone: mappings that no space has any more
 * @mappings_held: mappings that are told, and those replaced that are not yet freed
 * @tables: struct gapp_loaded_table by number; under the session's lock, as are the next two
 * @table_bytes: their size
 * @table_count: how many
 * @retired: threads to reap
 * @irq_work: leaves the scheduler's context to get to @work
 * @work: reaps retired threads and refills @free
 * @slots_mutex: protects @chunks, @chunk_count, @exited, @processes, @process_count and
 *	@unexpected_reaped
 * @chunks: all threads ever made, GAPP_CHUNK_THREADS each
 * @chunk_count: how many chunks
 * @chunk_max: length of @chunks
 * @exited: threads in use EXITED
 * @processes: struct gapp_process by tgid
 * @process_count: how many
 * @unexpected_reaped: impossible transitions of the threads summed there
 * @settled: every thread's figures are final and in its target's sums; slots_mutex
 * @max_threads: bound on @in_table
 * @max_exited: bound on @exited
 * @exes: files whose processes are followed when they execute them, references
 * @exe_inherit: a bit for each of those whose children are followed too
 * @exe_count: how many; only grows, read from the probe of exec
 * @self: process of the reader, never followed; a reference
 * @opener: who opened the session; a reference
 * @restricted: only processes of @opener may be followed
 * @lock: serializes control operations; protects the members from here on
 * @id: number, unique while the module is loaded
 * @state: enum gapp_session_state
 * @request_count: elements of @requests
 * @requests: processes asked for
 * @recount: result of the recount at stop
 * @all_sessions: in the list of all sessions, under that list's lock
 * @proc: the session's folder in /proc/gapp, kept by procfs.c
 */
struct gapp_session {
	struct gapp_thread __rcu **buckets ____cacheline_aligned_in_smp;
	unsigned long *filter;
	struct gapp_cpu **cpus;
	unsigned int bits;
	u32 level;
	bool all;

	struct gapp_due rule;
	u32 period_ns;
	u32 stack_copy_bytes;
	u16 max_stack;
	u8 unwind_by;
	bool verify;
	bool kernel_paths;
	bool wakers;
	bool per_process;
	u32 ns_level;
	u64 copy_pause_ns;
	u64 seed;
	struct gapp_buffers *buffers;
	struct pid_namespace *ns;

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
	u32 image_last;
	u32 in_table;
	u32 in_table_peak;
	u32 live;
	u32 live_peak;
	u64 followed;
	u64 not_followed;
	struct hlist_head spaces[1 << GAPP_SPACE_HASH_BITS];
	struct hlist_head spaces_free;
	u32 space_free_count;
	u32 space_count;
	struct gapp_address_space
		*space_chunks[GAPP_MAX_ADDRESS_SPACES / GAPP_STOCK_ADDRESS_SPACES];
	u32 space_chunk_count;
	struct llist_head lists_gone;
	atomic_t mappings_held;

	struct xarray tables;
	u64 table_bytes;
	u32 table_count;

	struct llist_head retired;
	struct irq_work irq_work;
	struct work_struct work;

	struct mutex slots_mutex;
	struct gapp_thread **chunks;
	u32 chunk_count;
	u32 chunk_max;
	u32 exited;
	u32 process_count;
	u64 unexpected_reaped;
	bool settled;
	DECLARE_HASHTABLE(processes, GAPP_PROCESS_HASH_BITS);

	u32 max_threads;
	u32 max_exited;

	struct file *exes[GAPP_MAX_EXECUTABLES];
	u32 exe_inherit;
	u32 exe_count;

	struct pid *self;
	const struct cred *opener;
	bool restricted;

	struct mutex lock;
	u32 id;
	u32 state;
	u32 request_count;
	struct gapp_request *requests;
	struct gapp_status recount;
	struct list_head all_sessions;
	struct proc_dir_entry *proc;
};

/* threads.c: threads come and go */
void gapp_threads_prepare(struct gapp_session *session);
int gapp_threads_init(struct gapp_session *session);
void gapp_threads_quiesce(struct gapp_session *session);
void gapp_threads_destroy(struct gapp_session *session);
int gapp_threads_stock(struct gapp_session *session, u32 threads);
int gapp_threads_join(struct gapp_session *session, struct task_struct *task, u8 flags,
		      bool newborn, const struct gapp_thread *fellow);
void gapp_threads_leaving(struct gapp_session *session, struct gapp_thread *thread);
void gapp_threads_retire(struct gapp_session *session, struct gapp_thread *thread);
void gapp_threads_put_free(struct gapp_session *session, struct gapp_thread *thread);
void gapp_threads_not_followed(struct gapp_session *session, u32 count);

/* reap.c: what becomes of retired threads, and the stock of free ones */
void gapp_reap(struct gapp_session *session);
void gapp_reap_work(struct work_struct *work);
void gapp_reap_tasks(struct gapp_session *session);
void gapp_reap_release(struct gapp_thread *thread);

/* events.c: what happens to them */
void gapp_thread_event(struct gapp_session *session, struct gapp_thread *thread,
		       enum gapp_event event);
void gapp_thread_moved(struct gapp_thread *thread);
void gapp_thread_renamed(struct gapp_thread *thread, const char *comm);
void gapp_threads_begin(struct gapp_session *session);
void gapp_thread_executed(struct gapp_session *session, struct gapp_thread *thread,
			  bool took_leader);
void gapp_thread_expel(struct gapp_thread *thread);
void gapp_thread_woken_by(struct gapp_thread *thread, const struct gapp_waker *waker);
u32 gapp_threads_settle(struct gapp_session *session);

/* Under slots_mutex. */
static inline u32 gapp_slot_count(const struct gapp_session *session)
{
	return session->chunk_count * GAPP_CHUNK_THREADS;
}

/* Under slots_mutex. */
static inline struct gapp_thread *gapp_slot(struct gapp_session *session, u32 slot)
{
	return &session->chunks[slot / GAPP_CHUNK_THREADS][slot % GAPP_CHUNK_THREADS];
}

/* How many targets are in use, and filled in. */
static inline u32 gapp_target_count(const struct gapp_session *session)
{
	/* Pairs with the release in gapp_target_new(). */
	return smp_load_acquire(&session->target_count);
}

/* Whether it matters what processes have mapped. */
static inline bool gapp_unwinds_by_tables(const struct gapp_session *session)
{
	return session->unwind_by == GAPP_UNWIND_BY_AUTO ||
	       session->unwind_by == GAPP_UNWIND_BY_TABLE;
}

/* CLOCK_MONOTONIC of a session time. */
static inline u64 gapp_clock_of(const struct gapp_session *session, u64 session_time)
{
	return session->start_ns + session_time;
}

static inline enum gapp_thread_use gapp_thread_use(const struct gapp_thread *thread)
{
	/* Pairs with the release in gapp_threads_join(): an thread in use is filled in. */
	return smp_load_acquire(&thread->use);
}

/* By who keeps it in use: the holder of slots_mutex, or an event of it. */
static inline const char *gapp_thread_comm(const struct gapp_thread *thread)
{
	return gapp_thread_use(thread) == GAPP_USE_EXITED ? thread->comm : thread->task->comm;
}

/* Its id; that of the process is @tgid. */
static inline struct pid *gapp_thread_tid(const struct gapp_thread *thread)
{
	return thread->flags & GAPP_THREAD_TOOK_LEADER ? thread->tgid : thread->tid;
}

static __always_inline u32 gapp_bucket(const struct gapp_session *session,
				       const struct task_struct *task)
{
	return hash_ptr(task, session->bits);
}

/* Whether a bucket has threads. The common answer is no, and must cost next to nothing. */
static __always_inline bool gapp_bucket_is_used(const struct gapp_session *session, u32 bucket)
{
	return test_bit(bucket, session->filter);
}

/* Under rcu_read_lock(), or what is as good: preemption off. */
static __always_inline struct gapp_thread *gapp_find(const struct gapp_session *session, u32 bucket,
						     const struct task_struct *task)
{
	struct gapp_thread *thread = rcu_dereference_raw(session->buckets[bucket]);

	while (thread && thread->task != task)
		thread = rcu_dereference_raw(thread->next);
	return thread;
}

static inline struct gapp_thread *gapp_lookup(const struct gapp_session *session,
					      const struct task_struct *task)
{
	u32 bucket = gapp_bucket(session, task);

	return likely(!gapp_bucket_is_used(session, bucket)) ? NULL :
							       gapp_find(session, bucket, task);
}

#endif /* GAPP_THREADS_TABLE_H */
