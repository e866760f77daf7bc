// SPDX-License-Identifier: GPL-2.0
/*
 * Whether current is in a busy-wait loop, as a sample or a switch meets it. The mappings of its
 * address space name the loops' code, which the reader has found.
 */
#include <linux/sched.h>
#include <linux/uaccess.h>

#include "callpath.h"
#include "compat/plain_memory.h"
#include "compat/regs.h"

static const struct gapp_spin_range *range_of(const struct gapp_mapping_list *list, u64 address)
{
	const struct gapp_unwind_mapping *mapping =
		gapp_mapping_find(list->mappings, list->count, address);

	if (!mapping || !mapping->spins)
		return NULL;
	return gapp_spin_table_find(mapping->spins, address - mapping->bias);
}

/*
 * Whether current is in a function that a loop has called to yield or to sleep, or in the system
 * call of that function. Such functions have no frame: the return address is on top of the stack.
 * Its call instruction is before it.
 */
static bool called_by_loop(const struct gapp_mapping_list *list, struct pt_regs *regs)
{
	const u64 sp = user_stack_pointer(regs);
	const struct gapp_spin_range *range;
	u64 address;

	if (sp % sizeof(address) || sp >= TASK_SIZE || !gapp_is_plain_memory(current->mm, sp) ||
	    copy_from_user_nofault(&address, (const void __user *)(unsigned long)sp,
				   sizeof(address)))
		return false;
	range = range_of(list, address - 1);
	return range && range->flags & GAPP_SPIN_CALLS;
}

/**
 * gapp_callpath_spins() - whether current is in a busy-wait loop
 * @cpu: unwinder of this CPU
 *
 * Interrupts are off; under rcu_read_lock(), or in another RCU reader. The session may look at
 * current's user registers.
 *
 * Return: true if so.
 */
bool gapp_callpath_spins(struct gapp_unwinder *cpu)
{
	struct pt_regs *regs = gapp_user_regs(current);
	const struct gapp_mapping_list *list;

	if (!regs || !current->mm)
		return false;
	list = gapp_address_spaces_find(cpu->spaces, current->mm);
	if (!list || !list->spins)
		return false;
	return range_of(list, instruction_pointer(regs)) || called_by_loop(list, regs);
}
