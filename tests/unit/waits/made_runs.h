/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made-up runs: threads that run, wait, wake and make each other by chance, in steps of a
 * microsecond; what was so in each step, and the records that a module would have written.
 */
#ifndef GAPP_TEST_MADE_RUNS_H
#define GAPP_TEST_MADE_RUNS_H

#include "waits/wait_store.h"

#define RUN_THREADS 6
#define RUN_STEPS 80
#define RUN_WAITS (RUN_THREADS * RUN_STEPS)
#define RUN_BEGIN_NS SEC(1000)
#define STEP_NS 1000ULL
#define SEC(s) (1000000000ULL * (s))
#define TID(thread) (100 + (s32)(thread))

enum made_state {
	MADE_NOT, /* it does not exist */
	MADE_RUNS,
	MADE_READY,
	MADE_WAITS,
};

/* Who ended a wait, or made the thread, besides the numbers of threads. */
enum {
	BY_IRQ = 0x7ffffff0,
	BY_OUTSIDE,
	BY_NOBODY,
};

/* A wait from @begin to @end, steps. */
struct made_wait {
	u32 thread;
	u32 begin;
	u32 end;
	u32 by;
	u32 path;
	u32 reason;
};

/**
 * struct made_run - a run
 * @states: of each thread in each step
 * @paths: of each thread in each step in which it runs: the path of its slice
 * @inferred: and whether the slice ended with a wait
 * @waits: all that ended, in the order of their ends
 * @made_by: who made each thread; BY_NOBODY: it was there
 * @made_at: when, steps
 * @last: thread of the slice whose record came last
 * @last_end: when it ended
 * @last_then: why
 */
struct made_run {
	u32 threads;
	u32 states[RUN_THREADS][RUN_STEPS];
	u32 paths[RUN_THREADS][RUN_STEPS];
	bool inferred[RUN_THREADS][RUN_STEPS];
	struct made_wait waits[RUN_WAITS];
	u32 wait_count;
	struct made_wait open[RUN_THREADS];
	u32 made_by[RUN_THREADS];
	u32 made_at[RUN_THREADS];
	u32 last;
	u32 last_end;
	u32 last_then;
};

/* The number of the site of a wait; some are above 65535. */
static inline u32 made_site(u32 path, u32 reason)
{
	return path == STORE_NONE ? STORE_SITE_NONE : path * 40000 + reason;
}

/* Numbers by chance, from @seed on. */
extern u32 made_seed;
u32 draw(u32 below);

/* Records of threads, added to the store; times are steps. */
void made_slice(struct wait_store *store, u32 thread, u32 begin, u32 end, u32 then, u32 reason,
		u32 path);
void made_wake(struct wait_store *store, u32 thread, u32 at, u32 by, u32 cpu);
void made_lost(struct wait_store *store, u32 begin, u32 end);
void made_begin(struct wait_store *store, u32 limit);
void made_end(struct wait_store *store, u32 end);

/* Makes a run and adds its records. */
void make_run(struct made_run *run, struct wait_store *store);

#endif /* GAPP_TEST_MADE_RUNS_H */
