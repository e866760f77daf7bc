// SPDX-License-Identifier: GPL-2.0
/* Takes the command line apart. */
#include "opts_table.h"

#define DEFAULT_RATE_HZ 333
#define DEFAULT_MIN_CRITICAL_NS 10000
/* Where a copy of the stack goes with every path. */
#define DEFAULT_COPIES_RING (8U << 20)

/**
 * struct parse - a command line that is being taken apart
 * @options: the result
 * @given: the options so far
 */
struct parse {
	struct options *options;
	option_set given;
};

static int no_value(const char *name, const struct option *option)
{
	complain("%s needs a value (%s): " SEE_HELP, name, option->value);
	return -1;
}

static int set_flag(struct parse *parse, const struct option *option)
{
	*(bool *)((char *)parse->options + option->flag) = true;
	parse->given |= option_bit(option);
	return 1;
}

static int set_value(struct parse *parse, const struct option *option, const char *name,
		     const char *value, int taken)
{
	parse->given |= option_bit(option);
	return option->handler(parse->options, name, value) ? -1 : taken;
}

/* --name, --name value, --name=value. Returns the arguments taken. */
static int parse_long(struct parse *parse, char **args)
{
	size_t len = strcspn(args[0], "=");
	const char *value = args[0][len] ? &args[0][len + 1] : NULL;
	const struct option *option = option_by_name(args[0] + 2, len - 2);
	char name[32];

	if (!option) {
		complain("unknown option '%.*s': " SEE_HELP, (int)len, args[0]);
		return -1;
	}
	snprintf(name, sizeof(name), "--%s", option->name);
	if (!option->value) {
		if (!value)
			return set_flag(parse, option);
		complain("%s takes no value: " SEE_HELP, name);
		return -1;
	}
	if (value)
		return set_value(parse, option, name, value, 1);
	if (!args[1])
		return no_value(name, option);
	return set_value(parse, option, name, args[1], 2);
}

/* -x, -xyz, -x value, -xvalue. Returns the arguments taken. */
static int parse_letters(struct parse *parse, char **args)
{
	for (const char *letter = args[0] + 1; *letter; letter++) {
		const struct option *option = option_by_letter(*letter);
		char name[3] = { '-', *letter };

		if (!option) {
			complain("unknown option '%s': " SEE_HELP, name);
			return -1;
		}
		if (!option->value) {
			set_flag(parse, option);
			continue;
		}
		if (letter[1])
			return set_value(parse, option, name, letter + 1, 1);
		if (!args[1])
			return no_value(name, option);
		return set_value(parse, option, name, args[1], 2);
	}
	return 1;
}

static int refuse_argument(const char *argument, bool first)
{
	if (first)
		complain("unknown command '%s': a program to run goes after --: `gapp-read -- %s`",
			 argument, argument);
	else
		complain("unexpected '%s': a command goes after --, a process id after -p: %s",
			 argument, SEE_HELP);
	return -1;
}

static void set_defaults(struct options *options)
{
	options->level = options->script ? GAPP_LEVEL_TRACE : GAPP_LEVEL_CRITICAL;
	options->min_critical_ns = DEFAULT_MIN_CRITICAL_NS;
	options->rate_hz = DEFAULT_RATE_HZ;
	options->max_stack = GAPP_DEFAULT_STACK;
	options->unwind_by = GAPP_UNWIND_BY_AUTO;
	options->stack_copy_bytes = GAPP_DEFAULT_STACK_COPY;
}

/* Its default depends on what else was asked for. */
static void set_ring(struct options *options)
{
	bool copies = options->unwind_by == GAPP_UNWIND_BY_COPY || options->verify;

	if (!options->ring_bytes)
		options->ring_bytes = copies ? DEFAULT_COPIES_RING : GAPP_DEFAULT_RING;
}

static void drop_what_needs_records(struct options *options)
{
	options->criterion = GAPP_CRITERION_SHARE;
	options->min_critical_ns = 0;
	options->rate_hz = 0;
	options->max_stack = 0;
	options->ring_bytes = 0;
	options->unwind_by = GAPP_UNWIND_BY_FP;
	options->verify = false;
	options->stack_copy_bytes = 0;
	options->kernel = false;
}

/**
 * options_parse() - takes the command line apart
 * @options: zeroed; the caller's to free, whatever is returned
 * @argc: as main has it
 * @argv: likewise; must outlive @options
 *
 * Return: 0, or -1 with a complaint made.
 */
int options_parse(struct options *options, int argc, char **argv)
{
	struct parse parse = { .options = options };
	int i = 1;

	if (argc > 1 && (!strcmp(argv[1], "record") || !strcmp(argv[1], "script")))
		options->script = *argv[i++] == 's';
	set_defaults(options);

	while (i < argc && !options->help && !options->version) {
		int taken;

		if (!strcmp(argv[i], "--")) {
			options->command = &argv[i + 1];
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			return refuse_argument(argv[i], i == 1);
		taken = argv[i][1] == '-' ? parse_long(&parse, &argv[i]) :
					    parse_letters(&parse, &argv[i]);
		if (taken < 0)
			return -1;
		i += taken;
	}
	if (options->help || options->version)
		return 0;
	set_ring(options);
	if (options_check(options, parse.given))
		return -1;
	if (options->level == GAPP_LEVEL_STATS)
		drop_what_needs_records(options);
	return 0;
}

void options_free(struct options *options)
{
	free(options->pids);
}
