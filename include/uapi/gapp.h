/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: the interface between gapp.ko and its readers.
 *
 * One open file of /dev/gapp is one session:
 *
 *	open -> GET_ABI -> CONFIGURE -> ADD_PROCESS, ADD_EXECUTABLE,
 *	ADD_SELECTION, ADD_TALLY... -> LAYOUT, mmap -> START -> [STATUS, THREADS, PROCESSES,
 *	PARALLELISM, COUNTERS, TARGETS, THREAD_WAITS, HANDOVERS, THREAD_TALLIES,
 *	CPU_TALLIES; poll, records from the rings]... -> STOP -> [final figures by the
 *	same ioctls] -> close
 *
 * In a session that unwinds by tables the reader may call LOAD_TABLE,
 * DROP_TABLE and SET_MAPPINGS at any time between CONFIGURE and STOP: they give
 * the module the unwind tables and mappings of the target's processes. WATCH may
 * come at any time between START and STOP.
 *
 * <gapp_record.h> has the structures of records, <gapp_table.h> those of unwind
 * tables and mappings, <gapp_figures.h> state and counters.
 *
 * Every structure follows these rules: members have fixed widths and their
 * natural alignment, without padding; the reader sets reserved members to zero,
 * and the module returns them as zero; times are in nanoseconds; shares of the
 * CMetric are in nanoseconds with GAPP_SHARE_SHIFT fractional bits. A process
 * or thread id is that of the opener's pid namespace, 0 if it has none there.
 */
#ifndef _UAPI_GAPP_H
#define _UAPI_GAPP_H

#include <linux/ioctl.h>
#include <linux/types.h>

#include "gapp_figures.h"
#include "gapp_table.h"

#define GAPP_ABI_MAJOR 1
#define GAPP_ABI_MINOR 21

#define GAPP_NODE "/dev/gapp"
#define GAPP_MARK_NODE "/dev/gapp_mark"

/* Fractional bits of a CMetric share: 52 days of nanoseconds fit in 64 bits. */
#define GAPP_SHARE_SHIFT 12

#define GAPP_COMM_LEN 16
#define GAPP_MAX_ADDED_PROCESSES 1024
#define GAPP_MAX_THREADS 65536
#define GAPP_DEFAULT_THREADS 16384
#define GAPP_MAX_EXITED 65536
#define GAPP_DEFAULT_EXITED 16384
/* Processes for which the module can keep one sum of exited threads. */
#define GAPP_MAX_PROCESSES 4096

/**
 * struct gapp_abi - what the loaded module speaks (GAPP_IOC_GET_ABI)
 * @major: GAPP_ABI_MAJOR of the module; a reader built with another one cannot use it
 * @minor: GAPP_ABI_MINOR of the module; a higher one only adds to the interface
 * @features: GAPP_FEATURE_* bits; none is defined yet
 * @version: version of the module, NUL terminated
 * @reserved: zero
 */
struct gapp_abi {
	__u32 major;
	__u32 minor;
	__u64 features;
	__u8 version[32];
	__u64 reserved[2];
};

/* How the module finds n_min, the most active threads with which a moment is critical. */
enum gapp_n_min_mode {
	GAPP_N_MIN_AUTO = 0, /* max(1, min(live threads, CPUs they may use) / 2) */
	GAPP_N_MIN_HALF = 1, /* max(1, live threads / 2) */
	GAPP_N_MIN_FIXED = 2, /* gapp_config.n_min */
};

/* What a session records. */
enum gapp_level {
	GAPP_LEVEL_STATS = 0, /* figures only, no records */
	GAPP_LEVEL_CRITICAL = 1, /* critical slices, and times with no active thread */
	GAPP_LEVEL_TRACE = 2, /* every slice and every wake-up */
};

/* Which share of a slice is critical. */
enum gapp_criterion {
	GAPP_CRITERION_SHARE = 0, /* the share it collected while n <= n_min */
	GAPP_CRITERION_AVERAGE = 1, /* all its share if its average n is at most n_min, else none */
};

