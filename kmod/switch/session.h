/* SPDX-License-Identifier: GPL-2.0 */
/* A session: what an open file of /dev/gapp records, and each CPU's own part. */
#ifndef GAPP_SESSION_H
#define GAPP_SESSION_H

#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/smp.h>
#include <linux/workqueue.h>

#include "callpath/callpath.h"
#include "selections.h"
#include "threads/table.h"

struct gapp_exact_loop;
struct gapp_mark_text;
struct gapp_request;
struct gapp_seat;
struct gapp_store_place;
struct mem_cgroup;
struct perf_event;
struct perf_sample_data;
struct proc_dir_entry;

/* Samples of one record; a slice that gets more is exported in parts. */
#define GAPP_SLICE_SAMPLES 64

/**
 * struct gapp_moment - when the events of one context switch, or one other event, happened
 * @at: the integrals of @target then
 * @target: target whose integrals @at has; NULL: no event has set @at yet
 */
struct gapp_moment {
	struct gapp_at at;
	struct gapp_target *target;
};

/* Flags: what an event has to export or to start. */
#define GAPP_EXPORT_SLICE BIT(0) /* a slice record */
#define GAPP_EXPORT_PATH BIT(1) /* the records need the call path */
#define GAPP_EXPORT_WAIT BIT(2) /* a wait record */
#define GAPP_EXPORT_WAKE BIT(3) /* a wake record */
#define GAPP_EXPORT_ENDED BIT(4) /* a wait ended: gapp_wait_ended() */
#define GAPP_EXPORT_WANTED BIT(5) /* a wait record of this thread still needs its call path */
#define GAPP_EXPORT_GONE BIT(6) /* the thread is to be retired */
#define GAPP_EXPORT_EARLIER_WAIT BIT(7) /* the wait record is about an earlier wait */
#define GAPP_EXPORT_ARM BIT(8) /* the sampler must run */
#define GAPP_EXPORT_RECORDS \
	(GAPP_EXPORT_SLICE | GAPP_EXPORT_PATH | GAPP_EXPORT_WAIT | GAPP_EXPORT_WAKE)

/**
 * struct gapp_exported_wait - where a slice ended or a thread waited, for a record
 * @path: number of the user call path; GAPP_PATH_NONE: none was taken
 * @kernel_path: number of the kernel call path; GAPP_PATH_NONE: none was taken
 * @syscall: number of the system call that the thread was in, or -1
 * @reason: enum gapp_wait_reason
 * @has_file: @file is set
 * @args: first three arguments of @syscall
 * @file: file of the descriptor that is the first argument, with GAPP_CONFIG_WAIT_FILES
 */
struct gapp_exported_wait {
	u32 path;
	u32 kernel_path;
	s32 syscall;
	u8 reason;
	bool has_file;
	u64 args[3];
	struct gapp_wait_file file;
};

/*
 * struct gapp_export - what an event has to export
 * @what: GAPP_EXPORT_* bits; without any of GAPP_EXPORT_RECORDS the other members are not set
 * @then: enum gapp_then
 * @flags: GAPP_SLICE_REST or 0
 * @end: the slice that ended
 * @t: session time of the event, in nanoseconds
 * @n: active threads after the event
 * @wait_ns: nanoseconds with no active thread that the thread ended, in all @stretches
 * @wait_begin: session time at which the last stretch began, in nanoseconds
 * @stretches: number of stretches in @wait_ns
 * @wait: where the slice ended or the thread waited
 * @earlier_wait: with GAPP_EXPORT_EARLIER_WAIT: what the wait record is about instead of @wait
 * @image: number of the thread's address space
 * @woken_from: with GAPP_EXPORT_ENDED: where the waker was
 * @spun_for: at GAPP_EV_SPIN: the word that the loop waits for
 *
 * slices.c finds out with the thread locked what is exported. export.c writes the records after
 * the lock is released, because a call path is copied from user memory, which takes long.
 */
