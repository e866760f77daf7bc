/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the text report. */
#ifndef GAPP_READ_TEXT_PRIVATE_H
#define GAPP_READ_TEXT_PRIVATE_H

#include <stdio.h>

#include "report.h"

#define TEXT_COLUMNS 80
#define TEXT_COLUMNS_MIN 40
#define TEXT_COLUMNS_MAX 160
#define TEXT_LINES 24 /* of the report by default */
#define TEXT_INDENT 13 /* where the text beside a section's title begins */
#define TEXT_ROWS 20 /* threads in the table, without -v */

/* Bytes of a text that takes at most TEXT_COLUMNS_MAX columns. */
#define TEXT_CELL_SIZE (4 * TEXT_COLUMNS_MAX + 1)

/**
 * struct text - a report that is being written
 * @out: the stream
 * @results: what is reported
 * @model: @results->model
 * @options: what was asked for
 * @verbose: -v
 * @unit_ns: nanoseconds in the unit of the report's times
 * @unit: name of the unit
 * @decimals: of times in tables
 * @columns: how wide a line may be
 * @bold: the terminal shows bold text
 * @tight: there is no room for blank lines
 * @lines: written by text_line() and text_wrap()
 */
struct text {
	FILE *out;
	const struct results *results;
	const struct model *model;
	const struct report_options *options;
	bool verbose;
	double unit_ns;
	const char *unit;
	int decimals;
	unsigned int columns;
	bool bold;
	bool tight;
	unsigned int lines;
};

static inline double text_time(const struct text *text, double ns)
{
	return ns / text->unit_ns;
}

static inline const char *text_plural(u64 count)
{
	return count == 1 ? "" : "s";
}

/* text.c: lines, and their parts */

void text_begin(struct text *text, FILE *out, const struct results *results,
		const struct report_options *options);
_attribute_(format(printf, 2, 3)) void text_line(struct text *text, const char *format, ...);
void text_blank(struct text *text);
void text_wrap(struct text *text, const char *words, unsigned int indent, unsigned int most,
	       bool bold);
unsigned int text_width(const char *shown, size_t len);
void text_cut(char *cell, const char *name, size_t len, unsigned int columns);
_attribute_(format(printf, 3, 4)) void text_append(char *buffer, size_t size, const char *format,
						   ...);

#define TEXT_PERCENT_SIZE 16
const char *text_percent(char *buffer, double percent);
#define TEXT_TIME_SIZE 32
const char *text_short_time(char *buffer, double ns);
void text_append_time(const struct text *text, char *buffer, size_t size, double ns);
void text_append_part(const struct text *text, char *buffer, size_t size, double ns);

/* text_places.c: how places and wait reasons are called */

const char *text_wait(unsigned int wait);
void text_function(char *cell, const struct frame *frame, unsigned int columns);
void text_code_in_words(char *cell, const struct ranked *row);

/* the report's sections */

void text_sentence(struct text *text);
bool text_row_counts(const struct text *text, const struct ranked *row);
void text_paths(struct text *text, unsigned int lines_after);
void text_imbalance(struct text *text);
void text_volume(struct text *text);
void text_quality(struct text *text);
void text_unwinds(struct text *text);

/* sections of -v and of the report without a ranking */

void text_stats_sentence(const struct text *text);
void text_facts(const struct text *text);
void text_parallelism(const struct text *text);
void text_threads(const struct text *text);

void text_not_followed(struct text *text);
void text_warnings(struct text *text);
void text_doubts(struct text *text);
void text_checks(const struct text *text);
void text_checks_in_short(struct text *text);

#endif /* GAPP_READ_TEXT_PRIVATE_H */
