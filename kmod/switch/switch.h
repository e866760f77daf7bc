/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of switch/ that other files of switch/ or control/ call. Functions that only the
 * files in hot.c call are here too: the compiler inlines them.
 */
#ifndef GAPP_SWITCH_H
#define GAPP_SWITCH_H

#include "compat/compiler.h"
#include "compat/regs.h"
#include "compat/sched_tp.h"
#include "core/wait_reason.h"
#include "session.h"

/* hot.c makes these functions static. A tool that parses a file alone sees them as external. */
#ifndef GAPP_HOT
#define GAPP_HOT
#endif

/**
 * struct gapp_probe_kind - which probes sessions need
 * @stats: those of sessions that write no records
 * @trace: those of sessions that write a record of every event
 * @pathless: their slices have no call paths
 * @wakers: there is a probe that sees who wakes whom
 * @waits: they add up what threads wait for
 * @handovers: and which thread gives a CPU to which
 * @waker_paths: their records have call paths of wakers
 * @files: they are @pathless, and their records have files or locks of waits
 * @locks: there are probes that see who waits for which lock in the kernel
 * @tallies: there is a probe that adds up what is counted of threads
 */
struct gapp_probe_kind {
	bool stats;
	bool trace;
	bool pathless;
	bool wakers;
	bool waits;
	bool handovers;
	bool waker_paths;
	bool files;
	bool locks;
	bool tallies;
};

/**
 * struct gapp_seat - probes that are registered, for one session after the other
 * @session: the session that runs, or one that follows nobody; the probes read it without a lock
 * @kind: which probes they are
 * @node: in the list of all seats
 * @vacated: when the last session left, in jiffies
 */
struct gapp_seat {
	struct gapp_session *session;
	struct gapp_probe_kind kind;
	struct list_head node;
	unsigned long vacated;
};

/**
 * struct gapp_store - a store into the word that the session watches
 * @t: session time, in nanoseconds
 * @address: address of the word
 * @value: the word after the store
 * @from: where the thread was that stored; of the image alone if nothing is known of it
 * @flags: GAPP_STORE_* bits
 */
struct gapp_store {
	u64 t;
	u64 address;
	u64 value;
	struct gapp_noted_path from;
	u32 flags;
};

/* probes.c: the scheduler's tracepoints. Process context. */
int gapp_probes_find(void);
int gapp_probes_register(struct gapp_seat *seat);
void gapp_probes_unregister(struct gapp_seat *seat);
void gapp_probes_wait(void);

/*
 * The session in a seat, or one that follows nobody. A probe asks once: what it finds of the
 * session is there until the probe ends, but the session may leave the seat at any time. Pairs with
 * the release in gapp_seat_take(). @data: the seat.
 */
static __always_inline struct gapp_session *gapp_session_in(const void *data)
{
	const struct gapp_seat *seat = data;

	return READ_ONCE(seat->session);
}

/*
 * Of a probe at a tracepoint in a process's own context: what it finds stays until
 * gapp_leave_probe(), and it stays on its CPU. Since 7.0, a46023d5616e, the kernel itself calls
 * such probes with preemption on.
 */
static __always_inline void gapp_enter_probe(void)
{
	preempt_disable();
	rcu_read_lock();
}

static __always_inline void gapp_leave_probe(void)
{
	rcu_read_unlock();
	preempt_enable();
}

/* seats.c: which session the probes are for. Process context. */
int gapp_seat_take(struct gapp_session *session);
void gapp_seat_leave(struct gapp_session *session);
void gapp_seats_count(u32 *in_use, u32 *kept);
void gapp_seats_exit(void);

/*
 * usual.c: what the probes of switches and wake-ups call. @bucket: that of the task that
 * comes. @out_state: gapp_out_state() of @prev. Interrupts off, but of current's wake-up.
 */
GAPP_HOT void gapp_switched_stats(struct gapp_session *session, unsigned long bucket,
				  struct task_struct *prev, struct task_struct *next,
				  u32 out_state);
GAPP_HOT void gapp_switched_records(struct gapp_session *session, unsigned long bucket,
				    struct task_struct *prev, struct task_struct *next,
				    u32 out_state);
GAPP_HOT void gapp_switched_all(struct gapp_session *session, unsigned long bucket,
				struct task_struct *prev, struct task_struct *next, u32 out_state);
GAPP_HOT void gapp_switched_records_waits(struct gapp_session *session, unsigned long bucket,
					  struct task_struct *prev, struct task_struct *next,
					  u32 out_state);
GAPP_HOT void gapp_switched_all_waits(struct gapp_session *session, unsigned long bucket,
				      struct task_struct *prev, struct task_struct *next,
				      u32 out_state);
GAPP_HOT void gapp_switched_records_handovers(struct gapp_session *session, unsigned long bucket,
					      struct task_struct *prev, struct task_struct *next,
					      u32 out_state);
GAPP_HOT void gapp_switched_all_handovers(struct gapp_session *session, unsigned long bucket,
					  struct task_struct *prev, struct task_struct *next,
					  u32 out_state);
