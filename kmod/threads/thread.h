/* SPDX-License-Identifier: GPL-2.0 */
/* What gapp knows of one thread. */
#ifndef GAPP_THREAD_H
#define GAPP_THREAD_H

#include <linux/bits.h>
#include <linux/llist.h>
#include <linux/pid.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/spinlock.h>

#include "compat/sched.h"
#include "core/slice.h"
#include "core/tallies.h"
#include "core/taskstate.h"
#include "core/thread_waits.h"
#include "target.h"

enum gapp_thread_use {
	GAPP_USE_FREE,
	GAPP_USE_LIVE, /* events find it */
	GAPP_USE_RETIRED, /* no event finds it, but one may still hold it */
	GAPP_USE_EXITED, /* only its figures and its name are left */
};

/* The process's children are followed too. */
#define GAPP_THREAD_INHERIT BIT(0)
/* The kernel's own account is compared with ours, since @base was taken. */
#define GAPP_THREAD_BASED BIT(1)
/* The comparison has ended: @base is its result. */
#define GAPP_THREAD_KERNEL_DONE BIT(2)
/* The comparison began or ended while the thread ran: the kernel's account may be a tick old. */
#define GAPP_THREAD_KERNEL_LATE BIT(3)
/*
 * The kernel may date the begin of the thread's next wait for a CPU before the wake-up: that wait
 * began before session time, or the thread was moved to another CPU while it slept (since v6.12 a
 * sleeping thread may stay queued).
 */
#define GAPP_THREAD_KERNEL_ASTRAY BIT(4)
/* The opener may not follow it any more: it leaves with its next switch-out, on its own CPU. */
#define GAPP_THREAD_EXPELLED BIT(5)
/* An exec gave the thread the id of its process. */
#define GAPP_THREAD_TOOK_LEADER BIT(6)
/*
 * Session time has ended, and the slice or wait that the thread was in at that time has ended too.
 * From then on gapp opens no slice for the thread and does not read the thread's system call.
 */
#define GAPP_THREAD_ENDED BIT(7)
/* It may wait in a loop that yields: a switch-out looks for what the sampler missed. */
#define GAPP_THREAD_YIELDS BIT(8)
/*
 * Nearly all threads have the first of these flags and none of the others. A thread of which that
 * is not true is special: an event needs more than a usual step (gapp_task.special).
 */
#define GAPP_THREAD_USUAL GAPP_THREAD_BASED
#define GAPP_THREAD_UNUSUAL                                                           \
	(GAPP_THREAD_KERNEL_DONE | GAPP_THREAD_KERNEL_ASTRAY | GAPP_THREAD_EXPELLED | \
	 GAPP_THREAD_ENDED | GAPP_THREAD_YIELDS)

/* Whether a thread's lock is a spinlock that the kernel checks; see lock.h. */
#if defined(CONFIG_DEBUG_SPINLOCK) || defined(CONFIG_DEBUG_LOCK_ALLOC)
#define GAPP_CHECKED_LOCK 1
#else
#define GAPP_CHECKED_LOCK 0
#endif

/**
 * struct gapp_accounts - the kernel's account of a thread less ours, at the same moment
 * @run: difference of the time on a CPU, in nanoseconds
 * @runq: difference of the time waiting for a CPU, in nanoseconds
 */
struct gapp_accounts {
	u64 run;
	u64 runq;
};

/**
 * struct gapp_waker - who woke a thread last
 * @tid: thread id, as the opener sees it
 * @tgid: process id, as the opener sees it
 * @cpu: CPU on which the waker ran
 * @flags: GAPP_SLICE_WAKER, GAPP_SLICE_WOKEN_BY_IRQ and GAPP_SLICE_IRQ_*
 */
struct gapp_waker {
	s32 tid;
	s32 tgid;
	u16 cpu;
	u16 flags;
};

/**
 * struct gapp_noted_path - where the waker was that woke a thread last
 * @path: number of its user call path; GAPP_PATH_NONE: none was taken
 * @image: number of its address space; 0: no path was wanted
 */
struct gapp_noted_path {
	u32 path;
	u32 image;
};

