// SPDX-License-Identifier: GPL-2.0
/* Deliberate faults; see fault.h. */
#include <linux/atomic.h>
#include <linux/delay.h>
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

/* Of so many chances gapp_fault_at_random() takes one. */
#define RANDOM_EVERY 64
/* Of so many chances one is taken to stay, for so many microseconds. */
#define HELD_EVERY 50
#define HELD_US 500

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

/* Also with "NAME_and_wait". */
void gapp_fault_hold(const char *name)
{
	if (!strncmp(fault, name, strlen(name)) && atomic_inc_return(&chances) % HELD_EVERY == 0)
		udelay(HELD_US);
}

void gapp_fault_waited(u64 ns)
{
	if (ns > READ_ONCE(longest_wait_ns))
		WRITE_ONCE(longest_wait_ns, ns);
}

void gapp_fault_slow_walk(const refcount_t *held)
{
	if (strcmp(fault, "slow_walk"))
		return;
	mdelay(1);
	WARN_ONCE(held && !refcount_read(held), "let go while a walk uses it\n");
}