GAPP_HOT void gapp_switched_all_files(struct gapp_session *session, unsigned long bucket,
				      struct task_struct *prev, struct task_struct *next,
				      u32 out_state);
GAPP_HOT void gapp_woken_stats(struct gapp_session *session, struct task_struct *task,
			       unsigned long bucket);
GAPP_HOT void gapp_woken_all(struct gapp_session *session, struct task_struct *task,
			     unsigned long bucket);
GAPP_HOT void gapp_woken_records(struct gapp_session *session, struct task_struct *task,
				 unsigned long bucket);
GAPP_HOT void gapp_woken_all_waits(struct gapp_session *session, struct task_struct *task,
				   unsigned long bucket);
GAPP_HOT void gapp_woken_records_waits(struct gapp_session *session, struct task_struct *task,
				       unsigned long bucket);

/* events.c: what usual.c calls. Interrupts off, under RCU. */
GAPP_HOT void gapp_any_event(struct gapp_session *session, struct gapp_cpu *cpu,
			     struct gapp_thread *thread, enum gapp_event event);
GAPP_HOT void gapp_follow_up(struct gapp_session *session, struct gapp_cpu *cpu,
			     struct gapp_thread *thread);
GAPP_HOT void gapp_follow_slice(struct gapp_session *session, struct gapp_cpu *cpu,
				struct gapp_thread *thread, enum gapp_then then);

/* tallies.c: what the probe of its own calls. Interrupts off, under RCU. */
u64 gapp_tallies_took(const struct gapp_cpu *cpu);
void gapp_tallies_switched(struct gapp_session *session, struct task_struct *prev,
			   struct task_struct *next);

/* handover.c: what usual.c calls. Interrupts off, under RCU. */
GAPP_HOT void gapp_hand_over(struct gapp_session *session, struct gapp_cpu *cpu,
			     const struct gapp_thread *out, const struct gapp_thread *in,
			     struct task_struct *prev, struct task_struct *next, u64 t);

/* events.c: what others call that find current in a busy-wait loop, or elsewhere. */
void gapp_spins_at(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		   const struct gapp_spun_word *word);
void gapp_works(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread);

/* events.c: what others call. Any context; gapp_thread_event() under RCU. */
void gapp_thread_event(struct gapp_session *session, struct gapp_thread *thread,
		       enum gapp_event event);
void gapp_thread_moved(struct gapp_thread *thread);
void gapp_thread_renamed(struct gapp_thread *thread, const char *comm);
void gapp_thread_executed(struct gapp_session *session, struct gapp_thread *thread,
			  bool took_leader);
void gapp_thread_expel(struct gapp_thread *thread);
void gapp_thread_woken_by(struct gapp_thread *thread, const struct gapp_waker *waker);
void gapp_threads_begin(struct gapp_session *session);
void gapp_thread_begin(struct gapp_thread *thread);
u32 gapp_threads_settle(struct gapp_session *session);

/* wakers.c: who woke a thread, and from where. */
void gapp_softirq_begins(void *data, unsigned int number);
void gapp_timer_expires(void *data, struct hrtimer *timer, gapp_expire_now now);
void gapp_timer_expired(void *data, struct hrtimer *timer);
void gapp_note_waker(struct gapp_session *session, struct task_struct *task, unsigned long bucket);
void gapp_waker_path(struct gapp_session *session, struct gapp_thread *by,
		     struct gapp_noted_path *noted);
u32 gapp_wait_ended(struct gapp_thread *thread, struct gapp_export *export);

/* tallies.c: what a slice's record has of it. */
u32 gapp_slice_tally_bytes(const struct gapp_session *session);
u32 gapp_put_slice_tallies(struct gapp_cpu *cpu, struct gapp_thread *thread, enum gapp_then then,
			   void *to);
void gapp_tallies_leave_slice(struct gapp_cpu *cpu, struct gapp_thread *thread);

/* locks.c: which lock in the kernel a thread waits for. */
void gapp_lock_contended(void *data, void *lock, unsigned int flags);
void gapp_lock_taken(void *data, void *lock, int ret);
bool gapp_sleeps_for_lock(struct gapp_thread *thread);
u32 gapp_put_lock(const struct gapp_settings *settings, struct gapp_thread *thread, void *to);

/* preempt.c: who got the CPU of a thread that wanted to run on. The thread is locked. */
u8 gapp_preempter(const struct gapp_session *session, const struct gapp_cpu *cpu,
		  struct gapp_thread *thread);

/* slices.c: what there is to export of a thread's slices and waits. The thread is locked. */
bool gapp_slices_open(struct gapp_cpu *cpu, struct gapp_thread *thread);
void gapp_slices_event(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, enum gapp_event event, bool open,
		       const struct gapp_at *at, struct gapp_export *export);
u8 gapp_slices_begin_wait(const struct gapp_session *session, struct gapp_thread *thread);
u8 gapp_slices_found_asleep(const struct gapp_session *session, struct gapp_thread *thread);
bool gapp_slices_out_silently(const struct gapp_session *session, struct gapp_cpu *cpu,
			      struct gapp_thread *thread, enum gapp_then then,
			      const struct gapp_at *at);
