// SPDX-License-Identifier: GPL-2.0
/*
 * Applies events to a thread's slice and waits, and finds out what to export. In all functions here
 * the thread is locked and interrupts are off.
 */
#include <linux/stat.h>

#include "compat/file.h"
#include "compat/regs.h"
#include "switch.h"

/* The kinds of files are the types in an inode's mode. */
static_assert(GAPP_FD_PIPE == S_IFIFO >> 12 && GAPP_FD_CHAR == S_IFCHR >> 12 &&
	      GAPP_FD_DIRECTORY == S_IFDIR >> 12 && GAPP_FD_BLOCK == S_IFBLK >> 12 &&
	      GAPP_FD_FILE == S_IFREG >> 12 && GAPP_FD_SOCKET == S_IFSOCK >> 12);

/* As in the kernel, the upper half of the argument does not count. */
static enum gapp_fd_kind fd_kind(struct task_struct *task, u32 fd)
{
	const u32 mode = gapp_fd_mode(task, fd), type = mode >> 12;

	if (unlikely(!type))
		return mode ? GAPP_FD_OTHER : GAPP_FD_UNKNOWN;
	return type;
}

/*
 * A thread keeps the number of its system call in 16 bits: S16_MAX stands for all higher ones, -1
 * for none.
 */
static s16 note_syscall(s32 syscall)
{
	return clamp_t(s32, syscall, -1, S16_MAX);
}

/* Sets the noted system call, without arguments: the thread's registers cannot be read. */
static void forget_call(s16 note, struct gapp_exported_wait *wait)
{
	wait->syscall = note == S16_MAX ? -1 : note;
	wait->has_file = false;
	wait->args[0] = 0;
	wait->args[1] = 0;
	wait->args[2] = 0;
}

/* The task is in the system call @wait->syscall, and runs no user code meanwhile. */
static void take_file(const struct gapp_settings *settings, struct task_struct *task,
		      struct gapp_exported_wait *wait)
{
	wait->has_file = settings->wait_files && gapp_waits_on_fd(wait->syscall);
	if (wait->has_file)
		gapp_fd_describe(task, wait->args[0], &wait->file);
}

/*
 * Sets the noted system call, and its arguments if the task is still in that call: then returns
 * true. The task is current, or cannot run now.
 */
static bool recall_syscall(const struct gapp_settings *settings, struct task_struct *task, s16 note,
			   struct gapp_exported_wait *wait)
{
	struct pt_regs *regs = gapp_shows_regs(settings, task) ? task_pt_regs(task) : NULL;
	s32 syscall = gapp_syscall(task, regs, wait->args);

	if (regs && note_syscall(syscall) == note) {
		wait->syscall = syscall;
		take_file(settings, task, wait);
		return true;
	}
	forget_call(regs ? note : -1, wait);
	return false;
}

/* The records of a wait in a busy-wait loop say for which word it is. */
static noinline void put_word(const struct gapp_session *session, const struct gapp_thread *thread,
			      u32 what, struct gapp_export *export)
{
	const struct gapp_spun_word *word = &export->spun_for;

	if (!(what & GAPP_EXPORT_SLICE) || export->then != GAPP_THEN_WAIT) {
		if (!session->settings.spins || !gapp_keeps_waits(&session->settings))
			return;
		word = &container_of(thread, const struct gapp_waiting_thread, thread)->spun_for;
	}
	export->wait.args[0] = word->address;
	export->wait.args[1] = word->compared;
	export->wait.args[2] = (u64)word->number;
}

/* Copies what records need from the thread, except the system call. */
static __always_inline void describe(const struct gapp_thread *thread, u32 what,
				     struct gapp_export *export)
{
	const struct gapp_last_wait *last = &thread->last_wait;
	bool known;

