/* SPDX-License-Identifier: GPL-2.0 */
/* A made-up session, for the unit tests of the reader. */
#ifndef GAPP_TESTS_MADE_UP_H
#define GAPP_TESTS_MADE_UP_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "report/report.h"

#define SECONDS(n) (1000000000ULL * (n))
#define MS(n) (1000000ULL * (n))
#define SHARE(ns) ((u64)(ns) << GAPP_SHARE_SHIFT)

struct model two_model(void);

/* Rows of struct results that made_ranked() gives. */
#define RANKED_ROWS 7

/**
 * struct made - results, and what they are made of; not to be freed
 * @results: the results
 * @rows: of all rankings
 * @threads: main, and fifteen workers
 * @copies: what was compared, as with --call-graph verify
 * @one: a path that was not equal
 * @object: what it is in
 * @parallelism: of 12.41 seconds on 16 CPUs: one thread for 2.2 s, 2 to 8 for 5.4 s
 */
struct made {
	struct results results;
	struct ranked rows[RANKED_ROWS];
	struct gapp_thread_figures threads[16];
	struct call_paths_figures copies;
	struct verify_case one;
	struct object object;
	u64 parallelism[17];
};

void made_ranked(struct made *made);
/* Then there is so much to say that a part of it has no room. */
void made_crowded(struct made *made);

typedef void (*report_function)(FILE *out, const struct results *results,
				const struct options *options);
char *print_report(report_function report, const struct results *results,
		   const struct options *options);

/* Ends the test as one that was not made, with a line that says why: see tests/cli/run. */
_attribute_(format(printf, 1, 2)) void skip_for(const char *format, ...);

void has(const char *text, const char *part);
void has_not(const char *text, const char *part);
/* No line takes more columns. */
void fits(const char *text, size_t columns);
/* No line takes more columns, unless it has one word. */
void fits_words(const char *text, size_t columns);
size_t lines_in(const char *text);

#endif /* GAPP_TESTS_MADE_UP_H */
