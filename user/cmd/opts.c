// SPDX-License-Identifier: GPL-2.0
/* Reads the command line, and refuses options that do not go together. */
#include "opts_table.h"

#define DEFAULT_RATE_HZ 333
#define DEFAULT_MIN_CRITICAL_NS 10000
/* Default bytes of a ring if every path comes with a stack copy. */
#define DEFAULT_RING_WITH_COPIES (8U << 20)

/**
 * struct parse - a command line that is being read
 * @options: the result
 * @given: options that have been read
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

static void set_ring(struct options *options)
{
	bool copies = options->unwind_by == GAPP_UNWIND_BY_COPY || options->verify;

	if (!options->ring_bytes)
		options->ring_bytes = copies ? DEFAULT_RING_WITH_COPIES : GAPP_DEFAULT_RING;
}

static void clear_record_options(struct options *options)
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
 * struct conflict - two options that exclude each other
 * @name: name of an option
 * @with: name of the option that it excludes
 * @why: printed after both
 */
struct conflict {
	const char *name;
	const char *with;
	const char *why;
};

static const struct conflict conflicts[] = {
	{ "threads-only", "process-only", "one ranks only what the other leaves out" },
	{ "kernel", "no-kernel", "one asks for what the other forbids" },
	{ "no-inherit", "all", "every process is followed anyway" },
};

static const char *const need_records[] = {
	"rate", "max-stack", "kernel",	"min-critical", "criterion",	"ring",
	"by",	"top",	     "no-libs", "threads-only", "process-only", "call-graph",
};

static const char *const need_script[] = { "kernel" };

static const char *const need_report[] = {
	"by", "top", "no-libs", "threads-only", "process-only", "format", "verbose",
};

static bool is_given(option_set given, const char *name)
{
	const struct option *option = option_by_name(name, strlen(name));

	return option && given & option_bit(option);
}

static int check_targets(const struct options *options)
{
	int ways = !!options->command + !!options->pids + !!options->exe + options->all;

	if (options->command && !options->command[0]) {
		complain("no command after --: " SEE_HELP);
		return -1;
	}
	if (options->command && options->pids) {
		complain("-p and a command after -- exclude each other: to end by time, use -d");
		return -1;
	}
	if (ways > 1) {
		complain("-p, -x, -a and a command after -- exclude each other: give one of them");
		return -1;
	}
	if (!ways) {
		complain("nothing to record: give -p, -x, -a, or a command after --: " SEE_HELP);
		return -1;
	}
	if (options->as_one && !options->all) {
		complain(
			"--as-one joins the processes of -a, which is missing: with -p, -x and -- they are one target anyway");
		return -1;
	}
	return 0;
}

static int refuse_any(option_set given, const char *const *names, size_t count, const char *with,
		      const char *why)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_given(given, names[i]))
			continue;
		complain("--%s has no meaning with %s: %s", names[i], with, why);
		return -1;
	}
	return 0;
}

/* The module refuses a ring of less than eight stack copies. */
static int check_ring(const struct options *options)
{
	if (options->stack_copy_bytes <= options->ring_bytes / 8)
		return 0;
	complain("copies of %u bytes need a larger buffer: give -m %uK or more",
		 options->stack_copy_bytes, options->stack_copy_bytes / 128);
	return -1;
}

static int check(const struct options *options, option_set given)
{
	if (check_targets(options))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++) {
		const struct conflict *conflict = &conflicts[i];

		if (!is_given(given, conflict->name) || !is_given(given, conflict->with))
			continue;
		complain("--%s and --%s exclude each other: %s", conflict->name, conflict->with,
			 conflict->why);
		return -1;
	}
	if (options->script && options->level == GAPP_LEVEL_STATS) {
		complain(
			"script prints records, and --level stats has none: use --level critical or trace");
		return -1;
	}
	if (options->level != GAPP_LEVEL_STATS && check_ring(options))
		return -1;
	if (options->script)
		return refuse_any(given, need_report, ARRAY_SIZE(need_report), "script",
				  "it prints records, no report");
	if (options->level == GAPP_LEVEL_STATS)
		return refuse_any(given, need_records, ARRAY_SIZE(need_records), "--level stats",
				  "it records no call paths; use --level critical");
	return refuse_any(given, need_script, ARRAY_SIZE(need_script), "a report",
			  "it has the paths of programs; `gapp-read script` prints the kernel's");
}

/**
 * options_parse() - reads the command line
 * @options: zeroed; the caller frees it, whatever is returned
 * @argc: main's
 * @argv: main's; must outlive @options
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
	if (check(options, parse.given))
		return -1;
	if (options->level == GAPP_LEVEL_STATS)
		clear_record_options(options);
	return 0;
}

void options_free(struct options *options)
{
	free(options->pids);
}