	export->waker = thread->waker;
	if (what == GAPP_EXPORT_WAKE)
		return;
	export->image = thread->image;
	export->wait.reason = last->reason;
	if (what & GAPP_EXPORT_PATH)
		return;
	known = last->paths == GAPP_PATHS_KNOWN;
	export->wait.path = known ? last->path : GAPP_PATH_NONE;
	export->wait.kernel_path = known ? last->kernel_path : GAPP_PATH_NONE;
}

/*
 * Copies what the records @what of an event need from the thread, which is on this CPU, or has just
 * been woken or found asleep. gapp_export_at() comes before.
 */
__always_inline void gapp_slices_describe(const struct gapp_session *session,
					  const struct gapp_thread *thread, u32 what,
					  struct gapp_export *export)
{
	const s16 note = thread->last_wait.syscall;

	describe(thread, what, export);
	if (!(what & (GAPP_EXPORT_SLICE | GAPP_EXPORT_WAIT)))
		return;
	if (export->then == GAPP_THEN_WAIT && what & GAPP_EXPORT_SLICE && note >= 0 &&
	    note < S16_MAX) {
		/* the event itself has noted the call */
		export->wait.syscall = note;
		gapp_syscall_args(thread->task, task_pt_regs(thread->task), export->wait.args);
		take_file(&session->settings, thread->task, &export->wait);
	} else if (note >= 0) {
		recall_syscall(&session->settings, thread->task, note, &export->wait);
	} else {
		forget_call(-1, &export->wait);
		if (unlikely(export->wait.reason == GAPP_WAIT_SPIN))
			put_word(session, thread, what, export);
	}
}

static enum gapp_then then_of(enum gapp_event event, const struct gapp_at *at)
{
	if (at->phase == GAPP_PHASE_STOPPED)
		return GAPP_THEN_STOPPED;
	switch (event) {
	case GAPP_EV_OUT_ASLEEP:
	case GAPP_EV_SPIN:
		return GAPP_THEN_WAIT;
	case GAPP_EV_OUT_DEAD:
		return GAPP_THEN_EXITED;
	default:
		return GAPP_THEN_PREEMPTED;
	}
}

/*
 * Whether the thread, which is on this CPU, has an open slice; if so, cpu->open is that slice. A
 * thread that ran when it joined was not switched in: its slice begins when its state was found.
 */
bool gapp_slices_open(struct gapp_cpu *cpu, struct gapp_thread *thread)
{
	const struct gapp_task *task = &thread->core;
	struct gapp_at found;

	if (task->state != GAPP_THREAD_RUNNING || thread->flags & GAPP_THREAD_ENDED)
		return false;
	if (cpu->open_of == thread)
		return true;
	found.t = task->t;
	found.g = task->g;
	found.c = task->c;
	found.s = gapp_thread_s_found(thread);
	gapp_slice_begin(&cpu->open, &found);
	cpu->open_of = thread;
	return true;
}

/* Whether a sample has hit the open slice, or its last part, of the thread on this CPU. */
static __always_inline bool is_sampled(const struct gapp_cpu *cpu, const struct gapp_thread *thread)
{
	return cpu->sampled == thread && cpu->sample_count;
}

/* Counts a slice that has ended. */
static __always_inline void count_slice(struct gapp_cpu *cpu, u64 own, bool critical, bool sampled)
{
	cpu->open_of = NULL;
	gapp_count(cpu->critical_run, own);
	gapp_count(cpu->slices, 1);
	if (!critical)
		return;
	gapp_count(cpu->critical_slices, 1);
	if (!sampled)
		gapp_count(cpu->unsampled_slices, 1);
}

/*
 * Ends the open slice, or a part, of the thread on this CPU. Returns whether a slice record is due,
 * for which export->end is set then.
 */
static bool end_slice(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_slice_how how, const struct gapp_at *at,
		      struct gapp_export *export)
{
	struct gapp_slice_end end;

