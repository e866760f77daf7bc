/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The sums of all records. Records are added one by one, so memory grows with the number of
 * distinct call paths and not with time. At the end the sums are ranked.
 *
 * Shares are in the unit of the ABI (GAPP_SHARE_SHIFT fractional bits), kept as
 * double where they are split.
 */
#ifndef GAPP_READ_PROFILE_H
#define GAPP_READ_PROFILE_H

#include <gapp.h>
#include <gapp_record.h>

#include "callpath/call_paths.h"
#include "symbol/symbols.h"
#include "util/util.h"
#include "wait_rules.h"

enum path_kind {
	PATH_RAN, /* code that ran while others waited */
	PATH_WAITED, /* code that waited while no thread was active */
};

enum by {
	BY_PLACE,
	BY_PATH,
	BY_SLICE_END,
	BY_FUNCTION,
	BY_LINE,
	BY_THREAD,
	BY_PROCESS,
	BY_WAIT_OBJECT, /* what was waited for; ranked by profile_rank_waits() */
	BY_ADDRESSES, /* as BY_PATH, but only paths of the same code addresses are one row */
};

/**
 * struct gain_limits - what is known of a run that bounds what can be gained
 * @n_most: active threads at most while their time is critical; 0: not known
 * @n_beyond: active threads at least while it is not; 0: not known
 * @most_ns: time in which few threads were active, nanoseconds; 0: not known
 * @of_targets: all critical share of each target is known, and sums up to the time in which few of
 *	its threads were active
 */
struct gain_limits {
	u32 n_most;
	u32 n_beyond;
	u64 most_ns;
	bool of_targets;
};

/**
 * struct profile_options - how to rank
 * @by: what a place is
 * @no_libs: begin paths at the first frame of the program itself
 * @program: path of that program's file; NULL: the files in which main() was seen, or if main() was
 *	never seen, the files of the outermost frames
 * @program_dev: device of that file
 * @program_inode: inode of that file; 0: not known, the path alone decides
 * @apart: each process, or merged recording, is a target of its own
 * @idle: most targets wait for work nearly all the time
 * @targets: targets by number, where they are known
 * @target_count: elements of @targets
 * @rules: what functions of a user's programs wait for; NULL: nothing is said
 * @gain: limits of what can be gained
 * @threads_only: leave leaders out
 * @process_only: leave all but leaders out
 */
struct profile_options {
	enum by by;
	bool no_libs;
	const char *program;
	dev_t program_dev;
	u64 program_inode;
	bool apart;
	bool idle;
	const struct gapp_target_figures *targets;
	size_t target_count;
	const struct wait_rules *rules;
	struct gain_limits gain;
	bool threads_only;
	bool process_only;
};

/* How slices end, in @then of a place: enum gapp_wait_reason for waits, or one of these. */
enum {
	THEN_PREEMPTED = GAPP_WAIT_REASONS,
	THEN_EXITED,
	THEN_STOPPED,
	THEN_ON,
	THEN_COUNT,
};

/**
 * struct line_count - a source line of a place
 * @file: NULL: not known; @frame then has the address
 * @frame: the innermost frame there
 * @stack: number of the call path with the largest part of the line
 * @samples: samples that hit the line
 * @critical_ns: critical share of these samples, nanoseconds
 * @stack_top: slices without a sample ended at this line
 */
struct line_count {
	const char *file;
	u32 line;
	const struct frame *frame;
	u32 stack;
	u64 samples;
	double critical_ns;
	bool stack_top;
};

/**
 * struct doing - what a place did
 * @frame: the function that the place called; NULL: the place's own code
 * @critical_ns: the part of the place's critical time
 */
struct doing {
	const struct frame *frame;
	double critical_ns;
};

/**
 * struct member - a thread of a place
 * @tid: thread id; 0: several threads of the process
 * @tgid: process id
 * @comm: name of the thread
 * @critical_ns: the part of the place's critical time
 */
struct member {
	s32 tid;
	s32 tgid;
	char comm[GAPP_COMM_LEN + 1];
	double critical_ns;
};

/* What tells the places of an interpreter apart, which all have its name. */
enum place_threads {
	OF_ANY_THREADS, /* nothing, or there is one place */
	OF_MAIN_THREADS, /* its threads are the first ones of their processes */
	OF_STARTED_THREADS, /* its threads were started by others of their processes */
};

/**
 * struct kernel_time - time in the kernel for one system call
 * @in: number of the system call, or GAPP_IN_* (not GAPP_IN_USER)
 * @ns: nanoseconds
 */
