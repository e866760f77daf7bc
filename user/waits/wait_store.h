/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What each thread did, and when: every slice and every wait of a recording at GAPP_LEVEL_TRACE.
 * A slice takes 32 bytes, and the wait behind it 16. The store is bounded: when it is full, the
 * oldest half goes, and wait_store_known_from() says from when on it is whole.
 */
#ifndef GAPP_READ_WAIT_STORE_H
#define GAPP_READ_WAIT_STORE_H

#include <gapp.h>
#include <gapp_record.h>

#include "util/hash_index.h"

/* Slices at most; with their waits they take 200 MB. */
#define STORE_SLICES_MAX 4194304U
/* Threads at most: the time of slices of others is not known. */
#define STORE_THREADS_MAX 1048576U
/* Instead of the number of a slice, a wait, a thread or a call path. */
#define STORE_NONE 0xffffffffU
/* Instead of the number of a site; the numbers of sites are below. */
#define STORE_SITE_NONE 0x7ffffU

/* Why a stored slice ended, besides enum gapp_then: it has no length, and a wait follows. */
enum {
	STORED_FOUND = 16, /* what the thread did before its first wake-up is not known */
	STORED_CREATED = 17, /* the wake-up that follows is that of a new thread */
};

/* What the path of a stored slice says of where it ran. */
enum stored_how {
	STORED_HIT, /* it ran there: a sample hit it, or it was interrupted there */
	STORED_INFERRED, /* it ended there, and few threads were active */
	STORED_MANY, /* it ended there; many threads were active, so there was no sample */
};

/* Who ended a wait. */
enum wait_ender {
	ENDED_BY_THREAD, /* a thread, which the recording may not follow */
	ENDED_BY_INTERRUPT,
	ENDED_BY_UNKNOWN, /* the record does not say */
	ENDED_NOT, /* nobody: the recording ended first, or the wake-up has no record */
	WAIT_ENDERS,
};

/**
 * struct stored_slice - a slice, or the part of one that a sample stands for
 * @begin: nanoseconds since the store's begin
 * @site_low: see stored_site()
 * @end: nanoseconds since the store's begin
 * @site_high: see stored_site()
 * @then: enum gapp_then, or STORED_*; GAPP_THEN_ON: the next slice of the thread follows at once
 * @reason: with GAPP_THEN_WAIT: enum gapp_wait_reason
 * @how: enum stored_how
 * @path: id of a call path, or STORE_NONE
 * @before: number of the thread's slice before it, or STORE_NONE
 * @thread: number of the thread
 * @wait: number of the wait that follows, or STORE_NONE
 */
struct stored_slice {
	u64 begin : 48;
	u64 site_low : 16;
	u64 end : 48;
	u64 site_high : 3;
	u64 then : 5;
	u64 reason : 4;
	u64 how : 4;
	u32 path;
	u32 before;
	u32 thread;
	u32 wait;
};

/**
 * struct stored_wait - a wait, which begins where its slice ended
 * @end: when the thread was woken: nanoseconds since the store's begin
 * @by: enum wait_ender
 * @slice: number of the slice before it
 * @waker: number of the thread that ended it; STORE_NONE: none is known
 */
struct stored_wait {
	u64 end : 48;
	u64 by : 16;
	u32 slice;
	u32 waker;
};

_Static_assert(sizeof(struct stored_slice) == 32, "the report says how much the store takes");
_Static_assert(sizeof(struct stored_wait) == 16, "the report says how much the store takes");

/* With GAPP_THEN_WAIT: the number of the wait's site, or STORE_SITE_NONE. */
static inline u32 stored_site(const struct stored_slice *slice)
{
	return slice->site_low | (u32)slice->site_high << 16;
}

struct stored_thread_key {
	s32 tid;
	s32 tgid;
};

/**
 * struct stored_thread - a thread of the recording, or one that woke such a thread
 * @last: number of its last slice; STORE_NONE: it has none, so the recording does not follow it
 * @comm: its last name
 */
struct stored_thread {
	struct stored_thread_key key;
	u32 last;
	u8 comm[GAPP_COMM_LEN];
};

/* Time in which records were lost: nanoseconds since the store's begin. */
struct stored_hole {
	u64 begin;
	u64 end;
};

/* A new thread whose creator ran on a CPU when it made the thread; nothing else names him. */
struct unnamed_waker {
	u32 cpu;
	u32 wait;
};

/* New threads whose creators are not known yet, at a time. */
#define UNNAMED_MAX 64

/**
 * struct wait_store - the store
 * @begin_ns: CLOCK_MONOTONIC of its begin, nanoseconds
 * @limit: slices at most
 * @slices: in the order of their ends
 * @waits: in the order of their ends
 * @holes: of each CPU in the order of time, until wait_store_end()
 * @dropped: slices that were dropped, and slices that share their ends
 * @known_from: nanoseconds since @begin_ns from which on no slice was dropped
 * @late: slices whose records came after later ones of the thread: their time is a hole
 * @beyond: there were records later than the store can tell
 */
struct wait_store {
	u64 begin_ns;
	u32 limit;
	struct stored_slice *slices;
	u32 slice_count;
	u32 slice_room;
	struct stored_wait *waits;
	u32 wait_count;
	u32 wait_room;
	struct stored_hole *holes;
	u32 hole_count;
	u32 hole_room;
	struct unnamed_waker unnamed[UNNAMED_MAX];
	u32 unnamed_count;
	u64 dropped;
	u64 known_from;
	u64 late;
	bool beyond;

	KEYED(stored_thread) threads;
};

/* @begin_ns: CLOCK_MONOTONIC at which the recording began. */
void wait_store_init(struct wait_store *store, u64 begin_ns, u32 limit);
void wait_store_free(struct wait_store *store);
/* Frees all but the threads. */
void wait_store_free_times(struct wait_store *store);

/*
 * Each adds a record; records come in the order of time. @path: id of the call path at the end of
 * the slice, @sample_paths: of each sample; STORE_NONE: not known. @site: number of what the wait
 * behind the slice is for, and where it began; STORE_NONE: not known. Return 0, or -1 without
 * memory.
 */
int wait_store_slice(struct wait_store *store, const struct gapp_record_slice *slice, u32 path,
		     u32 site, const u32 *sample_paths);
int wait_store_wake(struct wait_store *store, const struct gapp_record_wake *wake);
int wait_store_lost(struct wait_store *store, const struct gapp_record_lost *lost);

/*
 * After the last record: brings the holes in order. @stop_ns: CLOCK_MONOTONIC at which the
 * recording ended. Returns 0, or -1 without memory.
 */
int wait_store_end(struct wait_store *store, u64 stop_ns);

/* Nanoseconds since the store's begin, of CLOCK_MONOTONIC. */
u64 wait_store_time(const struct wait_store *store, u64 ns);

/* When the wait behind a slice ended; UINT64_MAX: it did not, or has no record. */
static inline u64 stored_wake(const struct wait_store *store, const struct stored_slice *slice)
{
	return slice->wait == STORE_NONE ? UINT64_MAX : store->waits[slice->wait].end;
}

/* Whether the recording follows the thread. */
static inline bool stored_is_followed(const struct wait_store *store, u32 thread)
{
	return thread != STORE_NONE && store->threads.rows[thread].last != STORE_NONE;
}

#endif /* GAPP_READ_WAIT_STORE_H */
