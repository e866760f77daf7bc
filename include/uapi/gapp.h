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
 * stacks: between CONFIGURE and STOP, at any time, in a session that walks by
 * tables.
 *
 * The structures of records are in <gapp_record.h>, those of tables and
 * mappings in <gapp_table.h>, state and counters in <gapp_figures.h>.
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

#include "gapp_figures.h"
#include "gapp_table.h"

#define GAPP_ABI_MAJOR 1
#define GAPP_ABI_MINOR 0

#define GAPP_NODE "/dev/gapp"

/* Fractional bits of a CMetric share: 52 days of nanoseconds fit in 64 bits. */
#define GAPP_SHARE_SHIFT 12

#define GAPP_COMM_LEN 16
#define GAPP_MAX_ADDED_PROCESSES 1024
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
/* With GAPP_UNWIND_BY_TABLE: a copy of the stack of every path too, so that it can be checked. */
#define GAPP_CONFIG_VERIFY (1U << 4)

/* How user paths are taken. */
enum gapp_unwind_by {
	GAPP_UNWIND_BY_FP = 0, /* by frame pointers */
	GAPP_UNWIND_BY_AUTO = 1, /* by tables; what they do not reach goes along as a copy */
	GAPP_UNWIND_BY_TABLE = 2, /* by tables */
	GAPP_UNWIND_BY_COPY = 3, /* not here: the stack goes along as a copy */
	GAPP_UNWIND_BY_NONE = 4, /* not at all */
};

/* Bytes of a stack that go along: a multiple of 8, and at most an eighth of a ring. */
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
 * @stack_copy_bytes: of a stack, that go along where a path is finished elsewhere,
 *GAPP_MIN_STACK_COPY to GAPP_MAX_STACK_COPY; 0: the default
 * @unwind_by: enum gapp_unwind_by
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
	__u32 stack_copy_bytes;
	__u8 unwind_by;
	__u8 reserved[3];
};

#define GAPP_EXITED_DEFAULT 0xffffffffU

/* The process's later children are not followed, nor those it already has. */
#define GAPP_ADD_NO_INHERIT (1U << 0)

/**
 * struct gapp_add_process - adds a process with all its threads (GAPP_IOC_ADD_PROCESS)
 * @pid: process id (or the id of one of its threads) as the caller's pid namespace has it
 * @flags: GAPP_ADD_* bits
 * @reserved: zero
 */
struct gapp_add_process {
	__s32 pid;
	__u32 flags;
	__u64 reserved[2];
};

/**
 * struct gapp_add_executable - adds every process that executes a file, from now on
 * (GAPP_IOC_ADD_EXECUTABLE)
 * @fd: the file, open for reading
 * @flags: GAPP_ADD_* bits
 * @reserved: zero
 *
 * Processes that execute it already are added by ADD_TARGET, after this.
 */
struct gapp_add_executable {
	__s32 fd;
	__u32 flags;
	__u64 reserved[2];
};

#define GAPP_MAX_EXECUTABLES 16

/**
 * struct gapp_layout - what can be mapped, and where (GAPP_IOC_LAYOUT, after CONFIGURE)
 * @cpus: rings, one for each possible CPU; 0 with GAPP_LEVEL_STATS
 * @ring_bytes: of a ring's data
 * @ring_map_bytes: length of the mapping of one ring
 * @ring_data: where its data begins, behind struct gapp_ring
 * @positions_map_bytes: length of the mapping of the tails
 * @position_stride: bytes from one ring's tail to the next one's
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
 * Offsets for mmap(). Mappings are shared; only the tails may be written to: the reader stores
 * how far it has read each ring there (a __u64 each, a count of bytes like gapp_ring.head).
 */
#define GAPP_MAP_PATHS 0ULL
#define GAPP_MAP_READ_POSITIONS (1ULL << 40)
#define GAPP_MAP_RING(cpu) ((2ULL << 40) + ((__u64)(cpu) << 32))

/* 0xF7 is not in the kernel's table of ioctl numbers; the numbers are never reused. */
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

_Static_assert(sizeof(struct gapp_abi) == 64, "gapp_abi");
_Static_assert(sizeof(struct gapp_config) == 56, "gapp_config");
_Static_assert(sizeof(struct gapp_add_process) == 24, "gapp_add_process");
_Static_assert(sizeof(struct gapp_add_executable) == 24, "gapp_add_executable");
_Static_assert(sizeof(struct gapp_layout) == 88, "gapp_layout");

#endif /* _UAPI_GAPP_H */
