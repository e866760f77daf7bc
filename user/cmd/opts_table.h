/* SPDX-License-Identifier: GPL-2.0 */
/* The table of options: what the files opts*.c share. */
#ifndef GAPP_READ_OPTS_TABLE_H
#define GAPP_READ_OPTS_TABLE_H

#include "opts.h"

#define SEE_HELP "see `gapp-read --help`"

typedef int (*option_handler)(struct options *options, const char *name, const char *value);

/**
 * struct option - one row of the option table
 * @letter: -x, or 0
 * @name: --name
 * @value: what its value is called in the help; NULL: it takes none
 * @handler: takes the value
 * @flag: bool of struct options that is set, if it takes none
 * @help: lines, separated by newlines
 * @heading: what the options from here on are about; NULL: as those before
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

/* What does not go together. Returns 0, or -1 with a complaint made. */
int options_check(const struct options *options, option_set given);

int on_pid(struct options *options, const char *name, const char *value);
int on_exe(struct options *options, const char *name, const char *value);
int on_duration(struct options *options, const char *name, const char *value);
int on_delay(struct options *options, const char *name, const char *value);
int on_threshold(struct options *options, const char *name, const char *value);
int on_max_threads(struct options *options, const char *name, const char *value);
int on_level(struct options *options, const char *name, const char *value);
int on_criterion(struct options *options, const char *name, const char *value);
int on_min_critical(struct options *options, const char *name, const char *value);
int on_rate(struct options *options, const char *name, const char *value);
int on_max_stack(struct options *options, const char *name, const char *value);
int on_ring(struct options *options, const char *name, const char *value);
int on_call_graph(struct options *options, const char *name, const char *value);
int on_by(struct options *options, const char *name, const char *value);
int on_top(struct options *options, const char *name, const char *value);
int on_format(struct options *options, const char *name, const char *value);

#endif /* GAPP_READ_OPTS_TABLE_H */