bool gapp_slices_out_usually(const struct gapp_session *session, struct gapp_cpu *cpu,
			     struct gapp_thread *thread, enum gapp_then then,
			     const struct gapp_at *at, struct gapp_slice_share *share);
u32 gapp_slices_out(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		    enum gapp_then then, const struct gapp_at *at, struct gapp_export *export);
u32 gapp_slices_active(struct gapp_session *session, struct gapp_thread *thread, bool waited,
		       const struct gapp_at *at, struct gapp_export *export);
void gapp_slices_post(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_event event, struct gapp_post *post);
void gapp_slices_carry(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, const struct gapp_post *post,
		       const struct gapp_since *begin, const struct gapp_at *at);
GAPP_HOT void gapp_slices_describe(const struct gapp_session *session,
				   const struct gapp_thread *thread, u32 what,
				   struct gapp_export *export);
void gapp_slices_part(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_then then, const struct gapp_at *at,
		      struct gapp_export *export);
bool gapp_slices_wanted(struct gapp_session *session, struct gapp_thread *thread,
			const struct gapp_at *at, struct gapp_export *export);
bool gapp_slices_rest(struct gapp_session *session, struct gapp_thread *thread,
		      const struct gapp_at *end, struct gapp_export *export);

/* merge.c: events that are applied later. Interrupts off, under RCU; the thread is not locked. */
void gapp_post_event(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		     enum gapp_event event);
void gapp_merge_here(struct irq_work *work);

/*
 * export.c: writes records. Interrupts off; the thread is held under RCU. It may be locked where no
 * call path is taken: by gapp_export_pathless() and gapp_export_wake().
 */
GAPP_HOT void gapp_export_slice(struct gapp_cpu *cpu, struct gapp_thread *thread,
				enum gapp_then then, const struct gapp_at *at,
				const struct gapp_slice_share *share,
				const struct gapp_waker *waker);
GAPP_HOT void gapp_export_pathless(struct gapp_cpu *cpu, struct gapp_thread *thread,
				   enum gapp_then then, const struct gapp_at *at,
				   const struct gapp_slice_share *share, bool files);
GAPP_HOT void gapp_export_wake(struct gapp_cpu *cpu, struct gapp_thread *thread, u64 t, u32 n,
			       const struct gapp_waker *waker);
void gapp_export_store(struct gapp_cpu *cpu, const struct gapp_thread *thread,
		       const struct gapp_store *store);
void gapp_export_mark(struct gapp_cpu *cpu, const struct gapp_thread *thread,
		      const struct gapp_at *at, u32 flags, const struct gapp_mark_text *mark);
void gapp_export_write(struct gapp_cpu *cpu, struct gapp_thread *thread,
		       struct gapp_export *export);

/*
 * Whether the session may look at the task's user registers, and there are any. A process that
 * became not dumpable after it joined shows its system calls to the privileged only, as in
 * /proc/PID/syscall.
 */
static __always_inline bool gapp_shows_regs(const struct gapp_settings *settings,
					    struct task_struct *task)
{
	if (unlikely(settings->restricted) && !gapp_task_is_dumpable(task))
		return false;
	return gapp_has_user_regs(task);
}

/* Current wakes a thread, and may be named to the opener. */
static __always_inline void gapp_name_waker(const struct gapp_settings *settings,
					    struct gapp_waker *waker)
{
	waker->flags = GAPP_SLICE_WAKER;
	waker->tid = current->pid;
	waker->tgid = current->tgid;
	if (settings->ns->level) {
		waker->tid = task_pid_nr_ns(current, settings->ns);
		waker->tgid = task_tgid_nr_ns(current, settings->ns);
	}
}

/* Nothing to export so far. The other members stay unset: this runs at every event. */
static inline void gapp_export_init(struct gapp_export *export)
{
	export->what = 0;
	export->flags = 0;
}

/* The event is at @at: all that its records need of it. */
static inline void gapp_export_at(struct gapp_export *export, const struct gapp_at *at)
{
	export->t = at->t;
	export->n = at->n;
}

/* Interrupts off. */
static inline void gapp_cpu_drop_samples(struct gapp_cpu *cpu)
{
	cpu->sampled = NULL;
	cpu->sample_count = 0;
}

/* between.c: exports between the scheduler's events. */
void gapp_between_init(struct gapp_cpu *cpu);
void gapp_between_exec(struct gapp_session *session);
void gapp_between_stop(void *session);

/* sampler.c: a timer on each CPU that runs threads of the session. */
void gapp_sampler_init(struct gapp_cpu *cpu);
void gapp_sampler_arm(struct gapp_cpu *cpu);
void gapp_sampler_arm_here(void *session);
void gapp_sampler_looked(const struct gapp_cpu *cpu, struct gapp_thread *thread);
bool gapp_sampler_missed(const struct gapp_cpu *cpu, const struct gapp_thread *thread);

#endif /* GAPP_SWITCH_H */
