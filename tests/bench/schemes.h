/* SPDX-License-Identifier: GPL-2.0 */
/* Ways to keep n and its integrals when many CPUs change n: the module's own, and others. */
#ifndef GAPP_BENCH_SCHEMES_H
#define GAPP_BENCH_SCHEMES_H

#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/ktime.h>
#include <linux/spinlock.h>

#include "core/cmetric.h"

#define MOST_WORKERS 256

/* Of G, C, S and n, what an event learns at once; and what is exact at the end. */
#define HAS_N 1U
#define HAS_G 2U
#define HAS_C 4U
#define HAS_S 8U
#define HAS_ALL (HAS_N | HAS_G | HAS_C | HAS_S)

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
 * struct scheme_ops - what a scheme does
 * @begin: n threads are active from time @start_ns on
 * @change: one change
 * @read: one reading
 * @finish: no worker runs any more
 * @changes: so many, one after the other
 * @reads: likewise
 * @mixes: two changes and a reading are three of these
 * @spaced: changes with other work in between, of @gap steps on average
 */
struct scheme_ops {
	void (*begin)(u32 workers, u32 n, u32 n_min, u64 start_ns);
	void (*change)(struct worker *worker, int dn, struct gapp_at *at);
	void (*read)(struct worker *worker, struct gapp_at *at);
	void (*finish)(u64 now, struct gapp_at *at);
	void (*changes)(struct worker *worker, u32 count);
	void (*reads)(struct worker *worker, u32 count);
	void (*mixes)(struct worker *worker, u32 count);
	void (*spaced)(struct worker *worker, u32 count, u32 gap);
};

/**
 * struct scheme - a way to keep n and its integrals
 * @name: of it, a word
 * @title: what it is
 * @at_once: HAS_* of each change and each reading
 * @at_end: HAS_* of what finish() tells
 * @wrong_sums: what a change is told is not always what was: C
 * @read_ends: a reading ends an interval, as a change does
 * @merges: finish() takes time for each change
 * @ops: what it does
 */
struct scheme {
	const char *name, *title;
	u32 at_once, at_end;
	bool wrong_sums;
	bool read_ends;
	bool merges;
	const struct scheme_ops *ops;
};

extern const struct scheme *const schemes[];

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

/* As if somebody looked at all of it. */
static inline void is_used(const struct gapp_at *at)
{
	__asm__ __volatile__("" ::"m"(*at));
}

/* Once more: what others see of its progress. */
static inline void one_more(struct worker *worker, const struct gapp_at *at)
{
	is_used(at);
	WRITE_ONCE(worker->done, worker->done + 1);
}

extern const struct scheme scheme_none, scheme_module, scheme_shared, scheme_split, scheme_line;
extern const struct scheme scheme_early, scheme_wide;
extern const struct scheme scheme_packed, scheme_log, scheme_apart, scheme_combined;

#endif /* GAPP_BENCH_SCHEMES_H */
