/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: the figures of a session: state, threads, counters. <gapp.h> has the
 * ioctls that give them, and the rules that every structure follows.
 */
#ifndef _UAPI_GAPP_FIGURES_H
#define _UAPI_GAPP_FIGURES_H

#include <linux/types.h>

#include "gapp_record.h"

#ifndef GAPP_COMM_LEN
#define GAPP_COMM_LEN 16
#endif

enum gapp_session_state {
	GAPP_SESSION_NEW = 0, /* before CONFIGURE */
	GAPP_SESSION_READY = 1, /* before START */
	GAPP_SESSION_RUNNING = 2, /* before STOP */
	GAPP_SESSION_STOPPED = 3,
};

/* The opener has no CAP_PERFMON and may only follow processes of its own user. */
#define GAPP_STATUS_RESTRICTED (1U << 0)
/* STOP has compared the module's threads with the kernel's tasks: the recount. */
#define GAPP_STATUS_RECOUNTED (1U << 1)
/* The recount found the same threads, the same state of each, and the same n. */
#define GAPP_STATUS_RECOUNT_OK (1U << 2)

/**
 * struct gapp_status - a session at one instant (GAPP_IOC_STATUS)
 * @id: number of the session, N in /proc/gapp/session-N
 * @state: enum gapp_session_state
 * @flags: GAPP_STATUS_* bits
 * @cpus: number of CPUs online
 * @start_ns: CLOCK_MONOTONIC at which session time began, when @g, @c, @s and @idle_ns were 0, in
 *	nanoseconds: at START, or with GAPP_ADD_AT_EXEC at the exec; 0: it has not begun
 * @wall_ns: nanoseconds from @start_ns until now, or until STOP
 * @g: G, the integral of 1/n dt over the time with n > 0, in shares
 * @c: C, the integral of 1/n dt over the time with 0 < n <= n_min, in shares
 * @s: S, the integral of n dt, in thread nanoseconds
 * @idle_ns: Z, nanoseconds with n == 0
 * @n: number of active threads
 * @n_min: threshold that holds now, in threads
 * @live: number of threads followed that have not begun to exit
 * @peak: highest value that @live had
 * @threads: number of threads followed since START, exited ones included
 * @not_followed: number of threads of the target that are not followed: @not_followed_denied,
 *	@not_followed_late, and all others because max_threads or the number of targets was reached
 * @processes: number of rows that PROCESSES will give
 * @reserved0: zero
 * @unexpected: number of transitions that cannot happen if the module sees every event
 * @recount_n: number of active threads at STOP by the kernel's tasks
 * @recount_tracked_n: number of active threads at STOP by the module's states, with those that spin
 * @recount_threads: number of threads of the target at STOP among the kernel's tasks
 * @recount_tracked: number of threads that the module followed at STOP
 * @recount_differ: number of threads whose state or membership the two counts disagree on
 * @n_at_stop: n when STOP ended the session time
 * @tick_ns: length of a scheduler tick, in nanoseconds
 * @n_min_most: highest threshold in session time, in threads; 0 with several targets
 * @n_min_least: lowest threshold in session time, in threads; 0 with several targets
 * @n_min_most_ns: nanoseconds of session time for which @n_min_most held
 * @not_followed_denied: number of threads that the opener may not follow, as they run with other
 *	rights: after the exec of a set-id program, for example
 * @not_followed_late: number of threads for which the module had no memory in time
 * @marks_left_out: number of marks of followed threads that have no record, as they had no room;
 *	since ABI 1.16, before it was zero
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
	__u32 n_min_most;
	__u32 n_min_least;
	__u64 n_min_most_ns;
	__u32 not_followed_denied;
	__u32 not_followed_late;
	__u64 marks_left_out;
};

/* A thread is active while it is runnable or running. The others are inactive. */
enum gapp_thread_state {
	GAPP_THREAD_UNKNOWN = 0, /* it joined, and no event has told its state yet */
	GAPP_THREAD_BLOCKED = 1,
	GAPP_THREAD_RUNNABLE = 2, /* it waits for a CPU */
	GAPP_THREAD_RUNNING = 3,
	GAPP_THREAD_GONE = 4, /* it was switched out for the last time */
	/* with GAPP_CONFIG_SPINS: */
	GAPP_THREAD_SPINNING = 5, /* on a CPU, in a busy-wait loop */
	GAPP_THREAD_SPIN_READY = 6, /* it was spinning when it lost its CPU, and waits for one */
};

