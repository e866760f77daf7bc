// SPDX-License-Identifier: GPL-2.0
/*
 * The module's own code that keeps n and its integrals, kmod/threads/acc.h, acc.c, posts.c and
 * kmod/core/cmetric.c as they are, and the loops that measure it, with its operations inlined as
 * they are in the module.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include <linux/smp.h>

#include "core/taskstate.h"
#include "threads/acc.h"
#include "threads/posts.h"
#include "contention.h"

#define HIST_LENGTH 2049
#define STALL_NS 500000
/* So long the module lets an event wait: docs/safety.md. */
#define PATIENCE_NS 2000

/* What a CPU has of its own is in none of another's cache lines. */
static struct own {
	struct gapp_times times;
	u64 ns[GAPP_OWN_TIMES] ____cacheline_aligned;
} ____cacheline_aligned owns[MOST_WORKERS];

static struct gapp_acc acc;
static struct gapp_posts posts;
static u64 hist[HIST_LENGTH];
static u32 owners;
static struct crew *stalling;

__thread u32 stall_every;
struct stalls stalls;

#ifdef GAPP_FAULTS

static u64 done_by_others(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < stalling->count; i++)
		if (i != smp_processor_id())
			sum += READ_ONCE(stalling->workers[i].done);
	return sum;
}

static __thread u32 holds, merges;
/* This worker holds the integrals. */
static __thread bool holding;

static void stall_until(u64 until)
{
	while (shim_now() < until)
		shim_pause();
}

/* Called while the integrals are held: when that has begun, and before it ends. */
void gapp_fault_hold(const char *name)
{
	u64 until, before;

	(void)name;
	holding = !holding;
	if (likely(!stall_every) || ++holds % stall_every)
		return;
	/* whoever was about to finish has done so in half the time */
	until = shim_now() + STALL_NS;
	stall_until(until - STALL_NS / 2);
	before = done_by_others();
	stall_until(until);
	stalls.count++;
	stalls.in_vain += done_by_others() == before;
}

static void stall_in_merge(void)
{
	u64 before;

	if (likely(!stall_every) || ++merges % (stall_every / 10))
		return;
	before = integrals_post_waits();
	stall_until(shim_now() + STALL_NS);
	stalls.merges++;
	stalls.used_up += integrals_post_waits() != before;
}

void shim_clock_is_read(void)
{
	if (unlikely(holding))
		__atomic_fetch_add(&stalls.slow_readings, 1, __ATOMIC_RELAXED);
}

void gapp_fault_waits(u64 ns)
{
	if (unlikely(ns >= PATIENCE_NS))
		__atomic_fetch_add(&stalls.late_looks, 1, __ATOMIC_RELAXED);
}

void gapp_fault_waited(u64 ns)
{
	(void)ns;
}

bool gapp_fault_always(const char *name)
{
	(void)name;
	return false;
}

#else

static void stall_in_merge(void)
{
}

#endif

void integrals_begin(struct crew *crew, u32 n, u32 n_min, u64 start_ns)
{
	struct gapp_at at;
	u32 i;

	stalling = crew;
	stalls = (struct stalls){};
	owners = crew->count;
	memset(owns, 0, owners * sizeof(*owns));
	for (i = 0; i < owners; i++)
		owns[i].times = (struct gapp_times){ owns[i].ns, GAPP_OWN_TIMES };
	memset(hist, 0, sizeof(hist));
	gapp_posts_destroy(&posts);
	if (gapp_posts_init(&posts, NULL)) {
		fprintf(stderr, "contention: no memory for posts\n");
		exit(1);
	}
	gapp_acc_init(&acc, hist, HIST_LENGTH);
	gapp_acc_change(&acc, n, GAPP_WAIT_NONE, GAPP_WAIT_NONE, &owns[0].times, &at);
	gapp_acc_set_n_min(&acc, n_min);
	gapp_acc_start(&acc, start_ns, 0);
	acc.waiting[GAPP_WAIT_FUTEX] = 1 << 14;
}

/* As kmod/switch/merge.c, but a post's thread is where its integrals go. */
static bool apply(struct worker *worker, const struct gapp_post *post)
{
	const struct gapp_times *own = &owns[worker->number].times;
	struct gapp_at *at = (void *)post->thread;

	stall_in_merge();
	if (!gapp_acc_take_for_post(&acc))
		return false;
	if (post->event == GAPP_EV_WAKE)
		gapp_acc_apply(&acc, post->t, 1, GAPP_WAIT_FUTEX, GAPP_WAIT_NONE, own, at);
	else
		gapp_acc_apply(&acc, post->t, -1, GAPP_WAIT_NONE, GAPP_WAIT_FUTEX, own, at);
	gapp_acc_let_go(&acc);
	return true;
}

static void merge(struct worker *worker)
{
	struct gapp_post *post;
	bool held = false;

	while (!held && !gapp_posts_none(&posts) && gapp_posts_begin(&posts)) {
		while ((post = gapp_posts_first(&posts))) {
			held = !apply(worker, post);
			if (held)
				break;
			gapp_posts_applied(&posts, post);
		}
		gapp_posts_end(&posts);
	}
}

/* Puts posts until there are no more free ones. */
static u32 fill(u32 kept, struct gapp_at *at)
{
	struct gapp_post *post;
	u32 count = 0;

	while ((post = gapp_posts_get(&posts, kept))) {
		post->thread = (void *)at;
		post->event = count % 2 ? GAPP_EV_WAKE : GAPP_EV_OUT_ASLEEP;
		gapp_posts_put(&posts, &acc, post);
		count++;
	}
	return count;
}

