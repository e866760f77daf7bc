/* SPDX-License-Identifier: GPL-2.0 */
/* The command line, and the command that it names. */
#ifndef GAPP_READ_OPTS_H
#define GAPP_READ_OPTS_H

#include "report/report.h"

void options_free(struct options *options);
#define _cleanup_options_ _cleanup_(options_free)

int options_parse(struct options *options, int argc, char **argv);
void options_help(FILE *out);

/* Whether the module is to add up what threads wait for: who reads --by thread -v expects that. */
bool wants_waits(const struct options *options);

/* Whether what was recorded before is read, and nothing is recorded. */
bool reads_recording(const struct options *options);

/* Reads digits, which end at @end, as a number of at most @max. Returns 0, or -1. */
int parse_count(const char *text, const char **end, u32 max, u32 *number);

/* Records and reports what @options ask for. Returns the exit status. */
int record(const struct options *options);
/* Does what @options ask for with a recording's file. Returns the exit status. */
int reread(const struct options *options);
/* Compares two recordings' files. Returns the exit status. */
int diff(const struct options *options);
/* Makes one recording of several. Returns the exit status. */
int merge(const struct options *options);
/* Finds the busy-wait loops of files. Returns the exit status. */
int spins(const struct options *options);
/* Tells a gapp-read that records what to do. Returns the exit status. */
int ctl(const struct options *options);
/* Tells whether gapp works here. Returns the exit status. */
int doctor(const struct options *options);

#endif /* GAPP_READ_OPTS_H */
