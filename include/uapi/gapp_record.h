/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * gapp: what a reader maps: the rings with their records, and the table of call
 * paths to which records refer. <gapp.h> has the offsets for mmap(), and the
 * rules that every structure follows.
 *
 * The mapping of a ring begins with struct gapp_ring; its data is at
 * gapp_layout.ring_data. Records lie from the read position to the write
 * position, modulo ring_bytes. No record wraps: a PAD record fills the ring up
 * to its end; it may have 8 bytes only, so just its type, size and cpu are
 * there. The reader loads the write position with acquire semantics, reads the
 * records, and stores the read position with release semantics. Records of one
 * ring are in the order of their times; records of different rings are not. A
 * reader skips types that it does not know.
 */
#ifndef _UAPI_GAPP_RECORD_H
#define _UAPI_GAPP_RECORD_H

#include <linux/types.h>

#ifndef GAPP_COMM_LEN
#define GAPP_COMM_LEN 16
#endif

/**
 * struct gapp_ring - how the mapping of a ring begins
 * @write_position: number of bytes that the module has written since START
 * @lost: number of records that found no room
 * @lost_critical_share: critical share in these records, in shares
 * @lost_wait_ns: nanoseconds with no active thread in these records
 */
struct gapp_ring {
	__u64 write_position;
	__u64 lost;
	__u64 lost_critical_share;
	__u64 lost_wait_ns;
};

enum gapp_record_type {
	GAPP_RECORD_PAD = 0, /* fills the ring up to its end */
	GAPP_RECORD_SLICE = 1,
	GAPP_RECORD_WAIT = 2,
	GAPP_RECORD_LOST = 3,
	GAPP_RECORD_WAKE = 4,
	GAPP_RECORD_STACK_COPY = 5,
	GAPP_RECORD_NEED_MAPPING = 6,
	GAPP_RECORD_STORE = 7, /* with GAPP_IOC_WATCH, GAPP_IOC_STORE_POINT */
	GAPP_RECORD_MARK = 8, /* with GAPP_CONFIG_MARKS */
};

/**
 * struct gapp_record - how every record begins
 * @type: enum gapp_record_type
 * @size: bytes of the whole record, a multiple of 8
 * @cpu: number of the CPU that wrote the record
 * @time_ns: CLOCK_MONOTONIC of the event, in nanoseconds; for a slice, of its end
 */
struct gapp_record {
	__u16 type;
	__u16 size;
	__u32 cpu;
	__u64 time_ns;
};

/* What an inactive thread waits for: its wait reason. */
enum gapp_wait_reason {
	GAPP_WAIT_OTHER = 0, /* none of the reasons below, or not known */
	GAPP_WAIT_LOCK = 1, /* mutex, rwlock */
	GAPP_WAIT_QUEUE = 2, /* condition variable, semaphore */
	GAPP_WAIT_JOIN = 3, /* the end of a thread or process */
	GAPP_WAIT_BARRIER = 4,
	GAPP_WAIT_DISK = 5,
	GAPP_WAIT_NETWORK = 6,
	GAPP_WAIT_PIPE = 7,
	GAPP_WAIT_SLEEP = 8, /* until a time that the thread chose */
	GAPP_WAIT_FAULT = 9, /* a page fault: the page, or the lock of the address space */
	GAPP_WAIT_MEMORY = 10, /* mmap() and its like */
	GAPP_WAIT_EVENT = 11, /* poll, epoll, eventfd, io_uring */
	GAPP_WAIT_SIGNAL = 12,
	GAPP_WAIT_FUTEX = 13, /* a futex of unknown use */
	GAPP_WAIT_KERNEL_LOCK = 14, /* a lock in the kernel (GAPP_CONFIG_KERNEL_LOCKS) */
	GAPP_WAIT_SPIN = 15, /* it waits on a CPU, in a busy-wait loop (GAPP_CONFIG_SPINS) */
	GAPP_WAIT_REASONS = 16,
};

/* Why a slice ended. */
enum gapp_then {
	GAPP_THEN_WAIT = 0, /* the thread went to sleep, or with GAPP_WAIT_SPIN began to spin */
	GAPP_THEN_PREEMPTED = 1,
	GAPP_THEN_EXITED = 2,
	GAPP_THEN_ON = 3, /* it goes on: the record is of a part of a long slice */
	GAPP_THEN_STOPPED = 4, /* STOP ended the session */
};

