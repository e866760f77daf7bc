// SPDX-License-Identifier: GPL-2.0
/* Writes records, possibly under the run-queue lock: interrupts off, under RCU. */
#include "compat/regs.h"
#include "switch.h"

static u32 identity_flags(const struct gapp_thread *thread, const struct gapp_export *export)
{
	bool leader = gapp_thread_tid(thread) == thread->tgid;

	return export->flags | export->waker.flags | (leader ? GAPP_SLICE_LEADER : 0);
}

static __always_inline void put_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
				      const struct gapp_export *export, const u32 samples)
{
	const struct gapp_slice_end *end = &export->end;
	u64 time_ns = gapp_record_time(&cpu->writer, export->t);
	struct gapp_record_slice *record;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_SLICE,
				     sizeof(*record) + samples * sizeof(cpu->sample[0]), time_ns,
				     end->critical_share, 0);
	if (!record)
		return;
	record->tid = gapp_pid_shown(cpu->unwinder.settings, gapp_thread_tid(thread));
	record->tgid = gapp_pid_shown(cpu->unwinder.settings, thread->tgid);
	record->image = export->image;
	record->target = thread->target->id;
	memcpy(record->comm, export->comm, sizeof(record->comm));
	record->begin_ns = gapp_clock_of(cpu->writer.threads, end->begin);
	record->critical_share = end->critical_share;
	record->own_critical_share = end->own_critical_share;
	record->cmetric = end->cmetric;
	record->thread_ns = end->thread_ns;
	record->slices = end->slices;
	record->n = export->n;
	record->flags = identity_flags(thread, export);
	record->then = export->then;
	record->wait = export->then == GAPP_THEN_WAIT ? export->wait.reason : GAPP_WAIT_OTHER;
	record->sample_count = samples;
	record->path = export->wait.path;
	record->kernel_path = export->wait.kernel_path;
	record->syscall = export->wait.syscall;
	record->waker_cpu = export->waker.cpu;
	record->waker_tid = export->waker.tid;
	record->waker_tgid = export->waker.tgid;
	memcpy(record->args, export->wait.args, sizeof(record->args));
	gapp_acc_waiting(&thread->target->acc, record->waiting);
	if (samples)
		memcpy(record + 1, cpu->sample, samples * sizeof(cpu->sample[0]));
	gapp_record_commit(&cpu->writer);
}

static noinline void put_sampled_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
				       const struct gapp_export *export)
{
	const u32 samples = cpu->sample_count;

	gapp_cpu_drop_samples(cpu);
	put_slice(cpu, thread, export, samples);
}

/* Two copies: with a constant size little is left of gapp_ring_reserve(). */
static __always_inline void write_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
					const struct gapp_export *export)
{
	if (cpu->sampled == thread && cpu->sample_count)
		put_sampled_slice(cpu, thread, export);
	else
		put_slice(cpu, thread, export, 0);
}

static void write_wait(struct gapp_cpu *cpu, struct gapp_thread *thread,
		       const struct gapp_export *export)
{
	const struct gapp_exported_wait *exported =
		export->what & GAPP_EXPORT_EARLIER_WAIT ? &export->earlier_wait : &export->wait;
	u64 time_ns = gapp_record_time(&cpu->writer, export->t);
	struct gapp_record_wait *record;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_WAIT, sizeof(*record), time_ns, 0,
				     export->wait_ns);
	if (!record)
		return;
	record->tid = gapp_pid_shown(cpu->unwinder.settings, gapp_thread_tid(thread));
	record->tgid = gapp_pid_shown(cpu->unwinder.settings, thread->tgid);
	record->image = export->image;
	record->target = thread->target->id;
	memcpy(record->comm, export->comm, sizeof(record->comm));
	record->begin_ns = gapp_clock_of(cpu->writer.threads, export->wait_begin);
	record->wait_ns = export->wait_ns;
	record->stretches = export->stretches;
	record->flags = identity_flags(thread, export);
	record->wait = exported->reason;
	record->path = exported->path;
	record->kernel_path = exported->kernel_path;
	record->syscall = exported->syscall;
	record->waker_cpu = export->waker.cpu;
	record->waker_tid = export->waker.tid;
	record->waker_tgid = export->waker.tgid;
	record->reserved = 0;
	memcpy(record->args, exported->args, sizeof(record->args));
	gapp_acc_waiting(&thread->target->acc, record->waiting);
	gapp_record_commit(&cpu->writer);
}

