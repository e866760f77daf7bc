// SPDX-License-Identifier: GPL-2.0
/*
 * All that the module's scheme tells, laid out for CPUs that share it: what every change writes is
 * one cache line, the counts of waits are another, and each CPU has a table of times by n of its
 * own.
 */
#include <gapp_record.h>
#include <linux/seqlock.h>

#include "schemes.h"

#define HIST_LENGTH 129

static struct {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	u32 n, n_min;
	u64 t, g, c, s, idle;
} sums ____cacheline_aligned;

static struct {
	u64 start_ns;
	u32 workers;
} facts ____cacheline_aligned;

/* A thread may be woken on another CPU than the one it blocked on: a count may be below 0. */
static struct own {
	s32 waiting[GAPP_WAIT_REASONS];
	u64 times[HIST_LENGTH];
} ____cacheline_aligned owns[MOST_WORKERS];

static void split_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	memset(&sums, 0, sizeof(sums));
	memset(owns, 0, sizeof(owns));
	sums.n = n;
	sums.n_min = n_min;
	facts.start_ns = start_ns;
	facts.workers = workers;
}

static inline void go_on(u64 now, u64 t, u32 n_min, struct gapp_at *at)
{
	u64 dt = now > t ? now - t : 0, share;

	at->t = t + dt;
	at->s += dt * at->n;
	at->idle = at->n ? 0 : at->idle + dt;
	if (!dt || !at->n)
		return;
	share = share_of(dt, at->n);
	at->g += share;
	if (at->n <= n_min)
		at->c += share;
}

static inline void split_change(struct worker *worker, int dn, struct gapp_at *at)
{
	struct own *own = &owns[worker->number];
	u64 t;
	u32 n;

	raw_spin_lock(&sums.lock);
	write_seqcount_begin(&sums.seq);
	t = sums.t;
	n = sums.n;
	*at = (struct gapp_at){ .g = sums.g, .c = sums.c, .s = sums.s, .idle = sums.idle, .n = n };
	go_on(time_since(facts.start_ns), t, sums.n_min, at);
	sums.t = at->t;
	sums.g = at->g;
	sums.c = at->c;
	sums.s = at->s;
	at->n = n + dn;
	sums.n = at->n;
	sums.idle = at->n ? 0 : at->idle;
	write_seqcount_end(&sums.seq);
	raw_spin_unlock(&sums.lock);
	own->waiting[GAPP_WAIT_FUTEX] -= dn;
	own->times[n < HIST_LENGTH ? n : HIST_LENGTH - 1] += at->t - t;
}

static inline void split_read(struct worker *worker, struct gapp_at *at)
{
	u32 seq, n_min;
	u64 t;

	(void)worker;
	do {
		seq = raw_read_seqcount_begin(&sums.seq);
		t = READ_ONCE(sums.t);
		at->g = READ_ONCE(sums.g);
		at->c = READ_ONCE(sums.c);
		at->s = READ_ONCE(sums.s);
		at->idle = READ_ONCE(sums.idle);
		at->n = READ_ONCE(sums.n);
		n_min = READ_ONCE(sums.n_min);
		go_on(time_since(facts.start_ns), t, n_min, at);
	} while (read_seqcount_retry(&sums.seq, seq));
}

/* The tables have all of the time that the sums have, or the sums are shown to be wrong. */
static void split_finish(u64 now, struct gapp_at *at)
{
	u64 told = 0;
	u32 i, n;

	for (i = 0; i < facts.workers; i++)
		for (n = 0; n < HIST_LENGTH; n++)
			told += owns[i].times[n];
	*at = (struct gapp_at){ .g = sums.g, .c = sums.c, .s = sums.s, .n = sums.n };
	go_on(now, sums.t, sums.n_min, at);
	if (told != sums.t)
		at->s = ~at->s;
}

#define SCHEME split
#include "scheme_loops.h"

const struct scheme scheme_split = {
	.name = "split",
	.title = "A with its sums in one line, waits and times by n counted by each CPU",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &split_ops,
};
