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

/* "1203", "3.40M", "0.25": how many there are in a second. */
static const char *rate(char buffer[TEXT_COUNT_SIZE], double a_second)
{
	if (a_second >= 100 || a_second <= 0)
		return text_count(buffer, a_second + 0.5);
	snprintf(buffer, TEXT_COUNT_SIZE, "%.3g", a_second);
	return buffer;
}

/* "each critical second: faults 1203, l3-misses 3.40M; 12 % of loads local" */
void text_place_counters(struct text *text, const struct ranked *place)
{
	const struct tallies *asked = &text->results->counted.asked;
	const char *before = "    each critical second: ";
	struct place_counters counters;
	char buffer[TEXT_COUNT_SIZE];

	if (place->kind != PATH_RAN || !place_counters_make(&counters, text->results, place))
		return;
	for (u32 i = 0; i < asked->count; i++) {
		const struct counter *counter = &asked->counters[i];
		const char *missing = counter->minus == TALLY_NONE ? ">=" : "~";

		if (counter_why_not(asked, counter))
			continue;
		text_add(text, "%s%s %s%s", before, counter->name,
			 counters.row.missing & 1U << i ? missing : "",
			 rate(buffer, counters.row.counts[i] / counters.seconds));
		before = ", ";
	}
	if (!text->line[0])
		return;
	if (counters.row.local_known)
		text_add(text, "; %.0f %% of loads local", counters.row.local_percent);
	text_wrap(text, 8, TEXT_PLAIN);
}
