// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the table of options, a line each, with tabs between: letter, name, what the help calls
 * its value, the words that it may be, the actions it has a meaning for, and what the help says.
 */
#include <stdio.h>

#include "cmd/opts_private.h"

static const char *const actions[] = {
	[ACTION_RECORD] = "record", [ACTION_SCRIPT] = "script", [ACTION_REPORT] = "report",
	[ACTION_EXPORT] = "export", [ACTION_DIFF] = "diff",	[ACTION_TOP] = "top",
	[ACTION_SPINS] = "spins",   [ACTION_MERGE] = "merge",	[ACTION_DOCTOR] = "doctor",
	[ACTION_CTL] = "ctl",
};

static void print_words(const struct option *option)
{
	for (const char *const *word = option->words; word && *word; word++)
		printf("%s%s", word == option->words ? "" : " ", *word);
	putchar('\t');
}

static void print_actions(const struct option *option)
{
	const char *before = "";

	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		if (!(option->actions & ACTION_BIT(i)))
			continue;
		printf("%s%s", before, actions[i]);
		before = " ";
	}
	putchar('\t');
}

int main(void)
{
	for (size_t i = 0; i < option_count; i++) {
		const struct option *option = &option_table[i];

		if (option->letter)
			putchar(option->letter);
		printf("\t%s\t%s\t", option->name, option->value ?: "");
		print_words(option);
		print_actions(option);
		for (const char *help = option->help; *help; help++)
			putchar(*help == '\n' ? ' ' : *help);
		putchar('\n');
	}
	return 0;
}
