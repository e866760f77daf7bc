/* SPDX-License-Identifier: GPL-2.0 */
/* Reports. A write error is left to the stream: see ferror(). */
#ifndef GAPP_READ_REPORT_H
#define GAPP_READ_REPORT_H

#include <stdio.h>

#include "results.h"

/**
 * struct report_options - what was recorded, and how to report it
 * @command: the command that was run, NULL terminated; or NULL
 * @exe: the file whose processes were followed; or NULL
 * @pids: the processes that were followed
 * @pid_count: elements of @pids
 * @all: every process of the machine was followed
 * @level: enum gapp_level
 * @rate_hz: samples a second; 0: none
 * @unwind_by: how the module was to find user paths, enum gapp_unwind_by
 * @verify: paths were compared with those that libdwfl finds in stack copies
 * @by: what a row of the table is
 * @top: rows to print; 0: as many as are notable
 * @verbose: print every thread, more paths and all checks
 */
struct report_options {
	char *const *command;
	const char *exe;
	const pid_t *pids;
	size_t pid_count;
	bool all;
	enum gapp_level level;
	u32 rate_hz;
	enum gapp_unwind_by unwind_by;
	bool verify;
	enum by by;
	u32 top;
	bool verbose;
};

void report_text(FILE *out, const struct results *results, const struct report_options *options);
void report_json(FILE *out, const struct results *results, const struct report_options *options);

/* With -x, where there was none; %s: its path. */
#define NO_PROCESS_EXECUTED                              \
	"no process executed %s while it was recorded: " \
	"is it a script? Then give its interpreter"

#endif /* GAPP_READ_REPORT_H */