/* The kernel_* members are set. */
#define GAPP_FIGURES_KERNEL_SEEN (1U << 0)
/* The thread ran when the comparison began or ended: the kernel's times may be a tick off. */
#define GAPP_FIGURES_KERNEL_LATE (1U << 1)

/**
 * struct gapp_thread_figures - figures of one thread, or the sum over several
 * @tid: thread id in the opener's pid namespace; 0: the thread has none there, or this is a sum
 * @tgid: process id in the opener's pid namespace; 0: the process has none there
 * @state: enum gapp_thread_state
 * @flags: GAPP_FIGURES_* bits
 * @comm: name of the thread, or of the process of a sum, NUL terminated
 * @cm_run: share that the thread collected on a CPU: its CMetric
 * @cm_runq: share that it collected while runnable without a CPU
 * @run_ns: nanoseconds on a CPU, without those in which it was known to spin
 * @runq_ns: nanoseconds runnable without a CPU
 * @blocked_ns: nanoseconds asleep or spinning. A thread added while the session runs collects no
 *	time until an event tells its state, a moment after it joined
 * @slices: number of slices that ended: stays on a CPU, or parts of one between spins; STOP ends
 *	the open ones
 * @wakeups: number of wake-ups, and of ends of spinning, that made the thread active
 * @blocks: number of switches out, and of begins of spinning, that made it inactive
 * @kernel_run_ns: nanoseconds on a CPU by the kernel's account, less those in which it was known to
 *	spin; by the module's account for spans in which the two cannot be compared
 * @kernel_runq_ns: nanoseconds runnable without a CPU by the kernel's account, in waits that ended;
 *	by the module's for spans in which the two cannot be compared
 * @kernel_seen_run_ns: nanoseconds on a CPU by the module's account, to compare with @kernel_run_ns
 * @kernel_seen_runq_ns: nanoseconds runnable without a CPU by the module's account, to compare with
 *	@kernel_runq_ns
 * @joined_ns: session time at which the thread joined the target, in nanoseconds
 * @left_ns: session time at which it left, in nanoseconds; 0: it has not left
 * @threads: number of threads in the sum; 1 for one thread
 * @critical_run: part of @cm_run that the thread collected with n <= n_min, in shares
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

/* Preempters of a thread that the module can keep apart. */
#define GAPP_PREEMPTERS 12

/**
 * struct gapp_preempted - how often another thread got the CPU of a thread that wanted to run on
 * @tid: thread id of the preempter in the opener's pid namespace; 0: the CPU went idle, for the
 *	scheduler held the thread back, as it does where a cgroup has used up its quota
 * @reserved: zero
 * @times: number of the thread's stays in the run queue that began so, and ended; 0: this element
 *	is unused
 * @runq_ns: nanoseconds of these stays
 * @comm: name of the preempter when it first preempted the thread, NUL terminated
 */
struct gapp_preempted {
	__s32 tid;
	__u32 reserved;
	__u64 times;
	__u64 runq_ns;
	__u8 comm[GAPP_COMM_LEN];
};

