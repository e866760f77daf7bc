// SPDX-License-Identifier: GPL-2.0
#include "counters.h"

#include <stdio.h>
#include <string.h>

#define SENTENCE_SIZE 1024

/* Adds the names of all counters from @first on that have its reason, and the reason. */
static void add_reason(char *sentence, const struct tallies *tallies, u32 first)
{
	const char *why = counter_why_not(tallies, &tallies->counters[first]);
	size_t len = strlen(sentence);

	for (u32 i = first; i < tallies->count; i++) {
		const char *its = counter_why_not(tallies, &tallies->counters[i]);

		if (!its || strcmp(its, why))
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
		const char *its = counter_why_not(tallies, &tallies->counters[i]);

		if (its && !strcmp(its, why))
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
		const char *why = counter_why_not(tallies, &tallies->counters[i]);

		if (why && !is_said(tallies, i, why))
			add_reason(sentence, tallies, i);
	}
	if (*sentence)
		complain("--counters: not counted: %s", sentence);
}
