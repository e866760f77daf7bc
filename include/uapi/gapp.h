/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: the interface between gapp.ko and its readers.
 *
 * One open file of /dev/gapp is one session:
 *
 *	open -> GET_ABI -> CONFIGURE -> ADD_TARGET, ADD_EXE... -> LAYOUT, mmap
 *	-> START -> [STATUS, THREADS, PROCESSES, PARALLELISM, COUNTERS, GROUPS;
 *	poll, records from the rings]... -> STOP -> [the same, now final] -> close
 *
 * LOAD_TABLE, DROP_TABLE and SET_MAPS tell the module how to walk the target's
 * stacks, from CONFIGURE on and at any time.
 *
 * The structures of records are in <gapp_record.h>, those of tables in
 * <gapp_table.h>.
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
#define GAPP_ABI_MINOR 2

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

enum gapp_level {
	GAPP_LEVEL_STATS = 0, /* figures only, no records */
	GAPP_LEVEL_CRITICAL = 1, /* critical slices and waits of the whole target */
	GAPP_LEVEL_TRACE = 2, /* every slice and every wake-up */
};

enum gapp_criterion {
	GAPP_CRITERION_SHARE = 0, /* a slice counts with its critical share */
	GAPP_CRITERION_AVERAGE = 1, /* all of it or nothing, by its average n */
};

/* Kernel paths too, where the opener may see kernel addresses. */
#define GAPP_CONFIG_KERNEL_PATHS (1U << 0)
/* Who woke a thread, in its records. */
#define GAPP_CONFIG_WAKERS (1U << 1)
/* Each process is a target of its own, with its own n and n_min. */
#define GAPP_CONFIG_PER_PROCESS (1U << 2)
/* Every process of the machine, those that come later too. Not for a restricted session. */
#define GAPP_CONFIG_ALL (1U << 3)
/* With GAPP_CALLS_TABLE: a copy of the stack of every path too, so that it can be checked. */
#define GAPP_CONFIG_VERIFY (1U << 4)

/* How user paths are taken. */
enum gapp_calls {
	GAPP_CALLS_FP = 0, /* by frame pointers */
	GAPP_CALLS_AUTO = 1, /* by tables; what they do not reach goes along as a copy */
	GAPP_CALLS_TABLE = 2, /* by tables */
	GAPP_CALLS_COPY = 3, /* not here: the stack goes along as a copy */
	GAPP_CALLS_NONE = 4, /* not at all */
};

/* Bytes of a stack that go along: a multiple of 8, and at most an eighth of a ring. */
#define GAPP_MIN_TAIL 64
#define GAPP_MAX_TAIL (32U << 10)
#define GAPP_DEFAULT_TAIL 2048

#define GAPP_MAX_RATE_HZ 20000
#define GAPP_MAX_STACK 127
#define GAPP_DEFAULT_STACK 64
/* Bytes of one CPU's ring: a power of two. */
#define GAPP_MIN_RING (16U << 10)
#define GAPP_MAX_RING (64U << 20)
#define GAPP_DEFAULT_RING (1U << 20)
/* Paths that the table of a session holds: a power of two. */
#define GAPP_MIN_PATHS 64
#define GAPP_MAX_PATHS (1U << 20)
#define GAPP_DEFAULT_PATHS (1U << 15)

/**
 * struct gapp_config - sets up a session (GAPP_IOC_CONFIGURE), once, before START
 * @abi_major: GAPP_ABI_MAJOR the reader was built with
 * @n_min_mode: enum gapp_n_min_mode
 * @n_min: with GAPP_N_MIN_FIXED 1 to GAPP_MAX_THREADS, else 0
 * @max_threads: threads followed at one time, 1 to GAPP_MAX_THREADS; 0: the default
 * @max_exited: exited threads kept one by one, up to GAPP_MAX_EXITED; those beyond it are
 *	summed by process. GAPP_EXITED_DEFAULT: the default
 * @flags: GAPP_CONFIG_* bits
 * @min_critical_ns: a thread's critical share is exported when about so much has come together;
 *	0: every slice is exported
 * @rate_hz: samples a second while few threads are active, up to GAPP_MAX_RATE_HZ; 0: none
 * @ring_bytes: size of each CPU's ring, GAPP_MIN_RING to GAPP_MAX_RING; 0: the default
 * @paths: size of the table of paths, GAPP_MIN_PATHS to GAPP_MAX_PATHS; 0: the default
 * @max_stack: frames of a path, 1 to GAPP_MAX_STACK; 0: the default
 * @level: enum gapp_level
 * @criterion: enum gapp_criterion
 * @tail_bytes: of a stack, that go along where a path is finished elsewhere, GAPP_MIN_TAIL to
 *	GAPP_MAX_TAIL; 0: the default
 * @calls: enum gapp_calls
 * @reserved: zero
 *
 * With GAPP_LEVEL_STATS everything from @min_critical_ns on must be zero.
 */
