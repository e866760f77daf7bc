/* SPDX-License-Identifier: GPL-2.0 */
/* The table of options, which opts.c reads and opts_table.c defines. */
#ifndef GAPP_READ_OPTS_TABLE_H
#define GAPP_READ_OPTS_TABLE_H

#include "opts.h"

#define SEE_HELP "see `gapp-read --help`"

typedef int (*option_handler)(struct options *options, const char *name, const char *value);

/**
 * struct option - one row of the option table
 * @letter: -x, or 0
 * @name: --name
 * @value: what the help calls its value; NULL: the option takes no value
 * @handler: takes the value
 * @flag: if the option takes no value: the bool of struct options that it sets
 * @help: lines, separated by newlines
 * @heading: the help prints it before this option; NULL: no heading
 */
struct option {
	char letter;
	const char *name;
	const char *value;
	option_handler handler;
	size_t flag;
	const char *help;
	const char *heading;
};

extern const struct option option_table[];
extern const size_t option_count;

const struct option *option_by_letter(char letter);
const struct option *option_by_name(const char *name, size_t len);

/* One bit for each row: the options that were given. */
typedef u64 option_set;

static inline option_set option_bit(const struct option *option)
{
	return 1ULL << (option - option_table);
}

#endif /* GAPP_READ_OPTS_TABLE_H */
