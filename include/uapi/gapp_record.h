/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: what a reader finds in the mappings of a session: records, and the
 * table of paths that they refer to. See <gapp.h> for the mappings themselves.
 *
 * A ring is struct gapp_ring, and at ring_data its data: records one behind the
 * other from tail to head, modulo ring_bytes, each whole and not wrapped (a PAD
 * record fills up to the end where needed; it may be of 8 bytes, so only its
 * type, size and cpu are certain to be there). Read head with acquire semantics,
 * then the records, then store the tail with release semantics. Records of one
 * ring are in the order of their time; those of several are not, among
 * themselves. Skip types that you do not know.
 */
#ifndef _UAPI_GAPP_RECORD_H
#define _UAPI_GAPP_RECORD_H

#include <linux/types.h>

#ifndef GAPP_COMM_LEN
#define GAPP_COMM_LEN 16
#endif

/**
 * struct gapp_ring - the begin of a ring's mapping
 * @write_position: bytes ever written; the read position follows it
 * @lost: records that found no room
 * @lost_critical_share: critical share in them
 * @lost_wait_ns: time with nobody active in them
 */
struct gapp_ring {
	__u64 write_position;
	__u64 lost;
	__u64 lost_critical_share;
	__u64 lost_wait_ns;
};

enum gapp_record_type {
	GAPP_RECORD_PAD = 0,
	GAPP_RECORD_SLICE = 1,
	GAPP_RECORD_WAIT = 2,
	GAPP_RECORD_LOST = 3,
	GAPP_RECORD_WAKE = 4,
	GAPP_RECORD_STACK_COPY = 5,
	GAPP_RECORD_NEED_MAPPING = 6,
};

/**
 * struct gapp_record - how every record begins
 * @type: enum gapp_record_type
 * @size: bytes of the whole record, a multiple of 8
 * @cpu: CPU of the ring
 * @time_ns: CLOCK_MONOTONIC; of a slice its end
 */
struct gapp_record {
	__u16 type;
	__u16 size;
	__u32 cpu;
	__u64 time_ns;
};

/* What an inactive thread waits for. */
enum gapp_wait_reason {
	GAPP_WAIT_OTHER = 0,
	GAPP_WAIT_LOCK = 1, /* mutex, rwlock */
	GAPP_WAIT_QUEUE = 2, /* condition variable, semaphore */
	GAPP_WAIT_JOIN = 3, /* the end of a thread or process */
	GAPP_WAIT_BARRIER = 4,
	GAPP_WAIT_DISK = 5,
	GAPP_WAIT_NETWORK = 6,
	GAPP_WAIT_PIPE = 7,
	GAPP_WAIT_SLEEP = 8, /* for a time of its own choice */
	GAPP_WAIT_FAULT = 9, /* a page, or the lock of its memory, at a page fault */
	GAPP_WAIT_MEMORY = 10, /* mmap() and its like */
	GAPP_WAIT_EVENT = 11, /* poll, epoll, eventfd, io_uring */
	GAPP_WAIT_SIGNAL = 12,
	GAPP_WAIT_FUTEX = 13, /* a futex that is none of the above */
	GAPP_WAIT_REASONS = 16,
};

/* Why a slice ended. */
enum gapp_then {
	GAPP_THEN_WAIT = 0, /* asleep: see its class */
	GAPP_THEN_PREEMPTED = 1,
	GAPP_THEN_EXITED = 2,
	GAPP_THEN_ON = 3, /* it goes on: a part of a long one */
	GAPP_THEN_STOPPED = 4, /* the session ended */
};

/* Instead of a path's number. */
#define GAPP_PATH_NONE 0xffffffffU /* none: no user memory, or not asked for */
#define GAPP_PATH_LOST 0xfffffffeU /* the table was full */
/*
 * Not a path's number but, without this bit, that of a tail: of a struct gapp_record_stack_copy, in
 * any ring, whose time is not later. Both of the above have the bit too.
 */
#define GAPP_PATH_COPY 0x80000000U

/* The thread is its process's leader. */
#define GAPP_SLICE_LEADER (1U << 0)
/* It carries only share of earlier slices, which had too little to be exported. */
#define GAPP_SLICE_REST (1U << 1)
/* An interrupt, not a thread, woke it last. */
#define GAPP_SLICE_WOKEN_BY_IRQ (1U << 2)
/* The waker's identity is set. */
#define GAPP_SLICE_WAKER (1U << 3)

/**
 * struct gapp_sample - one sample of a slice
 * @path: user path
 * @kernel_path: kernel path, or GAPP_PATH_NONE
 * @critical_share: critical share collected since the slice's sample before, or its begin
 * @waiting: inactive threads of the target then, by enum gapp_wait_reason; 65535: at least
 */
struct gapp_sample {
	__u32 path;
	__u32 kernel_path;
	__u64 critical_share;
	__u16 waiting[GAPP_WAIT_REASONS];
};

