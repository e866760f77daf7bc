/* SPDX-License-Identifier: GPL-2.0 */
/* Reports of a recording. Callers find write errors with ferror(). */
#ifndef GAPP_READ_REPORT_H
#define GAPP_READ_REPORT_H

#include <stdio.h>

#include "conditions.h"
#include "counted.h"
#include "input/command_lines.h"
#include "profile/ranked_waits.h"
#include "profile/regions.h"
#include "profile/woken_paths.h"
#include "table-sync/sync.h"
#include "trigger.h"

/* Percent of the run time: a path with less critical time is not worth a line. */
#define NOTABLE_PERCENT 3.0
/* Of the run time: less is not worth a word, see results_starved_ns(). */
#define STARVED_PERCENT 5.0

/* Lines of advice; few programs have use for more. */
#define ADVICE_MAX 4

/**
 * struct own - what the reader itself took
 * @cpu_s: its CPU time
 * @rss_kib: its memory at most
 * @report_s: from the end of the recording to the report
 */
struct own {
	double cpu_s;
	u64 rss_kib;
	double report_s;
};

struct wait_views;
struct handovers;
struct recorded;
struct section_views;
struct exact_loops;
struct merged;

/**
 * struct window - the span of a recording that a report of --keep is about
 * @end_ns: session time of its end, nanoseconds; 0: the report is about all of the recording
 * @begin_ns: session time of its begin, nanoseconds
 * @number: of the dump: 1, 2, ...; 0: the recording ended
 * @cause: why the dump was made; NULL: not known
 * @full: it is shorter than was asked for, because there was no room for more records
 * @skew_ns: the module's figures at its two ends were read one after the other in so much time
 */
struct window {
	u64 end_ns;
	u64 begin_ns;
	u32 number;
	const char *cause;
	bool full;
	u64 skew_ns;
};

/**
 * struct results - what a recording came to
 * @model: figures of the session and its threads
 * @kthreads_without_room: threads of the kernel that were not followed, at most at a time, because
 *	a session takes no more
 * @ranked: there were records; without (GAPP_LEVEL_STATS) nothing that follows is set
 * @counters: what became of slices, samples and paths
 * @places: places of the tree of call paths
 * @tree: the tree of call paths; empty without --tree
 * @paths: call paths
 * @exported: call paths by their addresses, without options that change paths; empty unless a
 *	format needs them, see export/exports.h
 * @by: what --by asked for; unused with BY_PLACE and BY_PATH
 * @functions: functions over all paths
 * @lines: lines over all paths
 * @by_thread: threads
 * @by_process: processes
 * @regions: parallel regions of OpenMP
 * @sums: the totals
 * @waits: wait objects and wakers
 * @woken: call paths of waits and of their ends; empty unless a format needs them
 * @commands: command lines of processes; NULL: there are none
 * @table_sync: mappings and unwind tables that the reader sent to the module
 * @advice: what gives names to functions that have none, a line each
 * @wait_views: critical path and wait-for graph; NULL: nothing asked for them when it was recorded
 * @handovers: who handed the CPU to whom; NULL: nothing asked for it when it was recorded
 * @recorded: the file with its records; NULL: the results are of a recording that has no file yet
 * @sections: figures by section; NULL: no thread made a mark
 * @exact_loops: busy-wait loops that were timed exactly; NULL: nothing asked for it, or nobody may
 * @merged: the recordings that it was made of; NULL: it is no merged recording
 * @counted: what --counters asked for, and what the module added up
 * @own: what the reader took
 * @no_kernel: why paths have no frames of the kernel although they were asked for, and the cure; or
 *	NULL
 * @window: the span of time that all figures are of
 */
