// SPDX-License-Identifier: GPL-2.0
/* Writes records, possibly under the run-queue lock: interrupts off, under RCU. */
#include "compat/comm.h"
#include "compat/file.h"
#include "compat/regs.h"
#include "core/mark_text.h"
#include "switch.h"

/* Ids as the opener sees them. Returns GAPP_SLICE_LEADER, or 0. */
static __always_inline u32 put_ids(const struct gapp_settings *settings,
				   const struct gapp_thread *thread, s32 *tid_shown,
				   s32 *tgid_shown)
{
	struct pid *tid = gapp_thread_tid(thread), *tgid = thread->tgid;

	if (likely(!settings->ns_level)) {
		*tid_shown = tid->numbers[0].nr;
		*tgid_shown = tgid->numbers[0].nr;
	} else {
		*tid_shown = pid_nr_ns(tid, settings->ns);
		*tgid_shown = pid_nr_ns(tgid, settings->ns);
	}
	return tid == tgid ? GAPP_SLICE_LEADER : 0;
}

/*
 * Whose slice it is, and who woke the thread. Comes after put_ids(). What is adjacent in memory is
 * loaded before any of it is stored: then the compiler may copy it in one piece.
 */
static __always_inline void put_identity(const struct gapp_thread *thread, u32 image,
					 const char *comm, u32 flags,
					 const struct gapp_waker *waker,
					 struct gapp_record_slice *record)
{
	const s32 tid = waker->tid, tgid = waker->tgid;

	record->flags = flags | waker->flags;
	record->image = image;
	record->target = thread->target->id;
	gapp_copy_comm(record->comm, comm);
	record->waker_cpu = waker->cpu;
	record->waker_tid = tid;
	record->waker_tgid = tgid;
}

/* Where each sample hit the thread stands behind the samples. */
static __always_inline u32 sample_bytes(u32 samples)
{
	return samples * sizeof(struct gapp_sample) + round_up(samples * sizeof(s32), sizeof(u64));
}

static __always_inline void put_samples(const struct gapp_cpu *cpu, u32 samples,
					struct gapp_record_slice *record)
{
	struct gapp_sample *sample = (struct gapp_sample *)(record + 1);
	s32 *in = (s32 *)(sample + samples);

	memcpy(sample, cpu->sample, samples * sizeof(*sample));
	memcpy(in, cpu->sample_in, samples * sizeof(*in));
	if (samples % 2)
		in[samples] = 0;
}

/* Returns GAPP_SLICE_FILE. */
static u32 put_file(const struct gapp_exported_wait *wait, void *to)
{
	memcpy(to, &wait->file, sizeof(wait->file));
	return GAPP_SLICE_FILE;
}

/* Bytes behind all else of a record for the lock in the kernel of its wait. */
static __always_inline u32 lock_bytes(const struct gapp_cpu *cpu, u8 reason)
{
	return unlikely(cpu->unwinder.settings->kernel_locks) && reason == GAPP_WAIT_KERNEL_LOCK ?
		       sizeof(struct gapp_wait_lock) :
		       0;
}

/* Bytes behind all else of a slice's record for what was counted in it. */
static __always_inline u32 tally_bytes(const struct gapp_cpu *cpu)
{
	return unlikely(cpu->unwinder.settings->slice_tallies) ?
		       gapp_slice_tally_bytes(cpu->session) :
		       0;
}

