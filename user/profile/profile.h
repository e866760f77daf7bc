/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the records amount to. They are folded in one by one, so memory grows
 * with the number of distinct call paths and not with time; at the end they
 * are ranked.
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

enum path_kind {
	PATH_RAN, /* code that ran while others waited */
	PATH_WAITED, /* code that waited while nobody ran */
};

enum by {
	BY_PATH,
	BY_SLICE_END,
	BY_FUNCTION,
	BY_LINE,
	BY_THREAD,
	BY_PROCESS,
};

/**
 * struct profile_options - how to rank
 * @by: what a row is
 * @no_libs: begin paths at the first frame of the program itself
 * @program: path of that program's file, or NULL: the files that have main(), or where that was
 *	never seen those of the outermost frames
 * @program_dev: device of that file
 * @program_inode: its inode; 0: not known, so it is told by its path alone
 * @apart: each process is a target of its own
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
	bool threads_only;
	bool process_only;
};

/* The kinds of @then in a row: enum gapp_wait_reason for waits, then these. */
enum {
	THEN_PREEMPTED = GAPP_WAIT_REASONS,
	THEN_EXITED,
	THEN_STOPPED,
	THEN_ON,
	THEN_COUNT,
};

/**
 * struct line_count - a source line in a row
 * @file: NULL: not known; then @frame tells where
 * @line: in @file
 * @frame: the innermost frame there
 * @samples: that hit it
 * @critical_ns: share that they carry
 * @stack_top: it is where slices without a sample ended
 */
struct line_count {
	const char *file;
	u32 line;
	const struct frame *frame;
	u64 samples;
	double critical_ns;
	bool stack_top;
};

/**
 * struct ranked - one row of the report
 * @kind: enum path_kind
 * @critical_ns: nanoseconds that it held everyone up: critical share, or time with nobody active
 * @inferred_ns: the part of it that no sample told
 * @slices: slices that it has a part in: those that a sample hit here (each once, however many
 *	samples; of very long ones only the 16 paths with most of their share), and the part of
 *	those without samples that was put here; with PATH_WAITED stretches
 * @samples: samples
 * @waiting_ns: @critical_ns by what the other threads waited for, by enum gapp_wait_reason; what is
 *	missing of it is time in which no other thread waited
 * @then: the same slices by why they ended, carried over ones as the one whose record has them;
 *	a part of a slice that goes on is counted in THEN_ON and not in @slices. Waits are told
 *	apart by the code on the path at the end, but for threads and processes
 * @wait: with PATH_WAITED: what it waited for, enum gapp_wait_reason, by the code on its path
 * @frames: the path, innermost first; one frame for BY_FUNCTION and BY_LINE; none for a thread
 *	or process. Rows that hardly count have no lines and no inlined functions
 * @frame_count: how many
 * @complete: the path reaches an outermost frame
 * @lines: lines of the innermost function, most critical first; @frames are those of the first
 * @line_count: how many
 * @tid: with BY_THREAD
 * @tgid: with BY_THREAD and BY_PROCESS, or with several targets, which are ranked apart
 * @apart: of one target of several that know nothing of each other
 * @comm: name of a thread, with BY_THREAD and BY_PROCESS; else that of the thread with the
 *	largest part
 * @threads: distinct threads in it; 4096 are told apart on each path
 * @running: average number of active threads over it; 0: not known
 * @median_ns: median length of the slices that it has most of, within 1/16; 0: not known
 */
struct ranked {
	enum path_kind kind;
	double critical_ns;
	double inferred_ns;
	u64 slices;
	u64 samples;
	double waiting_ns[GAPP_WAIT_REASONS];
	u64 then[THEN_COUNT];
	enum gapp_wait_reason wait;
	struct frame *frames;
	size_t frame_count;
	bool complete;
	struct line_count *lines;
	size_t line_count;
	s32 tid;
	s32 tgid;
	bool apart;
	char comm[GAPP_COMM_LEN + 1];
	u64 threads;
	double running;
	u64 median_ns;
};

/**
 * struct ranking - rows, most critical first; of both kinds, but BY_SLICE_END only PATH_RAN
 * @rows: the rows; waits in GAPP_WAIT_SLEEP come last, and with targets apart all waits
 * @count: how many
 */
struct ranking {
	struct ranked *rows;
	size_t count;
};

