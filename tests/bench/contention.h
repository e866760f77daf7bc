/* SPDX-License-Identifier: GPL-2.0 */
/* What the measurement of the integrals under contention is made of. */
#ifndef GAPP_BENCH_CONTENTION_H
#define GAPP_BENCH_CONTENTION_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ktime.h>

#include "core/cmetric.h"

#define MOST_WORKERS 256

/**
 * struct worker - a thread that has a CPU of its own
 * @number: of it, from 0 on
 * @random: state of its draws
 * @op_ticks: of the clock's counter in timed operations
 * @done: operations, for the others to see
 */
struct worker {
	u32 number;
	u64 random;
	u64 op_ticks;
	u64 done ____cacheline_aligned;
} ____cacheline_aligned;

/**
 * struct crew - threads that do the same at a time, each on a CPU of its own
 * @count: of them
 * @cpus: theirs
 * @workers: they
 */
struct crew {
	u32 count;
	int cpus[MOST_WORKERS];
	struct worker workers[MOST_WORKERS];
};

/* Finds so many CPUs at most that may be used; further workers share them. Returns how many. */
u32 crew_cpus(struct crew *crew, u32 most);

/* Runs @work of each, and returns when all have; they begin at the same time. */
void crew_run(struct crew *crew, void (*work)(struct worker *worker));

/* Now and then, for the product of ticks and their length has 64 bits. No worker may run. */
void start_clock(void);

/* The clock as where the kernel's is all there is: no scale. No worker may run. */
void use_slow_clock(bool slow);

/*
 * Which worker stalls while it holds the integrals, every so many changes, and for one of
 * ten times as few posts while it merges; 0: none does.
 */
extern __thread u32 stall_every;

/**
 * struct stalls - what happened since integrals_begin(); counted with GAPP_FAULTS
 * @count: stalls of a worker that held the integrals
 * @in_vain: those in which no other worker went on
 * @merges: stalls of a worker that merged
 * @used_up: those in which another worker used up its posts
 * @late_looks: how often a worker that had waited for 10 us went on waiting
 * @slow_readings: how often the clock was read without a scale by a worker that held the integrals
 */
struct stalls {
	u32 count, in_vain;
	u32 merges, used_up;
	u32 late_looks, slow_readings;
};

extern struct stalls stalls;

/* @n threads of the target are active from time @start_ns on. No worker may run. */
void integrals_begin(struct crew *crew, u32 n, u32 n_min, u64 start_ns);
/*
 * A thread blocks on a futex, or is woken from it. If that is posted, @at is set when the change is
 * applied, and may be read when all workers have ended.
 */
void integrals_change(struct worker *worker, int dn, struct gapp_at *at);
/* False: the integrals are held, or there are posts. */
bool integrals_read(struct worker *worker, struct gapp_at *at);
/* How many changes were posted, and how many found no free post. No worker may run. */
u64 integrals_posts(void);
u64 integrals_post_waits(void);
/* Ends session time at @now, and sets the final integrals. No worker may run. */
void integrals_finish(u64 now, struct gapp_at *at);
/* Nanoseconds with @n active threads, after integrals_finish(). */
u64 integrals_time(u32 n);

enum load { CHANGES, READS, MIXES, SPACED };

/**
 * run_operations() - some operations, one after the other
 * @worker: who makes them
 * @load: changes; readings; two changes, then a reading; timed changes with other work in between
 * @count: how many
 * @gap: steps of that other work, on average
 * @empty: the loop itself, without what is measured
 */
void run_operations(struct worker *worker, enum load load, u32 count, u32 gap, bool empty);

/*
 * Uses up a CPU's posts while the integrals are held and another CPU merges: how many events of
 * threads find one, and then how many of targets. False: after a merge there are not as many again.
 */
bool integrals_fill_posts(u32 *threads, u32 *targets);

/* Whether there are as many posts as there should be; prints a line of tests/check. */
int check_posts(void);
/* Whether the sums are those of the formulas; prints a line of tests/check. */
int check_sums(struct crew *crew);

static inline u64 draw(struct worker *worker)
{
	worker->random ^= worker->random << 13;
	worker->random ^= worker->random >> 7;
	worker->random ^= worker->random << 17;
	return worker->random;
}

/* Steps that depend on each other. */
static inline void other_work(struct worker *worker, u32 gap)
{
	u64 value = draw(worker), steps = gap / 2 + value % (gap + 1);

	while (steps--) {
		value *= 6364136223846793005ULL;
		__asm__ __volatile__("" : "+r"(value));
	}
}

/* Session time, as gapp_acc_clock(). */
static inline u64 time_since(u64 start_ns)
{
	s64 elapsed = ktime_get_mono_fast_ns() - start_ns;

	return elapsed > 0 ? elapsed : 0;
}

static inline u64 share_of(u64 dt, u32 n)
{
	return n ? (dt << GAPP_SHARE_SHIFT) / n : 0;
}

#endif /* GAPP_BENCH_CONTENTION_H */