/* Record kernel call paths too, if the opener may see kernel addresses. */
#define GAPP_CONFIG_KERNEL_PATHS (1U << 0)
/* Records of a thread name the thread that woke it. */
#define GAPP_CONFIG_WAKERS (1U << 1)
/* Each process is one target, with its own n and n_min. */
#define GAPP_CONFIG_PER_PROCESS (1U << 2)
/* Follow every process of the machine, also later ones. A restricted session may not set it. */
#define GAPP_CONFIG_ALL (1U << 3)
/* With GAPP_UNWIND_BY_TABLE: send a stack copy for every path, so that the reader can compare. */
#define GAPP_CONFIG_VERIFY (1U << 4)
/* Add up for each thread what it waited for and who preempted it, for THREAD_WAITS. */
#define GAPP_CONFIG_WAITS (1U << 5)
/*
 * With GAPP_CONFIG_WAKERS: records of how a wait ended say where the waker was, or in which kind of
 * interrupt. With GAPP_LEVEL_CRITICAL each exported wait has a WAKE record.
 */
#define GAPP_CONFIG_WAKER_PATHS (1U << 6)
/* With GAPP_CONFIG_WAITS: count which thread gives a CPU to which, and where, for HANDOVERS. */
#define GAPP_CONFIG_HANDOVERS (1U << 7)
/* Records of waits whose system call is on a descriptor say which file that is. */
#define GAPP_CONFIG_WAIT_FILES (1U << 8)
/*
 * A thread that sleeps for a lock in the kernel has the wait reason GAPP_WAIT_KERNEL_LOCK, unless
 * it is GAPP_WAIT_FAULT or GAPP_WAIT_MEMORY; its records name the lock. EOPNOTSUPP: this kernel
 * does not say which lock: it has no lock:contention_begin.
 */
#define GAPP_CONFIG_KERNEL_LOCKS (1U << 9)
/*
 * A thread that a sample finds in a busy-wait loop is inactive, with the wait reason
 * GAPP_WAIT_SPIN, until a sample finds it elsewhere or it sleeps. Mappings name the loops
 * (gapp_mapping.spins). It needs samples, and GAPP_UNWIND_BY_AUTO or GAPP_UNWIND_BY_TABLE.
 */
#define GAPP_CONFIG_SPINS (1U << 10)
/* What the target's threads say of themselves by GAPP_MARK_NODE is recorded, in MARK records. */
#define GAPP_CONFIG_MARKS (1U << 11)
/* What ADD_TALLY names is added up for each thread and each CPU. */
#define GAPP_CONFIG_TALLIES (1U << 12)
/* With GAPP_CONFIG_TALLIES: SLICE records say what was counted of the thread in the slice. */
#define GAPP_CONFIG_SLICE_TALLIES (1U << 13)

/* How a session finds user call paths. */
enum gapp_unwind_by {
	GAPP_UNWIND_BY_FP = 0, /* the module follows frame pointers */
	GAPP_UNWIND_BY_AUTO = 1, /* by tables; where they end, the reader unwinds a stack copy */
	GAPP_UNWIND_BY_TABLE = 2, /* the module uses unwind tables */
	GAPP_UNWIND_BY_COPY = 3, /* the reader unwinds a stack copy */
	GAPP_UNWIND_BY_NONE = 4, /* the session records no user call paths */
};

/* Bytes of stack in a stack copy: a multiple of 8, and at most an eighth of a ring. */
#define GAPP_MIN_STACK_COPY 64
#define GAPP_MAX_STACK_COPY (32U << 10)
#define GAPP_DEFAULT_STACK_COPY 2048

#define GAPP_MAX_RATE_HZ 20000
#define GAPP_MAX_STACK 127
#define GAPP_DEFAULT_STACK 64
/* Bytes of one CPU's ring: a power of two. */
#define GAPP_MIN_RING (16U << 10)
#define GAPP_MAX_RING (64U << 20)
#define GAPP_DEFAULT_RING (1U << 20)
/* Slots of a session's table of call paths: a power of two. */
#define GAPP_MIN_PATHS 64
#define GAPP_MAX_PATHS (1U << 20)
#define GAPP_DEFAULT_PATHS (1U << 15)

