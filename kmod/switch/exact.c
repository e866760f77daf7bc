// SPDX-License-Identifier: GPL-2.0
/*
 * Busy-wait loops that are timed exactly. A thread that comes to an exit of such a loop runs into a
 * breakpoint, in front of the jump: so its flags say whether it stays.
 */
#include <linux/jiffies.h>

#include "callpath/callpath.h"
#include "compat/regs.h"
#include "exact.h"
#include "switch.h"

/* The loop's processes would rather have samples than so many breakpoints. */
static void give_up(struct gapp_exact_loop *loop)
{
	WRITE_ONCE(loop->given_up, true);
}

/* Counts a pass. CPUs that begin a new window at once may count a few too many or too few. */
static bool may_pass(struct gapp_exact_loop *loop)
{
	const unsigned long began = READ_ONCE(loop->window);

	if (time_after(jiffies, began + nsecs_to_jiffies(GAPP_EXACT_PASSES_NS))) {
		WRITE_ONCE(loop->window, jiffies);
		atomic_set(&loop->passes, 0);
	}
	return atomic_inc_return(&loop->passes) <= loop->most_passes;
}

/* An exit is in the loop itself, so no call path is needed. */
static bool is_in_loop(struct gapp_unwinder *cpu, struct gapp_spun_word *word)
{
	const enum gapp_spins spins = gapp_callpath_spins(cpu, false, word);

	return spins == GAPP_SPINS || spins == GAPP_SPINS_YIELDING;
}

static void at_exit(struct gapp_session *session, struct gapp_thread *thread, bool stays)
{
	struct gapp_cpu *cpu = gapp_this_cpu(session);
	const u32 state = READ_ONCE(thread->core.state);
	const bool spun = state == GAPP_THREAD_SPINNING;
	struct gapp_spun_word word = { 0 };

	if (stays == spun || !gapp_state_is_on_cpu(state) ||
	    READ_ONCE(thread->target->acc.cm.phase) != GAPP_PHASE_RUNNING ||
	    !gapp_shows_regs(&session->settings, current))
		return;
	gapp_budget_begin(gapp_clock());
	if (spun)
		gapp_works(session, cpu, thread);
	else if (is_in_loop(&cpu->unwinder, &word))
		gapp_spins_at(session, cpu, thread, &word);
}

static bool is_still_in(const struct gapp_thread *thread, bool stays)
{
	return stays && READ_ONCE(thread->core.state) == GAPP_THREAD_SPINNING;
}

/**
 * gapp_exact_hit() - current has come to an exit of a loop that is timed exactly
 * @uprobe: member of the exit
 * @regs: current's registers in front of the jump
 *
 * Return: false if the breakpoint can be taken out of the process.
 */
bool gapp_exact_hit(struct gapp_uprobe *uprobe, struct pt_regs *regs)
{
	struct gapp_exact_exit *exit = container_of(uprobe, struct gapp_exact_exit, uprobe);
	const bool stays = gapp_spin_exit_stays(&exit->exit, gapp_user_flags(regs));
	struct gapp_exact_loop *loop = exit->loop;
	struct gapp_session *session = loop->session;
	struct gapp_thread *thread;
	unsigned long flags;

	if (!gapp_exact_wants(uprobe, current->mm))
		return false;
	local_irq_save(flags);
	rcu_read_lock();
	thread = gapp_lookup(&session->threads, current);
	if (!thread || !is_still_in(thread, stays)) {
		if (!may_pass(loop))
			give_up(loop);
		else if (thread)
			at_exit(session, thread, stays);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
	return true;
}

/**
 * gapp_exact_wants() - whether a process is to have the breakpoint of an exit
 * @uprobe: member of the exit
 * @mm: memory of the process
 *
 * Return: true if it is the loop's process, and the loop was not given up.
 */
bool gapp_exact_wants(const struct gapp_uprobe *uprobe, const struct mm_struct *mm)
{
	const struct gapp_exact_exit *exit = container_of(uprobe, struct gapp_exact_exit, uprobe);

	return mm == exit->loop->mm && !READ_ONCE(exit->loop->given_up);
}