static __always_inline void put_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
				      const struct gapp_export *export, const u32 samples)
{
	const struct gapp_slice_end *end = &export->end;
	u64 time_ns = gapp_record_time(&cpu->writer, export->t);
	const bool file = export->then == GAPP_THEN_WAIT && export->wait.has_file;
	const u32 file_at = sizeof(struct gapp_record_slice) + sample_bytes(samples);
	const u32 lock_at = file_at + (file ? sizeof(struct gapp_wait_file) : 0);
	const u32 lock = export->then == GAPP_THEN_WAIT ? lock_bytes(cpu, export->wait.reason) : 0;
	const u32 tallies_at = lock_at + lock, tallies = tally_bytes(cpu);
	const u32 size = tallies_at + tallies;
	struct gapp_record_slice *record;
	u32 leader;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_SLICE, size, time_ns,
				     end->critical_share, 0);
	if (!record)
		return;
	leader = put_ids(cpu->unwinder.settings, thread, &record->tid, &record->tgid);
	put_identity(thread, export->image, gapp_thread_comm(thread), export->flags | leader,
		     &export->waker, record);
	record->begin_ns = gapp_clock_of(cpu->writer.threads, end->begin);
	record->critical_share = end->critical_share;
	record->own_critical_share = end->own_critical_share;
	record->cmetric = end->cmetric;
	record->thread_ns = end->thread_ns;
	record->slices = end->slices;
	record->n = export->n;
	record->then = export->then;
	record->wait = export->then == GAPP_THEN_WAIT ? export->wait.reason : GAPP_WAIT_OTHER;
	record->sample_count = samples;
	record->path = export->wait.path;
	record->kernel_path = export->wait.kernel_path;
	record->syscall = export->wait.syscall;
	memcpy(record->args, export->wait.args, sizeof(record->args));
	gapp_acc_waiting(&thread->target->acc, record->waiting);
	if (samples)
		put_samples(cpu, samples, record);
	if (file)
		record->flags |= put_file(&export->wait, (u8 *)record + file_at);
	if (lock)
		record->flags |=
			gapp_put_lock(cpu->unwinder.settings, thread, (u8 *)record + lock_at);
	if (tallies)
		record->flags |= gapp_put_slice_tallies(cpu, thread, export->then,
							(u8 *)record + tallies_at);
	gapp_record_commit(&cpu->writer, size);
}

/*
 * put_slice() of cpu->open, which ends at @at by a usual event. The thread has noted its wait and
 * its call path. @more: the record may have the file and the lock of the wait, and tallies. The
 * thread's task goes to sleep on this CPU, so its descriptors are still those of its system call.
 */
static __always_inline void put_usual_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
					    enum gapp_then then, const struct gapp_at *at,
					    const struct gapp_slice_share *share,
					    const struct gapp_waker *waker, const bool more)
{
	const struct gapp_last_wait *last = &thread->last_wait;
	const bool waits = more && then == GAPP_THEN_WAIT;
	const bool file = waits && cpu->unwinder.settings->wait_files &&
			  gapp_waits_on_fd(last->syscall);
	const u32 lock_at =
		sizeof(struct gapp_record_slice) + (file ? sizeof(struct gapp_wait_file) : 0);
	const u32 lock = waits ? lock_bytes(cpu, last->reason) : 0;
	const u32 tallies_at = lock_at + lock, tallies = more ? tally_bytes(cpu) : 0;
	const u32 size = tallies_at + tallies;
	const u32 path = last->path, kernel_path = last->kernel_path;
	const u64 begin_ns = gapp_clock_of(cpu->writer.threads, cpu->open.begin.t);
	struct gapp_record_slice *record;
	u32 leader;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_SLICE, size,
				     gapp_record_time(&cpu->writer, at->t), share->critical, 0);
	if (!record)
		return;
	record->begin_ns = begin_ns;
	leader = put_ids(cpu->unwinder.settings, thread, &record->tid, &record->tgid);
	put_identity(thread, thread->image, thread->task->comm, leader, waker, record);
	record->critical_share = share->critical;
	record->own_critical_share = share->own;
	record->cmetric = gapp_slice_cmetric(&cpu->open, at);
	record->thread_ns = gapp_slice_thread_ns(&cpu->open, at);
	record->slices = share->slices;
	record->n = at->n;
	record->then = then;
	record->wait = then == GAPP_THEN_WAIT ? last->reason : GAPP_WAIT_OTHER;
	record->sample_count = 0;
	record->path = path;
	record->kernel_path = kernel_path;
	record->syscall = last->syscall;
	if (last->syscall >= 0)
		gapp_syscall_args(thread->task, task_pt_regs(thread->task), record->args);
	else
		memset(record->args, 0, sizeof(record->args));
	gapp_acc_waiting(&thread->target->acc, record->waiting);
	if (file) {
		gapp_fd_describe(thread->task, record->args[0],
				 (struct gapp_wait_file *)(record + 1));
		record->flags |= GAPP_SLICE_FILE;
	}
	if (lock)
		record->flags |=
			gapp_put_lock(cpu->unwinder.settings, thread, (u8 *)record + lock_at);
	if (tallies)
		record->flags |=
			gapp_put_slice_tallies(cpu, thread, then, (u8 *)record + tallies_at);
	gapp_record_commit(&cpu->writer, size);
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