/**
 * struct gapp_config - sets up a session (GAPP_IOC_CONFIGURE), once, before START
 * @abi_major: GAPP_ABI_MAJOR with which the reader was built
 * @n_min_mode: enum gapp_n_min_mode
 * @n_min: threads: with GAPP_N_MIN_FIXED 1 to GAPP_MAX_THREADS, else 0
 * @max_threads: most threads followed at one time, 1 to GAPP_MAX_THREADS; 0: the default
 * @max_exited: most exited threads with figures of their own, up to GAPP_MAX_EXITED; the module
 *	adds up the others by process. GAPP_EXITED_DEFAULT: the default
 * @flags: GAPP_CONFIG_* bits
 * @min_critical_ns: nanoseconds of critical share that a thread collects, on average, for each
 *	record; 0: every slice has a record
 * @rate_hz: samples a second of a running thread while n <= n_min, up to GAPP_MAX_RATE_HZ;
 *	0: none
 * @ring_bytes: bytes of each CPU's ring, GAPP_MIN_RING to GAPP_MAX_RING; 0: the default
 * @paths: slots of the table of call paths, GAPP_MIN_PATHS to GAPP_MAX_PATHS; 0: the default
 * @max_stack: most frames of a call path, 1 to GAPP_MAX_STACK; 0: the default
 * @level: enum gapp_level
 * @criterion: enum gapp_criterion
 * @stack_copy_bytes: most bytes of stack in a stack copy, GAPP_MIN_STACK_COPY to
 *	GAPP_MAX_STACK_COPY; 0: the default
 * @unwind_by: enum gapp_unwind_by
 * @reserved: zero
 *
 * With GAPP_LEVEL_STATS everything from @min_critical_ns on must be zero, and of the flags only
 * GAPP_CONFIG_PER_PROCESS, GAPP_CONFIG_ALL and GAPP_CONFIG_TALLIES may be set.
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
	__u32 stack_copy_bytes;
	__u8 unwind_by;
	__u8 reserved[3];
};

#define GAPP_EXITED_DEFAULT 0xffffffffU

/* Follow no child of the process, neither a present nor a later one. */
#define GAPP_ADD_NO_INHERIT (1U << 0)
/*
 * Follow the process from its next exec after START on. Session time begins at that exec, not at
 * START. One process of a session that has one target may be added so, before START.
 */
#define GAPP_ADD_AT_EXEC (1U << 1)
/*
 * The process is a thread of the kernel; nothing that it starts is followed. Of ADD_PROCESS only,
 * and not in a restricted session. Without this flag, threads of the kernel are refused.
 */
#define GAPP_ADD_KTHREAD (1U << 2)

/**
 * struct gapp_add_process - adds a process with all its threads (GAPP_IOC_ADD_PROCESS)
 * @pid: id of the process or of one of its threads, in the caller's pid namespace
 * @flags: GAPP_ADD_* bits
 * @reserved: zero
 */
struct gapp_add_process {
	__s32 pid;
	__u32 flags;
	__u64 reserved[2];
};

/**
 * struct gapp_add_executable - adds processes that execute a file (GAPP_IOC_ADD_EXECUTABLE)
 * @fd: descriptor of the file, open for reading
 * @flags: GAPP_ADD_* bits
 * @reserved: zero
 *
 * It adds each process that executes the file from now on. The reader then adds by ADD_PROCESS
 * those that execute the file already.
 */
struct gapp_add_executable {
	__s32 fd;
	__u32 flags;
	__u64 reserved[2];
};

#define GAPP_MAX_EXECUTABLES 16

/* Bytes of a pattern of names, with its NUL. */
#define GAPP_SELECTION_COMM 32

