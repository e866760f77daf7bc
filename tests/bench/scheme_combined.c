// SPDX-License-Identifier: GPL-2.0
/*
 * Changes stand in a queue, and whoever is first makes those of the others behind it too, so that
 * the sums stay in one CPU's cache. Each waits until its own is made: everything is known at once.
 */
#include <linux/seqlock.h>

#include "schemes.h"

/* Of the others, by one worker. */
#define MOST_COMBINED 64

/**
 * struct change - a place in the queue, and the change made by who has it
 * @waits: it is neither made nor first
 * @made: by another worker
 * @dn: what is added to n
 * @next: behind it
 * @at: what came of it
 */
struct change {
	u32 waits;
	u32 made;
	int dn;
	struct change *next;
	struct gapp_at at;
} ____cacheline_aligned;

static struct change places[MOST_WORKERS + 1];
/* A worker's own, for its next change. */
static struct {
	struct change *place;
} ____cacheline_aligned spare[MOST_WORKERS];

static struct {
	struct change *last;
} queue ____cacheline_aligned;

static struct {
	seqcount_raw_spinlock_t seq;
	u32 n, n_min;
	u64 t, g, c, s;
	u64 start_ns;
} sums ____cacheline_aligned;

static void combined_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	u32 i;

	memset(places, 0, sizeof(places));
	for (i = 0; i < workers; i++)
		spare[i].place = &places[i];
	queue.last = &places[workers];
	memset(&sums, 0, sizeof(sums));
	sums.n = n;
	sums.n_min = n_min;
	sums.start_ns = start_ns;
}

/* The clock is read inside the write section, as the module does. */
static inline void make_at(u64 now, int dn, struct gapp_at *at)
{
	u64 dt = now > sums.t ? now - sums.t : 0, share = share_of(dt, sums.n);

	at->t = sums.t += dt;
	at->g = sums.g += share;
	at->c = sums.c += sums.n <= sums.n_min ? share : 0;
	at->s = sums.s += dt * sums.n;
	at->n = sums.n += dn;
}

static inline void make(struct change *change)
{
	write_seqcount_begin(&sums.seq);
	make_at(time_since(sums.start_ns), change->dn, &change->at);
	write_seqcount_end(&sums.seq);
}

/* The own one is first. Who comes after the last that is made here goes on. */
static inline void make_all(struct change *change)
{
	struct change *next;
	u32 i;

	for (i = 0; i < MOST_COMBINED; i++) {
		/* Pairs with the release in combined_change(): the change is filled in. */
		next = smp_load_acquire(&change->next);
		if (!next)
			break;
		make(change);
		change->made = 1;
		/* It is made, and all of @at is there. */
		smp_store_release(&change->waits, 0);
		change = next;
	}
	/* With all that was changed. */
	smp_store_release(&change->waits, 0);
}

static inline void combined_change(struct worker *worker, int dn, struct gapp_at *at)
{
	struct change *next = spare[worker->number].place, *change;

	next->next = NULL;
	next->waits = 1;
	next->made = 0;
	change = __atomic_exchange_n(&queue.last, next, __ATOMIC_ACQ_REL);
	change->dn = dn;
	/* After what is to be done. */
	smp_store_release(&change->next, next);
	spare[worker->number].place = change;

	/* Pairs with the releases in make_all(). */
	while (smp_load_acquire(&change->waits))
		shim_pause();
	if (!change->made)
		make_all(change);
	*at = change->at;
}

static inline void combined_read(struct worker *worker, struct gapp_at *at)
{
	u64 t, now, dt, share;
	u32 seq, n_min;

	(void)worker;
	do {
		seq = raw_read_seqcount_begin(&sums.seq);
		t = READ_ONCE(sums.t);
		at->g = READ_ONCE(sums.g);
		at->c = READ_ONCE(sums.c);
		at->s = READ_ONCE(sums.s);
		at->n = READ_ONCE(sums.n);
		n_min = READ_ONCE(sums.n_min);
		now = time_since(sums.start_ns);
	} while (read_seqcount_retry(&sums.seq, seq));
	dt = now > t ? now - t : 0;
	share = share_of(dt, at->n);
	at->t = t + dt;
	at->g += share;
	at->c += at->n <= n_min ? share : 0;
	at->s += dt * at->n;
}

static void combined_finish(u64 now, struct gapp_at *at)
{
	make_at(now, 0, at);
}

#define SCHEME combined
#include "scheme_loops.h"

const struct scheme scheme_combined = {
	.name = "combined",
	.title = "F: a queue, whose first makes the changes of the others",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &combined_ops,
};