/* Bytes behind a record's structure for the waker's call path. */
static u32 waker_path_bytes(const struct gapp_export *export)
{
	return export->what & GAPP_EXPORT_ENDED && export->woken_from.image ?
		       sizeof(struct gapp_waker_path) :
		       0;
}

/* Returns GAPP_SLICE_WAKER_PATH. */
static u32 put_waker_path(const struct gapp_export *export, void *to)
{
	struct gapp_waker_path *path = to;

	path->path = export->woken_from.path;
	path->image = export->woken_from.image;
	return GAPP_SLICE_WAKER_PATH;
}

static void write_wait(struct gapp_cpu *cpu, struct gapp_thread *thread,
		       const struct gapp_export *export)
{
	const struct gapp_exported_wait *exported =
		export->what & GAPP_EXPORT_EARLIER_WAIT ? &export->earlier_wait : &export->wait;
	const u32 file_at = sizeof(struct gapp_record_wait) + waker_path_bytes(export);
	const u32 lock_at = file_at + (exported->has_file ? sizeof(struct gapp_wait_file) : 0);
	const u32 lock = lock_bytes(cpu, exported->reason);
	const u32 size = lock_at + lock;
	u64 time_ns = gapp_record_time(&cpu->writer, export->t);
	struct gapp_record_wait *record;
	u32 leader;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_WAIT, size, time_ns, 0,
				     export->wait_ns);
	if (!record)
		return;
	leader = put_ids(cpu->unwinder.settings, thread, &record->tid, &record->tgid);
	record->flags = export->flags | export->waker.flags | leader;
	record->image = export->image;
	record->target = thread->target->id;
	gapp_copy_comm(record->comm, gapp_thread_comm(thread));
	record->begin_ns = gapp_clock_of(cpu->writer.threads, export->wait_begin);
	record->wait_ns = export->wait_ns;
	record->stretches = export->stretches;
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
	if (file_at > sizeof(*record))
		record->flags |= put_waker_path(export, record + 1);
	if (exported->has_file)
		record->flags |= put_file(exported, (u8 *)record + file_at);
	if (lock)
		record->flags |=
			gapp_put_lock(cpu->unwinder.settings, thread, (u8 *)record + lock_at);
	gapp_record_commit(&cpu->writer, size);
}

/*
 * Fills in the record of a wake-up at session time @t, after which @n threads are active. @size:
 * bytes of the record. NULL: there is no room for it.
 */
static __always_inline struct gapp_record_wake *put_wake(struct gapp_cpu *cpu,
							 struct gapp_thread *thread, u64 t, u32 n,
							 const struct gapp_waker *waker, u32 size)
{
	const s32 tid = waker->tid, tgid = waker->tgid;
	u64 time_ns = gapp_record_time(&cpu->writer, t);
	struct gapp_record_wake *record;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_WAKE, size, time_ns, 0, 0);
	if (!record)
		return NULL;
	put_ids(cpu->unwinder.settings, thread, &record->tid, &record->tgid);
	record->target = thread->target->id;
	record->n = n;
	record->flags = waker->flags;
	record->waker_cpu = waker->cpu;
	record->waker_tid = tid;
	record->waker_tgid = tgid;
	return record;
}

/* The record of a wake-up of the thread, at session time @t, after which @n threads are active. */
GAPP_HOT __always_inline void gapp_export_wake(struct gapp_cpu *cpu, struct gapp_thread *thread,
					       u64 t, u32 n, const struct gapp_waker *waker)
{
	if (put_wake(cpu, thread, t, n, waker, sizeof(struct gapp_record_wake)))
		gapp_record_commit(&cpu->writer, sizeof(struct gapp_record_wake));
}

static void write_wake(struct gapp_cpu *cpu, struct gapp_thread *thread,
		       const struct gapp_export *export)
{
	const u32 size = sizeof(struct gapp_record_wake) + waker_path_bytes(export);
	struct gapp_record_wake *record =
		put_wake(cpu, thread, export->t, export->n, &export->waker, size);

	if (!record)
		return;
	if (size > sizeof(*record))
		record->flags |= put_waker_path(export, record + 1);
	gapp_record_commit(&cpu->writer, size);
}