/**
 * struct profile_sums - the totals, nanoseconds
 * @attributed_ns: critical share that paths have
 * @waited_ns: time with nobody active that paths have
 * @no_path_ns: critical share of records without a user path
 * @table_full_ns: of records whose path found no room in the table
 * @lost_ns: of records that found no room in a ring
 * @waited_lost_ns: time with nobody active, likewise, or without a path
 * @slices: slices that the records stand for
 * @records: records folded in
 * @unsampled: critical slices without a sample
 * @stacks: distinct call paths
 * @complete_ns: the part of @attributed_ns whose path is complete
 * @complete_by_ns: of that, by enum path_method
 * @cut_ns: the part whose path is not, by enum path_end
 * @copies: what became of copies of stacks; NULL: there were none to be expected
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

/* Each adds a record of one type. Records come in the order of time. 0, or -1 without memory. */
int profile_add_slice(struct profile *profile, const struct gapp_record_slice *slice);
int profile_add_wait(struct profile *profile, const struct gapp_record_wait *wait);
void profile_add_lost(struct profile *profile, const struct gapp_record_lost *lost);

/* Ranks, as often as wanted. Returns 0, or -1 without memory. */
int profile_rank(struct profile *profile, struct symbols *symbols,
		 const struct profile_options *options, struct ranking *ranking);
void ranking_free(struct ranking *ranking);

/*
 * After profile_rank() with BY_PATH, for what is complete is found out there. @copies are those of
 * the stacks, which must live as long.
 */
void profile_sums(struct profile *profile, struct profile_sums *sums);

/**
 * struct model - what the module gave
 * @status: the session
 * @threads: threads, one by one
 * @thread_count: how many
 * @processes: rows of summed exited threads, one a process
 * @process_count: how many
 * @parallelism: nanoseconds with 0, 1, 2 ... threads active
 * @parallelism_count: how many; the last is not 0, unless it is the only one
 * @targets_wall_ns: with several targets the sum of their run times, else 0
 */
struct model {
	struct gapp_status status;
	struct gapp_thread_figures *threads;
	size_t thread_count;
	struct gapp_thread_figures *processes;
	size_t process_count;
	u64 *parallelism;
	size_t parallelism_count;
	u64 targets_wall_ns;
};

/**
 * struct agreement - gapp's on-CPU and run-queue times against the kernel's own
 * @any: there was enough to compare
 * @percent: 100 if they are the same, at least 0
 * @active_percent: the same of the sum of the two times, which does not tell them apart: a virtual
 *CPU that loses its real one in the middle of a switch only shifts time from one to the other
 * @kernel_ns: the kernel's account
 * @differ_ns: sum of the differences, each without its sign
 * @worst: thread that differs most, or NULL
 * @worst_ns: by how much
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

void model_rank(struct model *model);
double model_percent(const struct model *model, u64 ns);
u64 model_with(const struct model *model, size_t n);
double model_average(const struct model *model);
double model_accounted(const struct model *model);
void model_agreement(const struct model *model, struct agreement *agreement);
bool model_recount_ok(const struct model *model);
bool model_is_empty(const struct model *model);

/* Nanoseconds of a share, rounded. */
static inline u64 share_ns(u64 share)
{
	return (share >> GAPP_SHARE_SHIFT) + (share >> (GAPP_SHARE_SHIFT - 1) & 1);
}

int share_compare(const void *a, const void *b);

/**
 * struct walk - a stack's functions
 * @stack: the stack; NULL: not walked
 * @functions: innermost first, those that can be believed
 * @count: how many, at least 1
 * @first: the first that is shown: others before it are in libraries
 * @end: enum path_end: why there are no more
 * @complete: nothing is missing behind the last one, but for code that begins programs or threads
 * @hash: of the functions from @first on
 */
struct walk {
	const struct call_path *stack;
	const struct frame **functions;
	u32 count;
	u32 first;
	u8 end;
	bool complete;
	u64 hash;
};

/* Return 0, or -1 without memory. */
int walk_stack(struct walk *walk, const struct call_path *stack, struct symbols *symbols);
void walk_free(struct walk *walk);

/* Names as JSON and scripts have them: "lock", "queue" ... */
const char *wait_name(enum gapp_wait_reason wait);
const char *then_name(unsigned int then);
const char *method_name(unsigned int method);
const char *end_name(unsigned int end);

#endif /* GAPP_READ_PROFILE_H */
