// SPDX-License-Identifier: GPL-2.0
/* Deliberate faults; see fault.h. */
#include <linux/atomic.h>
#include <linux/delay.h>
#include <linux/module.h>
#include <linux/string.h>

#include "fault.h"

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault,
		 "drop_wakeup, drop_switch_out, drop_thread, slow_attach, slow_walk, wrong_bias");

static int fault_after;
module_param(fault_after, int, 0444);
MODULE_PARM_DESC(fault_after, "events that pass before the one that is dropped (0)");

static atomic_t chances = ATOMIC_INIT(0);

bool gapp_fault(const char *name)
{
	return !strcmp(fault, name) && atomic_inc_return(&chances) == fault_after + 1;
}

bool gapp_fault_always(const char *name)
{
	return !strcmp(fault, name);
}

void gapp_fault_pause(const char *name)
{
	if (!strcmp(fault, name))
		msleep(50);
}

void gapp_fault_slow_walk(const refcount_t *held)
{
	if (strcmp(fault, "slow_walk"))
		return;
	mdelay(1);
	WARN_ONCE(held && !refcount_read(held), "let go while a walk uses it\n");
}