struct gapp_export {
	u32 what;
	u32 then;
	u32 flags;
	struct gapp_slice_end end;
	u64 t;
	u32 n;
	u64 wait_ns;
	u64 wait_begin;
	u32 stretches;
	struct gapp_exported_wait wait;
	struct gapp_exported_wait earlier_wait;
	struct gapp_waker waker;
	u32 image;
	struct gapp_noted_path woken_from;
	struct gapp_spun_word spun_for;
};

/*
 * struct gapp_cpu - one CPU's part of a session
 * @untimed: calls of the probe of sched_switch until one is timed
 * @times: times by n that changes on this CPU ended, in a session with one target; written under
 *	the lock of the target's integrals
 * @critical_slices: slices that ended and were critical
 * @unsampled_slices: critical slices without a sample; not counted with GAPP_LEVEL_STATS
 * @switches: switches from or to threads of the session
 * @late: points in time that the sampler missed
 * @critical_run: critical share of the slices that ended, by the criterion of the session
 * @open_of: thread whose slice @open is; NULL: @open is of no thread
 * @open: the slice that is open
 * @moment: moment of the events under way
 * @handovers: who gave this CPU to whom; NULL without GAPP_CONFIG_HANDOVERS
 * @tallying: its part of the tallies; NULL without GAPP_CONFIG_TALLIES
 * @next: task that the last context switch switched in; only with GAPP_CONFIG_WAITS
 * @export: exports of the event under way; a member, for it is too large to clear at each event
 * @probe_timed: calls of the probe of sched_switch that were timed
 * @probe_ns: time of those calls, in nanoseconds
 * @timer: the sampler
 * @path_work: takes the call path of the thread that has just been switched in
 * @sampled: thread whose open slice @sample is about, or NULL
 * @sample: samples of the open slice
 * @sample_in: where each sample hit the thread: number of a system call, or GAPP_IN_*
 * @marks_left_out: marks that had no room in the ring
 * @marks_left_out_told: of them, those that records have told
 *
 * Only the CPU itself uses its part, with interrupts off, so no member has a lock. Other CPUs read
 * the counters as they stand.
 */
struct gapp_tallying;

struct gapp_cpu {
	struct gapp_session *session;
	unsigned int number;
	bool armed;
	u16 untimed;
	struct gapp_times times;
	u64 slices;
	u64 critical_slices;
	u64 unsampled_slices;
	u64 switches;
	u64 samples;
	u64 late;
	u64 critical_run;
	struct gapp_thread *open_of;
	struct gapp_open_slice open;
	struct gapp_moment moment;
	struct gapp_handovers *handovers;
	struct gapp_tallying *tallying;
	struct task_struct *next;
	struct gapp_export export;
	u64 probe_timed;
	u64 probe_ns;
	struct gapp_writer writer;
	struct hrtimer timer;
	struct irq_work path_work;
	const struct gapp_thread *sampled;
	u32 sample_count;
	struct gapp_sample sample[GAPP_SLICE_SAMPLES];
	s32 sample_in[GAPP_SLICE_SAMPLES];
	struct gapp_unwinder unwinder;
	u64 marks_left_out;
	u64 marks_left_out_told;
};

/**
 * struct gapp_watched - the word whose stores the session sees
 * @asked: what the reader asked for
 * @mm: memory that the word is in, held by mmgrab()
 * @image: number of that address space
 * @events: what the processor tells of it, by CPU; NULL: nothing is watched
 * @deadline: ends it
 *
 * control/watch.c says which lock protects it. The other members do not change while there are
 * @events, and gapp_store_seen() reads them without a lock.
 */
struct gapp_watched {
	struct gapp_watch asked;
	struct mm_struct *mm;
	u32 image;
	struct perf_event **events;
	struct delayed_work deadline;
};

