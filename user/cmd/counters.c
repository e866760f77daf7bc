// SPDX-License-Identifier: GPL-2.0
#include "counters.h"

#include <stdio.h>
#include <string.h>

#define SENTENCE_SIZE 1024

/* Adds the names of all counters from @first on that have its reason, and the reason. */
static void add_reason(char *sentence, const struct tallies *tallies, u32 first)
{
	const char *why = tally_why(counter_refused(tallies, &tallies->counters[first]));
	size_t len = strlen(sentence);

	for (u32 i = first; i < tallies->count; i++) {
		const u32 refused = counter_refused(tallies, &tallies->counters[i]);

		if (!refused || strcmp(tally_why(refused), why))
			continue;
		len += snprintf(sentence + len, SENTENCE_SIZE - len, "%s%s",
				i > first	  ? ", " :
				*sentence == '\0' ? "" :
						    "; ",
				tallies->counters[i].name);
	}
	snprintf(sentence + len, SENTENCE_SIZE - len, " (%s)", why);
}

static bool is_said(const struct tallies *tallies, u32 index, const char *why)
{
	for (u32 i = 0; i < index; i++) {
		const u32 refused = counter_refused(tallies, &tallies->counters[i]);

		if (refused && !strcmp(tally_why(refused), why))
			return true;
	}
	return false;
}

void counters_ask(struct device *dev, struct tallies *tallies)
{
	char sentence[SENTENCE_SIZE] = "";

	tallies_find_events(tallies, TALLY_EVENTS_FOLDER, TALLY_CPU_FILE);
	device_add_tallies(dev, tallies);
	for (u32 i = 0; i < tallies->count; i++) {
		const u32 refused = counter_refused(tallies, &tallies->counters[i]);

		if (refused && !is_said(tallies, i, tally_why(refused)))
			add_reason(sentence, tallies, i);
	}
	if (*sentence)
		complain("--counters: not counted: %s", sentence);
}