/* Values instead of the number of a call path. */
#define GAPP_PATH_NONE 0xffffffffU /* no path: no user memory, or the session records none */
#define GAPP_PATH_LOST 0xfffffffeU /* the table of call paths was full */
/*
 * The other values with this bit name a stack copy: the rest of the bits are its number. The struct
 * gapp_record_stack_copy is in any ring; its time is not later than that of the record with the
 * value.
 */
#define GAPP_PATH_COPY 0x80000000U

/* The thread is the leader of its process. */
#define GAPP_SLICE_LEADER (1U << 0)
/* The record has only the share of earlier slices, each too small for a record. */
#define GAPP_SLICE_REST (1U << 1)
/* An interrupt, not a thread, woke the thread last. */
#define GAPP_SLICE_WOKEN_BY_IRQ (1U << 2)
/* waker_tid and waker_tgid are set. */
#define GAPP_SLICE_WAKER (1U << 3)
/*
 * With GAPP_SLICE_WOKEN_BY_IRQ and GAPP_CONFIG_WAKER_PATHS: which kind of interrupt it was. None of
 * the three: another kind, or the kernel does not say.
 */
#define GAPP_SLICE_IRQ_NETWORK (1U << 4)
#define GAPP_SLICE_IRQ_DISK (1U << 5)
#define GAPP_SLICE_IRQ_TIMER (1U << 6)
/* A struct gapp_waker_path follows the structure of the record: only of WAIT and WAKE records. */
#define GAPP_SLICE_WAKER_PATH (1U << 7)
/*
 * A struct gapp_wait_file follows, behind all else of the record: of SLICE records with
 * GAPP_THEN_WAIT, and of WAIT records.
 */
#define GAPP_SLICE_FILE (1U << 8)
/*
 * A struct gapp_wait_lock follows, behind all else of the record: where @wait is
 * GAPP_WAIT_KERNEL_LOCK.
 */
#define GAPP_SLICE_KERNEL_LOCK (1U << 9)
/* A struct gapp_slice_tallies follows, behind all else of the record: only of SLICE records. */
#define GAPP_SLICE_TALLIES (1U << 10)

/**
 * struct gapp_waker_path - where the waker was when it woke the thread (GAPP_CONFIG_WAKER_PATHS)
 * @path: number of the waker's user call path; GAPP_PATH_NONE: it was left out, because the CPU had
 *	taken too many call paths of wakers, or for too long
 * @image: number of the waker's address space
 */
struct gapp_waker_path {
	__u32 path;
	__u32 image;
};

/**
 * struct gapp_wait_file - the file of a wait whose system call has a descriptor as its first
 *	argument (GAPP_CONFIG_WAIT_FILES)
 * @inode: number of the file's inode; 0: the process had no such descriptor any more, and the other
 *	members are 0
 * @device: device of the inode's file system: major number << 20 | minor number
 * @kind: type of the file, the upper four bits of its mode: S_IFREG >> 12 and so on; 0: it has
 *	none, as epoll and eventfd, which share one inode
 * @reserved: zero
 * @family: of a socket, its AF_*; else 0
 * @protocol: with AF_INET and AF_INET6 the IPPROTO_*; else 0, like all that follows
 * @local_port: port of this end; 0: it has none yet
 * @peer_port: port of the other end; 0: it is not connected
 * @reserved2: zero
 * @peer: address of the other end, with AF_INET in the first four bytes
 *
 * It is read when the record is written: of a SLICE record as the thread goes to sleep, of a WAIT
 * record while it is woken, before it returns from the system call. An address may be torn while
 * connect() runs.
 */
struct gapp_wait_file {
	__u64 inode;
	__u32 device;
	__u8 kind;
	__u8 reserved;
	__u16 family;
	__u16 protocol;
	__u16 local_port;
	__u16 peer_port;
	__u16 reserved2;
	__u8 peer[16];
};

/* What a lock in the kernel is, and how it is to be taken. */
enum gapp_kernel_lock {
	GAPP_LOCK_OTHER = 0, /* a semaphore, or a kind that the kernel does not name */
	GAPP_LOCK_MUTEX = 1,
	GAPP_LOCK_READ = 2, /* an rw_semaphore, to read */
	GAPP_LOCK_WRITE = 3, /* an rw_semaphore, to write */
	GAPP_LOCK_PERCPU = 4, /* a percpu_rw_semaphore */
	GAPP_LOCK_RT = 5, /* an rt_mutex; with PREEMPT_RT any of these, and a spinlock */
};