struct gapp_config {
	__u32 abi_major;
	__u32 n_min_mode;
	__u32 n_min;
	__u32 max_threads;
	__u32 max_exited;
	__u32 flags;
	__u64 min_critical_ns;
	__u32 rate_hz;
	__u32 ring_bytes;
	__u32 paths;
	__u16 max_stack;
	__u8 level;
	__u8 criterion;
	__u32 tail_bytes;
	__u8 calls;
	__u8 reserved[3];
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

/**
 * struct gapp_exe - adds every process that executes a file, from now on (GAPP_IOC_ADD_EXE)
 * @fd: the file, open for reading
 * @flags: GAPP_TARGET_* bits
 * @reserved: zero
 *
 * Processes that execute it already are added by ADD_TARGET, after this.
 */
struct gapp_exe {
	__s32 fd;
	__u32 flags;
	__u64 reserved[2];
};

#define GAPP_MAX_EXES 16

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
 * @crit_run: the part of @cm_run that was collected with n <= n_min
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
	__u64 crit_run;
};

/**
 * struct gapp_page - one page of an array (GAPP_IOC_THREADS, _PROCESSES, _PARALLELISM, _GROUPS)
 * @buffer: address of the reader's array: struct gapp_thread[] for THREADS and PROCESSES,
 *	__u64[] (nanoseconds with 0, 1, 2 ... threads active) for PARALLELISM,
 *	struct gapp_group[] for GROUPS
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
 * struct gapp_group - one target's accumulators (GAPP_IOC_GROUPS)
 * @id: its number, as in records; 0 is the first one's
 * @tgid: with GAPP_CONFIG_PER_PROCESS its process, else 0
 * @g: as in struct gapp_status
 * @c: likewise
 * @s: likewise
 * @idle_ns: likewise
 * @crit_runq: the part of @c that its threads collected while they waited for a CPU; set at STOP
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
struct gapp_group {
	__u32 id;
	__s32 tgid;
	__u64 g;
	__u64 c;
	__u64 s;
	__u64 idle_ns;
	__u64 crit_runq;
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
	GAPP_LOST_TAILS = 5, /* copies of stacks that were too many, or found no room in the ring */
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
 * @crit_run: critical share collected on a CPU, by all threads; with GAPP_CRITERION_AVERAGE
 *	that of critical slices
 * @crit_runq: critical share collected while waiting for a CPU; set at STOP
 * @lost: by enum gapp_lost
 * @lost_share: critical share in records that found no room
 * @lost_wait_ns: time with nobody active in records that found no room
 * @probe_calls: calls of the probe of context switches, foreign ones too
 * @probe_timed: how many of them were timed
 * @probe_ns: time that the timed ones took
 * @flags: GAPP_COUNTERS_* bits
 * @reserved0: zero
 * @tails: copies of stacks that went along
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
	__u64 crit_run;
	__u64 crit_runq;
	__u64 lost[GAPP_LOST_CAUSES];
	__u64 lost_share;
	__u64 lost_wait_ns;
	__u64 probe_calls;
	__u64 probe_timed;
	__u64 probe_ns;
	__u32 flags;
	__u32 reserved0;
	__u64 tails;
	__u64 tables;
	__u64 table_bytes;
	__u64 spaces;
	__u64 reserved[2];
};

/**
 * struct gapp_table_load - loads an unwind table (GAPP_IOC_LOAD_TABLE)
 * @data: its address
 * @bytes: its size
 * @table: on return its number in this session, 1 or more. Must be 0 on the way in
 * @flags: zero
 * @reserved: zero
 *
 * Whoever loads the same bytes again shares their memory, in this session or another.
 * ENOSPC: too many tables, or too large together.
 */
struct gapp_table_load {
	__u64 data;
	__u64 bytes;
	__u32 table;
	__u32 flags;
	__u64 reserved;
};

#define GAPP_MAX_TABLES 65534
/* Bytes of all tables of a session together, and of a restricted one. */
#define GAPP_MAX_TABLE_BYTES (256U << 20)
#define GAPP_MAX_TABLE_BYTES_RESTRICTED (16U << 20)

/**
 * struct gapp_table_drop - the session does not need a table any more (GAPP_IOC_DROP_TABLE)
 * @table: its number, which LOAD_TABLE may give again
 * @reserved: zero
 *
 * Mappings that were set with it keep it until they are set anew.
 */
struct gapp_table_drop {
	__u32 table;
	__u32 reserved;
};

/**
 * struct gapp_map - executable memory of a process
 * @begin: first address
 * @end: behind its last
 * @bias: what its addresses are above those of its table
 * @table: number of its table; 0: it has none and is walked by frame pointers
 * @flags: zero
 */