/* Whether gapp has the call paths of the point at which a slice ended. */
enum gapp_paths {
	GAPP_PATHS_NONE, /* no: nobody needed them */
	GAPP_PATHS_WANTED, /* no, and a wait record needs them */
	GAPP_PATHS_KNOWN,
};

/**
 * struct gapp_last_wait - how a thread's last slice ended
 * @path: user call path taken last; GAPP_PATH_NONE: none was ever taken
 * @kernel_path: kernel call path taken last; GAPP_PATH_NONE: none was ever taken
 * @syscall: number of the system call as slices.c shortens it; -1: none
 * @reason: enum gapp_wait_reason
 * @paths: enum gapp_paths; only with GAPP_PATHS_KNOWN do @path and @kernel_path belong to this wait
 */
struct gapp_last_wait {
	u32 path;
	u32 kernel_path;
	s16 syscall;
	u8 reason;
	u8 paths;
};

/*
 * struct gapp_thread - one thread
 * @next: in a bucket while LIVE, in the list of free ones while FREE; table_lock, read under RCU
 * @task: the kernel's thread, a reference, while LIVE or RETIRED
 * @comm: its name, while EXITED
 * @target: target in whose n the thread counts
 * @use: enum gapp_thread_use; to LIVE and RETIRED under table_lock, to EXITED and FREE under
 *	slots_mutex
 * @leaving: it began to exit and does not count as live; table_lock
 * @flags: GAPP_THREAD_* bits; written by gapp_thread_set_flags() only
 * @wait_reason: enum gapp_wait_reason that it counts under in @target, or GAPP_WAIT_NONE
 * @looked: of a thread with GAPP_THREAD_YIELDS: points of the sampler's grid until it was last
 *	looked at; only the CPU that runs or wakes the thread uses it
 * @core: state, lock and sums. The lock protects the members from @flags on, but @tid and @tgid
 * @kernel_runq: see gapp_thread_kernel_runq()
 * @s_found: see gapp_thread_s_found()
 * @retired: in the list of retired threads, while RETIRED
 * @slice: what is carried over from its slices; the open slice is in struct gapp_cpu
 * @image: number of its address space
 * @base: accounts at the first moment that can be compared, see accounts.c
 * @last_wait: how its last slice ended
 *
 * There are many, so it is no larger than 256 bytes. Where nothing is exported a switch needs the
 * members up to @slice only, and @last_wait of a thread that goes to sleep.
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
#if GAPP_CHECKED_LOCK
	raw_spinlock_t checked_lock;
#endif
	u8 use;
	bool leaving;
	u16 flags;
	u8 wait_reason;
	u16 looked;
	struct gapp_task core;
	union {
		u64 kernel_runq;
		u64 s_found;
		struct llist_node retired;
	};
	struct gapp_slice slice;
	u32 image;
	struct gapp_accounts base;
	struct pid *tid;
	struct pid *tgid;
	struct gapp_last_wait last_wait;
	struct gapp_waker waker;
};

#if defined(CONFIG_64BIT) && !GAPP_CHECKED_LOCK
static_assert(sizeof(struct gapp_thread) <= 256);
#endif
static_assert(CONFIG_NR_CPUS <= U16_MAX);

/**
 * struct gapp_kernel_wait - the lock in the kernel that a thread waits for
 * @lock: the lock, whether the thread runs, spins or sleeps; NULL: none
 * @flags: LCB_F_* of the kernel, of @lock
 * @inner: the thread spins for a spinlock at the same address
 * @slept_flags: @flags of @slept_for
 * @slept_for: the lock for which the thread slept last
 *
 * The first three are the thread's own, which writes and reads them in its own context. The other
 * two are written with the thread locked; who writes a record of the wait reads them without.
 */
struct gapp_kernel_wait {
	const void *lock;
	u32 flags;
	bool inner;
	u32 slept_flags;
	const void *slept_for;
};

/**
 * struct gapp_spun_word - the word that a thread in a busy-wait loop waits for
 * @address: its address; 0: not known, and so is all else
 * @compared: GAPP_SPIN_COMPARED()
 * @number: what it is compared with
 */
