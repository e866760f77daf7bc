/* SPDX-License-Identifier: GPL-2.0 */
/* Two recordings compared. Callers find write errors with ferror(). */
#ifndef GAPP_READ_DIFF_H
#define GAPP_READ_DIFF_H

#include "changes.h"

/* A change of less than one percent of the run is none. */
#define DIFF_POINTS 1.0
/* Run times that differ by fewer percent are alike. */
#define DIFF_WALL_PERCENT 3.0

enum diff_verdict {
	DIFF_SAME,
	DIFF_BETTER,
	DIFF_WORSE,
};

/**
 * struct recorded - one of the two
 * @file: its name
 * @results: what it came to
 * @options: what was asked for when it was made
 */
struct recorded {
	const char *file;
	const struct results *results;
	const struct options *options;
};

/**
 * struct diff - a comparison
 * @before: the recording to compare with
 * @after: the recording that is compared
 * @options: what was asked for now
 * @whole_runs: both ran a command from its begin to its end, so that run times compare
 * @verdict: of the run times if they compare, else of the time with few threads active or none
 * @rows: rows of the table
 * @functions: functions
 */
struct diff {
	struct recorded before;
	struct recorded after;
	const struct options *options;
	bool whole_runs;
	enum diff_verdict verdict;
	struct changes rows;
	struct changes functions;
};

/* Compares @diff->before and @diff->after, which are set. Returns 0, or -1 without memory. */
int diff_make(struct diff *diff);
void diff_free(struct diff *diff);
#define _cleanup_diff_ _cleanup_(diff_free)

/* Percent of the run in which few threads were active, or none. */
double diff_low_percent(const struct results *results);
/* The change that goes most with the verdict; NULL: none is worth a word. */
const struct change *diff_main_change(const struct diff *diff);

void diff_text(FILE *out, const struct diff *diff);
void diff_json(FILE *out, const struct diff *diff);

#endif /* GAPP_READ_DIFF_H */