/**
 * struct gapp_add_selection - adds processes by name and control group (GAPP_IOC_ADD_SELECTION)
 * @comm: pattern that the name matches, NUL terminated; empty: any name
 * @cgroup_fd: descriptor of the folder of a control group of version 2; -1: any group
 * @flags: GAPP_ADD_NO_INHERIT or 0
 * @reserved: zero
 *
 * It adds each process that executes a program from now on and then has such a name and is in the
 * group or in one below it. The reader then adds by ADD_PROCESS those that are there already.
 * In a pattern '*' stands for any characters, '?' for one, "[a-f_]" for one of these and "[!a-f_]"
 * for one that is not; '\' takes the meaning from the character behind it.
 */
struct gapp_add_selection {
	__u8 comm[GAPP_SELECTION_COMM];
	__s32 cgroup_fd;
	__u32 flags;
	__u64 reserved[2];
};

#define GAPP_MAX_SELECTIONS 16

/* What is counted of threads. */
enum gapp_tally_source {
	GAPP_TALLY_FAULTS = 0, /* page faults that the kernel handled for the thread */
	GAPP_TALLY_MIGRATIONS = 1, /* the thread came to another CPU */
	GAPP_TALLY_PERF = 2, /* a counter of the processor, while threads run their own code */
	GAPP_TALLY_SOURCES = 3,
};

/**
 * struct gapp_add_tally - has something added up for each thread (GAPP_IOC_ADD_TALLY)
 * @source: enum gapp_tally_source
 * @type: with GAPP_TALLY_PERF PERF_TYPE_HARDWARE, PERF_TYPE_HW_CACHE or PERF_TYPE_RAW; else 0
 * @config: with GAPP_TALLY_PERF as of perf_event_attr; else 0
 * @reserved: zero
 *
 * Between CONFIGURE with GAPP_CONFIG_TALLIES and START. The first tally of a session has number 0,
 * the next one number 1. A counter of the processor is the session's alone until its file is
 * closed, on all CPUs. It counts in user code only, so nothing of gapp itself is counted.
 *
 * EINVAL: also without GAPP_CONFIG_TALLIES. ENOSPC: the session has GAPP_TALLIES tallies. EPERM:
 * the session is restricted, or the caller may not profile the machine, and it is a counter of the
 * processor. EAGAIN: all counters of the processor are in use. ENOENT, EOPNOTSUPP and what else
 * perf says: the processor has no such counter, or this machine may not use it.
 */
struct gapp_add_tally {
	__u32 source;
	__u32 type;
	__u64 config;
	__u64 reserved[2];
};

/* Bounds of a watch. */
#define GAPP_WATCH_MAX_NS 100000000U
#define GAPP_WATCH_MAX_STORES 1000U

/**
 * struct gapp_watch - who stores into a word that threads spin for (GAPP_IOC_WATCH)
 * @address: address of the word, a multiple of @bytes
 * @number: what the word is compared with
 * @pid: id of the process; 0: nothing is watched from now on, and all other members are zero
 * @time_ns: nanoseconds until it ends by itself, 1 to GAPP_WATCH_MAX_NS
 * @stores: after so many stores on a CPU nothing is watched there, 1 to GAPP_WATCH_MAX_STORES
 * @goes_on: enum gapp_spin_while: a store has a record if a loop does not go on with the value
 * @bytes: 1, 2, 4 or 8
 * @reserved: zero
 *
 * Needs GAPP_CONFIG_SPINS, and CAP_PERFMON of the opener and of the caller. It ends what the
 * session has watched so far. A store is seen by the processor, which interrupts the thread: some
 * microseconds, in a virtual machine more than ten. Stores by other processes through mappings of
 * their own are not seen, nor those on CPUs on which no thread of the session has run. Stores at
 * that address count, also those that have no record: of values with which a loop goes on, and of
 * other processes.
 *
 * EBUSY: another session watches, or one is told of stores (GAPP_IOC_STORE_POINT). ENOSPC: a
 * debugger uses the processor's breakpoints. EOPNOTSUPP: the module cannot watch on this machine.
 * EPERM: the session is restricted. ESRCH: no such process is followed. ENOMEM, and what the
 * kernel's perf refuses.
 */
struct gapp_watch {
	__u64 address;
	__s64 number;
	__s32 pid;
	__u32 time_ns;
	__u32 stores;
	__u8 goes_on;
	__u8 bytes;
	__u16 reserved;
};