struct kernel_time {
	s32 in;
	double ns;
};

/**
 * struct counted_there - what the module counted while a place ran
 * @ns: how long the slices in which it was counted were, nanoseconds; 0: nothing was counted
 * @counts: by the module's number of the tally
 * @missing: bit N: something of tally N is missing
 */
struct counted_there {
	double ns;
	double counts[GAPP_TALLIES];
	u32 missing;
};

/**
 * struct ranked - a place: one row of the report
 * @kind: enum path_kind
 * @critical_ns: critical share, or with PATH_WAITED time with no thread active
 * @inferred_ns: the part of @critical_ns that comes from slices without a sample
 * @slices: with PATH_RAN: slices that had critical time here; with PATH_WAITED: stretches. A
 *	sampled slice counts once if a sample hit one of the place's paths (only the slice's 16
 *	paths with most share count). A slice without samples counts by the part of its share that
 *	was put here
 * @waiting_ns: @critical_ns by what the other threads waited for, by enum gapp_wait_reason; in the
 *	rest of @critical_ns no other thread waited
 * @waiting_called: what nearly all that the others waited for of a reason is called, by the reason
 * @then: @slices by why they ended; carried over slices count like the slice whose record has them.
 *	A part of a slice that goes on counts in THEN_ON and not in @slices. Except for threads
 *	and processes, the functions on the path at the end refine the wait reasons
 * @wait: with PATH_WAITED: the wait reason, refined by the functions on the call path
 * @called: with PATH_WAITED: what nearly all of the waits are called
 * @frames: the path, innermost first; one frame for BY_FUNCTION and BY_LINE; none for a thread
 *	or process. With BY_PLACE the program's own functions down to the place's, without
 *	inlined ones. Places with very little share have no lines and no inlined functions, except
 *	with BY_ADDRESSES
 * @addresses: with BY_ADDRESSES the code address of each of @frames, of a return address the byte
 *	before it; inlined frames have the address of the frame they are in
 * @complete: the path reaches an outermost frame
 * @lines: lines of the innermost function, most critical first; @frames is a path to the first one
 * @doing: with BY_PLACE what the place did, most critical first
 * @members: with BY_PLACE and BY_ADDRESSES threads of the place, most critical first; the others
 *	have little
 * @of: with BY_PLACE of an interpreter
 * @target: number of the target
 * @tid: with BY_THREAD
 * @tgid: with BY_THREAD and BY_PROCESS, or with several targets, which are ranked apart
 * @idle: most targets wait for work nearly all the time
 * @comm: name of a thread, with BY_THREAD and BY_PROCESS; else that of the thread with the
 *	largest part
 * @threads: distinct threads; at most 4096 are counted on each path
 * @running: average number of active threads during @critical_ns; 0: not known
 * @median_ns: median of the critical time that a slice has on one path here, within 1/16; with
 *	PATH_WAITED and where it is not known 0
 * @gain_ns: with BY_PLACE: by how much the time with few threads active can get shorter at most if
 * the place takes no time (docs/decisions/016-bound-on-the-gain.md); 0: not known
 * @kernel_known_ns: the part of @critical_ns of which a sample says whether it was in the kernel;
 *	of a wait, all
 * @kernel_ns: how much of @critical_ns was in the kernel: the part that it was of @kernel_known_ns
 *	is taken to be the part of the rest too
 * @kernel: @kernel_ns by system call, the largest first
 * @counted: with PATH_RAN
 */
struct ranked {
	enum path_kind kind;
	double critical_ns;
	double inferred_ns;
	u64 slices;
	u64 samples;
	double waiting_ns[GAPP_WAIT_REASONS];
	struct wait_kind waiting_called[GAPP_WAIT_REASONS];
	u64 then[THEN_COUNT];
	enum gapp_wait_reason wait;
	struct wait_kind called;
	struct frame *frames;
	size_t frame_count;
	struct code_address *addresses;
	bool complete;
	struct line_count *lines;
	size_t line_count;
	struct doing *doing;
	size_t doing_count;
	struct member *members;
	size_t member_count;
	enum place_threads of;
	u32 target;
	s32 tid;
	s32 tgid;
	bool idle;
	char comm[GAPP_COMM_LEN + 1];
	u64 threads;
	double running;
	u64 median_ns;
	double gain_ns;
	double kernel_known_ns;
	double kernel_ns;
	struct kernel_time *kernel;
	size_t kernel_count;
	struct counted_there counted;
};

