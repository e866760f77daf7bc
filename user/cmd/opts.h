/* SPDX-License-Identifier: GPL-2.0 */
/* The command line, and the command that it names. */
#ifndef GAPP_READ_OPTS_H
#define GAPP_READ_OPTS_H

#include <stdio.h>
#include <sys/types.h>

#include "profile/profile.h"
#include "util/util.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
};

/**
 * struct options - what was asked for
 * @help: print the help, and nothing else
 * @version: print the versions, and nothing else
 * @script: print records instead of a report
 * @pids: processes to follow, each once
 * @pid_count: elements of @pids
 * @command: command to run and follow, NULL terminated; or NULL
 * @all: follow every process of the machine
 * @as_one: with @all: follow them as one target; else each process is a target of its own
 * @exe: follow the processes that execute this file; or NULL
 * @duration_ns: record for so long at most; 0: no limit
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
 * @max_stack: frames of a call path
 * @ring_bytes: size of each CPU's ring, a power of two
 * @unwind_by: how the module finds user paths, enum gapp_unwind_by
 * @verify: with GAPP_UNWIND_BY_TABLE: compare the module's paths with libdwfl's of stack copies
 * @stack_copy_bytes: bytes of stack that the module copies at most; 0: none
 * @kernel: record kernel paths too
 * @no_kernel: --no-kernel was given
 * @no_libs: paths begin at the first frame of the program itself
 * @threads_only: do not rank the first threads of processes
 * @process_only: rank only the first threads of processes
 * @by: what a row of the table is
 * @top: rows to print; 0: not said
 * @format: of the report
 * @quiet: no progress line
 * @verbose: all of the report
 *
 * With GAPP_LEVEL_STATS the members that only records need, @criterion to @kernel, are 0.
 */
struct options {
	bool help;
	bool version;
	bool script;
	pid_t *pids;
	size_t pid_count;
	char *const *command;
	bool all;
	bool as_one;
	const char *exe;
	u64 duration_ns;
	u64 delay_ns;
	bool no_inherit;
	u32 n_min_mode;
	u32 n_min;
	u32 max_threads;
	enum gapp_level level;
	enum gapp_criterion criterion;
	u64 min_critical_ns;
	u32 rate_hz;
	u32 max_stack;
	u32 ring_bytes;
	enum gapp_unwind_by unwind_by;
	bool verify;
	u32 stack_copy_bytes;
	bool kernel;
	bool no_kernel;
	bool no_libs;
	bool threads_only;
	bool process_only;
	enum by by;
	u32 top;
	enum format format;
	bool quiet;
	bool verbose;
};

void options_free(struct options *options);
#define _cleanup_options_ _cleanup_(options_free)

int options_parse(struct options *options, int argc, char **argv);
void options_help(FILE *out);

/* Records and reports what @options ask for. Returns the exit status. */
int record(const struct options *options);

#endif /* GAPP_READ_OPTS_H */
