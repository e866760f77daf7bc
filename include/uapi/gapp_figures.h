/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: what a session tells of itself: state, threads, counters. See <gapp.h>
 * for how to ask, and for the rules that hold for every structure.
 */
#ifndef _UAPI_GAPP_FIGURES_H
#define _UAPI_GAPP_FIGURES_H

#include <linux/types.h>

#ifndef GAPP_COMM_LEN
#define GAPP_COMM_LEN 16
#endif

enum gapp_session_state {
	GAPP_SESSION_NEW = 0,
	GAPP_SESSION_READY = 1,
	GAPP_SESSION_RUNNING = 2,
	GAPP_SESSION_STOPPED = 3,
};

/* The opener may only follow processes of its own (no CAP_PERFMON). */
#define GAPP_STATUS_RESTRICTED (1U << 0)
/* The recount has been made (at STOP). */
#define GAPP_STATUS_RECOUNTED (1U << 1)
/* The recount agreed: every thread's state, the thread list, and n. */
#define GAPP_STATUS_RECOUNT_OK (1U << 2)

/**
 * struct gapp_status - a session at one instant (GAPP_IOC_STATUS)
 * @id: number of the session, as in /proc/gapp/session-N
 * @state: enum gapp_session_state
 * @flags: GAPP_STATUS_* bits
 * @cpus: CPUs online
 * @start_ns: CLOCK_MONOTONIC at which the accumulators began
 * @wall_ns: time accumulated since then: until now, or until STOP
 * @g: integral of 1/n dt over the time with n > 0, in shares
 * @c: the same over the time with 0 < n <= n_min, in shares
 * @s: integral of n dt, thread nanoseconds
 * @idle_ns: Z, the time with n == 0
 * @n: active threads
 * @n_min: the threshold in force
 * @live: threads followed that have not begun to exit
 * @peak: most of them at one time
 * @threads: threads followed since START, exited ones included
 * @not_followed: threads that belong to the target but found no entry
 * @processes: rows that PROCESSES will give
 * @reserved0: zero
 * @unexpected: transitions that cannot happen if every event is seen
 * @recount_n: active threads, counted from the tasks themselves at STOP
 * @recount_tracked_n: active threads by the module's states at STOP
 * @recount_threads: threads found by walking the tasks at STOP
 * @recount_tracked: threads the module held at STOP
 * @recount_differ: threads whose state or membership differed
 * @n_at_stop: n when the accumulators were stopped
 * @tick_ns: length of a scheduler tick
 * @reserved: zero
 */
struct gapp_status {
	__u32 id;
	__u32 state;
	__u32 flags;
	__u32 cpus;
	__u64 start_ns;
	__u64 wall_ns;
	__u64 g;
	__u64 c;
	__u64 s;
	__u64 idle_ns;
	__u32 n;
	__u32 n_min;
	__u32 live;
	__u32 peak;
	__u64 threads;
	__u64 not_followed;
	__u32 processes;
	__u32 reserved0;
	__u64 unexpected;
	__u32 recount_n;
	__u32 recount_tracked_n;
	__u32 recount_threads;
	__u32 recount_tracked;
	__u32 recount_differ;
	__u32 n_at_stop;
	__u64 tick_ns;
	__u64 reserved[4];
};

enum gapp_thread_state {
	GAPP_THREAD_UNKNOWN = 0,
	GAPP_THREAD_BLOCKED = 1,
	GAPP_THREAD_RUNNABLE = 2,
	GAPP_THREAD_RUNNING = 3,
	GAPP_THREAD_GONE = 4,
};

/* kernel_run_ns and kernel_runq_ns are set. */
#define GAPP_FIGURES_KERNEL_SEEN (1U << 0)
/* On a CPU when the comparison began or ended: the kernel's own may be a tick off. */
#define GAPP_FIGURES_KERNEL_LATE (1U << 1)

/**
 * struct gapp_thread_figures - figures of one thread, or the sum of several (see struct
 *gapp_thread_page)
 * @tid: thread id in the pid namespace of the session's opener; 0: not visible there, or a sum
 * @tgid: process id, likewise
 * @state: enum gapp_thread_state
 * @flags: GAPP_THREAD_* bits
 * @comm: name, NUL terminated
 * @cm_run: CMetric, share collected on a CPU
 * @cm_runq: share collected while runnable without a CPU
 * @run_ns: time on a CPU
 * @runq_ns: time runnable without a CPU
 * @blocked_ns: time inactive. A thread added while the session runs collects nothing until its
 *state is known, a moment after it joined
 * @slices: stays on a CPU that ended (STOP ends the open ones)
 * @wakeups: wake-ups that made it active
 * @blocks: switches out that made it inactive
 * @kernel_run_ns: the kernel's own account of run_ns, and ours where they cannot be compared
 * @kernel_runq_ns: likewise of runq_ns, less that of an open wait
 * @kernel_seen_run_ns: our account that goes with @kernel_run_ns
 * @kernel_seen_runq_ns: our account that goes with @kernel_runq_ns
 * @joined_ns: session time at which it joined the target
 * @left_ns: session time at which it left; 0: it has not
 * @threads: threads summed here, 1 for a thread
 * @critical_run: the part of @cm_run that was collected with n <= n_min
 */
struct gapp_thread_figures {
	__s32 tid;
	__s32 tgid;
	__u32 state;
	__u32 flags;
	__u8 comm[GAPP_COMM_LEN];
	__u64 cm_run;
	__u64 cm_runq;
	__u64 run_ns;
	__u64 runq_ns;
	__u64 blocked_ns;
	__u64 slices;
	__u64 wakeups;
	__u64 blocks;
	__u64 kernel_run_ns;
	__u64 kernel_runq_ns;
	__u64 kernel_seen_run_ns;
	__u64 kernel_seen_runq_ns;
	__u64 joined_ns;
	__u64 left_ns;
	__u64 threads;
	__u64 critical_run;
};

