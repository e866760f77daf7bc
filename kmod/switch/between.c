// SPDX-License-Identifier: GPL-2.0
#include "switch.h"
/*
 * What is told when the scheduler says nothing: the path of a thread that has
 * just been switched in, the slices that are open when the session stops or a
 * program gives way to another.
 */

/*
 * The thread that has just been switched in is still in the system call in which it had blocked,
 * for this interrupt comes before anything else that it does.
 */
static void write_wanted(struct irq_work *work)
{
	struct gapp_cpu *cpu = container_of(work, struct gapp_cpu, path_work);
	struct gapp_session *session = cpu->session;
	struct gapp_thread *thread;
	struct gapp_export *export;
	unsigned long flags;
	bool still = false;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(session);
	export = &cpu->export;
	gapp_export_init(export);
	rcu_read_lock();
	thread = gapp_lookup(&session->threads, current);
	if (thread) {
		gapp_lock(&thread->lock);
		if (thread->last_wait.paths == GAPP_PATHS_WANTED) {
			gapp_acc_read(&thread->target->acc, &at);
			still = gapp_slices_wanted(session, thread, &at, export);
		}
		gapp_unlock(&thread->lock);
		if (export->what & GAPP_EXPORT_WAIT && still)
			export->wait.path =
				gapp_callpath_user(&cpu->unwinder, thread, export->image, at.t);
		gapp_export_write(cpu, thread, export);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

void gapp_between_init(struct gapp_cpu *cpu)
{
	cpu->path_work = IRQ_WORK_INIT_HARD(write_wanted);
}

/* On each CPU when the session has stopped: the slice that is open there ends. */
void gapp_between_stop(void *data)
{
	struct gapp_session *session = data;
	struct gapp_thread *thread;
	struct gapp_export *export;
	struct gapp_cpu *cpu;
	unsigned long flags;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(session);
	export = &cpu->export;
	gapp_export_init(export);
	rcu_read_lock();
	thread = gapp_lookup(&session->threads, current);
	if (thread) {
		gapp_lock(&thread->lock);
		if (gapp_slices_open(cpu, thread)) {
			gapp_acc_read(&thread->target->acc, &at);
			gapp_slices_part(session, cpu, thread, GAPP_THEN_STOPPED, &at, export);
		}
		gapp_unlock(&thread->lock);
		gapp_export_write(cpu, thread, export);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

/**
 * gapp_between_exec() - current gives its memory up for that of another program
 * @session: the session
 * @thread: its thread
 *
 * Samples taken so far are told while the reader still knows that memory.
 */
void gapp_between_exec(struct gapp_session *session, struct gapp_thread *thread)
{
	struct gapp_export *export;
	unsigned long flags;
	struct gapp_cpu *cpu;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(session);
	export = &cpu->export;
	gapp_export_init(export);
	gapp_lock(&thread->lock);
	if (cpu->sampled == thread && cpu->sample_count && gapp_slices_open(cpu, thread)) {
		gapp_acc_read(&thread->target->acc, &at);
		gapp_slices_part(session, cpu, thread, GAPP_THEN_ON, &at, export);
		/* there is no stack left to walk */
		export->what &= ~GAPP_EXPORT_PATH;
		export->wait.path = GAPP_PATH_NONE;
		export->wait.kernel_path = GAPP_PATH_NONE;
	}
	gapp_unlock(&thread->lock);
	gapp_export_write(cpu, thread, export);
	local_irq_restore(flags);
}
