/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files of -o: opened before the recording begins, so that a wrong path is told at once. A regular
 * file appears, or is replaced, only when it is complete.
 */
#ifndef GAPP_READ_OUTPUTS_H
#define GAPP_READ_OUTPUTS_H

#include "report/report.h"
#include "util/util.h"

/**
 * struct output_file - a file that a report is written to
 * @name: as it was given
 * @format: what is written
 * @fd: open for writing; -1: closed
 * @target: the path that @temporary becomes; NULL: @fd is the file itself, a device or a pipe
 * @temporary: path of the file that @fd writes to; NULL like @target
 */
struct output_file {
	const char *name;
	enum format format;
	int fd;
	char *target;
	char *temporary;
};

#define OUTPUT_SUFFIXES \
	".txt, .json, .csv, .folded, .pb.gz, .speedscope.json, .dot, .html, .cores.csv, .counters.csv, .cores.svg, .parallelism.svg, .pftrace or .trace.json"

/* Sets @format to the one that the suffix of @name says. False: no suffix is known. */
bool output_format(const char *name, enum format *format);

struct outputs {
	struct output_file *files;
	size_t count;
};

/* Whether @name can be given with -o. Returns 0, or -1 with a complaint made. */
int outputs_check(const char *name);

/*
 * Opens all files that the options name. Waits for the reader of a named pipe. Returns 0, or -1
 * with a complaint made; the caller calls outputs_free() in any case.
 */
int outputs_open(struct outputs *outputs, const struct options *options);

/*
 * Writes the reports that are not written yet; those that are made of a recording's file only if
 * @results->recorded is that file. Returns 0, or -1 with a complaint made; then all other files are
 * written.
 */
int outputs_write(struct outputs *outputs, const struct results *results,
		  const struct options *options);

/* Writes @what in one format. Returns 0, or -1 with a complaint made. */
typedef int (*write_function)(FILE *out, enum format format, const void *what,
			      const struct options *options);
/* As outputs_write(), of something else than a report. */
int outputs_write_by(struct outputs *outputs, write_function write, const void *what,
		     const struct options *options);

/* Files that have not been written stay as they were. */
void outputs_free(struct outputs *outputs);
#define _cleanup_outputs_ _cleanup_(outputs_free)

/*
 * Writes a report in one format. Callers find write errors with ferror(). Returns 0, or -1 without
 * memory, with a complaint made.
 */
int report_write(FILE *out, enum format format, const struct results *results,
		 const struct options *options);

/* Whether a report that the options ask for is made of @exported of struct results. */
bool outputs_need_paths(const struct options *options);

/* Whether one is made of @woken. */
bool outputs_need_woken(const struct options *options);

/*
 * What the options ask for that is made of @wait_views of struct results, so that every slice and
 * wait is to be kept, as it was given; NULL: nothing.
 */
const char *outputs_need_waits(const struct options *options);

/* Whether a format is made of a recording's file. */
bool format_is_of_file(enum format format);
/* The first output that is made of a recording's file, or NULL. */
const char *outputs_of_file(const struct options *options);
/* The first output that is made of the records in that file, or NULL. */
const char *outputs_need_records(const struct options *options);

/* The first output that is made of what --counters asks for, or NULL. */
const char *outputs_need_counters(const struct options *options);

/* Whether an output shows who woke whom. */
bool outputs_show_wakers(const struct options *options);

/* Returns 0 if all was written or nobody reads it, else -1 with a complaint made about @what. */
int flush_stdout(const char *what);

#endif /* GAPP_READ_OUTPUTS_H */