struct results {
	struct model model;
	u32 kthreads_without_room;
	bool ranked;
	struct gapp_counters counters;
	struct gapp_target_figures *targets;
	size_t target_count;
	struct ranking places;
	struct call_tree tree;
	struct ranking paths;
	struct ranking exported;
	struct ranking by;
	struct ranking functions;
	struct ranking lines;
	struct ranking by_thread;
	struct ranking by_process;
	struct regions regions;
	struct profile_sums sums;
	struct ranked_waits waits;
	struct woken_paths woken;
	const struct command_lines *commands;
	struct table_sync_figures table_sync;
	const struct wait_views *wait_views;
	const struct handovers *handovers;
	const struct recorded *recorded;
	const struct section_views *sections;
	const struct exact_loops *exact_loops;
	const struct merged *merged;
	struct counted counted;
	char *advice[ADVICE_MAX];
	size_t advice_count;
	struct own own;
	const char *no_kernel;
	struct window window;
};

void results_free(struct results *results);
#define _cleanup_results_ _cleanup_(results_free)

/*
 * Asks servers for debug information of the objects that notable places and functions are in; see
 * symbols_ask_servers(). Returns whether any was sent, so that the rankings are to be made again.
 */
bool results_ask_servers(const struct results *results, struct symbols *symbols);
void results_drop_rankings(struct results *results);

static inline double share_to_ns(u64 share)
{
	return (double)share / (1 << GAPP_SHARE_SHIFT);
}

static inline double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

double results_critical_ns(const struct results *results);
double results_percent(const struct results *results, double ns);
double results_percent_of_all(const struct results *results, double ns);
double results_row_percent(const struct results *results, const struct ranked *row);
u64 results_wall_of(const struct results *results, const struct ranked *row);
double results_complete_percent(const struct results *results);
double results_probe_ns(const struct results *results);
double results_probe_percent(const struct results *results);
double results_unattributed_ns(const struct results *results);
/*
 * Critical time on CPUs of which nobody knows in which parallel region it is, or in none. That in
 * run queues has no call path at all.
 */
double results_unknown_region_ns(const struct results *results);
unsigned int results_n_min_most(const struct results *results);
unsigned int results_n_min_least(const struct results *results);
u64 results_n_min_less_ns(const struct results *results);

/* Names as options and JSON have them. */
extern const char *const by_names[]; /* NULL terminated */

/*
 * Each process, or each recording that was merged, is a target of its own, so there is no common n
 * and nothing derived from it.
 */
bool results_apart(const struct results *results);
/* All figures are of a span of the recording, which goes on, so nothing was recounted yet. */
static inline bool results_go_on(const struct results *results)
{
	return results->window.end_ns && !(results->model.status.flags & GAPP_STATUS_RECOUNTED);
}

/* Nanoseconds that threads were known to spin on CPUs. */
u64 results_spun_ns(const struct results *results);
/*
 * Critical time in which active threads waited for a CPU while most others spun: more threads spin
 * than there are CPUs. 0 where it is less than STARVED_PERCENT of the run.
 */
double results_starved_ns(const struct results *results);
const struct gapp_target_figures *results_target(const struct results *results, s32 tgid);

/*
 * The critical time of each target, in nanoseconds, in the order of @targets; to be freed. C has
 * less of an instant in which several threads were active, so it is a lower bound, and so is the
 * sum of the target's places. NULL: no memory.
 */
double *results_targets_critical_ns(const struct results *results);

enum action {
	ACTION_RECORD, /* record, then report */
	ACTION_SCRIPT, /* print records */
	ACTION_REPORT, /* report what was recorded before */
	ACTION_EXPORT, /* write what was recorded before to files of other formats */
	ACTION_DIFF, /* compare two recordings */
	ACTION_TOP, /* show what is recorded now, again and again */
	ACTION_SPINS, /* find the busy-wait loops of programs and libraries */
	ACTION_MERGE, /* make one recording of several */
	ACTION_DOCTOR, /* tell whether gapp works here */
	ACTION_CTL, /* tell a gapp-read that records what to do */
};

/*
 * Files that one action reads at most: recordings, or with ACTION_SPINS and ACTION_DOCTOR programs
 * and libraries.
 */
