// SPDX-License-Identifier: GPL-2.0
/*
 * The module's own code that keeps n and its integrals, kmod/threads/acc.h and kmod/core/cmetric.c
 * as they are, and the loops that measure it, with its operations inlined as they are in the
 * module.
 */
#include "threads/acc.h"
#include "contention.h"

#define HIST_LENGTH 1025

/* What a CPU has of its own is in none of another's cache lines. */
static struct own {
	struct gapp_times times;
	u64 ns[GAPP_OWN_TIMES] ____cacheline_aligned;
} ____cacheline_aligned owns[MOST_WORKERS];

static struct gapp_acc acc;
static u64 hist[HIST_LENGTH];
static u32 owners;

void integrals_begin(u32 workers, u32 n, u32 n_min, u64 start_ns)
{
	struct gapp_at at;

	owners = workers;
	memset(owns, 0, workers * sizeof(*owns));
	while (workers--)
		owns[workers].times = (struct gapp_times){ owns[workers].ns, GAPP_OWN_TIMES };
	memset(hist, 0, sizeof(hist));
	gapp_acc_init(&acc, hist, HIST_LENGTH);
	gapp_acc_change(&acc, n, GAPP_WAIT_NONE, GAPP_WAIT_NONE, &owns[0].times, &at);
	gapp_acc_set_n_min(&acc, n_min);
	gapp_acc_start(&acc, start_ns, 0);
	acc.waiting[GAPP_WAIT_FUTEX] = 1 << 14;
}

static __always_inline void change(struct worker *worker, int dn, struct gapp_at *at)
{
	const struct gapp_times *own = &owns[worker->number].times;

	if (dn < 0)
		gapp_acc_change(&acc, dn, GAPP_WAIT_NONE, GAPP_WAIT_FUTEX, own, at);
	else
		gapp_acc_change(&acc, dn, GAPP_WAIT_FUTEX, GAPP_WAIT_NONE, own, at);
}

void integrals_change(struct worker *worker, int dn, struct gapp_at *at)
{
	change(worker, dn, at);
}

void integrals_read(struct gapp_at *at)
{
	gapp_acc_read(&acc, at);
}

void integrals_finish(u64 now, struct gapp_at *at)
{
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
