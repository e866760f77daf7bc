// SPDX-License-Identifier: GPL-2.0
/*
 * Writes records. Interrupts are off, possibly under the run-queue lock; the
 * entry is not locked but held under RCU.
 */
#include "callpath/callpath.h"
#include "compat/regs.h"
#include "cpu.h"
#include "ring/records.h"
#include "export.h"

static u32 identity_flags(const struct gapp_thread *entry, const struct gapp_export *tale)
{
	bool leader = gapp_thread_tid(entry) == entry->tgid;

	return tale->flags | tale->waker.flags | (leader ? GAPP_SLICE_LEADER : 0);
}

static void tell_slice(struct gapp_cpu *cpu, struct gapp_thread *entry,
		       const struct gapp_export *tale)
{
	const struct gapp_slice_end *end = &tale->end;
	u64 time_ns = gapp_record_time(cpu, tale->t);
	u32 samples = cpu->sampled == entry ? cpu->sample_count : 0;
	struct gapp_record_slice *record;

	if (samples)
		gapp_cpu_drop_samples(cpu);
	record = gapp_record_reserve(cpu, GAPP_RECORD_SLICE,
				     sizeof(*record) + samples * sizeof(cpu->sample[0]), time_ns,
				     end->critical_share, 0);
	if (!record)
		return;
	record->tid = gapp_pid_shown(cpu->track, gapp_thread_tid(entry));
	record->tgid = gapp_pid_shown(cpu->track, entry->tgid);
	record->image = tale->image;
	record->target = entry->cohort->id;
	memcpy(record->comm, tale->comm, sizeof(record->comm));
	record->begin_ns = gapp_clock_of(cpu->track, end->begin);
	record->critical_share = end->critical_share;
	record->own_critical_share = end->own_critical_share;
	record->cmetric = end->cmetric;
	record->thread_ns = end->thread_ns;
	record->slices = end->slices;
	record->n = tale->n;
	record->flags = identity_flags(entry, tale);
	record->then = tale->then;
	record->wait = tale->then == GAPP_THEN_WAIT ? tale->block.wait : GAPP_WAIT_OTHER;
	record->sample_count = samples;
	record->path = tale->block.path;
	record->kernel_path = tale->block.kernel_path;
	record->syscall = tale->block.syscall;
	record->waker_cpu = tale->waker.cpu;
	record->waker_tid = tale->waker.tid;
	record->waker_tgid = tale->waker.tgid;
	memcpy(record->args, tale->block.args, sizeof(record->args));
	gapp_acc_waiting(&entry->cohort->acc, record->waiting);
	if (samples)
		memcpy(record + 1, cpu->sample, samples * sizeof(cpu->sample[0]));
	gapp_record_commit(cpu);
}

static void tell_wait(struct gapp_cpu *cpu, struct gapp_thread *entry,
		      const struct gapp_export *tale)
{
	const struct gapp_exported_wait *told = tale->what & GAPP_EXPORT_WAITED ? &tale->waited :
										  &tale->block;
	u64 time_ns = gapp_record_time(cpu, tale->t);
	struct gapp_record_wait *record;

	record = gapp_record_reserve(cpu, GAPP_RECORD_WAIT, sizeof(*record), time_ns, 0,
				     tale->wait_ns);
	if (!record)
		return;
	record->tid = gapp_pid_shown(cpu->track, gapp_thread_tid(entry));
	record->tgid = gapp_pid_shown(cpu->track, entry->tgid);
	record->image = tale->image;
	record->target = entry->cohort->id;
	memcpy(record->comm, tale->comm, sizeof(record->comm));
	record->begin_ns = gapp_clock_of(cpu->track, tale->wait_begin);
	record->wait_ns = tale->wait_ns;
	record->stretches = tale->stretches;
	record->flags = identity_flags(entry, tale);
	record->wait = told->wait;
	record->path = told->path;
	record->kernel_path = told->kernel_path;
	record->syscall = told->syscall;
	record->waker_cpu = tale->waker.cpu;
	record->waker_tid = tale->waker.tid;
	record->waker_tgid = tale->waker.tgid;
	record->reserved = 0;
	memcpy(record->args, told->args, sizeof(record->args));
	gapp_acc_waiting(&entry->cohort->acc, record->waiting);
	gapp_record_commit(cpu);
}

static void tell_wake(struct gapp_cpu *cpu, struct gapp_thread *entry,
		      const struct gapp_export *tale)
{
	u64 time_ns = gapp_record_time(cpu, tale->t);
	struct gapp_record_wake *record;

	record = gapp_record_reserve(cpu, GAPP_RECORD_WAKE, sizeof(*record), time_ns, 0, 0);
	if (!record)
		return;
	record->tid = gapp_pid_shown(cpu->track, gapp_thread_tid(entry));
	record->tgid = gapp_pid_shown(cpu->track, entry->tgid);
	record->target = entry->cohort->id;
	record->n = tale->n;
	record->flags = tale->waker.flags;
	record->waker_cpu = tale->waker.cpu;
	record->waker_tid = tale->waker.tid;
	record->waker_tgid = tale->waker.tgid;
	gapp_record_commit(cpu);
}

/*
 * At a switch-out no wake-up of the thread can come before the switch is done, so what is noted of
 * its block here needs no lock.
 */
static void take_path(struct gapp_cpu *cpu, struct gapp_thread *entry, struct gapp_export *tale)
{
	tale->block.path = gapp_callpath_user(cpu, entry, tale->image, tale->t);
	tale->block.kernel_path = GAPP_PATH_NONE;
	if (cpu->track->kernel_paths && !gapp_in_user_code())
		tale->block.kernel_path = gapp_callpath_kernel(cpu, gapp_interrupted_kernel());
	entry->block.path = tale->block.path;
	entry->block.kernel_path = tale->block.kernel_path;
	if (tale->then == GAPP_THEN_WAIT)
		entry->block.paths = GAPP_PATHS_KNOWN;
}

/* Nearly every record: a slice and its path. It is a part of the event's own function. */
static __always_inline void tell_usual(struct gapp_cpu *cpu, struct gapp_thread *entry,
				       struct gapp_export *tale)
{
	take_path(cpu, entry, tale);
	tell_slice(cpu, entry, tale);
}

/**
 * gapp_export_write() - write the records of an event
 * @track: the target
 * @cpu: this CPU's
 * @entry: the thread; on this CPU if its path is to be taken
 * @tale: what there is to tell
 */
noinline __noclone __flatten void gapp_export_write(struct gapp_track *track, struct gapp_cpu *cpu,
						    struct gapp_thread *entry,
						    struct gapp_export *tale)
{
	if (tale->what & GAPP_EXPORT_PATH)
		take_path(cpu, entry, tale);
	if (tale->what & GAPP_EXPORT_SLICE)
		tell_slice(cpu, entry, tale);
	if (tale->what & GAPP_EXPORT_WAIT)
		tell_wait(cpu, entry, tale);
	if (tale->what & GAPP_EXPORT_WAKE)
		tell_wake(cpu, entry, tale);
}