/**
 * struct gapp_wait_lock - the lock that a thread waited for in the kernel
 *	(GAPP_CONFIG_KERNEL_LOCKS)
 * @address: of the lock; 0: the opener may not see kernel addresses
 * @kind: enum gapp_kernel_lock
 * @reserved: zero
 */
struct gapp_wait_lock {
	__u64 address;
	__u32 kind;
	__u32 reserved;
};

/**
 * struct gapp_slice_tallies - what was counted in a slice (GAPP_CONFIG_SLICE_TALLIES)
 * @uncounted: bit N: of tally N something is missing
 * @count: number of tallies of the session
 *
 * Behind it is a __u64 for each tally: what was counted in the slice alone, or in the part of it
 * since its last record.
 */
struct gapp_slice_tallies {
	__u32 uncounted;
	__u32 count;
};

/**
 * struct gapp_sample - one sample of a slice
 * @path: number of the user call path
 * @kernel_path: number of the kernel call path, or GAPP_PATH_NONE
 * @critical_share: critical share since the previous sample or the begin of the slice, in shares
 * @waiting: number of inactive threads of the target, by enum gapp_wait_reason; 65535 means 65535
 *	or more
 */
struct gapp_sample {
	__u32 path;
	__u32 kernel_path;
	__u64 critical_share;
	__u16 waiting[GAPP_WAIT_REASONS];
};

/*
 * Where a sample hit the thread. A value of 0 or more is the number of a system call: the thread
 * was in the kernel for that.
 */
#define GAPP_IN_USER (-1) /* in its own code */
#define GAPP_IN_FAULT (-2) /* in the kernel, for an exception: nearly always a page fault */
#define GAPP_IN_INTERRUPT (-3) /* in the kernel, for an interrupt; not for the thread */
#define GAPP_IN_UNKNOWN (-4) /* in the kernel; for what, is not known or not shown */
#define GAPP_IN_KTHREAD (-5) /* in the kernel, which a thread of the kernel never leaves */

