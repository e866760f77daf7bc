// SPDX-License-Identifier: GPL-2.0
/*
 * Exports between the scheduler's events: the call path of a thread that has just been switched in,
 * and slices that are open when the session stops or a process executes a program.
 */
#include "compat/irq_work.h"
#include "switch.h"

/* Locks the thread of current, if it is followed. Interrupts off, under RCU. */
static struct gapp_thread *lock_current(struct gapp_session *session, struct gapp_cpu *cpu)
{
	struct gapp_thread *thread = gapp_lookup(&session->threads, current);

	gapp_export_init(&cpu->export);
	if (thread)
		gapp_lock(thread);
	return thread;
}

/*
 * Exports the wait record that lacks current's call path. This interrupt comes before current does
 * anything after its switch-in, so current is still in the system call in which it waited.
 */
static void export_wanted(struct irq_work *work)
{
	struct gapp_session *session = container_of(work, struct gapp_cpu, path_work)->session;
	struct gapp_thread *thread;
	struct gapp_export *export;
	unsigned long flags;
	struct gapp_cpu *cpu;
	bool still = false;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(session);
	export = &cpu->export;
	gapp_budget_begin_wait(gapp_clock());
	rcu_read_lock();
	thread = lock_current(session, cpu);
	if (thread) {
		if (thread->last_wait.paths == GAPP_PATHS_WANTED &&
		    gapp_acc_read(&thread->target->acc, &at)) {
			still = gapp_slices_wanted(session, thread, &at, export);
			if (session->settings.waker_paths) {
				export->what |= GAPP_EXPORT_ENDED;
				export->woken_from = *gapp_thread_woken_from(thread);
			}
		}
		gapp_unlock(thread);
		if (export->what & GAPP_EXPORT_WAIT && still)
			export->wait.path =
				gapp_callpath_in_time(&cpu->unwinder, thread, export->image, at.t);
		gapp_export_write(cpu, thread, export);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

void gapp_between_init(struct gapp_cpu *cpu)
{
	cpu->path_work = IRQ_WORK_INIT_HARD(export_wanted);
}

/* False: there are posts, or another CPU holds the integrals; what is open stays open. */
static bool read_integrals(struct gapp_target *target, enum gapp_then then, struct gapp_at *at)
{
	if (then != GAPP_THEN_STOPPED)
		return gapp_acc_read(&target->acc, at);
	*at = target->end;
	return !gapp_acc_has_posts(&target->acc);
}

/* Exports current's open slice; only GAPP_THEN_STOPPED ends it. Interrupts off, under RCU. */
static void export_part(struct gapp_session *session, enum gapp_then then)
{
	struct gapp_cpu *cpu = gapp_this_cpu(session);
	struct gapp_thread *thread = lock_current(session, cpu);
	struct gapp_export *export = &cpu->export;
	bool sampled = cpu->sampled == thread && cpu->sample_count;
	struct gapp_at at;

	if (!thread)
		return;
	gapp_budget_begin(gapp_clock());
	if ((sampled || then == GAPP_THEN_STOPPED) && read_integrals(thread->target, then, &at) &&
	    gapp_slices_open(cpu, thread)) {
		gapp_slices_part(session, cpu, thread, then, &at, export);
		/* an exec leaves no stack to unwind */
		if (then == GAPP_THEN_ON) {
			export->what &= ~GAPP_EXPORT_PATH;
			export->wait.path = GAPP_PATH_NONE;
			export->wait.kernel_path = GAPP_PATH_NONE;
		}
	}
	gapp_unlock(thread);
	gapp_export_write(cpu, thread, export);
}

/* Ends the slice that is open on this CPU; called on each CPU when the session has stopped. */
void gapp_between_stop(void *session)
{
	unsigned long flags;

	local_irq_save(flags);
	rcu_read_lock();
	export_part(session, GAPP_THEN_STOPPED);
	rcu_read_unlock();
	local_irq_restore(flags);
}

/* Current makes a system call: if a sample has found it in a busy-wait loop, it has left that. */
static void end_spin(struct gapp_session *session)
{
	struct gapp_thread *thread = gapp_lookup(&session->threads, current);

	if (!thread || READ_ONCE(thread->core.state) != GAPP_THREAD_SPINNING)
		return;
	gapp_budget_begin(gapp_clock());
	gapp_works(session, gapp_this_cpu(session), thread);
}

/*
 * Before current executes a program: exports its samples, and its wait if it was spinning, while
 * the reader still knows what their addresses belong to. Under RCU.
 */
void gapp_between_exec(struct gapp_session *session)
{
	unsigned long flags;

	local_irq_save(flags);
	end_spin(session);
	export_part(session, GAPP_THEN_ON);
	local_irq_restore(flags);
}