/* Bounds of loops that are timed exactly. */
#define GAPP_EXACT_LOOPS 8
#define GAPP_EXACT_PASSES_NS 100000000U
#define GAPP_EXACT_MAX_PASSES 100000U

/**
 * struct gapp_exact - times a busy-wait loop exactly (GAPP_IOC_EXACT)
 * @address: where a thread was found in the loop
 * @pid: id of the process; 0: no loop is timed exactly from now on, and all other members are zero
 * @passes: after so many passes within GAPP_EXACT_PASSES_NS the module gives the loop up, 1 to
 *	GAPP_EXACT_MAX_PASSES
 *
 * Needs GAPP_CONFIG_SPINS, and CAP_PERFMON of the opener and of the caller. A breakpoint at each
 * exit of the loop, in that process only, tells when a thread begins to stay in the loop and when
 * it leaves it, instead of samples. Each time a thread comes to an exit, it takes an exception. A
 * pass is such a time that does not find a thread still waiting: it begins to, ends, or need not
 * wait.
 *
 * EEXIST: the loop is timed exactly. EDQUOT: it has been given up. ENOENT: the module knows no loop
 * there, or not all of its exits. ENOSPC: the session has GAPP_EXACT_LOOPS loops. EOPNOTSUPP: the
 * kernel cannot put breakpoints into programs, or not on this machine. EPERM: the session is
 * restricted. ESRCH: no such process is followed. ENOMEM, and what the kernel's uprobes refuse.
 */
struct gapp_exact {
	__u64 address;
	__s32 pid;
	__u32 passes;
};

/* Bounds of instructions whose stores are told by breakpoints. */
#define GAPP_STORE_POINTS 8
#define GAPP_STORE_POINT_PASSES_NS 100000000U
#define GAPP_STORE_POINT_MAX_PASSES 100000U

/* What an instruction makes of a word and its operand. */
enum gapp_store_how {
	GAPP_STORE_SETS = 1, /* the word becomes the operand */
	GAPP_STORE_ADDS = 2,
	GAPP_STORE_SUBTRACTS = 3, /* the operand from the word */
	GAPP_STORE_ANDS = 4,
	GAPP_STORE_ORS = 5,
	GAPP_STORE_XORS = 6,
	GAPP_STORE_HOWS = 7,
};

/**
 * struct gapp_store_point - an instruction that stores into words that threads spin for
 *	(GAPP_IOC_STORE_POINT)
 * @address: its address in the process
 * @offset: the word lies at @offset plus the values of the registers
 * @number: without @with: its operand
 * @pid: id of the process; 0: no such instruction any more, and all other members are zero
 * @passes: after so many passes within GAPP_STORE_POINT_PASSES_NS the module gives it up, 1 to
 *	GAPP_STORE_POINT_MAX_PASSES
 * @base: DWARF number of the register that is added, or GAPP_SPIN_NO_REGISTER
 * @index: DWARF number of the register whose value times @scale is added, or GAPP_SPIN_NO_REGISTER
 * @scale: 1, 2, 4 or 8; 0 without @index
 * @bytes: how many it stores: 1, 2, 4 or 8
 * @how: enum gapp_store_how
 * @with: DWARF number, plus 1, of the register with its operand; 0: the operand is @number
 * @reserved: zero
 *
 * Needs GAPP_CONFIG_SPINS, and CAP_PERFMON of the opener and of the caller. A breakpoint on the
 * instruction, in that process only, tells of each of its stores, into whichever word: each has a
 * record (GAPP_STORE_AT_POINT). A pass is such a store. What other instructions store is not told.
 * The caller must know that the instruction is as it says: else the records tell of stores that
 * never were.
 *
 * While there is such a breakpoint, no session can watch a word: WATCH says EBUSY. EBUSY: a session
 * watches a word. EEXIST: its stores are told. EDQUOT: it has been given up. ENOENT: no file is
 * mapped there for execution. ENOSPC: the session has GAPP_STORE_POINTS of them. EOPNOTSUPP: the
 * kernel cannot put breakpoints into programs, or not on this machine, or not on this instruction.
 * EPERM: the session is restricted. ESRCH: no such process is followed. ENOMEM, and what the
 * kernel's uprobes refuse.
 */