/**
 * struct gapp_record_slice - the critical share of one slice of a thread, or of several
 * @head: type GAPP_RECORD_SLICE
 * @tid: thread id; 0: the opener's pid namespace has none for it
 * @tgid: process id; 0: the opener's pid namespace has none for it
 * @image: number of the address space of the process; each fork and exec makes a new one
 * @target: number of the target of the thread
 * @comm: name of the thread, NUL terminated
 * @begin_ns: CLOCK_MONOTONIC at which the slice began, in nanoseconds
 * @critical_share: critical share of the slice and of earlier ones without a record, in shares
 * @own_critical_share: critical share of the slice alone, in shares
 * @cmetric: share of the slice at any n, in shares
 * @thread_ns: integral of n over the slice, in thread nanoseconds; the average n is this divided
 *	by the length of the slice
 * @slices: number of slices that the thread ended since its previous record, with this one. A
 *	part of a slice (GAPP_THEN_ON) does not count itself
 * @n: number of active threads when the slice ended
 * @flags: GAPP_SLICE_* bits
 * @then: enum gapp_then
 * @wait: enum gapp_wait_reason, with GAPP_THEN_WAIT
 * @sample_count: number of struct gapp_sample that follow this structure
 * @path: number of the user call path when the slice ended
 * @kernel_path: number of the kernel call path when the slice ended
 * @syscall: number of the system call in which the slice ended; -1: none
 * @waker_cpu: number of the CPU on which the waker ran when it woke the thread last
 * @waker_tid: thread id of the waker, with GAPP_SLICE_WAKER
 * @waker_tgid: process id of the waker, with GAPP_SLICE_WAKER
 * @args: first three arguments of @syscall; with GAPP_WAIT_SPIN, since ABI 1.12, the first is the
 *	address of the word that the loop waits for, 0 if that is not known. Since ABI 1.13 the
 *	second is GAPP_SPIN_COMPARED() of it, and the third the number it is compared with
 * @waiting: number of inactive threads of the target when the slice ended, by enum
 *	gapp_wait_reason; 65535 means 65535 or more
 *
 * Behind the samples is, since ABI 1.4, an __s32 for each sample: where the sample hit the thread,
 * the number of a system call or GAPP_IN_*. If their number is odd, 4 bytes of zero follow. With
 * GAPP_SLICE_FILE, since ABI 1.9, a struct gapp_wait_file follows; with GAPP_SLICE_KERNEL_LOCK,
 * since ABI 1.10, a struct gapp_wait_lock; with GAPP_SLICE_TALLIES, since ABI 1.19, a
 * struct gapp_slice_tallies is last.
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
 * struct gapp_record_wait - stretches of time with no active thread that one thread ended
 * @head: type GAPP_RECORD_WAIT; its time is shortly after the wake-up
 * @tid: thread id of the thread that became active first; 0: the opener's pid namespace has none
 * @tgid: process id of that thread; 0: the opener's pid namespace has none
 * @image: number of the address space of the process
 * @target: number of the target of the thread
 * @comm: name of the thread, NUL terminated
 * @begin_ns: CLOCK_MONOTONIC at which the last stretch began, in nanoseconds
 * @wait_ns: nanoseconds in all @stretches
 * @stretches: number of stretches since the thread's previous record of this type
 * @flags: GAPP_SLICE_* bits
 * @reserved: zero
 * @wait: wait reason of the thread, enum gapp_wait_reason
 * @path: number of the user call path with which the thread went to sleep
 * @kernel_path: number of the kernel call path with which it went to sleep
 * @syscall: number of the system call in which it slept; -1: none
 * @waker_cpu: number of the CPU on which the waker ran when it woke the thread last
 * @waker_tid: thread id of the waker, with GAPP_SLICE_WAKER
 * @waker_tgid: process id of the waker, with GAPP_SLICE_WAKER
 * @args: first three arguments of @syscall; with GAPP_WAIT_SPIN, since ABI 1.13, as of SLICE
 *	records; zero where that is not known: in a session that does not keep waits, and of
 *	earlier waits
 * @waiting: number of the other inactive threads of the target, by enum gapp_wait_reason; 65535
 *	means 65535 or more
 *
 * With GAPP_SLICE_WAKER_PATH, since ABI 1.7, a struct gapp_waker_path follows: of the waker that
 * ended the last stretch. With GAPP_SLICE_FILE, since ABI 1.9, a struct gapp_wait_file follows;
 * with GAPP_SLICE_KERNEL_LOCK, since ABI 1.10, a struct gapp_wait_lock is last.
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
 * struct gapp_record_lost - records were lost between the previous record and this one
 * @head: type GAPP_RECORD_LOST
 * @records: number of records that found no room
 * @critical_share: critical share in these records, in shares
 * @wait_ns: nanoseconds with no active thread in these records
 * @since_ns: CLOCK_MONOTONIC of the first one, in nanoseconds
 */
struct gapp_record_lost {
	struct gapp_record head;
	__u64 records;
	__u64 critical_share;
	__u64 wait_ns;
	__u64 since_ns;
};

/**
 * struct gapp_record_wake - a thread of the target became active
 * @head: type GAPP_RECORD_WAKE
 * @tid: thread id; 0: the opener's pid namespace has none for it
 * @tgid: process id; 0: the opener's pid namespace has none for it
 * @target: number of the target of the thread
 * @n: number of active threads, with this one
 * @flags: GAPP_SLICE_* bits about the waker
 * @waker_cpu: number of the CPU on which the waker ran when it woke the thread last
 * @waker_tid: thread id of the waker, with GAPP_SLICE_WAKER
 * @waker_tgid: process id of the waker, with GAPP_SLICE_WAKER
 *
 * GAPP_LEVEL_TRACE has one of each wake-up. GAPP_LEVEL_CRITICAL has none, or with
 * GAPP_CONFIG_WAKER_PATHS one of each wait that began with a slice record; behind the WAIT record
 * of the same wake-up, if there is one. With GAPP_SLICE_WAKER_PATH, since ABI 1.7, a struct
 * gapp_waker_path follows.
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

/* Registers by their DWARF numbers: x86-64 has 17, the last is rip; aarch64 has 33, up to pc. */
#define GAPP_REGISTERS 33

/* The module found the whole path itself; the reader unwinds the copy to compare. */
#define GAPP_STACK_COPY_VERIFY (1U << 0)

