/* SPDX-License-Identifier: GPL-2.0 */
/* Parts of the text report. */
#ifndef GAPP_READ_TEXT_H
#define GAPP_READ_TEXT_H

#include <stdio.h>

#include "model.h"

#define TEXT_COLUMNS 80
#define TEXT_INDENT 13 /* where the text beside a section's title begins */
#define TEXT_ROWS 20 /* threads in the table, without -v */

/**
 * struct text - a report that is being written
 * @out: where to
 * @model: what is reported
 * @verbose: -v
 * @unit_ns: one of the unit in which all its times are given
 * @unit: its name
 * @decimals: of times in tables
 */
struct text {
	FILE *out;
	const struct model *model;
	bool verbose;
	double unit_ns;
	const char *unit;
	int decimals;
};

static inline double text_time(const struct text *text, u64 ns)
{
	return ns / text->unit_ns;
}

static inline const char *text_plural(u64 count)
{
	return count == 1 ? "" : "s";
}

#define TEXT_PERCENT_SIZE 16
const char *text_percent(char *buffer, double percent);

void text_threads(const struct text *text);
void text_warnings(const struct text *text);
void text_checks(const struct text *text);

#endif /* GAPP_READ_TEXT_H */
