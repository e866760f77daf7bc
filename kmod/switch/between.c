// SPDX-License-Identifier: GPL-2.0
/*
 * What is told when the scheduler says nothing: the path of a thread that has
 * just been switched in, the slices that are open when the session stops or a
 * program gives way to another.
 */
#include "between.h"
#include "callpath/callpath.h"
#include "slices.h"
#include "export.h"

/*
 * The thread that has just been switched in is still in the system call in which it had blocked,
 * for this interrupt comes before anything else that it does.
 */
static void tell_wanted(struct irq_work *work)
{
	struct gapp_cpu *cpu = container_of(work, struct gapp_cpu, path_work);
	struct gapp_track *track = cpu->track;
	struct gapp_thread *entry;
	struct gapp_export *tale;
	unsigned long flags;
	bool still = false;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(track);
	tale = &cpu->tale;
	gapp_export_init(tale);
	rcu_read_lock();
	entry = gapp_lookup(track, current);
	if (entry) {
		gapp_lock(&entry->lock);
		if (entry->block.paths == GAPP_PATHS_WANTED) {
			gapp_acc_read(&entry->cohort->acc, &at);
			still = gapp_slices_wanted(track, entry, &at, tale);
		}
		gapp_unlock(&entry->lock);
		if (tale->what & GAPP_EXPORT_WAIT && still)
			tale->block.path = gapp_callpath_user(cpu, entry, tale->image, at.t);
		gapp_export_write(track, cpu, entry, tale);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

void gapp_between_init(struct gapp_cpu *cpu)
{
	cpu->path_work = IRQ_WORK_INIT_HARD(tell_wanted);
}

/* On each CPU when the session has stopped: the slice that is open there ends. */
void gapp_between_stop(void *data)
{
	struct gapp_track *track = data;
	struct gapp_thread *entry;
	struct gapp_export *tale;
	struct gapp_cpu *cpu;
	unsigned long flags;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(track);
	tale = &cpu->tale;
	gapp_export_init(tale);
	rcu_read_lock();
	entry = gapp_lookup(track, current);
	if (entry) {
		gapp_lock(&entry->lock);
		if (gapp_slices_open(cpu, entry)) {
			gapp_acc_read(&entry->cohort->acc, &at);
			gapp_slices_part(track, cpu, entry, GAPP_THEN_STOPPED, &at, tale);
		}
		gapp_unlock(&entry->lock);
		gapp_export_write(track, cpu, entry, tale);
	}
	rcu_read_unlock();
	local_irq_restore(flags);
}

/**
 * gapp_between_exec() - current gives its memory up for that of another program
 * @track: the target
 * @entry: its entry
 *
 * Samples taken so far are told while the reader still knows that memory.
 */
void gapp_between_exec(struct gapp_track *track, struct gapp_thread *entry)
{
	struct gapp_export *tale;
	unsigned long flags;
	struct gapp_cpu *cpu;
	struct gapp_at at;

	local_irq_save(flags);
	cpu = gapp_this_cpu(track);
	tale = &cpu->tale;
	gapp_export_init(tale);
	gapp_lock(&entry->lock);
	if (cpu->sampled == entry && cpu->sample_count && gapp_slices_open(cpu, entry)) {
		gapp_acc_read(&entry->cohort->acc, &at);
		gapp_slices_part(track, cpu, entry, GAPP_THEN_ON, &at, tale);
		/* there is no stack left to walk */
		tale->what &= ~GAPP_EXPORT_PATH;
		tale->block.path = GAPP_PATH_NONE;
		tale->block.kernel_path = GAPP_PATH_NONE;
	}
	gapp_unlock(&entry->lock);
	gapp_export_write(track, cpu, entry, tale);
	local_irq_restore(flags);
}
