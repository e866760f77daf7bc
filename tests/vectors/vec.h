/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Test vectors: tables of what happens and what must come out of it, worked out by hand. The same
 * tables run in user space (tests/unit) and in a kernel (tests/kunit).
 *
 * Rows of a table of steps read "at this time, this thread, this happens, then n is". Shares are
 * written as what they are: SHARE(400, 3) is 400 ns divided among three, rounded down once.
 */
#ifndef GAPP_VEC_H
#define GAPP_VEC_H

#include <gapp.h>

#include "cmetric.h"
#include "port.h"
#include "taskstate.h"

/* What a step does beside the events that follow here under shorter names. */
enum vec_op {
	END = GAPP_EV_COUNT, /* after the last row */
	JOIN, /* found or created; nothing is known of its state */
	OUT, /* switched out; gapp_asleep() decides: .preempt, .prev_state, .state_now */
	START,
	STOP, /* the session, and with it every thread */
	N_MIN, /* .arg: the threshold from here on */
	DN, /* .arg: n changes by so much, without a thread */
	SAMPLE, /* hits the thread's slice; only in slicing.h, as is */
	PART, /* the thread's slice is told so far, and goes on */
};

enum {
	NEW = GAPP_EV_NEW,
	SEED_BLOCKED = GAPP_EV_SEED_BLOCKED,
	SEED_RUNNABLE = GAPP_EV_SEED_RUNNABLE,
	SEED_RUNNING = GAPP_EV_SEED_RUNNING,
	IN = GAPP_EV_IN,
	OUT_RUNNABLE = GAPP_EV_OUT_RUNNABLE,
	OUT_ASLEEP = GAPP_EV_OUT_ASLEEP,
	OUT_DEAD = GAPP_EV_OUT_DEAD,
	WAKE = GAPP_EV_WAKE,
	WAKE_ON_CPU = GAPP_EV_WAKE_ON_CPU,
	SPIN = GAPP_EV_SPIN,
	WORK = GAPP_EV_WORK,
	STOP_ONE = GAPP_EV_STOP,
};

enum {
	UNKNOWN = GAPP_THREAD_UNKNOWN,
	BLOCKED = GAPP_THREAD_BLOCKED,
	RUNNABLE = GAPP_THREAD_RUNNABLE,
	RUNNING = GAPP_THREAD_RUNNING,
	GONE = GAPP_THREAD_GONE,
	SPINNING = GAPP_THREAD_SPINNING,
	SPIN_READY = GAPP_THREAD_SPIN_READY,
};

/* The threads of a vector. */
enum {
	A,
	B,
	C,
	D,
	E,
};

#define VEC_THREADS 4096
#define VEC_BINS (VEC_THREADS + 1)

/**
 * struct vec_step - one row
 * @t: the time that is passed in; what counts may be another
 * @thread: the thread
 * @op: enum gapp_event or enum vec_op
 * @n: active threads afterwards
 * @last: if not 0: the same for all of @thread to @last, one after the other
 * @arg: see enum vec_op
 * @preempt: see gapp_out_state()
 * @prev_state: see gapp_out_state()
 * @state_now: see gapp_asleep()
 */
struct vec_step {
	u64 t;
	u32 thread;
	u32 op;
	u32 n;
	u32 last;
	s32 arg;
	bool preempt;
	u32 prev_state;
	u32 state_now;
};

/**
 * struct vec_bin - time that was spent with so many threads active; what no row names is 0
 * @n: active threads
 * @ns: time
 */
struct vec_bin {
	u32 n;
	u64 ns;
};

/**
 * struct vec_thread - what gapp_task_figures() must give for threads @first to @last
 * @first: the first
 * @last: the last; 0: there is only one
 *
 * The others are members of struct gapp_task and struct gapp_thread_figures.
 */
struct vec_thread {
	u32 first;
	u32 last;
	u32 state;
	u64 run, runq, blocked;
	u64 cm_run, cm_runq;
	u64 slices, wakeups, blocks;
	u64 joined, left;
	u32 unexpected;
};

/**
 * struct vec_crit - what a thread has collected while at most N_min were active
 * @thread: the thread
 * @run: on a CPU
 * @runq: waiting for one
 */
struct vec_crit {
	u32 thread;
	u64 run, runq;
};

/**
 * struct vec - one vector
 * @name: what it shows
 * @steps: the rows
 * @bins: elements of the histogram if not VEC_BINS
 * @end: the time at which everything is read in the end
 * @wall: session time then
 * @g: G then, in shares
 * @c: C then
 * @s: S then
 * @hist: nanoseconds by n
 * @threads: what the threads have collected; every thread of @steps is there
 * @crit: their critical shares; NULL: those are not looked at
 */
struct vec {
	const char *name;
	const struct vec_step *steps;
	u32 bins;
	u64 end;
	u64 wall;
	u64 g, c, s;
	const struct vec_bin *hist;
	const struct vec_thread *threads;
	const struct vec_crit *crit;
};

#define NO_MORE 0xffffffffU /* after the last row */
#define STEPS (const struct vec_step[])
#define HIST (const struct vec_bin[])
#define THREADS (const struct vec_thread[])
#define CRIT (const struct vec_crit[])

#define SHARE(ns, n) (((u64)(ns) << GAPP_SHARE_SHIFT) / (n))
#define ALONE(ns) SHARE(ns, 1)

#endif /* GAPP_VEC_H */
