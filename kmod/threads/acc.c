// SPDX-License-Identifier: GPL-2.0
/* What a CPU does when another one holds the integrals, or there are posts. Interrupts off. */
#include <linux/percpu.h>
#include <linux/time64.h>

#include "acc.h"

/* So long a CPU waits for integrals, in nanoseconds; then its event is posted. */
#define PATIENCE_NS (2 * NSEC_PER_USEC)
/* In so many nanoseconds a CPU gains one nanosecond of patience. */
#define REGAIN_NS 32
/* So often a reader finds that the integrals changed meanwhile; then it holds them to read. */
#define READ_TRIES 4
/* gapp_acc_waiting() tries so often for numbers of one moment. */
#define WAITING_TRIES 64

/**
 * struct gapp_patience - how long a CPU may still wait, for integrals of all targets together
 * @left_ns: nanoseconds, at @seen_ns
 * @seen_ns: when that was brought up to date
 *
 * The events of several sessions at one switch share it. Interrupts off.
 */
struct gapp_patience {
	u64 left_ns;
	u64 seen_ns;
};

static DEFINE_PER_CPU(struct gapp_patience, patience);

static u64 patience_at(u64 now)
{
	struct gapp_patience *own = this_cpu_ptr(&patience);
	const s64 passed = now - own->seen_ns;

	/* a new scale may set the clock back */
	if (passed > 0)
		own->left_ns = min_t(u64, own->left_ns + passed / REGAIN_NS, PATIENCE_NS);
	own->seen_ns = now;
	return own->left_ns;
}

static void lose_patience(u64 waited)
{
	struct gapp_patience *own = this_cpu_ptr(&patience);

	own->left_ns -= min_t(u64, waited, own->left_ns);
	gapp_fault_waited(waited);
}

/* gapp_acc_take() when the first try has failed. */
noinline bool gapp_acc_take_late(struct gapp_acc *acc)
{
	const u64 begin = gapp_clock(), most = patience_at(begin);
	u64 waited = 0;
	bool taken = false;

	while (waited < most || gapp_fault_always("hold_integrals_and_wait")) {
		if (gapp_acc_has_posts(acc))
			break;
		gapp_fault_waits(waited);
		cpu_relax();
		taken = !atomic_read(&acc->word) && gapp_acc_try(acc);
		/* not while they are held: it may take long to read the clock */
		if (taken)
			break;
		waited = gapp_clock() - begin;
	}
	lose_patience(waited);
	return taken;
}

/* gapp_acc_take() where the clock has no scale. */
noinline bool gapp_acc_take_by_slow_clock(struct gapp_acc *acc, s64 *now)
{
	const u64 clock = gapp_clock();

	if (!gapp_acc_try(acc) && !gapp_acc_take_late(acc))
		return false;
	if (clock > acc->last_ns)
		acc->last_ns = clock;
	*now = acc->last_ns - acc->start_ns;
	if (!gapp_acc_has_posts(acc))
		return true;
	gapp_acc_let_go(acc);
	return false;
}

/*
 * Takes hold of the integrals although there are posts, to apply one of them. False: another CPU
 * has held the integrals for long.
 */
bool gapp_acc_take_for_post(struct gapp_acc *acc)
{
	const u64 begin = gapp_clock(), most = patience_at(begin);
	u64 waited = 0;

	do {
		if (!READ_ONCE(acc->held) && !cmpxchg_acquire(&acc->held, 0, GAPP_ACC_HELD)) {
			gapp_acc_begin_writes(acc);
			lose_patience(waited);
			return true;
		}
		gapp_fault_waits(waited);
		cpu_relax();
		waited = gapp_clock() - begin;
	} while (waited < most);
	lose_patience(waited);
	return false;
}

/* gapp_acc_read() when the first try has failed. CPUs that keep changing n do not starve it. */
noinline bool gapp_acc_read_late(struct gapp_acc *acc, struct gapp_at *at)
{
	unsigned int i;
	s64 now;

	for (i = 0; i < READ_TRIES; i++) {
		if (gapp_acc_has_posts(acc))
			return false;
		if (gapp_acc_read_once(acc, false, at))
			return true;
		cpu_relax();
	}
	if (!gapp_acc_take(acc, &now))
		return false;
	gapp_cm_read(&acc->cm, now, at);
	gapp_acc_let_go(acc);
	return true;
}

/**
 * gapp_acc_read_behind() - read the integrals without the events that are posted
 * @acc: the integrals
 * @at: the result
 *
 * Return: false if another CPU has held the integrals for long.
 */
bool gapp_acc_read_behind(struct gapp_acc *acc, struct gapp_at *at)
{
	const u64 clock = gapp_clock();

	if (!gapp_acc_take_for_post(acc))
		return false;
	gapp_cm_read(&acc->cm, clock - acc->start_ns, at);
	gapp_acc_let_go(acc);
	return true;
}

/**
 * gapp_acc_glance() - read the integrals as they stand, perhaps in the middle of a change
 * @acc: the integrals
 * @at: the result, of which only the time and the phase are to be used
 */
void gapp_acc_glance(struct gapp_acc *acc, struct gapp_at *at)
{
	const bool before = READ_ONCE(acc->cm.phase) == GAPP_PHASE_BEFORE;

	/* Pairs with that of start_held(): if session time has begun, its begin is known. */
	smp_rmb();
	gapp_cm_read(&acc->cm, before ? 0 : gapp_acc_now(acc), at);
	/* it may have begun meanwhile */
	if (before)
		at->phase = GAPP_PHASE_BEFORE;
}

/* gapp_acc_waiting() when the first try has failed. */
noinline void gapp_acc_waiting_late(struct gapp_acc *acc, u16 *waiting)
{
	unsigned int i;

	for (i = 0; i < WAITING_TRIES && !gapp_acc_waiting_once(acc, waiting); i++)
		cpu_relax();
}
