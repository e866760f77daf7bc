/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each thread and each CPU did, and when: stays, made of the records of a recording in one go.
 * A stay is a stretch of time in which a thread ran, waited for a CPU, waited, or spun on a CPU.
 * Memory grows with threads and CPUs, not with records.
 */
#ifndef GAPP_READ_STAYS_H
#define GAPP_READ_STAYS_H

#include <gapp.h>
#include <gapp_record.h>

#include "util/hash_index.h"

/* Threads at most; of others nothing is said. */
#define STAYS_THREADS_MAX 1048576U
/* CPUs at most: records with a higher number are not looked at. */
#define STAYS_CPUS_MAX 65536U
/* Instead of the number of a thread. */
#define STAY_NOBODY 0xffffffffU
/* Instead of the number of a CPU. */
#define STAY_NO_CPU 0xffffffffU

enum stay_kind {
	STAY_RAN, /* on a CPU */
	STAY_SPUN, /* on a CPU, in a busy-wait loop: this CPU's side of a STAY_WAITED */
	STAY_READY, /* it could run, but had no CPU */
	STAY_WAITED, /* with GAPP_WAIT_SPIN: in a busy-wait loop */
	STAY_UNKNOWN, /* records of this time are lost, or were not asked for */
	STAY_KINDS,
};

/**
 * struct stay - what a thread did for a stretch of time
 * @kind: enum stay_kind
 * @reason: STAY_WAITED: enum gapp_wait_reason
 * @thread: number of the thread
 * @cpu: STAY_RAN and STAY_SPUN: the CPU; STAY_READY: the one that it got; else STAY_NO_CPU
 * @begin: CLOCK_MONOTONIC, nanoseconds
 * @end: CLOCK_MONOTONIC, nanoseconds; above @begin
 * @path: id of the call path at the end of the STAY_RAN, or at the begin of the STAY_WAITED; or
 *	GAPP_PATH_NONE
 * @kernel_path: as @path, of the kernel's part
 * @then: STAY_RAN: enum gapp_then
 * @n: STAY_RAN: active threads at its end
 * @critical_ns: STAY_RAN: time by n of the part in which few threads were active
 * @waker: STAY_READY behind a wait: the thread that ended the wait, or STAY_NOBODY
 * @waker_cpu: with GAPP_SLICE_WAKER or GAPP_SLICE_WOKEN_BY_IRQ in @waker_flags: where it ran
 * @waker_flags: flags of the GAPP_RECORD_WAKE
 * @first: the first of its thread in this recording, or in a span of it
 * @in_between: the thread did other things before it, and has not ended
 *
 * A wait ends with a STAY_READY, which may have no length: then @begin is @end.
 */
struct stay {
	u8 kind;
	u8 reason;
	u8 then;
	bool first;
	bool in_between;
	u32 thread;
	u32 cpu;
	u64 begin;
	u64 end;
	u32 path;
	u32 kernel_path;
	u32 n;
	u32 waker;
	u32 waker_cpu;
	u32 waker_flags;
	double critical_ns;
};

/**
 * struct stays_span - a part of a merged recording, in which a target was recorded
 * @target: number of the target
 * @begin: CLOCK_MONOTONIC at which it began
 * @end: CLOCK_MONOTONIC at which it ended
 * @every_slice: what lies between slices is known
 */
struct stays_span {
	u32 target;
	bool every_slice;
	u64 begin;
	u64 end;
};

struct stays_thread_key {
	s32 tid;
	s32 tgid;
};

/**
 * struct stays_thread - a thread of the recording, or one that woke such a thread
 * @comm: its last name; empty: it was only a waker
 * @followed: the recording follows it
 * @fresh: it has had no stay
 * @span: the span that @known is in, while a recording has spans
 * @known: nothing before this moment is still to be told of it
 * @open: what it has done since @known
 */
struct stays_thread {
	struct stays_thread_key key;
	u8 comm[GAPP_COMM_LEN];
	bool followed;
	bool fresh;
	struct stays_span span;
	u64 known;
	struct stay open;
};

/* Takes a stay. Returns 0, or -1 to end. Stays of one thread come in the order of time. */
typedef int (*stay_fn)(void *context, const struct stay *stay);

/* Holes that are remembered at a time; then the oldest two are taken for one. */
#define STAYS_HOLES 64

struct stays_hole {
	u64 begin;
	u64 end;
};

/**
 * struct stays_cpu - a CPU
 * @spinner: the thread that spins on it, or STAY_NOBODY
 * @since: nothing before this moment is still to be told of the CPU
 */
struct stays_cpu {
	u32 spinner;
	u64 since;
};

/**
 * struct stays - records that become stays
 * @take: takes each stay
 * @context: handed to @take
 * @start_ns: CLOCK_MONOTONIC at which the recording began
 * @every_slice: what lies between slices is known of threads without a span
 * @spans: when targets were recorded, by target and begin; NULL: all of them all the time
 * @span_count: elements of @spans
 * @threads: threads; their numbers are those of stays
 * @cpus: CPUs by number
 * @holes: stretches of time of which records are lost, the oldest first
 * @hole_count: elements of @holes that are used
 * @lost_records: records that are lost
 * @without_room: records of threads or CPUs beyond the bounds
 */
struct stays {
	stay_fn take;
	void *context;
	u64 start_ns;
	bool every_slice;
	struct stays_span *spans;
	size_t span_count;
	struct stays_cpu *cpus;
	u32 cpu_room;
	struct stays_hole holes[STAYS_HOLES];
	u32 hole_count;
	u64 lost_records;
	u64 without_room;

	KEYED(stays_thread) threads;
};

/*
 * @every_slice: there is a record of each slice and wake-up; without, what lies between slices is
 * not known.
 */
void stays_init(struct stays *stays, u64 start_ns, bool every_slice, stay_fn take, void *context);
void stays_free(struct stays *stays);

/*
 * To be called before the first record: targets were recorded at times of their own. Of a thread
 * nothing is said between two spans of its target. @spans: by target and begin; spans of a target
 * do not overlap; allocated, and freed with @stays.
 */
void stays_set_spans(struct stays *stays, struct stays_span *spans, size_t count);

/* The end of the span in which a target is at @time, as CLOCK_MONOTONIC; UINT64_MAX: it has none.
 */
u64 stays_span_end(const struct stays *stays, u32 target, u64 time);

/* Adds a record; they come in the order of time. Returns 0, or -1 without memory or if @take did.
 */
int stays_record(struct stays *stays, const struct gapp_record *record);

/*
 * After the last record: tells of what threads still do. @stop_ns: CLOCK_MONOTONIC at which the
 * recording ended. Returns 0, or -1 if @take did.
 */
int stays_end(struct stays *stays, u64 stop_ns);

#endif /* GAPP_READ_STAYS_H */
