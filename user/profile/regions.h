/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parallel regions of OpenMP, from call paths: a region's critical time is that of the slices on
 * whose path its outlined function is the innermost one. So each slice's time is in one row.
 */
#ifndef GAPP_READ_REGIONS_H
#define GAPP_READ_REGIONS_H

#include "symbol/symbols.h"
#include "util/util.h"

struct profile;

/* Functions of a region that are kept: those with most of its critical time. */
#define REGION_FUNCTIONS 8

/* What has the time that is in no region. */
enum outside_regions {
	OUTSIDE_SEQUENTIAL, /* code of a program that has regions, in none of them */
	OUTSIDE_RUNTIME, /* the runtime: it makes teams, threads wait between regions */
	OUTSIDE_OTHERS, /* processes without a region on any path */
	OUTSIDE_UNKNOWN, /* a call path that is cut, or none */
	OUTSIDE_REGIONS,
};

/**
 * struct region_function - a function in which a region has critical time
 * @frame: the innermost one of own code, or else the innermost
 * @critical_ns: critical time there, nanoseconds
 */
struct region_function {
	const struct frame *frame;
	double critical_ns;
};

/**
 * struct region_row - a parallel region, or what is in none
 * @outlined: its outlined function; NULL: it is in no region
 * @function: name of the function that has the region; NULL: not known
 * @file: where its code begins; NULL: not known
 * @line: the line in @file
 * @critical_ns: critical time, nanoseconds
 * @running: average number of active threads meanwhile; 0: not known
 * @idle_ns: time in which no thread was active, of waits there, nanoseconds
 * @functions: most critical time first
 *
 * @file and frames belong to the symbols.
 */
struct region_row {
	const struct frame *outlined;
	char *function;
	const char *file;
	u32 line;
	double critical_ns;
	double running;
	double idle_ns;
	struct region_function functions[REGION_FUNCTIONS];
	u32 function_count;
};

/**
 * struct regions - all of a recording; without rows there are none
 * @rows: the most critical time first
 * @outside: the rest of the critical time that has a call path, and of time without active threads
 */
struct regions {
	struct region_row *rows;
	size_t count;
	struct region_row outside[OUTSIDE_REGIONS];
};

/* Of all that was added so far, of all threads. Returns 0, or -1 without memory. */
int profile_regions(struct profile *profile, struct symbols *symbols, struct regions *regions);
void regions_free(struct regions *regions);

struct ranker;

/* @ranker has flows. Returns 0, or -1 without memory; what @regions has is to be freed then, too.
 */
int regions_make(const struct ranker *ranker, struct regions *regions);

#endif /* GAPP_READ_REGIONS_H */