#define FILES_MAX 64

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_CSV,
	FORMAT_FOLDED,
	FORMAT_PPROF,
	FORMAT_SPEEDSCOPE,
	FORMAT_DOT,
	FORMAT_CORES,
	FORMAT_COUNTERS,
	FORMAT_CORES_SVG,
	FORMAT_PARALLELISM_SVG,
	FORMAT_PERFETTO,
	FORMAT_CHROME,
	FORMAT_HTML,
	FORMATS,
};

/* What becomes of threads in busy-wait loops. */
enum spin_mode {
	SPINS_WAIT, /* a thread that a sample finds there waits */
	SPINS_OFF, /* it is active, as any other */
	SPINS_EXACT, /* it waits, and loops that matter have breakpoints */
};

/* When text has colours and bold type: on a terminal that shows them, and without NO_COLOR. */
enum color {
	COLOR_AUTO,
	COLOR_ALWAYS,
	COLOR_NEVER,
};

/* What a report has behind its head: text_views.c has a row for each. */
enum view {
	VIEW_PLACES, /* the table of places, or what --by asks for */
	VIEW_WAITS, /* waits that left no thread active */
	VIEW_THREADS,
	VIEW_WAIT_OBJECTS,
	VIEW_WAKERS,
	VIEW_CRITICAL_PATH,
	VIEW_GRAPH,
	VIEW_HANDOVER, /* who hands the CPU to whom */
	VIEW_SECTIONS, /* figures by section, and by parallel region */
	VIEW_COUNTERS, /* what --counters asked for, by thread and NUMA node */
};

extern const char *const view_names[]; /* NULL terminated */

/**
 * struct options - what was asked for
 * @given: options that were given, one bit for each row of their table
 * @help: print the help, and nothing else
 * @version: print the versions, and nothing else
 * @action: what to do
 * @files: recordings to read, or with ACTION_SPINS and ACTION_DOCTOR programs and libraries
 * @file_count: elements of @files that are used
 * @pids: processes to follow, each once
 * @pid_count: elements of @pids
 * @command: command to run and follow, NULL terminated; or NULL
 * @all: follow every process of the machine
 * @as_one: with @all: follow them as one target; else each process is a target of its own
 * @exe: follow the processes that execute this file; or NULL
 * @comm: follow the processes whose names match this; or NULL
 * @cgroup: follow the processes of this control group, with @comm those of both; or NULL
 * @kthreads: follow the threads of the kernel whose names match this; or NULL
 * @duration_ns: record for so long at most; 0: no limit
 * @interval_ns: of ACTION_TOP: from one look to the next; 0: not said
 * @delay_ns: begin to record after so long
 * @no_inherit: leave children out
 * @n_min_mode: enum gapp_n_min_mode
 * @n_min: with GAPP_N_MIN_FIXED: N_min, in threads
 * @max_threads: 0: the module's default
 * @level: enum gapp_level
 * @criterion: enum gapp_criterion
 * @min_critical_ns: export a slice when its thread has collected about so much critical share;
 *	0: export every slice
 * @rate_hz: samples a second; 0: none
 * @spin: what becomes of threads in busy-wait loops
 * @max_stack: frames of a call path
 * @ring_bytes: size of each CPU's ring, a power of two
 * @ring_may_shrink: nobody asked for @ring_bytes
 * @unwind_by: how the module finds user paths, enum gapp_unwind_by
 * @verify: with GAPP_UNWIND_BY_TABLE: compare the module's paths with libdwfl's of stack copies
 * @stack_copy_bytes: bytes of stack that the module copies at most; 0: none
 * @kernel: record kernel paths too
 * @no_kernel: --no-kernel was given
 * @no_libs: paths begin at the first frame of the program itself
 * @threads_only: do not rank the first threads of processes
 * @process_only: rank only the first threads of processes
 * @by: what a row of the table is
 * @view: what the text has behind its head
 * @rules: what functions wait for, besides those that gapp-read knows; NULL: nothing is said
 * @tree: print the tree of call paths
 * @top: rows to print; 0: not said
 * @format: of the report on standard output, and in outputs without a suffix
 * @color: of text on standard output
 * @save: file that the recording is written to; NULL: gapp.data
 * @no_save: write no such file
 * @records: keep the records in it
 * @same_boot: recordings that do not say so were made in one boot of one machine
 * @symfs: programs, libraries and debug files are looked up below this folder first; or NULL
 * @debuginfod: servers are asked for debug files, even by root
 * @no_debuginfod: they are not
 * @source_paths: folders with source files
 * @source_path_count: elements of @source_paths
 * @outputs: files that reports are written to, each named once
 * @output_count: elements of @outputs
 * @conditions: what is not to be
 * @condition_count: elements of @conditions
 * @waits: add up what threads wait for
 * @counters: add up these
 * @keep_ns: keep the records of so long, until a dump is asked for; 0: there is no such limit
 * @keep_bytes: with @keep_ns: memory that records take at most
 * @trigger: with @keep_ns: a condition that asks for a dump; its text is NULL: none
 * @socket: where gapp-read listens, or with ACTION_CTL talks to; NULL: not said
 * @wait_for_ctl: begin to record when `gapp-read ctl start` says so
 * @quiet: no progress line
 * @verbose: all of the report
 */