	gapp_slice_end(&thread->slice, &cpu->open, &session->settings.rule, at, how,
		       is_sampled(cpu, thread), &end);
	if (how == GAPP_SLICE_GOES_ON)
		gapp_count(cpu->critical_run, end.own_critical_share);
	else
		count_slice(cpu, end.own_critical_share, end.critical, end.sampled);
	if (end.due && session->settings.level != GAPP_LEVEL_STATS) {
		export->end = end;
		return true;
	}
	if (unlikely(cpu->sampled))
		gapp_cpu_drop_samples(cpu);
	return false;
}

/* gapp_slices_begin_wait(). @special: of a session with settings.special_waits. */
static __always_inline u8 begin_wait(const struct gapp_session *session, struct gapp_thread *thread,
				     const bool special)
{
	const struct gapp_settings *settings = &session->settings;
	struct task_struct *task = thread->task;
	const bool shown = special ? gapp_shows_regs(settings, task) : gapp_has_user_regs(task);
	struct pt_regs *regs = task_pt_regs(task);
	struct gapp_last_wait *last = &thread->last_wait;
	struct gapp_wait_start start = {
		.syscall = shown ? gapp_syscall_number(task, regs) : -1,
		.io_wait = gapp_task_in_iowait(task),
	};
	const u32 kind = gapp_wait_kind(start.syscall);

	last->paths = settings->paths_at_first;
	last->syscall = note_syscall(start.syscall);
	if (gapp_wait_needs_fd(kind))
		start.fd = fd_kind(task, gapp_syscall_arg0(task, regs));
	else if (likely(start.syscall >= 0))
		gapp_syscall_args(task, regs, start.args);
	else
		start.user = shown && task->mm && !gapp_in_32_bit_call(task);
	last->reason = gapp_wait_reason_of(kind, &start);
	/* who may not see a process's system calls does not learn of its locks either */
	if (special && settings->kernel_locks && (shown || !settings->restricted) &&
	    gapp_sleeps_for_lock(thread))
		last->reason = gapp_wait_reason_in_lock(last->reason);
	return last->reason;
}

static noinline u8 begin_special_wait(const struct gapp_session *session,
				      struct gapp_thread *thread)
{
	return begin_wait(session, thread, true);
}

/*
 * From now on the thread waits. Returns enum gapp_wait_reason. What the thread waits in stands in
 * its registers: no tracepoint of system calls is needed.
 */
u8 gapp_slices_begin_wait(const struct gapp_session *session, struct gapp_thread *thread)
{
	if (unlikely(session->settings.special_waits))
		return begin_special_wait(session, thread);
	return begin_wait(session, thread, false);
}

/* The thread's slice ends, but the thread does not wait. */
static void note_no_sleep(const struct gapp_session *session, struct gapp_thread *thread)
{
	struct gapp_last_wait *last = &thread->last_wait;

	last->paths = session->settings.paths_at_first;
	last->syscall = -1;
	last->reason = thread->wait_reason == GAPP_WAIT_NONE ? GAPP_WAIT_OTHER :
							       thread->wait_reason;
}

/*
 * The thread was found asleep a while ago; it may have been woken since, and may even be dead, if
 * those events were posted. If it sleeps now it goes on to do so, for its wake-up event needs its
 * lock. Returns enum gapp_wait_reason.
 */
u8 gapp_slices_found_asleep(const struct gapp_session *session, struct gapp_thread *thread)
{
	if (gapp_observe(thread->task) == GAPP_EV_SEED_BLOCKED)
		return gapp_slices_begin_wait(session, thread);
	note_no_sleep(session, thread);
	return thread->last_wait.reason;
}

/*
 * The thread is switched out, or found asleep, by an event that is posted: notes what only now can
 * be known.
 */