static void lose(struct gapp_cpu *cpu, u64 share, u64 wait_ns, u64 time_ns)
{
	u64 *over_budget = &cpu->unwinder.records_over_budget;

	gapp_ring_lose(&cpu->writer.ring, share, wait_ns, time_ns);
	/* Pairs with the acquire in gapp_cpus_counters(). */
	smp_store_release(over_budget, *over_budget + 1);
}

/*
 * Takes the call path and notes it in the thread: no wake-up of the thread can come before its
 * switch-out is done, so its last wait is written here without its lock. If other sessions have
 * used up the time of this switch there is no path; false: far beyond it, and there may be no
 * record.
 */
static bool take_path(struct gapp_cpu *cpu, struct gapp_thread *thread, u32 image, u64 t,
		      enum gapp_then then)
{
	struct gapp_unwinder *unwinder = &cpu->unwinder;
	u64 used_ns = gapp_budget_used(gapp_clock_of(cpu->writer.threads, t));
	struct gapp_last_wait *last = &thread->last_wait;

	last->kernel_path = GAPP_PATH_NONE;
	if (then == GAPP_THEN_WAIT)
		last->paths = GAPP_PATHS_KNOWN;
	if (unlikely(used_ns >= unwinder->settings->switch_ns)) {
		gapp_callpath_leave_out(unwinder);
		last->path = GAPP_PATH_NONE;
		return used_ns < unwinder->settings->record_ns;
	}
	last->path = gapp_callpath_user(unwinder, thread, image, t);
	if (unwinder->settings->kernel_paths && !gapp_in_user_code())
		last->kernel_path = gapp_callpath_kernel(unwinder, gapp_interrupted_kernel());
	return true;
}

static void lose_slice(struct gapp_cpu *cpu, u64 critical_share, u64 t)
{
	lose(cpu, critical_share, 0, gapp_record_time(&cpu->writer, t));
}

/* Whether several sessions' events at @t leave no time for a record. Never for the only session. */
static noinline bool is_too_late(const struct gapp_cpu *cpu, u64 t)
{
	return !gapp_budget_allows_record(cpu->unwinder.settings,
					  gapp_clock_of(cpu->writer.threads, t));
}

static noinline bool loses_slice(struct gapp_cpu *cpu, u64 critical_share, u64 t)
{
	if (!is_too_late(cpu, t))
		return false;
	lose_slice(cpu, critical_share, t);
	return true;
}

static __always_inline bool is_shared(void)
{
	return READ_ONCE(gapp_budget_sessions) > 1;
}

/* Counts the records as lost. */
static noinline void leave_out(struct gapp_cpu *cpu, const struct gapp_thread *thread,
			       struct gapp_export *export)
{
	const u64 time_ns = gapp_record_time(&cpu->writer, export->t);

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
 * gapp_export_slice() of a session that takes no call paths; the thread may be locked. @files: the
 * session's records have the files of waits.
 */
GAPP_HOT __always_inline void gapp_export_pathless(struct gapp_cpu *cpu, struct gapp_thread *thread,
						   enum gapp_then then, const struct gapp_at *at,
						   const struct gapp_slice_share *share,
						   const bool files)
{
	if (likely(!is_shared() || !loses_slice(cpu, share->critical, at->t)))
		put_usual_slice(cpu, thread, then, at, share, &thread->waker, files);
}

/* gapp_export_slice() where settings.special_records. */
static noinline void export_specially(struct gapp_cpu *cpu, struct gapp_thread *thread,
				      enum gapp_then then, const struct gapp_at *at,
				      const struct gapp_slice_share *share,
				      const struct gapp_waker *waker)
{
	const struct gapp_settings *settings = cpu->unwinder.settings;

	if (settings->paths_at_first == GAPP_PATHS_KNOWN) {
		if (is_shared() && loses_slice(cpu, share->critical, at->t))
			return;
	} else if (unlikely(!take_path(cpu, thread, thread->image, at->t, then))) {
		lose_slice(cpu, share->critical, at->t);
		return;
	}
	if (settings->wait_files || settings->kernel_locks || settings->slice_tallies)
		put_usual_slice(cpu, thread, then, at, share, waker, true);
	else
		put_usual_slice(cpu, thread, then, at, share, waker, false);
}

/* Nearly every record: the slice cpu->open that ends at @at, and its call path if any is taken. */
GAPP_HOT __always_inline void gapp_export_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
						enum gapp_then then, const struct gapp_at *at,
						const struct gapp_slice_share *share,
						const struct gapp_waker *waker)
{
	if (unlikely(cpu->unwinder.settings->special_records))
		export_specially(cpu, thread, then, at, share, waker);
	else if (unlikely(!take_path(cpu, thread, thread->image, at->t, then)))
		lose_slice(cpu, share->critical, at->t);
	else
		put_usual_slice(cpu, thread, then, at, share, waker, false);
}