struct gapp_map {
	__u64 begin;
	__u64 end;
	__u64 bias;
	__u32 table;
	__u32 flags;
};

#define GAPP_MAX_MAPS 8192
#define GAPP_IMAGE_LATER 0xffffffffU

/**
 * struct gapp_maps - tells all executable memory of a process (GAPP_IOC_SET_MAPS)
 * @pid: a process of the target, as the caller's pid namespace has it
 * @image: number of its address space, as in its records: ESTALE if that is another one by now.
 *	0: nothing is set, and @count is 0. On return the number, GAPP_IMAGE_LATER before START
 * @maps: address of struct gapp_map[@count], by address, not overlapping
 * @count: how many, up to GAPP_MAX_MAPS
 * @flags: zero
 * @reserved: zero
 *
 * So ask for the image first, then read the mappings, then set them. A child has its parent's
 * until it executes another program. ESRCH: the session follows no such process.
 */
struct gapp_maps {
	__s32 pid;
	__u32 image;
	__u64 maps;
	__u32 count;
	__u32 flags;
	__u64 reserved;
};

/**
 * struct gapp_layout - what can be mapped, and where (GAPP_IOC_LAYOUT, after CONFIGURE)
 * @cpus: rings, one for each possible CPU; 0 with GAPP_LEVEL_STATS
 * @ring_bytes: of a ring's data
 * @ring_map_bytes: length of the mapping of one ring
 * @ring_data: where its data begins, behind struct gapp_ring
 * @tails_map_bytes: length of the mapping of the tails
 * @tail_stride: bytes from one ring's tail to the next one's
 * @path_slots: struct gapp_path slots in the table
 * @paths_map_bytes: length of the mapping of the table of paths
 * @path_slots_at: where the slots begin
 * @path_words_at: where the words begin
 * @path_words: how many
 * @reserved: zero
 */
struct gapp_layout {
	__u32 cpus;
	__u32 ring_bytes;
	__u64 ring_map_bytes;
	__u64 ring_data;
	__u64 tails_map_bytes;
	__u32 tail_stride;
	__u32 path_slots;
	__u64 paths_map_bytes;
	__u64 path_slots_at;
	__u64 path_words_at;
	__u64 path_words;
	__u64 reserved[2];
};

/*
 * Offsets for mmap(). Mappings are shared; only the tails may be written to: the reader stores
 * how far it has read each ring there (a __u64 each, a count of bytes like gapp_ring.head).
 */
#define GAPP_MAP_PATHS 0ULL
#define GAPP_MAP_TAILS (1ULL << 40)
#define GAPP_MAP_RING(cpu) ((2ULL << 40) + ((__u64)(cpu) << 32))

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
#define GAPP_IOC_ADD_EXE _IOW(GAPP_IOC_MAGIC, 0x09, struct gapp_exe)
#define GAPP_IOC_COUNTERS _IOR(GAPP_IOC_MAGIC, 0x0a, struct gapp_counters)
#define GAPP_IOC_GROUPS _IOWR(GAPP_IOC_MAGIC, 0x0b, struct gapp_page)
#define GAPP_IOC_LAYOUT _IOR(GAPP_IOC_MAGIC, 0x0c, struct gapp_layout)
#define GAPP_IOC_LOAD_TABLE _IOWR(GAPP_IOC_MAGIC, 0x0d, struct gapp_table_load)
#define GAPP_IOC_DROP_TABLE _IOW(GAPP_IOC_MAGIC, 0x0e, struct gapp_table_drop)
#define GAPP_IOC_SET_MAPS _IOWR(GAPP_IOC_MAGIC, 0x0f, struct gapp_maps)

_Static_assert(sizeof(struct gapp_abi) == 64, "gapp_abi");
_Static_assert(sizeof(struct gapp_config) == 56, "gapp_config");
_Static_assert(sizeof(struct gapp_target) == 24, "gapp_target");
_Static_assert(sizeof(struct gapp_exe) == 24, "gapp_exe");
_Static_assert(sizeof(struct gapp_status) == 176, "gapp_status");
_Static_assert(sizeof(struct gapp_thread) == 160, "gapp_thread");
_Static_assert(sizeof(struct gapp_page) == 40, "gapp_page");
_Static_assert(sizeof(struct gapp_group) == 96, "gapp_group");
_Static_assert(sizeof(struct gapp_counters) == 240, "gapp_counters");
_Static_assert(sizeof(struct gapp_layout) == 88, "gapp_layout");
_Static_assert(sizeof(struct gapp_table_load) == 32, "gapp_table_load");
_Static_assert(sizeof(struct gapp_table_drop) == 8, "gapp_table_drop");
_Static_assert(sizeof(struct gapp_map) == 32, "gapp_map");
_Static_assert(sizeof(struct gapp_maps) == 32, "gapp_maps");

#endif /* _UAPI_GAPP_H */