/**
 * struct gapp_thread_waits - what a thread waited for (GAPP_IOC_THREAD_WAITS)
 * @tid: thread id in the opener's pid namespace; 0: the thread has none there
 * @tgid: process id in the opener's pid namespace; 0: the process has none there
 * @joined_ns: session time at which the thread joined the target, in nanoseconds
 * @life_ns: nanoseconds from then until it left, or until now
 * @unknown_ns: part of @life_ns before an event told the thread's state
 * @run_ns: nanoseconds on a CPU, without those by GAPP_WAIT_SPIN
 * @runq_ns: nanoseconds runnable without a CPU
 * @blocked_ns: nanoseconds asleep or spinning, by enum gapp_wait_reason; a new thread waits for its
 *	first wake-up, by GAPP_WAIT_OTHER
 * @runq_stays: number of stays in the run queue that ended with the thread on a CPU
 * @runq_max_ns: longest stay in the run queue, also one that has not ended, in nanoseconds
 * @runq_max_at_ns: session time at which that stay began, in nanoseconds
 * @preempted: number of @runq_stays that began when the thread lost its CPU: it was preempted or
 *	yielded. The others began with a wake-up
 * @preempted_runq_ns: part of @runq_ns in these stays
 * @by: who got the CPU then, in any order. What @by lacks of @preempted and @preempted_runq_ns was
 *	done by others: threads for which there was no room, and in a restricted session all threads
 *	that it does not follow
 *
 * All members are of one instant: @run_ns + @runq_ns + @unknown_ns + the sum of @blocked_ns is
 * @life_ns.
 */
struct gapp_thread_waits {
	__s32 tid;
	__s32 tgid;
	__u64 joined_ns;
	__u64 life_ns;
	__u64 unknown_ns;
	__u64 run_ns;
	__u64 runq_ns;
	__u64 blocked_ns[GAPP_WAIT_REASONS];
	__u64 runq_stays;
	__u64 runq_max_ns;
	__u64 runq_max_at_ns;
	__u64 preempted;
	__u64 preempted_runq_ns;
	struct gapp_preempted by[GAPP_PREEMPTERS];
};

/* The element is the sum of all handovers on its CPU that found no room. */
#define GAPP_HANDOVER_LOST (1U << 0)

/**
 * struct gapp_handover - how often a thread gave a CPU to another one (GAPP_IOC_HANDOVERS)
 * @from_tid: thread that was switched out, in the opener's pid namespace; 0: it has no id there
 * @from_tgid: its process
 * @to_tid: thread that was switched in, in the opener's pid namespace; 0: it has no id there
 * @to_tgid: its process
 * @from_image: number of the address space of @from_ip, as records have it
 * @to_image: number of the address space of @to_ip, as records have it
 * @from_ip: user address with which the first thread had entered the kernel, by a system call or an
 *	interrupt; 0: it has no 64-bit user code, or the opener may not see its registers
 * @to_ip: user address with which the second thread had entered the kernel, to which it returns; 0
 *	as of @from_ip
 * @count: number of handovers: context switches from the one to the other, both followed
 * @last_ns: session time of the last one, in nanoseconds
 * @cpu: number of the CPU
 * @flags: GAPP_HANDOVER_* bits; with GAPP_HANDOVER_LOST all members but @count, @last_ns and @cpu
 *	are 0
 */
struct gapp_handover {
	__s32 from_tid;
	__s32 from_tgid;
	__s32 to_tid;
	__s32 to_tgid;
	__u32 from_image;
	__u32 to_image;
	__u64 from_ip;
	__u64 to_ip;
	__u64 count;
	__u64 last_ns;
	__u32 cpu;
	__u32 flags;
};

/* Tallies of a session at most. */
#define GAPP_TALLIES 8

/**
 * struct gapp_thread_tallies - what was counted of a thread (GAPP_IOC_THREAD_TALLIES)
 * @tid: thread id in the opener's pid namespace; 0: the thread has none there
 * @tgid: process id in the opener's pid namespace; 0: the process has none there
 * @uncounted: bit N: of tally N something is missing, for the thread ran while nothing counted, or
 *	gapp did not see since when it ran
 * @reserved: zero
 * @counts: by number of the tally, since the thread joined, in session time
 *
 * While the session runs this is as of the call, or of an earlier one in the same tick. Threads
 * whose figures PROCESSES has are in CPU_TALLIES only.
 */