struct options {
	u64 given;
	bool help;
	bool version;
	enum action action;
	const char *files[FILES_MAX];
	size_t file_count;
	pid_t *pids;
	size_t pid_count;
	char *const *command;
	bool all;
	bool as_one;
	const char *exe;
	const char *comm;
	const char *cgroup;
	const char *kthreads;
	u64 duration_ns;
	u64 interval_ns;
	u64 delay_ns;
	bool no_inherit;
	u32 n_min_mode;
	u32 n_min;
	u32 max_threads;
	enum gapp_level level;
	enum gapp_criterion criterion;
	u64 min_critical_ns;
	u32 rate_hz;
	enum spin_mode spin;
	u32 max_stack;
	u32 ring_bytes;
	bool ring_may_shrink;
	enum gapp_unwind_by unwind_by;
	bool verify;
	u32 stack_copy_bytes;
	bool kernel;
	bool no_kernel;
	bool no_libs;
	bool threads_only;
	bool process_only;
	enum by by;
	enum view view;
	struct wait_rules *rules;
	bool tree;
	u32 top;
	enum format format;
	enum color color;
	const char *save;
	bool no_save;
	bool records;
	bool same_boot;
	const char *symfs;
	bool debuginfod;
	bool no_debuginfod;
	const char **source_paths;
	size_t source_path_count;
	const char **outputs;
	size_t output_count;
	struct condition *conditions;
	size_t condition_count;
	bool waits;
	struct tallies counters;
	u64 keep_ns;
	u64 keep_bytes;
	struct trigger trigger;
	const char *socket;
	bool wait_for_ctl;
	bool quiet;
	bool verbose;
};

/* Whether the options ask for more of waits than the usual report has. */
static inline bool options_ask_for_waits(const struct options *options)
{
	return options->view == VIEW_WAIT_OBJECTS || options->view == VIEW_WAKERS ||
	       options->by == BY_WAIT_OBJECT;
}

void report_text(FILE *out, const struct results *results, const struct options *options);
void report_verdict(FILE *out, const struct results *results, const struct options *options);
void report_json(FILE *out, const struct results *results, const struct options *options);

/* Message if --comm and --cgroup found nothing. */
#define NO_PROCESS_SELECTED \
	"no process that --comm or --cgroup names was there, or executed a program"

/* Message of -x if no process executed the file; %s: path of the file. */
#define NO_PROCESS_EXECUTED                              \
	"no process executed %s while it was recorded: " \
	"is it a script? Then give its interpreter"

#endif /* GAPP_READ_REPORT_H */