/**
 * struct gapp_record_slice - a critical slice, or several of which this is the last
 * @head: type GAPP_RECORD_SLICE
 * @tid: thread, in the opener's pid namespace; 0: not visible there
 * @tgid: process, likewise
 * @image: number of the process's address space: a new one with each fork and exec
 * @target: number of its target
 * @comm: the thread's name
 * @begin_ns: CLOCK_MONOTONIC
 * @critical_share: critical share of this slice and of those before it that had no record, in
 *shares
 * @own_critical_share: of this slice alone
 * @cmetric: all share of this slice
 * @thread_ns: integral of n over it: divided by its length, the average n
 * @slices: slices of the thread that ended since its record before, this one included; a part of a
 *	slice (GAPP_THEN_ON) is none yet, so of it only those before the slice
 * @n: active threads at its end
 * @flags: GAPP_SLICE_* bits
 * @then: enum gapp_then
 * @wait: enum gapp_wait_reason, with GAPP_THEN_WAIT
 * @sample_count: samples that follow this structure
 * @path: user path at its end
 * @kernel_path: kernel path at its end
 * @syscall: system call it is in then; -1: none
 * @waker_cpu: CPU of the one who woke it before this slice
 * @waker_tid: that thread
 * @waker_tgid: its process
 * @args: first arguments of @syscall
 * @waiting: inactive threads of the target at its end, by enum gapp_wait_reason; 65535: at least
 */
struct gapp_record_slice {
	struct gapp_record head;
	__s32 tid;
	__s32 tgid;
	__u32 image;
	__u32 target;
	__u8 comm[GAPP_COMM_LEN];
	__u64 begin_ns;
	__u64 critical_share;
	__u64 own_critical_share;
	__u64 cmetric;
	__u64 thread_ns;
	__u32 slices;
	__u32 n;
	__u32 flags;
	__u8 then;
	__u8 wait;
	__u16 sample_count;
	__u32 path;
	__u32 kernel_path;
	__s32 syscall;
	__u32 waker_cpu;
	__s32 waker_tid;
	__s32 waker_tgid;
	__u64 args[3];
	__u16 waiting[GAPP_WAIT_REASONS];
};

/**
 * struct gapp_record_wait - time in which no thread of the target was active, until this one woke
 * @head: type GAPP_RECORD_WAIT; its time is shortly after the wake-up
 * @tid: as in struct gapp_record_slice
 * @tgid: likewise
 * @image: likewise
 * @target: likewise
 * @comm: likewise
 * @begin_ns: begin of the last such stretch
 * @wait_ns: length of it, and of @stretches - 1 before it that this thread ended too
 * @stretches: how many
 * @flags: GAPP_SLICE_* bits
 * @reserved: zero
 * @wait: what the thread waited for, enum gapp_wait_reason
 * @path: user path with which it had blocked
 * @kernel_path: kernel path, likewise
 * @syscall: as in struct gapp_record_slice
 * @waker_cpu: likewise
 * @waker_tid: likewise
 * @waker_tgid: likewise
 * @args: likewise
 * @waiting: what the other threads waited for
 */
struct gapp_record_wait {
	struct gapp_record head;
	__s32 tid;
	__s32 tgid;
	__u32 image;
	__u32 target;
	__u8 comm[GAPP_COMM_LEN];
	__u64 begin_ns;
	__u64 wait_ns;
	__u32 stretches;
	__u32 flags;
	__u32 wait;
	__u32 path;
	__u32 kernel_path;
	__s32 syscall;
	__u32 waker_cpu;
	__s32 waker_tid;
	__s32 waker_tgid;
	__u32 reserved;
	__u64 args[3];
	__u16 waiting[GAPP_WAIT_REASONS];
};

/**
 * struct gapp_record_lost - records that found no room, just before this one
 * @head: type GAPP_RECORD_LOST
 * @records: how many
 * @critical_share: critical share in them
 * @wait_ns: time with nobody active in them
 * @since_ns: CLOCK_MONOTONIC of the first one
 */
struct gapp_record_lost {
	struct gapp_record head;
	__u64 records;
	__u64 critical_share;
	__u64 wait_ns;
	__u64 since_ns;
};

/**
 * struct gapp_record_wake - a thread of the target became active (GAPP_LEVEL_TRACE)
 * @head: type GAPP_RECORD_WAKE
 * @tid: the thread
 * @tgid: its process
 * @target: number of its target
 * @n: active threads, it included
 * @flags: GAPP_SLICE_WOKEN_BY_IRQ and GAPP_SLICE_WAKER
 * @waker_cpu: as in struct gapp_record_slice
 * @waker_tid: likewise
 * @waker_tgid: likewise
 */
