// SPDX-License-Identifier: GPL-2.0
/*
 * Whether current is in a busy-wait loop, as a sample or a switch meets it. The mappings of its
 * address space name the loops' code, which the reader has found.
 */
#include <linux/sched.h>

#include "callpath.h"
#include "compat/plain_memory.h"
#include "compat/regs.h"
#include "compat/user_word.h"
#include "core/spin_location.h"

/*
 * Frames of a call path among which a loop is looked for. What a progress engine calls is less
 * deep.
 */
#define DEEP_FRAMES 32
/* So many looks in a row may lack the time: then the thread is in no loop. */
#define MOST_UNSEEN 8

/**
 * struct hit - where a thread is in a busy-wait loop
 * @mapping: mapping of the loop
 * @range: code of the loop; NULL: the thread is in none
 * @called: the thread is in a function that the loop has called
 */
struct hit {
	const struct gapp_unwind_mapping *mapping;
	const struct gapp_spin_range *range;
	bool called;
};

static struct hit find(const struct gapp_mapping_list *list, u64 address)
{
	struct hit hit = { .mapping = gapp_mapping_find(list->mappings, list->count, address) };

	if (hit.mapping && hit.mapping->spins)
		hit.range = gapp_spin_table_find(hit.mapping->spins, address - hit.mapping->bias);
	return hit;
}

/* Reads a word of current's memory. @arg: the CPU's unwinder. */
static bool read_word(void *arg, u64 address, u64 *word)
{
	struct gapp_unwinder *cpu = arg;

	if (address % sizeof(*word) || address >= TASK_SIZE ||
	    !gapp_is_plain_memory(current->mm, address) ||
	    !gapp_copy_user(&cpu->word, address, sizeof(cpu->word)))
		return false;
	*word = cpu->word;
	return true;
}

/*
 * Whether current is in a function that a loop has called to yield or to sleep, or in the system
 * call of that function. Such functions have no frame: the return address is on top of the stack.
 * Its call instruction is before it.
 */
static struct hit find_caller(struct gapp_unwinder *cpu, const struct gapp_mapping_list *list,
			      struct pt_regs *regs)
{
	struct hit hit = { 0 };
	u64 address;

	if (!read_word(cpu, user_stack_pointer(regs), &address))
		return hit;
	hit = find(list, address - 1);
	hit.called = true;
	if (hit.range && !(hit.range->flags & GAPP_SPIN_CALLS))
		hit.range = NULL;
	return hit;
}

/*
 * Whether current is in anything that a loop has called that waits by a progress engine: there it
 * is nearly always. Which word the loop waits for is not known: registers may be saved anywhere.
 */
static enum gapp_spins find_deep(struct gapp_unwinder *cpu, const struct gapp_mapping_list *list,
				 struct pt_regs *regs)
{
	enum gapp_unwind_end end;
	u16 i, count = gapp_callpath_frames(cpu, list, regs, DEEP_FRAMES, &end);
	const u8 unseen = cpu->unseen;
	struct hit hit;

	cpu->unseen = 0;
	for (i = 1; i < count; i++) {
		hit = find(list, cpu->frames[i] - 1);
		if (hit.range && hit.range->flags & GAPP_SPIN_DEEP)
			return GAPP_SPINS_YIELDING;
	}
	if (end != GAPP_UNWIND_LATE || unseen == MOST_UNSEEN)
		return GAPP_SPINS_NOT;
	cpu->unseen = unseen + 1;
	return GAPP_SPINS_UNKNOWN;
}

/*
 * Finds the word that the loop waits for. The reader has made the location, which may have any word
 * of the process read: in a restricted session none is.
 */
static void locate(struct gapp_unwinder *cpu, const struct hit *hit, const struct pt_regs *from,
		   struct gapp_spun_word *word)
{
	const struct gapp_spin_location *location =
		gapp_spin_table_location(hit->mapping->spins, hit->range);
	u32 goes_on = GAPP_SPIN_WHILE_UNKNOWN;
	struct gapp_regs regs;
	u64 address;

	if (!location || (cpu->settings->restricted && location->terms > 1))
		return;
	gapp_regs_take(from, &regs);
	if (hit->called)
		gapp_regs_leave_call(&regs);
	if (!gapp_spin_locate(location, &regs, hit->mapping->bias, read_word, cpu, &address) ||
	    address >= TASK_SIZE)
		return;
	if (gapp_spin_compares_with(location, &regs, &word->number))
		goes_on = location->goes_on;
	word->address = address;
	word->compared = GAPP_SPIN_COMPARED(goes_on, location->bytes);
}

/**
 * gapp_callpath_spins() - whether current is in a busy-wait loop
 * @cpu: unwinder of this CPU
 * @deep: look at the call path, too, if any loop of the address space needs that; else such a
 *	thread is GAPP_SPINS_UNKNOWN
 * @word: set to the word that the loop waits for, if that is known; else, and where it is in none,
 *	it stays as it is; or NULL
 *
 * Interrupts are off; under rcu_read_lock(), or in another RCU reader. The session may look at
 * current's user registers and memory. What is under way has begun for the budget.
 *
 * Return: enum gapp_spins.
 */
enum gapp_spins gapp_callpath_spins(struct gapp_unwinder *cpu, bool deep,
				    struct gapp_spun_word *word)
{
	struct pt_regs *regs = gapp_user_regs(current);
	const struct gapp_mapping_list *list;
	struct hit hit;

	if (!regs || !current->mm)
		return GAPP_SPINS_NOT;
	list = gapp_address_spaces_find(cpu->spaces, current->mm);
	if (!list || !list->spins)
		return GAPP_SPINS_NOT;
	hit = find(list, instruction_pointer(regs));
	if (!hit.range)
		hit = find_caller(cpu, list, regs);
	if (!hit.range && list->deep)
		return deep ? find_deep(cpu, list, regs) : GAPP_SPINS_UNKNOWN;
	if (!hit.range)
		return GAPP_SPINS_NOT;
	if (word)
		locate(cpu, &hit, regs, word);
	return hit.range->flags & GAPP_SPIN_CALLS ? GAPP_SPINS_YIELDING : GAPP_SPINS;
}
