// SPDX-License-Identifier: GPL-2.0
/*
 * Busy-wait loops that are timed exactly. A thread that comes to an exit of such a loop runs into a
 * breakpoint, in front of the jump: so its flags say whether it stays.
 */
#include "callpath/callpath.h"
#include "compat/regs.h"
#include "exact.h"
#include "switch.h"

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

static const struct gapp_spin_exit *exit_at(const struct gapp_breakpoint *point)
{
	const struct gapp_exact_loop *loop =
		container_of(point->of, struct gapp_exact_loop, points);

	return &loop->exits[point - point->of->points];
}

/**
 * gapp_exact_hit() - current has come to an exit of a loop that is timed exactly
 * @uprobe: of the exit
 * @regs: current's registers in front of the jump
 *
 * Return: false if the breakpoint can be taken out of the process.
 */
bool gapp_exact_hit(struct gapp_uprobe *uprobe, struct pt_regs *regs)
{
	const struct gapp_breakpoint *point = gapp_breakpoint_of(uprobe);
	const bool stays = gapp_spin_exit_stays(exit_at(point), gapp_user_flags(regs));
	struct gapp_session *session = point->of->session;
	struct gapp_thread *thread;
	unsigned long flags;

	if (!gapp_breakpoint_is_for(uprobe, current->mm))
		return false;
	local_irq_save(flags);
	rcu_read_lock();
	thread = gapp_lookup(&session->threads, current);
	if (!thread || !is_still_in(thread, stays)) {
		if (!gapp_breakpoints_may_pass(point->of))
			gapp_breakpoints_give_up(point->of);
		else if (thread)
			at_exit(session, thread, stays);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
	return true;
}