/**
 * struct gapp_record_stack_copy - registers and a piece of stack, for the reader to unwind
 * @head: type GAPP_RECORD_STACK_COPY
 * @tid: thread id; 0: the opener's pid namespace has none for it
 * @tgid: process id; 0: the opener's pid namespace has none for it
 * @image: number of the address space of the process
 * @copy: number of the stack copy, less than GAPP_PATH_COPY - 2; a session counts up and begins
 *	again at 0
 * @path: number of the call path that the module found; GAPP_PATH_NONE: it found no frame
 * @flags: GAPP_STACK_COPY_* bits
 * @stack_bytes: bytes of stack that follow this structure; 0: the stack was not readable
 * @reserved: zero
 * @stack_at: address of the first of these bytes: the stack pointer, or up to 128 bytes below it,
 *	for a function may keep data there
 * @valid: bit N is set if registers[N] is known
 * @registers: registers by their DWARF numbers: of the last frame of @path, or of the innermost
 *	frame with GAPP_PATH_NONE or GAPP_STACK_COPY_VERIFY
 *
 * Without GAPP_STACK_COPY_VERIFY the whole call path is the frames of @path without the last one,
 * and then the frames that the reader finds from @registers on.
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
 * struct gapp_record_need_mapping - the module needs a mapping that SET_MAPPINGS has not given
 * @head: type GAPP_RECORD_NEED_MAPPING
 * @tgid: process id; 0: the opener's pid namespace has none for it
 * @image: number of the address space of the process
 * @address: address of a call path's frame that lies in no mapping
 */
struct gapp_record_need_mapping {
	struct gapp_record head;
	__s32 tgid;
	__u32 image;
	__u64 address;
};

/* How the word of a busy-wait loop is compared: enum gapp_spin_while, and bytes of the word. */
#define GAPP_SPIN_COMPARED(goes_on, bytes) ((goes_on) | (bytes) << 8)

/* The kernel stored the value, in a system call or an exception of the thread. */
#define GAPP_STORE_IN_KERNEL (1U << 0)
/* It was the last one that is seen on this CPU; the value may be one with which loops go on. */
#define GAPP_STORE_LAST (1U << 1)
/*
 * Since ABI 1.18: a breakpoint on the instruction told it (GAPP_IOC_STORE_POINT). With
 * GAPP_STORE_LAST nothing was stored: the module has given up the instruction at @address, and
 * tells of no more of its stores.
 */
#define GAPP_STORE_AT_POINT (1U << 2)
/*
 * Since ABI 1.20, with GAPP_STORE_LAST: nothing else is known of the store, because the session
 * does not follow who made it, or the word could not be read.
 */
#define GAPP_STORE_UNTOLD (1U << 3)

/**
 * struct gapp_record_store - a thread stored into the word that is watched (GAPP_IOC_WATCH), or
 *	with an instruction whose stores are told (GAPP_IOC_STORE_POINT)
 * @head: type GAPP_RECORD_STORE
 * @tid: thread id; 0: the opener's pid namespace has none for it
 * @tgid: process id; 0: the opener's pid namespace has none for it
 * @target: number of the target of the thread
 * @image: number of the address space of the process
 * @address: address of the word. It, @tid, @tgid, @target and @value are 0 with GAPP_STORE_UNTOLD
 * @value: the word after the store
 * @path: number of the user call path; its first frame is in the instruction that stored. As of
 *	wakers it may be GAPP_PATH_NONE
 * @flags: GAPP_STORE_* bits
 */
struct gapp_record_store {
	struct gapp_record head;
	__s32 tid;
	__s32 tgid;
	__u32 target;
	__u32 image;
	__u64 address;
	__u64 value;
	__u32 path;
	__u32 flags;
};

/* What a mark says. */
enum gapp_mark_kind {
	GAPP_MARK_POINT = 0, /* the thread has come to a point of the program */
	GAPP_MARK_BEGIN = 1, /* a section begins */
	GAPP_MARK_END = 2, /* a section ends that the thread has begun */
	GAPP_MARK_KINDS = 3,
};

/* Most bytes of a mark's text. */
#define GAPP_MARK_TEXT 63

/*
 * n and thread_ns are set. Without it another CPU was changing the integrals for long, or session
 * time had begun, and the thread was not counted yet.
 */