struct gapp_spun_word {
	u64 address;
	s64 number;
	u32 compared;
};

/**
 * struct gapp_waiting_thread - a thread of a session for which gapp_keeps_waits()
 * @thread: what every session has of a thread
 * @woken_from: where its waker was, with GAPP_CONFIG_WAKER_PATHS; the thread's lock protects it
 * @kernel_wait: what it waits for in the kernel, with GAPP_CONFIG_KERNEL_LOCKS
 * @spun_for: what it waited for in a busy-wait loop last, with GAPP_CONFIG_SPINS; its own, as the
 *	first members of @kernel_wait
 * @waits: what it waited for, with GAPP_CONFIG_WAITS; the thread's lock protects it
 *
 * Other sessions have no @waits, so that a thread of theirs takes a quarter of the memory.
 */
struct gapp_waiting_thread {
	struct gapp_thread thread;
	struct gapp_noted_path woken_from;
	struct gapp_kernel_wait kernel_wait;
	struct gapp_spun_word spun_for;
	struct gapp_waits waits;
} ____cacheline_aligned;

/**
 * struct gapp_tallied_thread - a thread of a session with GAPP_CONFIG_TALLIES
 * @thread: what sessions have of a thread that keep waits
 * @tallies: what was counted of it; the CPU on which it runs adds to it
 * @of_slice: what was counted in its slice so far, with GAPP_CONFIG_SLICE_TALLIES; likewise
 * @migrations_seen: times that it was moved, of which @tallies has all in session time; likewise
 */
struct gapp_tallied_thread {
	struct gapp_waiting_thread thread;
	struct gapp_tally_sums tallies;
	struct gapp_tally_sums of_slice;
	u64 migrations_seen;
} ____cacheline_aligned;

/* The waits of a thread, of a session with GAPP_CONFIG_WAITS only. */
static inline struct gapp_waits *gapp_thread_waits(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_waiting_thread, thread)->waits;
}

/* Where the thread's waker was; of a session with GAPP_CONFIG_WAKER_PATHS only. */
static inline struct gapp_noted_path *gapp_thread_woken_from(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_waiting_thread, thread)->woken_from;
}

/* Of a session with GAPP_CONFIG_SPINS for which gapp_keeps_waits(). */
static inline struct gapp_spun_word *gapp_thread_spun_for(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_waiting_thread, thread)->spun_for;
}

/* Of a session with GAPP_CONFIG_KERNEL_LOCKS only. */
static inline struct gapp_kernel_wait *gapp_thread_kernel_wait(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_waiting_thread, thread)->kernel_wait;
}

/* Of a session with GAPP_CONFIG_TALLIES only. */
static inline struct gapp_tally_sums *gapp_thread_tallies(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_tallied_thread, thread.thread)->tallies;
}

/* Of a session with GAPP_CONFIG_TALLIES only. */
static inline struct gapp_tally_sums *gapp_thread_slice_tallies(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_tallied_thread, thread.thread)->of_slice;
}

/* Of a session with GAPP_CONFIG_TALLIES only. */
static inline u64 *gapp_thread_migrations_seen(struct gapp_thread *thread)
{
	return &container_of(thread, struct gapp_tallied_thread, thread.thread)->migrations_seen;
}

/* The thread is locked, or not in use yet. */
static inline void gapp_thread_set_flags(struct gapp_thread *thread, u16 flags)
{
	const u16 asked = GAPP_THREAD_USUAL | GAPP_THREAD_UNUSUAL;

	thread->flags = flags;
	thread->core.special = (flags & asked) != GAPP_THREAD_USUAL;
}

/* The thread is locked. */
static inline void gapp_thread_add_flags(struct gapp_thread *thread, u16 flags)
{
	gapp_thread_set_flags(thread, thread->flags | flags);
}

static inline enum gapp_thread_use gapp_thread_use(const struct gapp_thread *thread)
{
	/* Pairs with the release in gapp_threads_join(): a thread in use is filled in. */
	return smp_load_acquire(&thread->use);
}