struct gapp_store_point {
	__u64 address;
	__u64 offset;
	__s64 number;
	__s32 pid;
	__u32 passes;
	__u8 base;
	__u8 index;
	__u8 scale;
	__u8 bytes;
	__u8 how;
	__u8 with;
	__u16 reserved;
};

/**
 * struct gapp_mark - the calling thread makes a mark (GAPP_IOC_MARK, of GAPP_MARK_NODE)
 * @text: address of the text, of @bytes bytes; none is below 0x20 or 0x7f
 * @bytes: 1 to GAPP_MARK_TEXT; also 0 with GAPP_MARK_END, which then ends the thread's section
 *	that began last
 * @kind: enum gapp_mark_kind
 *
 * Each running session with GAPP_CONFIG_MARKS that follows the thread writes a MARK record. Without
 * such a session the call does nothing. A line "mark TEXT", "begin NAME", "end NAME" or "end" that
 * is written to the node is the same mark.
 */
struct gapp_mark {
	__u64 text;
	__u32 bytes;
	__u32 kind;
};

/**
 * struct gapp_mark_page - what can be mapped of GAPP_MARK_NODE: one page, at offset 0, to be read
 * @sessions: number of running sessions with GAPP_CONFIG_MARKS, on the whole machine. While it is
 *	0 a mark does nothing, so there is no need to make the call
 */
struct gapp_mark_page {
	__u32 sessions;
};

/**
 * struct gapp_layout - what a reader can map, and where (GAPP_IOC_LAYOUT, after CONFIGURE)
 * @cpus: number of rings, one for each possible CPU; 0 with GAPP_LEVEL_STATS
 * @ring_bytes: bytes of a ring's data
 * @ring_map_bytes: bytes of the mapping of one ring: struct gapp_ring and the data
 * @ring_data: offset in that mapping at which the data begins, in bytes
 * @positions_map_bytes: bytes of the mapping of the read positions
 * @position_stride: bytes from the read position of one ring to that of the next
 * @path_slots: number of slots, each a struct gapp_path, in the table of call paths
 * @paths_map_bytes: bytes of the mapping of the table of call paths
 * @path_slots_at: offset in that mapping at which the slots begin, in bytes
 * @path_words_at: offset in that mapping at which the words begin, in bytes
 * @path_words: number of words, 8 bytes each
 * @reserved: zero
 */
struct gapp_layout {
	__u32 cpus;
	__u32 ring_bytes;
	__u64 ring_map_bytes;
	__u64 ring_data;
	__u64 positions_map_bytes;
	__u32 position_stride;
	__u32 path_slots;
	__u64 paths_map_bytes;
	__u64 path_slots_at;
	__u64 path_words_at;
	__u64 path_words;
	__u64 reserved[2];
};

/*
 * Offsets for mmap() with MAP_SHARED. The reader may write to the read positions only: it stores
 * there for each ring how many bytes it has read, a __u64 that grows like gapp_ring.write_position.
 */
#define GAPP_MAP_PATHS 0ULL
#define GAPP_MAP_READ_POSITIONS (1ULL << 40)
#define GAPP_MAP_RING(cpu) ((2ULL << 40) + ((__u64)(cpu) << 32))