void gapp_slices_post(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_event event, struct gapp_post *post)
{
	post->flags = 0;
	post->reason = GAPP_WAIT_NONE;
	if (session->settings.level != GAPP_LEVEL_STATS) {
		if (event == GAPP_EV_OUT_ASLEEP)
			post->reason = gapp_slices_begin_wait(session, thread);
		else if (event == GAPP_EV_SEED_BLOCKED)
			post->reason = gapp_slices_found_asleep(session, thread);
		else if (event == GAPP_EV_OUT_RUNNABLE)
			note_no_sleep(session, thread);
	}
	if (!gapp_is_switch_out(event))
		return;
	post->kernel_runq = gapp_task_run_delay(thread->task);
	if (cpu->open_of != thread)
		return;
	post->begin = cpu->open.begin;
	post->flags = GAPP_POST_OPEN;
	if (cpu->open.marks & GAPP_OPEN_CRITICAL)
		post->flags |= GAPP_POST_CRITICAL;
	if (cpu->open.marks & GAPP_OPEN_SAMPLED || is_sampled(cpu, thread))
		post->flags |= GAPP_POST_SAMPLED;
	cpu->open_of = NULL;
	if (cpu->sampled)
		gapp_cpu_drop_samples(cpu);
}

/*
 * The slice of a posted switch-out ends: its share is carried to a later record. @begin: its begin
 * if the thread was switched in by a post, too.
 */
void gapp_slices_carry(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, const struct gapp_post *post,
		       const struct gapp_since *begin, const struct gapp_at *at)
{
	const struct gapp_open_slice open = {
		.begin = post->flags & GAPP_POST_OPEN ? post->begin : *begin,
	};
	u64 own = gapp_slice_carry(&thread->slice, &open, &session->settings.rule, at);

	gapp_count(cpu->critical_run, own);
	gapp_count(cpu->slices, 1);
	if (!own && !(post->flags & GAPP_POST_CRITICAL))
		return;
	gapp_count(cpu->critical_slices, 1);
	gapp_count(cpu->unsampled_slices, !(post->flags & GAPP_POST_SAMPLED));
}

/* Takes what is carried of the thread's waits; returns GAPP_EXPORT_WAIT, or 0 if that is nothing.
 */
static u32 take_wait(struct gapp_session *session, struct gapp_thread *thread,
		     struct gapp_export *export)
{
	export->wait_begin = thread->slice.wait_begin;
	export->wait_ns =
		gapp_slice_take_wait(&thread->slice, &session->settings.rule, &export->stretches);
	return export->wait_ns ? GAPP_EXPORT_WAIT : 0;
}

/*
 * A thread that is gone may be freed before the session ends, so the rest of its waits is exported
 * now. Those waits ended with @last, not with the switch-out by which the thread leaves.
 */
static void take_last_wait(struct gapp_session *session, struct gapp_thread *thread,
			   const struct gapp_last_wait *last, struct gapp_export *export)
{
	const bool known = last->paths == GAPP_PATHS_KNOWN;

	if (!take_wait(session, thread, export))
		return;
	export->what |= GAPP_EXPORT_WAIT | GAPP_EXPORT_EARLIER_WAIT;
	export->earlier_wait.path = known ? last->path : GAPP_PATH_NONE;
	export->earlier_wait.kernel_path = known ? last->kernel_path : GAPP_PATH_NONE;
	export->earlier_wait.reason = last->reason;
	forget_call(last->syscall, &export->earlier_wait);
}

/* Whether the call path is needed: by a slice record, or as the thread leaves nobody active. */
static bool wants_path(const struct gapp_session *session, u32 what, bool asleep,
		       const struct gapp_at *at)
{
	return (what & GAPP_EXPORT_SLICE || (asleep && !at->n)) &&
	       session->settings.paths_at_first != GAPP_PATHS_KNOWN;
}

/*
 * The thread is switched out in a session that runs and writes records, its slice open. If it
 * waits, this comes after gapp_slices_begin_wait(). Returns false if there may be something to
 * export; then nothing was changed.
 */
