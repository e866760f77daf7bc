/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: the interface between gapp.ko and its readers.
 *
 * One open file of /dev/gapp is one session:
 *
 *	open -> GET_ABI -> CONFIGURE -> ADD_TARGET... -> START -> [STATUS,
 *	THREADS, PROCESSES, PARALLELISM]... -> STOP -> [the same, now final]
 *	-> close
 *
 * Rules that hold for every structure here: fixed-width members, naturally
 * aligned, no padding; reserved members must be zero on the way in and are
 * zero on the way out; times are nanoseconds; shares of the CMetric are
 * nanoseconds with GAPP_SHARE_SHIFT fractional bits.
 */
#ifndef _UAPI_GAPP_H
#define _UAPI_GAPP_H

#include <linux/ioctl.h>
#include <linux/types.h>

#define GAPP_ABI_MAJOR 1
#define GAPP_ABI_MINOR 0

#define GAPP_NODE "/dev/gapp"

/* Fractional bits of a CMetric share: 52 days of nanoseconds fit in 64 bits. */
#define GAPP_SHARE_SHIFT 12

#define GAPP_COMM_LEN 16
#define GAPP_MAX_TARGETS 1024
#define GAPP_MAX_THREADS 65536
#define GAPP_DEFAULT_THREADS 16384
#define GAPP_MAX_EXITED 65536
#define GAPP_DEFAULT_EXITED 16384
/* Processes whose exited threads can be summed beyond the bound of exited threads. */
#define GAPP_MAX_PROCESSES 4096

/**
 * struct gapp_abi - what the loaded module speaks (GAPP_IOC_GET_ABI)
 * @major: incompatible when it differs
 * @minor: grows with additions only
 * @features: GAPP_FEATURE_* bits, none yet
 * @version: the module's version, NUL terminated
 * @reserved: zero
 */
struct gapp_abi {
	__u32 major;
	__u32 minor;
	__u64 features;
	__u8 version[32];
	__u64 reserved[2];
};

enum gapp_n_min_mode {
	GAPP_N_MIN_AUTO = 0, /* max(1, min(live threads, CPUs they may use) / 2) */
	GAPP_N_MIN_HALF = 1, /* max(1, live threads / 2) */
	GAPP_N_MIN_FIXED = 2, /* the given number */
};

/**
 * struct gapp_config - sets up a session (GAPP_IOC_CONFIGURE), once, before START
 * @abi_major: GAPP_ABI_MAJOR the reader was built with
 * @n_min_mode: enum gapp_n_min_mode
 * @n_min: with GAPP_N_MIN_FIXED 1 to GAPP_MAX_THREADS, else 0
 * @max_threads: threads followed at one time, 1 to GAPP_MAX_THREADS; 0: the default
 * @max_exited: exited threads kept one by one, up to GAPP_MAX_EXITED; those beyond it are
 *	summed by process. GAPP_EXITED_DEFAULT: the default
 * @flags: zero
 * @reserved: zero
 */
struct gapp_config {
	__u32 abi_major;
	__u32 n_min_mode;
	__u32 n_min;
	__u32 max_threads;
	__u32 max_exited;
	__u32 flags;
	__u64 reserved[4];
};

#define GAPP_EXITED_DEFAULT 0xffffffffU

/* The process's later children are not followed, nor those it already has. */
#define GAPP_TARGET_NO_INHERIT (1U << 0)

/**
 * struct gapp_target - adds a process with all its threads (GAPP_IOC_ADD_TARGET)
 * @pid: process id (or the id of one of its threads) as the caller's pid namespace has it
 * @flags: GAPP_TARGET_* bits
 * @reserved: zero
 */
struct gapp_target {
	__s32 pid;
	__u32 flags;
	__u64 reserved[2];
};

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
#define GAPP_THREAD_KERNEL_SEEN (1U << 0)
/* On a CPU when the comparison began or ended: the kernel's own may be a tick off. */
#define GAPP_THREAD_KERNEL_LATE (1U << 1)

/**
 * struct gapp_thread - figures of one thread, or the sum of several (see struct gapp_thread_page)
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
 * @kernel_run_ns: the kernel's own account of run_ns
 * @kernel_runq_ns: the kernel's own account of runq_ns, less that of an open wait
 * @kernel_seen_run_ns: the part of run_ns that @kernel_run_ns covers
 * @kernel_seen_runq_ns: the part of runq_ns that @kernel_runq_ns covers
 * @joined_ns: session time at which it joined the target
 * @left_ns: session time at which it left; 0: it has not
 * @threads: threads summed here, 1 for a thread
 * @reserved: zero
 */
struct gapp_thread {
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
	__u64 reserved;
};

/**
 * struct gapp_page - one page of an array (GAPP_IOC_THREADS, _PROCESSES, _PARALLELISM)
 * @buffer: address of the reader's array: struct gapp_thread[] for THREADS and PROCESSES,
 *	__u64[] (nanoseconds with 0, 1, 2 ... threads active) for PARALLELISM
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

/* 0xF7 is not in the kernel's table of ioctl numbers; the numbers are never reused. */
#define GAPP_IOC_MAGIC 0xF7
#define GAPP_IOC_GET_ABI _IOR(GAPP_IOC_MAGIC, 0x00, struct gapp_abi)
#define GAPP_IOC_CONFIGURE _IOW(GAPP_IOC_MAGIC, 0x01, struct gapp_config)
#define GAPP_IOC_ADD_TARGET _IOW(GAPP_IOC_MAGIC, 0x02, struct gapp_target)
#define GAPP_IOC_START _IO(GAPP_IOC_MAGIC, 0x03)
#define GAPP_IOC_STOP _IO(GAPP_IOC_MAGIC, 0x04)
#define GAPP_IOC_STATUS _IOR(GAPP_IOC_MAGIC, 0x05, struct gapp_status)
#define GAPP_IOC_THREADS _IOWR(GAPP_IOC_MAGIC, 0x06, struct gapp_page)
#define GAPP_IOC_PROCESSES _IOWR(GAPP_IOC_MAGIC, 0x07, struct gapp_page)
#define GAPP_IOC_PARALLELISM _IOWR(GAPP_IOC_MAGIC, 0x08, struct gapp_page)

_Static_assert(sizeof(struct gapp_abi) == 64, "gapp_abi");
_Static_assert(sizeof(struct gapp_config) == 56, "gapp_config");
_Static_assert(sizeof(struct gapp_target) == 24, "gapp_target");
_Static_assert(sizeof(struct gapp_status) == 176, "gapp_status");
_Static_assert(sizeof(struct gapp_thread) == 160, "gapp_thread");
_Static_assert(sizeof(struct gapp_page) == 40, "gapp_page");

#endif /* _UAPI_GAPP_H */
