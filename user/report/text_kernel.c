// SPDX-License-Identifier: GPL-2.0
/* The kernel's part of a place. */
#include "kernel_names.h"
#include "text_private.h"

#define LEAST_PERCENT 0.5 /* less is 0 % */
#define CALLS_SHOWN 4

/**
 * text_kernel() - "kernel 62 %: openat 40 %, read 22 %", if any of the place's time was there
 * @text: the report
 * @row: the place
 */
void text_kernel(struct text *text, const struct ranked *row)
{
	const char *before = ":";

	if (percent_of(row->kernel_ns, row->critical_ns) < LEAST_PERCENT)
		return;
	text_add(text, "    kernel %.0f %%", percent_of(row->kernel_ns, row->critical_ns));
	for (size_t i = 0; i < row->kernel_count && i < CALLS_SHOWN; i++) {
		double percent = percent_of(row->kernel[i].ns, row->critical_ns);
		char buffer[KERNEL_NAME_SIZE];

		if (percent < LEAST_PERCENT)
			break;
		text_add(text, "%s %s %.0f %%", before, kernel_words(row->kernel[i].in, buffer),
			 percent);
		before = ",";
	}
	text_end(text);
}
