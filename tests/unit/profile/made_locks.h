/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Made-up runs of threads with mutexes like those of the C library: threads that take a lock before
 * who was woken for it, waits that are given up, and run queues. What was so, and the records that
 * the module would write of it.
 */
#ifndef GAPP_TESTS_MADE_LOCKS_H
#define GAPP_TESTS_MADE_LOCKS_H

#include "fake_code.h"

#define THREADS 6
#define LOCKS 2
#define SITES 3
#define TICKS 600
#define EVENTS_MAX (THREADS * TICKS)
#define TICK_NS 1000ULL
#define BEGIN_NS 1000000000ULL
#define N_MIN 2
#define NONE 0xffffffffU
#define IRQ 0xfffffffeU
/* Of the futex of a lock. */
#define ADDRESS(lock) (0x1000 * ((lock) + 1))

enum what {
	SLICE,
	WAKE,
};

/**
 * struct event - a record
 * @lock: SLICE: that the thread waits for behind it; WAKE: that it was given; NONE: none
 * @path: SLICE: where it ended
 * @begin: SLICE: when it began
 * @by: WAKE: thread that woke it, or IRQ
 * @from: WAKE: on which call path, or NONE
 * @remote: WAKE: another CPU than the waker's ended it
 */
struct event {
	enum what what;
	u32 at;
	u32 thread;
	u32 lock;
	u32 path;
	u32 begin;
	u32 by;
	u32 from;
	u32 n;
	bool waits;
	bool remote;
};

/* A time in which a thread held a lock that it took at a site. */
struct truth {
	u32 lock;
	u32 thread;
	u32 path;
	u32 begin;
	u32 end;
};

enum state {
	RUNS_NOW,
	READY,
	IN_LOCK,
	IN_DISK,
};

/**
 * struct actor - a thread of the run
 * @since: when it began to run
 * @until: when it is done with what it waits for, but a lock
 * @wants: the lock that it waits for
 * @woken_from: it was woken, and has not tried to take that lock yet
 */
struct actor {
	enum state state;
	u32 since;
	u32 until;
	u32 wants;
	u32 site;
	bool woken_from;
};

struct made_locks {
	struct event events[EVENTS_MAX];
	u32 count;
	struct truth holds[EVENTS_MAX];
	u32 hold_count;
	struct actor actors[THREADS];
	u32 owner[LOCKS];
	u32 word[LOCKS];
	u32 hold[LOCKS];
	u32 now;
};

extern struct made_locks run;
extern u32 lock_paths[LOCKS][SITES], unlock_paths[LOCKS], disk_paths[SITES], run_path;

/* A number below @below, by chance from @made_seed on. */
extern u64 made_seed;
u32 draw(u32 below);

void make_paths(void);
/* Makes @run anew. */
void make_run(void);
/* The profile of the test collects every wait, anew. */
void collect(void);
/* Gives it a record. */
void give(const struct event *event);

#endif /* GAPP_TESTS_MADE_LOCKS_H */