bool gapp_slices_out_silently(const struct gapp_session *session, struct gapp_cpu *cpu,
			      struct gapp_thread *thread, enum gapp_then then,
			      const struct gapp_at *at)
{
	u64 own;

	if (wants_path(session, 0, then == GAPP_THEN_WAIT, at) ||
	    !gapp_slice_end_usual(&thread->slice, &cpu->open, at, &own))
		return false;
	count_slice(cpu, own, own, false);
	if (then != GAPP_THEN_WAIT)
		note_no_sleep(session, thread);
	return true;
}

/*
 * The same, but a slice record is due, and nothing else that is rare. Returns false if that is not
 * so; then nothing was changed.
 */
bool gapp_slices_out_usually(const struct gapp_session *session, struct gapp_cpu *cpu,
			     struct gapp_thread *thread, enum gapp_then then,
			     const struct gapp_at *at, struct gapp_slice_share *share)
{
	if (then == GAPP_THEN_WAIT && thread->last_wait.syscall == S16_MAX)
		return false;
	if (!gapp_slice_take_usual(&thread->slice, &cpu->open, &session->settings.rule, at, share))
		return false;
	count_slice(cpu, share->own, share->own, false);
	if (then != GAPP_THEN_WAIT)
		note_no_sleep(session, thread);
	return true;
}

/* The same, whatever there is to export. Returns that, as in gapp_export.what. */
u32 gapp_slices_out(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		    enum gapp_then then, const struct gapp_at *at, struct gapp_export *export)
{
	u32 what = 0;

	if (end_slice(session, cpu, thread, GAPP_SLICE_SWITCHED, at, export))
		what = GAPP_EXPORT_SLICE;
	if (then != GAPP_THEN_WAIT)
		note_no_sleep(session, thread);
	if (wants_path(session, what, then == GAPP_THEN_WAIT, at))
		what |= GAPP_EXPORT_PATH;
	return what;
}

static void close_slice(struct gapp_session *session, struct gapp_cpu *cpu,
			struct gapp_thread *thread, enum gapp_event event, const struct gapp_at *at,
			struct gapp_export *export)
{
	const struct gapp_last_wait block = thread->last_wait;
	enum gapp_slice_how how = GAPP_SLICE_SWITCHED;

	if (event == GAPP_EV_OUT_DEAD || at->phase == GAPP_PHASE_STOPPED)
		how = GAPP_SLICE_LAST;
	if (end_slice(session, cpu, thread, how, at, export))
		export->what |= GAPP_EXPORT_SLICE;
	if (session->settings.level == GAPP_LEVEL_STATS)
		return;
	if (event != GAPP_EV_OUT_ASLEEP)
		note_no_sleep(session, thread);
	if (event == GAPP_EV_OUT_DEAD)
		take_last_wait(session, thread, &block, export);
	/* only now the thread shows where it spins */
	if (wants_path(session, event == GAPP_EV_SPIN ? GAPP_EXPORT_SLICE : export->what,
		       event == GAPP_EV_OUT_ASLEEP, at))
		export->what |= GAPP_EXPORT_PATH;
	export->then = then_of(event, at);
}

/* An event has been applied to the thread; @open: the thread's slice was open before the event. */
void gapp_slices_event(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, enum gapp_event event, bool open,
		       const struct gapp_at *at, struct gapp_export *export)
{
	if (at->phase == GAPP_PHASE_BEFORE) {
		if (open)
			cpu->open_of = NULL;
	} else if (open) {
		close_slice(session, cpu, thread, event, at, export);
		if (at->phase == GAPP_PHASE_STOPPED)
			gapp_thread_add_flags(thread, GAPP_THREAD_ENDED);
	}
	if (event != GAPP_EV_IN && event != GAPP_EV_WORK)
		return;
	if (at->phase != GAPP_PHASE_STOPPED && thread->core.state == GAPP_THREAD_RUNNING) {
		gapp_slice_begin(&cpu->open, at);
		cpu->open_of = thread;
	}
	if (gapp_state_is_on_cpu(thread->core.state) && at->phase == GAPP_PHASE_RUNNING &&
	    session->settings.period_ns)
		export->what |= GAPP_EXPORT_ARM;
	if (at->phase != GAPP_PHASE_BEFORE && thread->last_wait.paths == GAPP_PATHS_WANTED)
		export->what |= GAPP_EXPORT_WANTED;
}