static void write_wake(struct gapp_cpu *cpu, struct gapp_thread *thread,
		       const struct gapp_export *export)
{
	u64 time_ns = gapp_record_time(&cpu->writer, export->t);
	struct gapp_record_wake *record;

	record =
		gapp_record_reserve(&cpu->writer, GAPP_RECORD_WAKE, sizeof(*record), time_ns, 0, 0);
	if (!record)
		return;
	record->tid = gapp_pid_shown(cpu->unwinder.settings, gapp_thread_tid(thread));
	record->tgid = gapp_pid_shown(cpu->unwinder.settings, thread->tgid);
	record->target = thread->target->id;
	record->n = export->n;
	record->flags = export->waker.flags;
	record->waker_cpu = export->waker.cpu;
	record->waker_tid = export->waker.tid;
	record->waker_tgid = export->waker.tgid;
	gapp_record_commit(&cpu->writer);
}

static void lose(struct gapp_cpu *cpu, u64 share, u64 wait_ns, u64 time_ns)
{
	u64 *over_budget = &cpu->unwinder.records_over_budget;

	gapp_ring_lose(&cpu->writer.ring, share, wait_ns, time_ns);
	/* Pairs with the acquire in gapp_cpus_counters(). */
	smp_store_release(over_budget, *over_budget + 1);
}

/* Other sessions have used up the time of this switch: no call path; far beyond it, no records. */
static noinline void leave_out(struct gapp_cpu *cpu, const struct gapp_thread *thread,
			       struct gapp_export *export, u64 used_ns)
{
	const u32 allowed_ns = cpu->unwinder.settings->switch_ns;
	const u64 time_ns = gapp_record_time(&cpu->writer, export->t);

	gapp_count(cpu->unwinder.paths_over_budget, 1);
	export->wait.path = GAPP_PATH_NONE;
	if (used_ns < allowed_ns + allowed_ns / 8)
		return;
	if (export->what & GAPP_EXPORT_SLICE) {
		lose(cpu, export->end.critical_share, 0, time_ns);
		if (cpu->sampled == thread)
			gapp_cpu_drop_samples(cpu);
	}
	if (export->what & GAPP_EXPORT_WAIT)
		lose(cpu, 0, export->wait_ns, time_ns);
	export->what = 0;
}

/*
 * No wake-up of the thread can come before its switch-out is done, so its last wait is written here
 * without its lock.
 */
static void take_path(struct gapp_cpu *cpu, struct gapp_thread *thread, struct gapp_export *export)
{
	struct gapp_unwinder *unwinder = &cpu->unwinder;
	u64 used_ns = gapp_budget_used(gapp_clock_of(cpu->writer.threads, export->t));

	export->wait.kernel_path = GAPP_PATH_NONE;
	if (likely(used_ns < unwinder->settings->switch_ns)) {
		export->wait.path = gapp_callpath_user(unwinder, thread, export->image, export->t);
		if (unwinder->settings->kernel_paths && !gapp_in_user_code())
			export->wait.kernel_path =
				gapp_callpath_kernel(unwinder, gapp_interrupted_kernel());
	} else {
		leave_out(cpu, thread, export, used_ns);
	}
	thread->last_wait.path = export->wait.path;
	thread->last_wait.kernel_path = export->wait.kernel_path;
	if (export->then == GAPP_THEN_WAIT)
		thread->last_wait.paths = GAPP_PATHS_KNOWN;
}

/* Nearly every record: a slice, and its call path if the session takes any. */
GAPP_HOT __always_inline void gapp_export_usual(struct gapp_cpu *cpu, struct gapp_thread *thread,
						struct gapp_export *export)
{
	if (export->what & GAPP_EXPORT_PATH) {
		take_path(cpu, thread, export);
		if (unlikely(!export->what))
			return;
	} else {
		export->wait.path = GAPP_PATH_NONE;
		export->wait.kernel_path = GAPP_PATH_NONE;
	}
	write_slice(cpu, thread, export);
}

/* The record of a wake-up alone. */
GAPP_HOT __always_inline void gapp_export_wake(struct gapp_cpu *cpu, struct gapp_thread *thread,
					       const struct gapp_export *export)
{
	write_wake(cpu, thread, export);
}

/* Writes the records of an event. If they need a call path, @thread is current. */
noinline __noclone __flatten void
gapp_export_write(struct gapp_cpu *cpu, struct gapp_thread *thread, struct gapp_export *export)
{
	if (export->what & GAPP_EXPORT_PATH)
		take_path(cpu, thread, export);
	if (export->what & GAPP_EXPORT_SLICE)
		write_slice(cpu, thread, export);
	if (export->what & GAPP_EXPORT_WAIT)
		write_wait(cpu, thread, export);
	if (export->what & GAPP_EXPORT_WAKE)
		write_wake(cpu, thread, export);
}