struct gapp_record_wake {
	struct gapp_record head;
	__s32 tid;
	__s32 tgid;
	__u32 target;
	__u32 n;
	__u32 flags;
	__u32 waker_cpu;
	__s32 waker_tid;
	__s32 waker_tgid;
};

/* Registers as DWARF numbers them: of x86-64 17 (rip is the last), of aarch64 33 (sp, pc). */
#define GAPP_REGISTERS 33

/* It goes with a path that was walked to its end: for comparison. */
#define GAPP_STACK_COPY_VERIFY (1U << 0)

/**
 * struct gapp_record_stack_copy - registers and a part of a stack, to go on with where a walk ended
 * @head: type GAPP_RECORD_STACK_COPY
 * @tid: as in struct gapp_record_slice
 * @tgid: likewise
 * @image: likewise
 * @copy: its number, less than GAPP_PATH_COPY - 2; they are given in turn, and again
 * @path: the frames found so far; GAPP_PATH_NONE: the copy has all, from the innermost frame on
 * @flags: GAPP_STACK_COPY_* bits
 * @stack_bytes: of the stack, which follow this structure; 0: it could not be read
 * @reserved: zero
 * @stack_at: address of these: the stack pointer, or up to 128 bytes below, where a function may
 *	keep things too
 * @valid: a bit for each register that is known
 * @registers: of the last frame of @path, whose caller is the next to be found; with
 *	GAPP_STACK_COPY_VERIFY and GAPP_PATH_NONE of the innermost frame
 *
 * The path is that of @path, but for its last frame, and what is found from @registers on.
 */
struct gapp_record_stack_copy {
	struct gapp_record head;
	__s32 tid;
	__s32 tgid;
	__u32 image;
	__u32 copy;
	__u32 path;
	__u32 flags;
	__u32 stack_bytes;
	__u32 reserved;
	__u64 stack_at;
	__u64 valid;
	__u64 registers[GAPP_REGISTERS];
};

/**
 * struct gapp_record_need_mapping - a walk met memory that SET_MAPS has not told of
 * @head: type GAPP_RECORD_NEED_MAPPING
 * @tgid: the process
 * @image: number of its address space
 * @address: in that memory
 */
struct gapp_record_need_mapping {
	struct gapp_record head;
	__s32 tgid;
	__u32 image;
	__u64 address;
};

/* How a path's walk ended. */
enum gapp_unwind_end {
	GAPP_UNWIND_COMPLETE = 0, /* at an outermost frame */
	GAPP_UNWIND_FULL = 1, /* max_stack frames */
	GAPP_UNWIND_NO_FRAME = 2, /* the frame pointer points nowhere */
	GAPP_UNWIND_UNREADABLE = 3, /* the stack is not in memory */
	GAPP_UNWIND_NO_RULE = 4, /* what the file says there, a table cannot */
	GAPP_UNWIND_LOOP = 5, /* the next frame would not be farther up the stack */
	GAPP_UNWIND_UNMAPPED = 6, /* nothing is known to be mapped there */
	GAPP_UNWIND_ENDS = 7,
};

/* It is a path in the kernel. */
#define GAPP_PATH_KERNEL (1U << 8)
/* It was walked with tables, so its frames can be believed. */
#define GAPP_PATH_BY_TABLE (1U << 9)
/* A step of it was made by the frame pointer. */
#define GAPP_PATH_BY_FP (1U << 10)
#define GAPP_PATH_END_MASK 0xffU

/**
 * struct gapp_path - a slot of the table of paths; a path's number is that of its slot
 * @hash: 0: unused
 * @word: index of its first word; 0: not yet filled in. Read with acquire semantics
 * @words: frames, innermost first
 * @flags: enum gapp_unwind_end and GAPP_PATH_* bits
 *
 * Frames are addresses in the process's memory; all but the innermost are return addresses.
 */
struct gapp_path {
	__u64 hash;
	__u32 word;
	__u16 words;
	__u16 flags;
};

_Static_assert(sizeof(struct gapp_ring) == 32, "gapp_ring");
_Static_assert(sizeof(struct gapp_record) == 16, "gapp_record");
_Static_assert(sizeof(struct gapp_sample) == 48, "gapp_sample");
_Static_assert(sizeof(struct gapp_record_slice) == 184, "gapp_record_slice");
_Static_assert(sizeof(struct gapp_record_wait) == 160, "gapp_record_wait");
_Static_assert(sizeof(struct gapp_record_lost) == 48, "gapp_record_lost");
_Static_assert(sizeof(struct gapp_record_wake) == 48, "gapp_record_wake");
_Static_assert(sizeof(struct gapp_record_stack_copy) == 328, "gapp_record_stack_copy");
_Static_assert(sizeof(struct gapp_record_need_mapping) == 32, "gapp_record_need_mapping");
_Static_assert(sizeof(struct gapp_path) == 16, "gapp_path");

#endif /* _UAPI_GAPP_RECORD_H */