struct gapp_thread_tallies {
	__s32 tid;
	__s32 tgid;
	__u32 uncounted;
	__u32 reserved;
	__u64 counts[GAPP_TALLIES];
};

/**
 * struct gapp_cpu_tallies - what was counted of all threads on a CPU (GAPP_IOC_CPU_TALLIES)
 * @cpu: number of the CPU
 * @uncounted: as of gapp_thread_tallies
 * @counts: by number of the tally. A thread that comes to another CPU is counted there
 */
struct gapp_cpu_tallies {
	__u32 cpu;
	__u32 uncounted;
	__u64 counts[GAPP_TALLIES];
};

/**
 * struct gapp_page - one page of an array (GAPP_IOC_THREADS, _PROCESSES, _PARALLELISM, _TARGETS,
 * _THREAD_WAITS, _HANDOVERS, _THREAD_TALLIES, _CPU_TALLIES)
 * @buffer: address of the reader's array: struct gapp_thread_figures[] for THREADS and PROCESSES,
 *	__u64[] (nanoseconds with 0, 1, 2 ... threads active) for PARALLELISM,
 *	struct gapp_target_figures[] for TARGETS, struct gapp_thread_waits[] for THREAD_WAITS,
 *	struct gapp_handover[] for HANDOVERS, struct gapp_thread_tallies[] for THREAD_TALLIES,
 *	struct gapp_cpu_tallies[] for CPU_TALLIES
 * @cursor: 0 for the first page; on return the value for the next page
 * @capacity: number of elements that @buffer holds, 1 to GAPP_PAGE_MAX
 * @count: set to 0 by the reader; on return the number of elements written, 0 at the end
 * @reserved: zero
 *
 * THREADS gives one element for each thread, live or exited, and so does THREAD_WAITS in a session
 * with GAPP_CONFIG_WAITS; in others it gives none. PROCESSES gives one for each process of which
 * the module has added up exited threads. HANDOVERS gives one for each CPU, pair of threads and
 * pair of addresses in a session with GAPP_CONFIG_HANDOVERS, and one for each CPU that lost any; in
 * others it gives none. THREAD_TALLIES gives one for each thread, and CPU_TALLIES one for each
 * possible CPU, in a session with GAPP_CONFIG_TALLIES; in others they give none.
 *
 * Before START @count is 0.
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
 * struct gapp_target_figures - integrals over time of one target (GAPP_IOC_TARGETS)
 * @id: number of the target, as in records; the first one has 0
 * @tgid: with GAPP_CONFIG_PER_PROCESS the id of its process, else 0
 * @g: G, the integral of 1/n dt over the time with n > 0, in shares
 * @c: C, the integral of 1/n dt over the time with 0 < n <= n_min, in shares
 * @s: S, the integral of n dt, in thread nanoseconds
 * @idle_ns: Z, nanoseconds with n == 0
 * @critical_runq: part of @c that threads collected while they waited for a CPU, in shares; STOP
 *	sets it
 * @n: number of active threads
 * @n_min: threshold that holds now, in threads
 * @live: number of its threads that have not begun to exit
 * @flags: zero
 * @comm: with GAPP_CONFIG_PER_PROCESS the name of its process
 * @wall_ns: nanoseconds since the module made the target
 * @spun_ns: nanoseconds that its threads were known to spin on CPUs, in stays that ended
 *
 * A session has one target, or with GAPP_CONFIG_PER_PROCESS one for each process. STATUS then
 * gives the sums of @g, @c, @s and @idle_ns over all targets, and 0 for n and n_min.
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
	__u64 spun_ns;
};

/* What a session lost, by cause. */
enum gapp_lost {
	GAPP_LOST_RING = 0, /* records that found no room in the ring */
	GAPP_LOST_PATHS = 1, /* call paths that found no room in the table; their slices count */
	GAPP_LOST_UNREADABLE = 2, /* call paths cut where the stack was not in memory */
	GAPP_LOST_SAMPLES = 3, /* samples whose timer expired too late */
	GAPP_LOST_THREADS = 4, /* threads that were not followed */
	GAPP_LOST_STACK_COPIES = 5, /* stack copies beyond the rate, or without room in the ring */
	GAPP_LOST_PATHS_OVER_BUDGET = 6, /* call paths cut or left out: too long, or too many */
	GAPP_LOST_RECORDS_OVER_BUDGET = 7, /* records not written: too long for a switch */
	GAPP_LOST_CAUSES = 8,
};

