// SPDX-License-Identifier: GPL-2.0
/*
 * The module's own: kmod/threads/acc.h and kmod/core/cmetric.c as they are. The same with one table
 * of times by n for all, as with a cohort for each process. And nothing, to compare with.
 */
#include "threads/acc.h"
#include "schemes.h"

#define HIST_LENGTH 1025

/* What a CPU has of its own is in none of another's cache lines. */
static struct own {
	struct gapp_times times;
	u64 ns[GAPP_OWN_TIMES] ____cacheline_aligned;
} ____cacheline_aligned owns[MOST_WORKERS];

static struct gapp_acc acc;
static u64 hist[HIST_LENGTH];
static u32 owners;

static void begin(u32 workers, u32 n, u32 n_min, u64 start_ns, u32 own_len)
{
	struct gapp_at at;

	owners = workers;
	memset(owns, 0, workers * sizeof(*owns));
	while (workers--)
		owns[workers].times = (struct gapp_times){ owns[workers].ns, own_len };
	memset(hist, 0, sizeof(hist));
	gapp_acc_init(&acc, hist, HIST_LENGTH);
	gapp_acc_change(&acc, n, GAPP_WAIT_NONE, GAPP_WAIT_NONE, &owns[0].times, &at);
	gapp_acc_set_n_min(&acc, n_min);
	gapp_acc_start(&acc, start_ns, 0);
	acc.waiting[GAPP_WAIT_FUTEX] = 1 << 14;
}

static void module_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	begin(workers, n, n_min, start_ns, GAPP_OWN_TIMES);
}

static void shared_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	begin(workers, n, n_min, start_ns, 0);
}

/* A thread blocks on a futex, or is woken from it. */
static inline void module_change(struct worker *worker, int dn, struct gapp_at *at)
{
	const struct gapp_times *own = &owns[worker->number].times;

	if (dn < 0)
		gapp_acc_change(&acc, dn, GAPP_WAIT_NONE, GAPP_WAIT_FUTEX, own, at);
	else
		gapp_acc_change(&acc, dn, GAPP_WAIT_FUTEX, GAPP_WAIT_NONE, own, at);
}

#define shared_change module_change

static inline void module_read(struct worker *worker, struct gapp_at *at)
{
	(void)worker;
	gapp_acc_read(&acc, at);
}

#define shared_read module_read

/* The tables have all of the time that the sums have, or the sums are shown to be wrong. */
static void module_finish(u64 now, struct gapp_at *at)
{
	u64 told = 0;
	u32 i, n;

	gapp_cm_stop(&acc.cm, now, at);
	for (n = 0; n < HIST_LENGTH; n++)
		told += hist[n];
	for (i = 0; i < owners; i++)
		for (n = 0; n < GAPP_OWN_TIMES; n++)
			told += owns[i].ns[n];
	if (told != at->t)
		at->s = ~at->s;
}

#define shared_finish module_finish

#define SCHEME module
#include "scheme_loops.h"
#define SCHEME shared
#include "scheme_loops.h"

const struct scheme scheme_module = {
	.name = "module",
	.title = "A: lock and sequence count, the module's own code",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &module_ops,
};

const struct scheme scheme_shared = {
	.name = "shared",
	.title = "the same with one table of times by n for all CPUs",
	.at_once = HAS_ALL,
	.at_end = HAS_ALL,
	.ops = &shared_ops,
};

static void none_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	(void)workers;
	(void)n;
	(void)n_min;
	(void)start_ns;
}

static inline void none_change(struct worker *worker, int dn, struct gapp_at *at)
{
	(void)worker;
	memset(at, 0, sizeof(*at));
	at->n = dn;
}

static inline void none_read(struct worker *worker, struct gapp_at *at)
{
	none_change(worker, 0, at);
}

static void none_finish(u64 now, struct gapp_at *at)
{
	(void)now;
	memset(at, 0, sizeof(*at));
}

#define SCHEME none
#include "scheme_loops.h"

const struct scheme scheme_none = {
	.name = "none",
	.title = "nothing: the loop itself",
	.ops = &none_ops,
};