bool integrals_fill_posts(u32 *threads, u32 *targets)
{
	static struct crew crew = { .count = 1 };
	struct worker worker = { .number = 0 };
	u32 again[2];
	struct gapp_at at;

	integrals_begin(&crew, 2, 1, gapp_clock());
	if (!gapp_acc_try(&acc) || !gapp_posts_begin(&posts))
		return false;
	*threads = fill(GAPP_POSTS_KEPT, &at);
	*targets = fill(0, &at);
	gapp_posts_end(&posts);
	gapp_acc_let_go(&acc);
	merge(&worker);
	again[0] = fill(GAPP_POSTS_KEPT, &at);
	again[1] = fill(0, &at);
	merge(&worker);
	return again[0] == *threads && again[1] == *targets;
}

static noinline void post_change(struct worker *worker, int dn, struct gapp_at *at)
{
	struct gapp_post *post;

	post = gapp_posts_get(&posts, GAPP_POSTS_KEPT);
	if (unlikely(!post))
		gapp_posts_count_wait(&posts);
	while (!post) {
		merge(worker);
		/* a real CPU would run */
		sched_yield();
		post = gapp_posts_get(&posts, GAPP_POSTS_KEPT);
	}
	post->thread = (void *)at;
	post->event = dn > 0 ? GAPP_EV_WAKE : GAPP_EV_OUT_ASLEEP;
	gapp_posts_put(&posts, &acc, post);
	merge(worker);
}

static __always_inline void change(struct worker *worker, int dn, struct gapp_at *at)
{
	const struct gapp_times *own = &owns[worker->number].times;
	bool changed;

	if (dn < 0)
		changed = gapp_acc_change(&acc, dn, GAPP_WAIT_NONE, GAPP_WAIT_FUTEX, own, at);
	else
		changed = gapp_acc_change(&acc, dn, GAPP_WAIT_FUTEX, GAPP_WAIT_NONE, own, at);
	if (unlikely(!changed))
		post_change(worker, dn, at);
}

void integrals_change(struct worker *worker, int dn, struct gapp_at *at)
{
	change(worker, dn, at);
}

bool integrals_read(struct worker *worker, struct gapp_at *at)
{
	merge(worker);
	return gapp_acc_read(&acc, at);
}

u64 integrals_posts(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < owners; i++)
		sum += posts.pools[i]->used;
	return sum;
}

u64 integrals_post_waits(void)
{
	u64 sum = 0;
	u32 i;

	for (i = 0; i < owners; i++)
		sum += READ_ONCE(posts.pools[i]->waits);
	return sum;
}

void integrals_finish(u64 now, struct gapp_at *at)
{
	struct worker worker = { .number = 0 };

	merge(&worker);
	gapp_cm_stop(&acc.cm, now, at);
}

u64 integrals_time(u32 n)
{
	u64 sum = hist[n];
	u32 i;

	for (i = 0; i < owners; i++)
		sum += n && n <= GAPP_OWN_TIMES ? owns[i].ns[n - 1] : 0;
	return sum;
}

/* As if somebody looked at all of it. */
static inline void is_used(const struct gapp_at *at)
{
	__asm__ __volatile__("" ::"m"(*at));
}

/* @dn: 0 reads. */
static __always_inline void operate(struct worker *worker, int dn, bool empty, struct gapp_at *at)
{
	if (empty) {
		memset(at, 0, sizeof(*at));
		at->n = dn;
	} else if (dn) {
		change(worker, dn, at);
	} else {
		gapp_acc_read(&acc, at);
	}
	is_used(at);
}

/* What the others see of its progress. */
static inline void one_more(struct worker *worker)
{
	WRITE_ONCE(worker->done, worker->done + 1);
}

static __always_inline void run(struct worker *worker, enum load load, u32 count, bool empty)
{
	struct gapp_at at;

	for (u32 i = 0; i < count; i++) {
		if (load == READS || (load == MIXES && i % 3 == 2))
			operate(worker, 0, empty, &at);
		else if (load == MIXES)
			operate(worker, i % 3 ? 1 : -1, empty, &at);
		else
			operate(worker, i & 1 ? 1 : -1, empty, &at);
		one_more(worker);
	}
}

static __always_inline void run_spaced(struct worker *worker, u32 count, u32 gap, bool empty)
{
	struct gapp_at at;
	u64 begin;

	for (u32 i = 0; i < count; i++) {
		other_work(worker, gap);
		begin = shim_counter();
		operate(worker, i & 1 ? 1 : -1, empty, &at);
		worker->op_ticks += shim_counter() - begin;
		one_more(worker);
	}
}

/* A loop of its own for each, so that it asks nothing that the module does not. */
void run_operations(struct worker *worker, enum load load, u32 count, u32 gap, bool empty)
{
	if (load == SPACED && empty)
		run_spaced(worker, count, gap, true);
	else if (load == SPACED)
		run_spaced(worker, count, gap, false);
	else if (load == CHANGES && empty)
		run(worker, CHANGES, count, true);
	else if (load == CHANGES)
		run(worker, CHANGES, count, false);
	else if (load == READS && empty)
		run(worker, READS, count, true);
	else if (load == READS)
		run(worker, READS, count, false);
	else if (empty)
		run(worker, MIXES, count, true);
	else
		run(worker, MIXES, count, false);
}
