/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What came of waits in busy-wait loops: whether the thread slept for the same object at once, so
 * that it spun in vain, and whether the thread that ended the wait had a CPU meanwhile. Both need
 * every wait recorded.
 */
#ifndef GAPP_READ_SPIN_ENDS_H
#define GAPP_READ_SPIN_ENDS_H

#include <gapp.h>
#include <gapp_record.h>

struct all_waits;
struct wait_thread;

/* The last stays in the run queue of a thread that are remembered. */
#define SPIN_STAYS 8
/* Waits that are known to have ended, but not whether their ender had a CPU all the while. */
#define OPEN_SPINS_MAX 4096

/**
 * struct spin_delays - how long after the store that ended their waits threads went on
 * @ends: how many waits
 * @sum_ns: how long in all
 * @squares_us: the sum of their squares, in square microseconds
 */
struct spin_delays {
	u64 ends;
	u64 sum_ns;
	u64 squares_us;
};

/**
 * struct spin_sums - waits for an object in busy-wait loops
 * @spins: how many ended
 * @spun_ns: how long they took
 * @vain: those of @spins behind which the thread slept for the object
 * @vain_ns: how long these took
 * @slept_ns: how long the threads then slept, as far as that has ended
 * @seen_ns: of waits whose end was seen: from when the thread was found until the store
 * @starved_ns: how much of @seen_ns the thread that ended the wait waited for a CPU, at least
 * @near: waits that a thread on the same NUMA node ended, where nodes are known
 * @far: waits that one on another node ended
 */
struct spin_sums {
	u64 spins;
	u64 spun_ns;
	u64 vain;
	u64 vain_ns;
	u64 slept_ns;
	u64 seen_ns;
	u64 starved_ns;
	struct spin_delays near;
	struct spin_delays far;
};

void spin_sums_add(struct spin_sums *sums, const struct spin_sums *more);

/* What the last record of a thread says of it. */
enum spin_thread_state {
	SPIN_THREAD_UNKNOWN,
	SPIN_THREAD_ASLEEP, /* or in a busy-wait loop, or gone */
	SPIN_THREAD_READY, /* it waits for a CPU, or has one by now */
	SPIN_THREAD_RUNS,
};

/**
 * struct spin_thread - a thread that spins, and may end the waits of others
 * @state: enum spin_thread_state
 * @open: waits that it ended, among the open ones
 * @losses: @losses of struct all_waits when @state was set
 * @object: what it spun for last; HASH_NONE: it has slept since, or never spun
 * @ended_ns: when that ended
 * @took_ns: how long that took
 * @vain_for: what it sleeps for behind a spin in vain; HASH_NONE: it does not
 * @slept_at_ns: when it went to sleep
 * @ready_ns: with SPIN_THREAD_READY: since when
 * @runs_ns: with SPIN_THREAD_READY: when it is known to have had a CPU; UINT64_MAX: it is not
 * @stays: its last stays in the run queue, by their number
 * @stay_count: all so far
 */
struct spin_thread {
	u32 state;
	u32 open;
	u64 losses;
	u32 object;
	u64 ended_ns;
	u64 took_ns;
	u32 vain_for;
	u64 slept_at_ns;
	u64 ready_ns;
	u64 runs_ns;
	struct spin_stay {
		u64 from_ns;
		u64 to_ns;
	} stays[SPIN_STAYS];
	u64 stay_count;
};

/**
 * struct open_spin - a wait that ended while its ender was perhaps not yet on a CPU for long
 * @ender: number of the thread
 * @object: what was waited for
 * @from_ns: when the wait began
 * @to_ns: when it ended
 * @starved_ns: how long the ender waited for a CPU meanwhile, as far as it is known
 */
struct open_spin {
	u32 ender;
	u32 object;
	u64 from_ns;
	u64 to_ns;
	u64 starved_ns;
};

struct open_spins {
	struct open_spin *rows;
	u32 count;
	u32 room;
};

void spin_thread_init(struct spin_thread *thread);

/* A slice of the thread ended; @object: what it waits for; HASH_NONE: nothing. */
void spin_slice_ends(struct all_waits *waits, struct wait_thread *thread,
		     const struct gapp_record_slice *slice, u32 object);
/* The thread became active, whatever it waited for. */
void spin_thread_woken(struct all_waits *waits, struct wait_thread *thread, u64 time_ns);
/*
 * The thread spun for @object since @begin_ns. @stored_ns: when the store was that ended this; 0:
 * the store was not seen. Returns 0, or -1 without memory.
 */
int spin_wait_ends(struct all_waits *waits, struct wait_thread *thread, u32 object, u64 begin_ns,
		   const struct gapp_record_wake *wake, u64 stored_ns);

/* Records were lost: what has not been known by now stays so. */
void spins_lost(struct all_waits *waits);

#endif /* GAPP_READ_SPIN_ENDS_H */