/**
 * struct ranking - places of both kinds (with BY_SLICE_END only PATH_RAN), most critical first
 * @rows: waits in GAPP_WAIT_SLEEP come last; if each process is a target, all waits come last
 */
struct ranking {
	struct ranked *rows;
	size_t count;
};

/**
 * struct profile_sums - the totals, nanoseconds
 * @attributed_ns: critical share that was put to call paths
 * @waited_ns: time with no thread active that was put to call paths
 * @no_path_ns: critical share of records without a user path
 * @table_full_ns: critical share of records whose path found no room in a table
 * @lost_ns: critical share of records that found no room in a ring
 * @waited_lost_ns: time with no thread active whose wait has no path or was lost
 * @slices: slices that the records stand for
 * @records: records added
 * @unsampled: critical slices without a sample
 * @stacks: distinct call paths
 * @complete_ns: the part of @attributed_ns whose path is complete
 * @complete_by_ns: @complete_ns by enum path_method
 * @cut_ns: the other part of @attributed_ns, by enum path_end
 * @copies: what became of stack copies; NULL: there are none
 */
struct profile_sums {
	double attributed_ns;
	double waited_ns;
	double no_path_ns;
	double table_full_ns;
	double lost_ns;
	double waited_lost_ns;
	u64 slices;
	u64 records;
	u64 unsampled;
	u64 stacks;
	double complete_ns;
	double complete_by_ns[PATH_METHODS];
	double cut_ns[PATH_ENDS];
	const struct call_paths_figures *copies;
};

struct profile;

struct profile *profile_new(struct call_paths *stacks);
void profile_free(struct profile *profile);

/* From now on call paths begin with the frames in the kernel, where records have them. */
void profile_show_kernel(struct profile *profile);

/* Each adds a record of one type. Records come in the order of time. 0, or -1 without memory. */
int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice);
int profile_add_wait(struct profile *profile, const struct gapp_record_wait *wait);
void profile_add_lost(struct profile *profile, const struct gapp_record_lost *lost);

struct wait_sources;

/*
 * From now on the profile collects waits, see waits.h. @all: of every record, which must be of
 * GAPP_LEVEL_TRACE; else of those that the caller chooses. Returns 0, or -1 without memory.
 */
int profile_collect_waits(struct profile *profile, const struct wait_sources *sources, bool all);
/* Each wait that begins with a record has a record of its end, too (GAPP_CONFIG_WAKER_PATHS). */
void profile_waits_have_ends(struct profile *profile);
/* Before records are added: look-ups may be made again. @n_min: few threads are at most so many. */
void profile_waits_drain(struct profile *profile, u32 n_min);
/*
 * Each adds a record to the waits, if they are collected. Returns 0, or -1 without memory. @site:
 * set to the number of the site of the wait that begins; HASH_NONE: none does, or none is known.
 */
int profile_wait_begins(struct profile *profile, const struct gapp_record_slice *slice, u32 *site);
int profile_wait_ends(struct profile *profile, const struct gapp_record_wake *wake);
/* Before profile_wait_ends(): when the store was that ended a wait in a busy-wait loop; 0: unseen.
 */
void profile_wait_stored(struct profile *profile, u64 stored_ns);
int profile_wait_alone(struct profile *profile, const struct gapp_record_wait *wait);
/* Records were lost: waits that go on may have ended in them. */
void profile_waits_lost(struct profile *profile);

/* Ranks all that was added so far; may be called repeatedly. Returns 0, or -1 without memory. */
int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking);
void ranking_free(struct ranking *ranking);

/**
 * struct call_tree_node - a function in the merged tree of all call paths
 * @frame: the function
 * @kind: enum path_kind
 * @depth: number of its callers
 * @place: a place of the ranking by places
 * @critical_ns: critical time, or with PATH_WAITED time with no thread active, with all that the
 *	function called
 */
struct call_tree_node {
	const struct frame *frame;
	enum path_kind kind;
	u32 depth;
	bool place;
	double critical_ns;
};

/**
 * struct call_tree - the tree
 * @nodes: each function before those it called, the most critical ones first
 * @count: elements of @nodes
 */
struct call_tree {
	struct call_tree_node *nodes;
	size_t count;
};

/* Makes the tree of all that was added so far. Returns 0, or -1 without memory. */
int profile_tree(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct call_tree *tree);
void call_tree_free(struct call_tree *tree);

