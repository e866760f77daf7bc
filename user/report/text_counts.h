/* SPDX-License-Identifier: GPL-2.0 */
/* Counts in few columns. */
#ifndef GAPP_READ_TEXT_COUNTS_H
#define GAPP_READ_TEXT_COUNTS_H

#include "counter_figures.h"

#define TEXT_COUNT_SIZE 24

/* "9999", "12.3k", "1.23M": at most five columns. Returns @buffer. */
const char *text_count(char buffer[TEXT_COUNT_SIZE], u64 count);
/* What stands before a count of which something is missing: ">=", or "~" of a difference; or "". */
const char *text_missing(const struct counter_figures *figures, const struct counter_row *row,
			 u32 counter);

#endif /* GAPP_READ_TEXT_COUNTS_H */