/**
 * struct gapp_page - one page of an array (GAPP_IOC_THREADS, _PROCESSES, _PARALLELISM, _GROUPS)
 * @buffer: address of the reader's array: struct gapp_thread_figures[] for THREADS and PROCESSES,
 *	__u64[] (nanoseconds with 0, 1, 2 ... threads active) for PARALLELISM,
 *	struct gapp_target_figures[] for GROUPS
 * @cursor: 0 to begin; on return where the next page begins
 * @capacity: elements that @buffer holds, 1 to GAPP_PAGE_MAX
 * @count: on return, elements written; 0: the end. Must be 0 on the way in
 * @reserved: zero
 *
 * THREADS gives threads one by one, live and exited. PROCESSES gives one row for each process
 * whose exited threads were summed. Before START, and for a page past the end, @count is 0.
 */
struct gapp_page {
	__u64 buffer;
	__u64 cursor;
	__u32 capacity;
	__u32 count;
	__u64 reserved[2];
};

#define GAPP_PAGE_MAX 4096

/**
 * struct gapp_target_figures - one target's accumulators (GAPP_IOC_TARGETS)
 * @id: its number, as in records; 0 is the first one's
 * @tgid: with GAPP_CONFIG_PER_PROCESS its process, else 0
 * @g: as in struct gapp_status
 * @c: likewise
 * @s: likewise
 * @idle_ns: likewise
 * @critical_runq: the part of @c that its threads collected while they waited for a CPU; set at
 * STOP
 * @n: likewise
 * @n_min: likewise
 * @live: likewise
 * @flags: zero
 * @comm: with GAPP_CONFIG_PER_PROCESS its process's name
 * @wall_ns: time accumulated since the group came to be
 * @reserved: zero
 *
 * A session has one group, or with GAPP_CONFIG_PER_PROCESS one for each process. STATUS then
 * gives the sums of @g, @c, @s and @idle_ns, and no n.
 */
struct gapp_target_figures {
	__u32 id;
	__s32 tgid;
	__u64 g;
	__u64 c;
	__u64 s;
	__u64 idle_ns;
	__u64 critical_runq;
	__u32 n;
	__u32 n_min;
	__u32 live;
	__u32 flags;
	__u8 comm[GAPP_COMM_LEN];
	__u64 wall_ns;
	__u64 reserved;
};

enum gapp_lost {
	GAPP_LOST_RING = 0, /* records that found no room in the ring */
	GAPP_LOST_PATHS = 1, /* paths that found no room in the table; their slices count */
	GAPP_LOST_UNREADABLE = 2, /* paths cut because the stack was not in memory */
	GAPP_LOST_SAMPLES = 3, /* expiries of the sampler that came too late to count */
	GAPP_LOST_THREADS = 4, /* threads that were not followed */
	GAPP_LOST_STACK_COPIES =
		5, /* copies of stacks that were too many, or found no room in the ring */
	GAPP_LOST_CAUSES = 8,
};

/* The opener may see kernel addresses, and kernel paths were asked for. */
#define GAPP_COUNTERS_KERNEL_PATHS (1U << 0)

/**
 * struct gapp_counters - what became of slices, samples and paths (GAPP_IOC_COUNTERS)
 * @slices: slices that ended
 * @critical_slices: those of them that collected critical share (with GAPP_CRITERION_AVERAGE:
 *	whose average n was at most n_min)
 * @unsampled_slices: critical slices that no sample hit
 * @switches: switches of CPUs from or to threads of the target
 * @records: records written to the rings
 * @samples: samples taken
 * @paths: paths in the table
 * @path_words: words of the table's store in use
 * @critical_run: critical share collected on a CPU, by all threads; with GAPP_CRITERION_AVERAGE
 *	that of critical slices
 * @critical_runq: critical share collected while waiting for a CPU; set at STOP
 * @lost: by enum gapp_lost
 * @lost_critical_share: critical share in records that found no room
 * @lost_wait_ns: time with nobody active in records that found no room
 * @probe_calls: calls of the probe of context switches that met a followed thread
 * @probe_timed: how many of them were timed
 * @probe_ns: time that the timed ones took
 * @flags: GAPP_COUNTERS_* bits
 * @reserved0: zero
 * @stack_copies: copies of stacks that went along
 * @tables: tables the session holds
 * @table_bytes: memory of these, shared ones counted whole
 * @spaces: address spaces whose mappings are known
 * @reserved: zero
 */
struct gapp_counters {
	__u64 slices;
	__u64 critical_slices;
	__u64 unsampled_slices;
	__u64 switches;
	__u64 records;
	__u64 samples;
	__u64 paths;
	__u64 path_words;
	__u64 critical_run;
	__u64 critical_runq;
	__u64 lost[GAPP_LOST_CAUSES];
	__u64 lost_critical_share;
	__u64 lost_wait_ns;
	__u64 probe_calls;
	__u64 probe_timed;
	__u64 probe_ns;
	__u32 flags;
	__u32 reserved0;
	__u64 stack_copies;
	__u64 tables;
	__u64 table_bytes;
	__u64 spaces;
	__u64 reserved[2];
};

_Static_assert(sizeof(struct gapp_status) == 176, "gapp_status");
_Static_assert(sizeof(struct gapp_thread_figures) == 160, "gapp_thread");
_Static_assert(sizeof(struct gapp_page) == 40, "gapp_page");
_Static_assert(sizeof(struct gapp_target_figures) == 96, "gapp_target_figures");
_Static_assert(sizeof(struct gapp_counters) == 240, "gapp_counters");

#endif /* _UAPI_GAPP_FIGURES_H */
