/* SPDX-License-Identifier: GPL-2.0 */
/* The table of options, and what reads, prints and checks them. */
#ifndef GAPP_READ_OPTS_PRIVATE_H
#define GAPP_READ_OPTS_PRIVATE_H

#include "opts.h"

#define SEE_HELP "see `gapp-read --help`"

#define ACTION_BIT(action) (1U << (action))
/* Actions that record. */
#define RECORDING (ACTION_BIT(ACTION_RECORD) | ACTION_BIT(ACTION_SCRIPT) | ACTION_BIT(ACTION_TOP))

/**
 * struct option - one row of the option table
 * @letter: -x, or 0
 * @name: --name
 * @value: what the help calls its value; NULL: the option takes no value
 * @read: takes a value; returns 0, WRONG_VALUE, GIVEN_TWICE, or -1 with a complaint made
 * @member: offset of what the option sets in struct options; without a value a bool
 * @words: with read_word(): the values, NULL terminated; @member becomes the index of one
 * @least: smallest value of @member, if it is a number
 * @most: largest value of @member, if it is a number
 * @wanted: what a value must be
 * @help: lines, separated by newlines
 * @heading: the help prints it before this option; NULL: no heading
 * @actions: what it has a meaning for: ACTION_BIT() of each
 */
struct option {
	char letter;
	const char *name;
	const char *value;
	int (*read)(struct options *options, const struct option *option, const char *value);
	size_t member;
	const char *const *words;
	u64 least;
	u64 most;
	const char *wanted;
	const char *help;
	const char *heading;
	u32 actions;
};

enum {
	WRONG_VALUE = 1,
	GIVEN_TWICE,
};

void *option_member(struct options *options, const struct option *option);
/* Each reads the value of an option: see @read of struct option. */
int read_number(struct options *options, const struct option *option, const char *value);
int read_seconds(struct options *options, const struct option *option, const char *value);
int read_time(struct options *options, const struct option *option, const char *value);
int read_word(struct options *options, const struct option *option, const char *value);
int read_pids(struct options *options, const struct option *option, const char *value);
int read_path(struct options *options, const struct option *option, const char *value);
int read_output(struct options *options, const struct option *option, const char *value);
int read_reasons(struct options *options, const struct option *option, const char *value);
int read_condition(struct options *options, const struct option *option, const char *value);
int read_keep(struct options *options, const struct option *option, const char *value);
int read_trigger(struct options *options, const struct option *option, const char *value);
int read_source_path(struct options *options, const struct option *option, const char *value);
int read_threshold(struct options *options, const struct option *option, const char *value);
int read_ring(struct options *options, const struct option *option, const char *value);
int read_counters(struct options *options, const struct option *option, const char *value);
int read_call_graph(struct options *options, const struct option *option, const char *value);

extern const struct option option_table[];
extern const size_t option_count;

extern const char *const format_words[];

const struct option *option_by_name(const char *name, size_t len);
/* The word for an action. */
const char *action_name(enum action action);
u64 option_bit(const struct option *option);

/* Complains about options that do not go together. Returns 0, or -1. */
int options_check(const struct options *options);

#endif /* GAPP_READ_OPTS_PRIVATE_H */