/* Writes the record of a store by current, @thread; NULL: the store is somebody else's. */
void gapp_export_store(struct gapp_cpu *cpu, const struct gapp_thread *thread,
		       const struct gapp_store *store)
{
	const u64 time_ns = gapp_record_time(&cpu->writer, store->t);
	struct gapp_record_store *record;

	record = gapp_record_reserve(&cpu->writer, GAPP_RECORD_STORE, sizeof(*record), time_ns, 0,
				     0);
	if (!record)
		return;
	record->tid = 0;
	record->tgid = 0;
	record->target = 0;
	if (thread) {
		put_ids(cpu->unwinder.settings, thread, &record->tid, &record->tgid);
		record->target = thread->target->id;
	}
	record->image = store->from.image;
	record->address = store->address;
	record->value = store->value;
	record->path = store->from.path;
	record->flags = store->flags;
	gapp_record_commit(&cpu->writer, sizeof(*record));
}

/*
 * Writes the record of a mark that current, @thread, makes at @at. Marks have half a ring at most,
 * as stack copies do, so a program that makes many leaves room for slices and waits.
 */
void gapp_export_mark(struct gapp_cpu *cpu, const struct gapp_thread *thread,
		      const struct gapp_at *at, u32 flags, const struct gapp_mark_text *mark)
{
	const u32 text_bytes = round_up(mark->bytes + 1, sizeof(u64));
	const u32 size = sizeof(struct gapp_record_mark) + text_bytes;
	const u64 left_out = cpu->marks_left_out - cpu->marks_left_out_told;
	struct gapp_record_mark *record;

	record = gapp_record_try(&cpu->writer, GAPP_RECORD_MARK, size,
				 gapp_record_time(&cpu->writer, at->t));
	if (!record) {
		gapp_count(cpu->marks_left_out, 1);
		gapp_record_ask(&cpu->writer);
		return;
	}
	put_ids(cpu->unwinder.settings, thread, &record->tid, &record->tgid);
	record->image = READ_ONCE(thread->image);
	record->target = thread->target->id;
	gapp_copy_comm(record->comm, thread->task->comm);
	record->thread_ns = flags & GAPP_MARK_INTEGRALS ? at->s : 0;
	record->n = flags & GAPP_MARK_INTEGRALS ? at->n : 0;
	record->flags = flags;
	record->kind = mark->kind;
	record->bytes = mark->bytes;
	record->left_out = min_t(u64, left_out, U32_MAX);
	memcpy(record + 1, mark->text, text_bytes);
	cpu->marks_left_out_told += record->left_out;
	gapp_record_commit(&cpu->writer, size);
	if (cpu->writer.asked)
		gapp_record_ask(&cpu->writer);
}

/* Writes the records of an event. If they need a call path, @thread is current. */
noinline __noclone __flatten void
gapp_export_write(struct gapp_cpu *cpu, struct gapp_thread *thread, struct gapp_export *export)
{
	if (export->what & GAPP_EXPORT_PATH) {
		if (!take_path(cpu, thread, export->image, export->t, export->then))
			leave_out(cpu, thread, export);
		export->wait.path = thread->last_wait.path;
		export->wait.kernel_path = thread->last_wait.kernel_path;
	} else if (export->what & GAPP_EXPORT_SLICE && is_shared() && is_too_late(cpu, export->t)) {
		leave_out(cpu, thread, export);
	}
	if (export->what & GAPP_EXPORT_SLICE)
		write_slice(cpu, thread, export);
	if (export->what & GAPP_EXPORT_WAIT)
		write_wait(cpu, thread, export);
	if (export->what & GAPP_EXPORT_WAKE)
		write_wake(cpu, thread, export);
}