/* The session records kernel call paths. */
#define GAPP_COUNTERS_KERNEL_PATHS (1U << 0)
/* Since ABI 1.21: code of 32 bits had a call path to be taken. It has none, and no system calls. */
#define GAPP_COUNTERS_32_BIT (1U << 1)

/**
 * struct gapp_counters - numbers of slices, samples and call paths (GAPP_IOC_COUNTERS)
 * @slices: number of slices that ended
 * @critical_slices: number of slices that collected critical share
 * @unsampled_slices: number of critical slices that no sample hit
 * @switches: number of context switches from or to threads of the target
 * @records: number of records written to the rings
 * @samples: number of samples taken
 * @paths: number of call paths in the table
 * @path_words: number of words that their frames take, 8 bytes each
 * @critical_run: critical share of all slices that ended, in shares
 * @critical_runq: critical share that threads collected while they waited for a CPU, in shares;
 *	STOP sets it
 * @lost: numbers of losses, by enum gapp_lost
 * @lost_critical_share: critical share in records that found no room, in shares
 * @lost_wait_ns: nanoseconds with no active thread in records that found no room
 * @probe_calls: number of context switches for which the probe met a followed thread
 * @probe_timed: number of these that the probe timed
 * @probe_ns: nanoseconds that the timed ones took
 * @flags: GAPP_COUNTERS_* bits
 * @post_waits: how often an event waited because its CPU had used all its posts, or a change of the
 *	threshold was put off for that
 * @stack_copies: number of stack copies written to the rings
 * @tables: number of unwind tables that the session holds
 * @table_bytes: bytes of these tables; a table shared with another session counts whole
 * @spaces: number of address spaces whose mappings the module knows
 * @longest_ns: most nanoseconds that a switch, with the events of all sessions so far, or a sample
 *	took; of switches that the probe timed, and of call paths that the module did not remember
 * @posts: number of events that were posted, to be applied a little later, because another CPU was
 *	changing the integrals for long: all sums have them, but no record is about a slice that
 *	such an event ended
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
	__u32 post_waits;
	__u64 stack_copies;
	__u64 tables;
	__u64 table_bytes;
	__u64 spaces;
	__u64 longest_ns;
	__u64 posts;
};

_Static_assert(sizeof(struct gapp_status) == 176, "gapp_status");
_Static_assert(sizeof(struct gapp_thread_figures) == 160, "gapp_thread");
_Static_assert(sizeof(struct gapp_preempted) == 40, "gapp_preempted");
_Static_assert(sizeof(struct gapp_thread_waits) == 696, "gapp_thread_waits");
_Static_assert(sizeof(struct gapp_handover) == 64, "gapp_handover");
_Static_assert(sizeof(struct gapp_thread_tallies) == 80, "gapp_thread_tallies");
_Static_assert(sizeof(struct gapp_cpu_tallies) == 72, "gapp_cpu_tallies");
_Static_assert(sizeof(struct gapp_page) == 40, "gapp_page");
_Static_assert(sizeof(struct gapp_target_figures) == 96, "gapp_target_figures");
_Static_assert(sizeof(struct gapp_counters) == 240, "gapp_counters");

#endif /* _UAPI_GAPP_FIGURES_H */