/*
 * To be called after profile_rank() with BY_PATH, which finds out which paths are complete.
 * @sums->copies points into the call paths of the profile, which must live as long.
 */
void profile_sums(struct profile *profile, struct profile_sums *sums);

/**
 * struct model - figures that the module gave
 * @status: the session
 * @threads: each thread
 * @processes: rows of summed exited threads, one a process
 * @waits: what each thread waited for, by ids; empty without --waits
 * @parallelism: nanoseconds with 0, 1, 2 ... threads active
 * @parallelism_count: elements of @parallelism; the last one is 0 only if it is the only one
 * @targets_wall_ns: with several targets the sum of their run times, else 0
 */
struct model {
	struct gapp_status status;
	struct gapp_thread_figures *threads;
	size_t thread_count;
	struct gapp_thread_figures *processes;
	size_t process_count;
	struct gapp_thread_waits *waits;
	size_t wait_count;
	u64 *parallelism;
	size_t parallelism_count;
	u64 targets_wall_ns;
};

/**
 * struct agreement - gapp's on-CPU and run-queue times against the kernel's own
 * @any: there was enough time to compare
 * @percent: 100 if they are the same, at least 0
 * @active_percent: agreement of the sum of the two times. A virtual CPU that loses its real CPU in
 *	the middle of a switch shifts time between the two and leaves the sum alone
 * @kernel_ns: on-CPU and run-queue time in the kernel's account
 * @differ_ns: sum of the differences, each without its sign
 * @worst: thread that differs most, or NULL
 * @worst_ns: difference of @worst, nanoseconds
 */
struct agreement {
	bool any;
	double percent;
	double active_percent;
	u64 kernel_ns;
	u64 differ_ns;
	const struct gapp_thread_figures *worst;
	u64 worst_ns;
};

void model_free(struct model *model);
#define _cleanup_model_ _cleanup_(model_free)

/* Sorts threads and processes, the largest CMetric first; drops counts of no threads at the end. */
void model_rank(struct model *model);
double model_percent(const struct model *model, u64 ns);
u64 model_with(const struct model *model, size_t n);
double model_average(const struct model *model);
/*
 * All shares and the time without active threads, in percent of the run time, or of all targets'
 * run times: 100, but for rounding. The run must not be empty.
 */
double model_accounted(const struct model *model);
/* Compares each thread's times with the kernel's own account of it. */
void model_agreement(const struct model *model, struct agreement *agreement);
/* What a thread of the model waited for; NULL: that is not known. */
const struct gapp_thread_waits *model_waits(const struct model *model,
					    const struct gapp_thread_figures *thread);
/* A thread's blocked time by what it waited for, in nanoseconds. */
u64 waits_blocked_ns(const struct gapp_thread_waits *waits);
/*
 * How many of the threads whose waits are known have run, run-queue and blocked times that are not
 * exactly their lives.
 */
size_t model_wrong_lives(const struct model *model);
bool model_recount_ok(const struct model *model);
bool model_is_empty(const struct model *model);

/* Nanoseconds of a share, rounded. */
static inline u64 share_ns(u64 share)
{
	return ((share >> (GAPP_SHARE_SHIFT - 1)) + 1) >> 1;
}

/* For qsort of struct gapp_thread_figures: the larger CMetric first, then the smaller ids. */
int share_compare(const void *a, const void *b);

/**
 * struct believed - the functions of a call path, as far as they are believed
 * @stack: the call path; NULL: this element is not used
 * @functions: innermost first
 * @count: functions, at least 1
 * @first: the first function that is shown; those before it are in libraries, or put the thread to
 *	sleep in the kernel
 * @end: why the believed path ends, enum path_end
 * @complete: only the code with which libc starts programs and threads is left out at the end
 * @hash: hash of the functions from @first on
 */
struct believed {
	const struct call_path *stack;
	const struct frame **functions;
	u32 count;
	u32 first;
	u8 end;
	bool complete;
	u64 hash;
};

/* Finds the functions of a path of at least one frame. Returns 0, or -1 without memory. */
int believe(struct believed *believed, const struct call_path *stack, struct symbols *symbols);
void believed_free(struct believed *believed);

/* Names as JSON and scripts have them: "lock", "queue" ... */
const char *wait_name(enum gapp_wait_reason wait);
const char *then_name(unsigned int then);
const char *method_name(unsigned int method);
const char *end_name(unsigned int end);

#endif /* GAPP_READ_PROFILE_H */
