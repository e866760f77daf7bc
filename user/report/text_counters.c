// SPDX-License-Identifier: GPL-2.0
/* What --counters asked for, in a line: "Counters     faults 2345, migrations 17; ...". */
#include "counter_figures.h"
#include "text_counts.h"
#include "text_private.h"

#define TAIL "; --view counters has threads and nodes"
#define MORE_COLUMNS 10 /* of ", 10 more" */

const char *text_count(char buffer[TEXT_COUNT_SIZE], u64 count)
{
	static const char units[] = "kMGTPE";
	double value = count;
	int unit = -1;

	if (count < 10000) {
		snprintf(buffer, TEXT_COUNT_SIZE, "%llu", (unsigned long long)count);
		return buffer;
	}
	/* what is rounded up to 1000 has the next unit */
	while (value >= 999.5 && units[unit + 1]) {
		value /= 1000;
		unit++;
	}
	snprintf(buffer, TEXT_COUNT_SIZE, "%.*f%c",
		 value < 9.995 ? 2 :
		 value < 99.95 ? 1 :
				 0,
		 value, units[unit]);
	return buffer;
}

const char *text_missing(const struct counter_figures *figures, const struct counter_row *row,
			 u32 counter)
{
	if (!(row->missing & 1U << counter))
		return "";
	return counter_is_difference(figures, counter) ? "~" : ">=";
}

static void add_counters(struct text *text, const struct counter_figures *figures)
{
	const unsigned int room = text->columns - strlen(TAIL);
	char item[64 + COUNTER_NAME_SIZE], count[TEXT_COUNT_SIZE];

	for (u32 i = 0; i < figures->column_count; i++) {
		const u8 column = figures->columns[i];
		const bool last = i + 1 == figures->column_count;

		snprintf(item, sizeof(item), "%s%s %s%s", i ? ", " : "",
			 figures->tallies->counters[column].name,
			 text_missing(figures, &figures->total, column),
			 text_count(count, figures->total.counts[column]));
		if (i &&
		    text_width(text->line) + text_width(item) + (last ? 0 : MORE_COLUMNS) > room) {
			text_add(text, ", %u more", figures->column_count - i);
			return;
		}
		text_add(text, "%s", item);
	}
}

void text_counters(struct text *text)
{
	struct counter_figures figures;

	if (!text->results->counted.asked.count)
		return;
	if (counter_figures_make(&figures, text->results))
		out_of_memory();
	text_title(text, "Counters");
	if (!figures.column_count)
		text_add(text, "nothing was counted; --view counters says why");
	else if (!figures.known)
		text_add(text, "not in the recording's file, which is damaged");
	else
		add_counters(text, &figures);
	if (figures.column_count && figures.known)
		text_add(text, TAIL);
	text_end(text);
	counter_figures_free(&figures);
}
