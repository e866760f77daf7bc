/* SPDX-License-Identifier: GPL-2.0 */
/* The command line. */
#ifndef GAPP_READ_OPTS_H
#define GAPP_READ_OPTS_H

#include <stdio.h>
#include <sys/types.h>

#include "util.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
};

/**
 * struct options - what was asked for
 * @help: print the help, and nothing else
 * @version: print the versions, and nothing else
 * @pids: processes to follow, each once
 * @pid_count: how many
 * @command: command to run and follow, NULL terminated; or NULL
 * @duration_ns: end after that; 0: no limit
 * @delay_ns: begin after that
 * @no_inherit: leave children out
 * @n_min_mode: enum gapp_n_min_mode
 * @n_min: with GAPP_N_MIN_FIXED
 * @max_threads: 0: the module's default
 * @format: of the report
 * @quiet: no progress line
 * @verbose: all of the report
 */
struct options {
	bool help;
	bool version;
	pid_t *pids;
	size_t pid_count;
	char *const *command;
	u64 duration_ns;
	u64 delay_ns;
	bool no_inherit;
	u32 n_min_mode;
	u32 n_min;
	u32 max_threads;
	enum format format;
	bool quiet;
	bool verbose;
};

void options_free(struct options *options);
#define _cleanup_options_ _cleanup_(options_free)

int options_parse(struct options *options, int argc, char **argv);
void options_help(FILE *out);

#endif /* GAPP_READ_OPTS_H */