/*
 * struct gapp_session - what an open file of /dev/gapp records
 * @threads: which threads are followed
 * @cpus: by CPU number
 * @buffers: what the reader maps; NULL with GAPP_LEVEL_STATS
 * @spaces: what is executable in processes, and unwind tables
 * @exes: files whose processes are followed when they execute them, references
 * @exe_inherit: bit N: children of the processes that execute @exes[N] are followed too
 * @exe_count: length of @exes; only grows, the probe of exec reads it without a lock
 * @selections: names and control groups whose processes are followed when they execute a program
 * @awaited: process at whose exec session time begins, a reference; NULL: it begins at START
 * @awaited_inherit: children of @awaited are followed too
 * @awaits: START has come, and the exec has not; the probe of exec reads it without a lock
 * @seat: its probes while it runs, or NULL
 * @watched: the word whose stores it sees
 * @charge: what is paid for @buffers
 * @memcg: memory cgroup of the opener, which the worker's memory is charged to; a reference
 * @lock: serializes control operations; protects the members from here on
 * @id: number, unique while the module is loaded
 * @state: enum gapp_session_state
 * @exact: loops that are timed exactly, or NULL
 * @stores: instructions whose stores are told, or NULL
 * @tally_count: length of @tallies; probes read both without a lock, for they do not change then
 * @tallies: what is counted of threads
 * @tallied_running: bit N: tally N grows while a thread runs; likewise
 * @looked_at: when the reader last had all threads that run looked at, in jiffies
 * @request_count: length of @requests
 * @requests: processes that were added
 * @all_sessions: in the list of all sessions, under that list's lock
 * @marked: in the list of sessions that take marks, while it runs; see control/marks.c
 * @proc: the session's folder in /proc/gapp, kept by procfs.c
 */
struct gapp_session {
	struct gapp_thread_table threads;

	struct gapp_cpu **cpus ____cacheline_aligned_in_smp;
	struct gapp_settings settings;
	struct gapp_buffers *buffers;
	struct gapp_address_spaces spaces;
	struct gapp_worker worker;

	struct file *exes[GAPP_MAX_EXECUTABLES];
	u32 exe_inherit;
	u32 exe_count;
	struct gapp_selections selections;
	struct pid *awaited;
	bool awaited_inherit;
	bool awaits;
	struct gapp_seat *seat;
	struct gapp_watched watched;
	struct gapp_charge charge;
	struct mem_cgroup *memcg;

	struct mutex lock;
	u32 id;
	u32 state;
	struct gapp_exact_loop *exact[GAPP_EXACT_LOOPS];
	struct gapp_store_place *stores[GAPP_STORE_POINTS];
	u32 tally_count;
	u32 tallied_running;
	struct gapp_add_tally tallies[GAPP_TALLIES];
	u64 looked_at;
	u32 request_count;
	struct gapp_request *requests;
	struct gapp_status recount;
	struct list_head all_sessions;
	struct list_head marked;
	struct proc_dir_entry *proc;
};

/* A switch of a followed thread reads one cache line of the session, and one of its @threads. */
static_assert(offsetofend(struct gapp_session, settings.all) -
		      offsetof(struct gapp_session, cpus) <=
	      64);

/* Interrupts off. */
static inline struct gapp_cpu *gapp_this_cpu(const struct gapp_session *session)
{
	return session->cpus[smp_processor_id()];
}

/* cpu.c: process context */
int gapp_cpus_init(struct gapp_session *session);
void gapp_cpus_destroy(struct gapp_session *session);
void gapp_cpus_quiesce(struct gapp_session *session);
void gapp_cpus_call(struct gapp_session *session, smp_call_func_t function);
u64 gapp_cpus_time(const struct gapp_session *session, u64 n);
u64 gapp_cpus_marks_left_out(const struct gapp_session *session);
void gapp_cpus_counters(struct gapp_session *session, struct gapp_counters *counters);

/* tallies.c: process context, but the look, which is called with interrupts off or on */
int gapp_tallies_begin(struct gapp_session *session, const struct gapp_add_tally *tally);
const struct gapp_tally_sums *gapp_tallies_of_cpu(const struct gapp_cpu *cpu);
void gapp_tallies_look(void *session);
int gapp_tallies_make(struct gapp_cpu *cpu);
void gapp_tallies_free(struct gapp_cpu *cpu);

/* stores.c: of a word that is watched; an exception of current */
void gapp_store_seen(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs);

/* marks.c: of current; process context, under RCU */
void gapp_mark_made(struct gapp_session *session, const struct gapp_mark_text *mark);

/* probes.c: any context */
bool gapp_probes_see_locks(void);

#endif /* GAPP_SESSION_H */
