// SPDX-License-Identifier: GPL-2.0
/* Deliberate faults; see fault.h. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/string.h>

#include "fault.h"

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "which one: drop_wakeup and so on, see tests/guest/faults.sh");

static int fault_after;
module_param(fault_after, int, 0444);
MODULE_PARM_DESC(fault_after, "events that pass before the one that is dropped (0)");

static ulong longest_wait_ns;
module_param(longest_wait_ns, ulong, 0644);
MODULE_PARM_DESC(longest_wait_ns, "the longest that an event waited for the integrals");

static uint fault_us = 500;
module_param(fault_us, uint, 0644);
MODULE_PARM_DESC(fault_us, "microseconds for which a CPU that merges stands still (500)");

static ulong late_looks;
module_param(late_looks, ulong, 0644);
MODULE_PARM_DESC(late_looks, "how often an event that had waited for 2 us went on waiting");

static uint most_targets;
module_param(most_targets, uint, 0644);
MODULE_PARM_DESC(most_targets, "most targets for which the table was locked at a time");

static ulong longest_lock_ns;
module_param(longest_lock_ns, ulong, 0644);
MODULE_PARM_DESC(longest_lock_ns, "the longest that the table was locked");

/* Of so many chances gapp_fault_at_random() takes one. */
#define RANDOM_EVERY 64
/* Of so many chances one is taken to stay, for so many microseconds; and of those to merge. */
#define HELD_EVERY 50
#define HELD_US 500
#define MERGES_EVERY 10
/* So long an event may wait for another CPU: docs/safety.md. */
#define BOUND_NS 2000

static atomic_t chances = ATOMIC_INIT(0);

bool gapp_fault(const char *name)
{
	return !strcmp(fault, name) && atomic_inc_return(&chances) == fault_after + 1;
}

bool gapp_fault_always(const char *name)
{
	return !strcmp(fault, name);
}

bool gapp_fault_at_random(const char *name)
{
	return !strcmp(fault, name) && get_random_u32() % RANDOM_EVERY == 0;
}

void gapp_fault_pause(const char *name)
{
	if (!strcmp(fault, name))
		msleep(50);
}

/* Also with "NAME_and_wait" and "NAME_and_merge". */
void gapp_fault_hold(const char *name)
{
	if (!strncmp(fault, name, strlen(name)) && atomic_inc_return(&chances) % HELD_EVERY == 0)
		udelay(HELD_US);
}

void gapp_fault_merges(void)
{
	static atomic_t merges = ATOMIC_INIT(0);

	if (strcmp(fault, "hold_integrals_and_merge") || atomic_inc_return(&merges) % MERGES_EVERY)
		return;
	/* udelay() alone takes no more than some milliseconds */
	mdelay(fault_us / USEC_PER_MSEC);
	udelay(fault_us % USEC_PER_MSEC);
}

void gapp_fault_waits(u64 ns)
{
	if (ns >= BOUND_NS)
		WRITE_ONCE(late_looks, late_looks + 1);
}

void gapp_fault_waited(u64 ns)
{
	if (ns > READ_ONCE(longest_wait_ns))
		WRITE_ONCE(longest_wait_ns, ns);
}

/* Of the table that is locked. */
static u64 locked_ns;
static unsigned int targets_now;

void gapp_fault_locked(void)
{
	locked_ns = ktime_get_mono_fast_ns();
	targets_now = 0;
}

void gapp_fault_target(void)
{
	most_targets = max(most_targets, ++targets_now);
}

void gapp_fault_unlocks(void)
{
	longest_lock_ns = max_t(ulong, longest_lock_ns, ktime_get_mono_fast_ns() - locked_ns);
}

void gapp_fault_slow_walk(const refcount_t *held)
{
	if (strcmp(fault, "slow_walk"))
		return;
	mdelay(1);
	WARN_ONCE(held && !refcount_read(held), "let go while a walk uses it\n");
}