/* The name of a thread that is not FREE. The caller holds slots_mutex or handles its event. */
static inline const char *gapp_thread_comm(const struct gapp_thread *thread)
{
	return gapp_thread_use(thread) == GAPP_USE_EXITED ? thread->comm : thread->task->comm;
}

/* Keeps the task's name, makes the thread EXITED, returns the task. Under slots_mutex. */
static inline struct task_struct *gapp_thread_keep_comm(struct gapp_thread *thread)
{
	struct task_struct *task = thread->task;

	strscpy_pad(thread->comm, task->comm, sizeof(thread->comm));
	WRITE_ONCE(thread->use, GAPP_USE_EXITED);
	return task;
}

/* Id of the thread; its process has the id @tgid. */
static inline struct pid *gapp_thread_tid(const struct gapp_thread *thread)
{
	return thread->flags & GAPP_THREAD_TOOK_LEADER ? thread->tgid : thread->tid;
}

/*
 * The members @kernel_runq, @s_found and @retired share one word; the thread's state tells which of
 * the three is valid. While the thread is off a CPU and not GONE, @kernel_runq is the kernel's
 * account of the thread's waits for a CPU, in nanoseconds, as of the thread's last switch-out.
 * While the thread is on a CPU, @s_found is the integral S at the moment when the thread came to
 * run; only gapp_slices_open() reads it, when cpu->open is not the thread's slice. Once the thread
 * is RETIRED, @retired links it into the list of retired threads. The caller holds the lock to
 * read or write @kernel_runq or @s_found.
 */
static inline u64 gapp_thread_kernel_runq(const struct gapp_thread *thread)
{
	return thread->kernel_runq;
}

/* At a switch-out: see gapp_thread_kernel_runq(). */
static inline void gapp_thread_note_kernel_runq(struct gapp_thread *thread)
{
	thread->kernel_runq = gapp_task_run_delay(thread->task);
}

/* While the thread runs: see gapp_thread_kernel_runq(). */
static inline u64 gapp_thread_s_found(const struct gapp_thread *thread)
{
	return thread->s_found;
}

/* When the thread comes to run: see gapp_thread_kernel_runq(). */
static inline void gapp_thread_note_s_found(struct gapp_thread *thread, u64 s)
{
	thread->s_found = s;
}

/**
 * gapp_observe() - the state of a task, as the event that would have led there
 * @task: the task; events may come meanwhile
 *
 * on_cpu is read first: a thread sets its state word some time before it is switched out, and may
 * change its mind. A thread that was preempted meanwhile is still queued. A thread that is being
 * woken is asleep until its wake-up event.
 *
 * Return: GAPP_EV_SEED_* or GAPP_EV_OUT_DEAD.
 */
static inline enum gapp_event gapp_observe(const struct task_struct *task)
{
	unsigned int state;

	if (gapp_task_on_cpu(task))
		return GAPP_EV_SEED_RUNNING;
	/* Pairs with the switch-out, which sets the state word and then on_cpu. */
	smp_rmb();
	state = gapp_task_state_word(task);
	if (state == TASK_RUNNING)
		return GAPP_EV_SEED_RUNNABLE;
	if (state & TASK_DEAD)
		return GAPP_EV_OUT_DEAD;
	if (state & (TASK_NEW | TASK_WAKING))
		return GAPP_EV_SEED_BLOCKED;
	return gapp_task_queued(task) ? GAPP_EV_SEED_RUNNABLE : GAPP_EV_SEED_BLOCKED;
}

/* accounts.c: the thread is locked */
void gapp_accounts_begin(struct gapp_thread *thread, u64 run, bool in_wait);
void gapp_accounts_go_astray(struct gapp_thread *thread);
void gapp_accounts_come_back(struct gapp_thread *thread);
void gapp_accounts_end(struct gapp_thread *thread, const struct gapp_at *at);
void gapp_accounts_spun(struct gapp_thread *thread, const struct gapp_at *at);
void gapp_thread_fill_figures(struct gapp_thread *thread, const struct gapp_at *at,
			      struct gapp_thread_figures *figures);

#endif /* GAPP_THREAD_H */