/*
 * After gapp_slices_event(): the event has made the thread active. If nobody was active before,
 * what the thread waited for is what all have waited for. @waited is false for a new thread. The
 * session runs and writes records. Returns what to export, as in gapp_export.what.
 */
u32 gapp_slices_active(struct gapp_session *session, struct gapp_thread *thread, bool waited,
		       const struct gapp_at *at, struct gapp_export *export)
{
	const u32 what = session->settings.at_wake;

	if (likely(!at->idle) || !waited ||
	    !gapp_slice_waited(&thread->slice, &session->settings.rule, at))
		return what;
	if (thread->last_wait.paths == GAPP_PATHS_KNOWN)
		return what | take_wait(session, thread, export);
	thread->last_wait.paths = GAPP_PATHS_WANTED;
	return what;
}

/*
 * Exports a part of the open slice of the thread on this CPU, without an event. GAPP_THEN_ON leaves
 * the slice open, GAPP_THEN_STOPPED ends it.
 */
void gapp_slices_part(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_then then, const struct gapp_at *at,
		      struct gapp_export *export)
{
	if (end_slice(session, cpu, thread,
		      then == GAPP_THEN_ON ? GAPP_SLICE_GOES_ON : GAPP_SLICE_LAST, at, export))
		export->what |= GAPP_EXPORT_SLICE;
	if (wants_path(session, export->what, false, at))
		export->what |= GAPP_EXPORT_PATH;
	export->then = then;
	if (then == GAPP_THEN_STOPPED)
		gapp_thread_add_flags(thread, GAPP_THREAD_ENDED);
	gapp_export_at(export, at);
	describe(thread, export->what, export);
	forget_call(-1, &export->wait);
}

/*
 * Takes the wait record that lacks current's call path. Returns whether current is still in the
 * system call in which it waited.
 */
bool gapp_slices_wanted(struct gapp_session *session, struct gapp_thread *thread,
			const struct gapp_at *at, struct gapp_export *export)
{
	thread->last_wait.paths = GAPP_PATHS_NONE;
	export->what |= take_wait(session, thread, export);
	gapp_export_at(export, at);
	describe(thread, export->what, export);
	return recall_syscall(&session->settings, thread->task, thread->last_wait.syscall,
			      &export->wait);
}

/*
 * Takes the shares and waits that a thread still carries when session time has ended; @end: the
 * integrals at that time. Returns whether there are any.
 */
bool gapp_slices_rest(struct gapp_session *session, struct gapp_thread *thread,
		      const struct gapp_at *end, struct gapp_export *export)
{
	if (session->settings.level == GAPP_LEVEL_STATS)
		return false;
	if (gapp_slice_rest(&thread->slice, &session->settings.rule, &export->end))
		export->what |= GAPP_EXPORT_SLICE;
	export->flags = GAPP_SLICE_REST;
	export->then = GAPP_THEN_STOPPED;
	export->what |= take_wait(session, thread, export);
	if (!export->what)
		return false;
	gapp_export_at(export, end);
	describe(thread, export->what, export);
	export->end.begin = end->t;
	export->wait.path = thread->last_wait.path;
	/*
	 * A thread that still waits cannot be woken now: its wake-up event needs its lock. One with
	 * posts may have been.
	 */
	if (thread->core.state == GAPP_THREAD_BLOCKED && !(thread->flags & GAPP_THREAD_ENDED) &&
	    !gapp_acc_has_posts(&thread->target->acc) && thread->last_wait.syscall >= 0)
		recall_syscall(&session->settings, thread->task, thread->last_wait.syscall,
			       &export->wait);
	else
		forget_call(thread->last_wait.syscall, &export->wait);
	return true;
}