#define GAPP_MARK_INTEGRALS (1U << 0)

/**
 * struct gapp_record_mark - what a thread says of itself (GAPP_CONFIG_MARKS)
 * @head: type GAPP_RECORD_MARK
 * @tid: thread id; 0: the opener's pid namespace has none for it
 * @tgid: process id; 0: the opener's pid namespace has none for it
 * @image: number of the address space of the process
 * @target: number of the target of the thread
 * @comm: name of the thread, NUL terminated
 * @thread_ns: S of the target, in thread nanoseconds; only the difference of two has a meaning: the
 *	average n between two marks is that, divided by the time between them
 * @n: number of active threads
 * @flags: GAPP_MARK_* bits
 * @kind: enum gapp_mark_kind
 * @bytes: bytes of the text, up to GAPP_MARK_TEXT
 * @left_out: number of marks of the session on this CPU that have no record for want of room,
 *	since its MARK record before
 *
 * The text follows, then zeros, 1 to 8. With GAPP_MARK_END it may be empty: the section that the
 * thread has begun last ends; otherwise the one of that name.
 */
struct gapp_record_mark {
	struct gapp_record head;
	__s32 tid;
	__s32 tgid;
	__u32 image;
	__u32 target;
	__u8 comm[GAPP_COMM_LEN];
	__u64 thread_ns;
	__u32 n;
	__u32 flags;
	__u16 kind;
	__u16 bytes;
	__u32 left_out;
};

/* Where the module stopped to unwind a call path. */
enum gapp_unwind_end {
	GAPP_UNWIND_COMPLETE = 0, /* at the outermost frame */
	GAPP_UNWIND_FULL = 1, /* after max_stack frames */
	GAPP_UNWIND_NO_FRAME = 2, /* at a frame pointer that points to no frame */
	GAPP_UNWIND_UNREADABLE = 3, /* at stack that was not in memory */
	GAPP_UNWIND_NO_RULE = 4, /* at code whose caller no table rule can find */
	GAPP_UNWIND_LOOP = 5, /* at a frame whose caller would not be farther up the stack */
	GAPP_UNWIND_UNMAPPED = 6, /* at an address that lies in no known mapping */
	GAPP_UNWIND_LATE = 7, /* where the time that a switch may take was over */
	GAPP_UNWIND_ENDS = 8,
};

/* The call path is of kernel code. */
#define GAPP_PATH_KERNEL (1U << 8)
/* The module used unwind tables, so a reader may believe the frames. */
#define GAPP_PATH_BY_TABLE (1U << 9)
/* The module found at least one frame by the frame pointer. */
#define GAPP_PATH_BY_FP (1U << 10)
#define GAPP_PATH_END_MASK 0xffU

/**
 * struct gapp_path - a slot of the table of call paths; its index is the number of the path
 * @hash: hash of the path; 0: the slot is free
 * @word: index of the first word of the path; 0: the module has not filled it in yet. The reader
 *	loads it with acquire semantics
 * @words: number of words: one for each frame, innermost first
 * @flags: enum gapp_unwind_end and GAPP_PATH_* bits
 *
 * A word is an address in the process's memory: the instruction pointer of the innermost frame,
 * the return address of each other one.
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
_Static_assert(sizeof(struct gapp_waker_path) == 8, "gapp_waker_path");
_Static_assert(sizeof(struct gapp_wait_file) == 40, "gapp_wait_file");
_Static_assert(sizeof(struct gapp_record_slice) == 184, "gapp_record_slice");
_Static_assert(sizeof(struct gapp_record_wait) == 160, "gapp_record_wait");
_Static_assert(sizeof(struct gapp_record_lost) == 48, "gapp_record_lost");
_Static_assert(sizeof(struct gapp_record_wake) == 48, "gapp_record_wake");
_Static_assert(sizeof(struct gapp_record_stack_copy) == 328, "gapp_record_stack_copy");
_Static_assert(sizeof(struct gapp_record_store) == 56, "gapp_record_store");
_Static_assert(sizeof(struct gapp_record_mark) == 72, "gapp_record_mark");
_Static_assert(sizeof(struct gapp_record_need_mapping) == 32, "gapp_record_need_mapping");
_Static_assert(sizeof(struct gapp_path) == 16, "gapp_path");

#endif /* _UAPI_GAPP_RECORD_H */
