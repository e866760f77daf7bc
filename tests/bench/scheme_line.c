// SPDX-License-Identifier: GPL-2.0
/*
 * The module's scheme with all that a change writes in one cache line: no table of times by n, no
 * counts of waits. What these cost, and what it costs to read the clock while the lock is held.
 */
#include <linux/seqlock.h>

#include "schemes.h"

static struct {
	raw_spinlock_t lock;
	seqcount_raw_spinlock_t seq;
	u32 n, n_min;
	u64 t, g, c, s;
	u64 start_ns;
} line ____cacheline_aligned;

static void line_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	(void)workers;
	memset(&line, 0, sizeof(line));
	line.n = n;
	line.n_min = n_min;
	line.start_ns = start_ns;
}

static inline void go_on(u64 now, u64 t, u32 n, u32 n_min, struct gapp_at *at)
{
	u64 dt = now > t ? now - t : 0, share = share_of(dt, n);

	at->t = t + dt;
	at->g += share;
	at->c += n <= n_min ? share : 0;
	at->s += dt * n;
}

static inline void line_change_at(u64 now, int dn, struct gapp_at *at)
{
	write_seqcount_begin(&line.seq);
	at->g = line.g;
	at->c = line.c;
	at->s = line.s;
	go_on(now, line.t, line.n, line.n_min, at);
	line.t = at->t;
	line.g = at->g;
	line.c = at->c;
	line.s = at->s;
	line.n += dn;
	at->n = line.n;
	write_seqcount_end(&line.seq);
}

static inline void line_change(struct worker *worker, int dn, struct gapp_at *at)
{
	(void)worker;
	raw_spin_lock(&line.lock);
	line_change_at(time_since(line.start_ns), dn, at);
	raw_spin_unlock(&line.lock);
}

static inline void early_change(struct worker *worker, int dn, struct gapp_at *at)
{
	u64 now = time_since(line.start_ns);

	(void)worker;
	raw_spin_lock(&line.lock);
	line_change_at(now, dn, at);
	raw_spin_unlock(&line.lock);
}

static inline void line_read(struct worker *worker, struct gapp_at *at)
{
	u32 seq, n_min;
	u64 t;

	(void)worker;
	do {
		seq = raw_read_seqcount_begin(&line.seq);
		t = READ_ONCE(line.t);
		at->g = READ_ONCE(line.g);
		at->c = READ_ONCE(line.c);
		at->s = READ_ONCE(line.s);
		at->n = READ_ONCE(line.n);
		n_min = READ_ONCE(line.n_min);
		go_on(time_since(line.start_ns), t, at->n, n_min, at);
	} while (read_seqcount_retry(&line.seq, seq));
}

#define early_read line_read

static void line_finish(u64 now, struct gapp_at *at)
{
	line_change_at(now, 0, at);
}

#define early_begin line_begin
#define early_finish line_finish

#define SCHEME line
#include "scheme_loops.h"
#define SCHEME early
#include "scheme_loops.h"

const struct scheme scheme_line = {
	.name = "line",
	.title = "A in one cache line: without times by n and counts of waits",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &line_ops,
};

const struct scheme scheme_early = {
	.name = "early",
	.title = "the same, the clock read before the lock is taken",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &early_ops,
};
