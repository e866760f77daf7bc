/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who held the locks that others waited for. A thread that wakes a waiter of a lock held it up to
 * then; since when at least follows from the waits for it. docs/design/wait-objects.md, "Holders",
 * has the rules.
 */
#ifndef GAPP_READ_LOCK_HOLDERS_H
#define GAPP_READ_LOCK_HOLDERS_H

#include "util/hash_index.h"

/* Locks that one thread got after waits for them and holds at a time; of more the latest count. */
#define LOCKS_HELD_MAX 4
/* Rows; waits that end with holds without a row are counted. */
#define LOCK_HOLDS_MAX 65536

/**
 * struct lock_moment - a moment; all zero: none
 * @ns: CLOCK_MONOTONIC, nanoseconds
 * @few_ns: for how long at most N_min threads of the target were active up to then
 */
struct lock_moment {
	u64 ns;
	u64 few_ns;
};

struct lock_hold_key {
	u32 object;
	u32 stack; /* a call path of the holder while it held the lock, or STACK_NONE */
	u32 critical; /* 1: at most N_min threads were active at some moment of the hold */
};

/**
 * struct lock_hold - holds of one lock
 * @holds: their number
 * @own_ns: how long those took, at least, whose holder had waited for the lock
 * @own_few_ns: the part of @own_ns with at most N_min threads active, at least
 * @seen_ns: how long the others took, at least
 * @seen_few_ns: as @own_few_ns
 * @waits: waits that ended with these holds
 * @waited_ns: how long they took
 * @critical: their part of the critical time, as in struct wait_sums
 */
struct lock_hold {
	struct lock_hold_key key;
	u64 holds;
	u64 own_ns;
	u64 own_few_ns;
	u64 seen_ns;
	u64 seen_few_ns;
	u64 waits;
	u64 waited_ns;
	double critical;
};

/**
 * struct lock_end - the end of one hold
 * @row: what is known of it; its key's stack too
 * @from: the call path on which it was released, or STACK_NONE
 * @woken: with @waited: when the holder's wait ended
 * @losses: @losses of struct all_waits when it ended
 * @floor: the hold is not known to have begun before
 * @at: when it ended
 * @was_few: at most N_min threads were active then
 * @waited: the holder had waited for the lock
 * @went_on: another CPU ended the wake-up: the holder may have run on without the lock by then
 */
struct lock_end {
	struct lock_hold row;
	u32 from;
	struct lock_moment woken;
	u64 losses;
	struct lock_moment floor;
	struct lock_moment at;
	bool was_few;
	bool waited;
	bool went_on;
};

/**
 * struct lock_held - a lock that a thread got when its wait for it ended
 * @object: number of the lock; HASH_NONE: there is none
 * @stack: the call path on which the thread waited
 * @losses: @losses of struct all_waits then
 * @woken: when the wait ended
 * @began: the slice is known in which the thread got the lock
 * @begin: with @began: begin of that slice; its @few_ns is an upper bound
 */
struct lock_held {
	u32 object;
	u32 stack;
	u64 losses;
	struct lock_moment woken;
	bool began;
	struct lock_moment begin;
};

/**
 * struct lock_thread - what is known of a thread as a holder
 * @held: locks that it may hold
 * @ends: @end is the end of a hold that began in the slice that goes on
 * @ran_ns: when its last slice ended
 * @ran_stack: on which call path
 * @ran_losses: @losses of struct all_waits then
 */
struct lock_thread {
	struct lock_held held[LOCKS_HELD_MAX];
	bool ends;
	struct lock_end end;
	u64 ran_ns;
	u32 ran_stack;
	u64 ran_losses;
};

struct lock_key {
	u32 object;
};

/**
 * struct lock - a futex while records come in
 * @target: of the threads that wait for it, and one more; 0: none has waited
 * @apart: threads of several targets wait for it, whose times cannot be compared
 * @waiting: waits for it that go on
 * @contended: since when there has always been one
 * @first: the first wait for it that began after it was last released
 * @releaser: thread that released it last
 * @releaser_tgid: its process
 * @row: number of the row of that release; HASH_NONE: it is @end of the thread
 */
struct lock {
	struct lock_key key;
	u64 target;
	bool apart;
	u32 waiting;
	u64 losses;
	struct lock_moment contended;
	struct lock_moment first;
	s32 releaser;
	s32 releaser_tgid;
	u32 row;
};

struct lock_holders {
	KEYED(lock) locks;
	KEYED(lock_hold) holds;
};

#endif /* GAPP_READ_LOCK_HOLDERS_H */