/* The kernel's table of ioctl numbers leaves 0xF7 free. A number never gets another meaning. */
#define GAPP_IOC_MAGIC 0xF7
#define GAPP_IOC_GET_ABI _IOR(GAPP_IOC_MAGIC, 0x00, struct gapp_abi)
#define GAPP_IOC_CONFIGURE _IOW(GAPP_IOC_MAGIC, 0x01, struct gapp_config)
#define GAPP_IOC_ADD_PROCESS _IOW(GAPP_IOC_MAGIC, 0x02, struct gapp_add_process)
#define GAPP_IOC_START _IO(GAPP_IOC_MAGIC, 0x03)
#define GAPP_IOC_STOP _IO(GAPP_IOC_MAGIC, 0x04)
#define GAPP_IOC_STATUS _IOR(GAPP_IOC_MAGIC, 0x05, struct gapp_status)
#define GAPP_IOC_THREADS _IOWR(GAPP_IOC_MAGIC, 0x06, struct gapp_page)
#define GAPP_IOC_PROCESSES _IOWR(GAPP_IOC_MAGIC, 0x07, struct gapp_page)
#define GAPP_IOC_PARALLELISM _IOWR(GAPP_IOC_MAGIC, 0x08, struct gapp_page)
#define GAPP_IOC_ADD_EXECUTABLE _IOW(GAPP_IOC_MAGIC, 0x09, struct gapp_add_executable)
#define GAPP_IOC_COUNTERS _IOR(GAPP_IOC_MAGIC, 0x0a, struct gapp_counters)
#define GAPP_IOC_TARGETS _IOWR(GAPP_IOC_MAGIC, 0x0b, struct gapp_page)
#define GAPP_IOC_LAYOUT _IOR(GAPP_IOC_MAGIC, 0x0c, struct gapp_layout)
#define GAPP_IOC_LOAD_TABLE _IOWR(GAPP_IOC_MAGIC, 0x0d, struct gapp_table_load)
#define GAPP_IOC_DROP_TABLE _IOW(GAPP_IOC_MAGIC, 0x0e, struct gapp_table_drop)
#define GAPP_IOC_SET_MAPPINGS _IOWR(GAPP_IOC_MAGIC, 0x0f, struct gapp_mappings)
#define GAPP_IOC_THREAD_WAITS _IOWR(GAPP_IOC_MAGIC, 0x10, struct gapp_page)
#define GAPP_IOC_ADD_SELECTION _IOW(GAPP_IOC_MAGIC, 0x11, struct gapp_add_selection)
#define GAPP_IOC_HANDOVERS _IOWR(GAPP_IOC_MAGIC, 0x12, struct gapp_page)
#define GAPP_IOC_WATCH _IOW(GAPP_IOC_MAGIC, 0x13, struct gapp_watch)
#define GAPP_IOC_EXACT _IOW(GAPP_IOC_MAGIC, 0x14, struct gapp_exact)
#define GAPP_IOC_ADD_TALLY _IOW(GAPP_IOC_MAGIC, 0x16, struct gapp_add_tally)
#define GAPP_IOC_THREAD_TALLIES _IOWR(GAPP_IOC_MAGIC, 0x17, struct gapp_page)
#define GAPP_IOC_CPU_TALLIES _IOWR(GAPP_IOC_MAGIC, 0x18, struct gapp_page)
#define GAPP_IOC_STORE_POINT _IOW(GAPP_IOC_MAGIC, 0x19, struct gapp_store_point)
/* The only one of GAPP_MARK_NODE, which has none of the others. */
#define GAPP_IOC_MARK _IOW(GAPP_IOC_MAGIC, 0x15, struct gapp_mark)

_Static_assert(sizeof(struct gapp_abi) == 64, "gapp_abi");
_Static_assert(sizeof(struct gapp_config) == 56, "gapp_config");
_Static_assert(sizeof(struct gapp_add_process) == 24, "gapp_add_process");
_Static_assert(sizeof(struct gapp_add_executable) == 24, "gapp_add_executable");
_Static_assert(sizeof(struct gapp_add_selection) == 56, "gapp_add_selection");
_Static_assert(sizeof(struct gapp_add_tally) == 32, "gapp_add_tally");
_Static_assert(sizeof(struct gapp_watch) == 32, "gapp_watch");
_Static_assert(sizeof(struct gapp_exact) == 16, "gapp_exact");
_Static_assert(sizeof(struct gapp_store_point) == 40, "gapp_store_point");
_Static_assert(sizeof(struct gapp_mark) == 16, "gapp_mark");
_Static_assert(sizeof(struct gapp_mark_page) == 4, "gapp_mark_page");
_Static_assert(sizeof(struct gapp_layout) == 88, "gapp_layout");

#endif /* _UAPI_GAPP_H */
