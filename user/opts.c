// SPDX-License-Identifier: GPL-2.0
#include "opts.h"

#include <errno.h>
#include <limits.h>

#include <gapp.h>

#include "core/cmetric.h"

#define SEE_HELP "see `gapp-read --help`"

#define FLAG(member) offsetof(struct options, member)

typedef int (*option_handler)(struct options *options, const char *name, const char *value);

/**
 * struct option - one row of the option table
 * @letter: -x, or 0
 * @name: --name
 * @value: what its value is called in the help; NULL: it takes none
 * @handler: takes the value
 * @flag: bool of struct options that is set, if it takes none
 * @help: lines, separated by newlines
 */
struct option {
	char letter;
	const char *name;
	const char *value;
	option_handler handler;
	size_t flag;
	const char *help;
};

static int bad_value(const char *name, const char *value, const char *wanted)
{
	complain("%s: '%s' is not %s: " SEE_HELP, name, value, wanted);
	return -1;
}

static int parse_number(const char *text, const char **end, u32 max, u32 *number)
{
	unsigned long parsed;
	char *rest;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	parsed = strtoul(text, &rest, 10);
	if (errno || !parsed || parsed > max)
		return -1;
	*number = parsed;
	*end = rest;
	return 0;
}

static int parse_seconds(const char *text, u64 *ns)
{
	double seconds;
	char *end;

	/* not all that strtod takes: no sign, no hexadecimal, no names */
	if (!strchr(".0123456789", *text) || text[strspn(text, ".0123456789eE+-")])
		return -1;
	seconds = strtod(text, &end);
	if (end == text || *end || !(seconds * NSEC_PER_SEC < GAPP_TIME_MAX))
		return -1;
	*ns = seconds * NSEC_PER_SEC + 0.5;
	return 0;
}

static int add_pid(struct options *options, pid_t pid)
{
	pid_t *pids;

	for (size_t i = 0; i < options->pid_count; i++)
		if (options->pids[i] == pid)
			return 0;
	pids = reallocarray(options->pids, options->pid_count + 1, sizeof(*pids));
	if (!pids)
		return out_of_memory();
	pids[options->pid_count++] = pid;
	options->pids = pids;
	return 0;
}

static int on_pid(struct options *options, const char *name, const char *value)
{
	const char *text = value;
	u32 pid;

	for (;;) {
		if (parse_number(text, &text, INT_MAX, &pid) || (*text && *text != ','))
			return bad_value(name, value,
					 "a process id, or several with commas between");
		if (add_pid(options, pid))
			return -1;
		if (!*text++)
			return 0;
	}
}

static int on_duration(struct options *options, const char *name, const char *value)
{
	if (parse_seconds(value, &options->duration_ns) || !options->duration_ns)
		return bad_value(name, value, "a number of seconds above 0, and at most 52 days");
	return 0;
}

static int on_delay(struct options *options, const char *name, const char *value)
{
	if (parse_seconds(value, &options->delay_ns))
		return bad_value(name, value, "a number of seconds of at most 52 days");
	return 0;
}

static int on_threshold(struct options *options, const char *name, const char *value)
{
	const char *end = value;

	if (!strcmp(value, "half")) {
		options->n_min_mode = GAPP_N_MIN_HALF;
		options->n_min = 0;
		return 0;
	}
	if (parse_number(value, &end, GAPP_MAX_THREADS, &options->n_min) || *end)
		return bad_value(name, value, "'half' or a number of threads from 1 to 65536");
	options->n_min_mode = GAPP_N_MIN_FIXED;
	return 0;
}

static int on_max_threads(struct options *options, const char *name, const char *value)
{
	const char *end = value;

	if (parse_number(value, &end, GAPP_MAX_THREADS, &options->max_threads) || *end)
		return bad_value(name, value, "a number of threads from 1 to 65536");
	return 0;
}

static int on_format(struct options *options, const char *name, const char *value)
{
	if (!strcmp(value, "text"))
		options->format = FORMAT_TEXT;
	else if (!strcmp(value, "json"))
		options->format = FORMAT_JSON;
	else
		return bad_value(name, value, "'text' or 'json'");
	return 0;
}

_Static_assert(GAPP_MAX_THREADS == 65536, "texts that name it");

static const struct option option_table[] = {
	{ 'p', "pid", "PID[,PID...]", on_pid, 0,
	  "follow these processes, with all their threads and\n"
	  "their descendants" },
	{ 'd', "duration", "SEC", on_duration, 0, "record for so long at most" },
	{ 0, "delay", "SEC", on_delay, 0, "begin to record after so long" },
	{ 0, "no-inherit", NULL, NULL, FLAG(no_inherit), "do not follow children" },
	{ 'n', "threshold", "K|half", on_threshold, 0,
	  "N_min, how few active threads are too few: a number,\n"
	  "or half the live threads (default: half the live\n"
	  "threads, or half the CPUs they may use if fewer)" },
	{ 0, "max-threads", "N", on_max_threads, 0,
	  "follow at most so many threads at a time (16384)" },
	{ 0, "format", "text|json", on_format, 0, "format of the report (text)" },
	{ 'q', "quiet", NULL, NULL, FLAG(quiet), "no progress line" },
	{ 'v', "verbose", NULL, NULL, FLAG(verbose), "every thread, and more about the checks" },
	{ 'h', "help", NULL, NULL, FLAG(help), "this text" },
	{ 'V', "version", NULL, NULL, FLAG(version),
	  "versions of gapp-read and of the loaded module" },
};

_Static_assert(GAPP_DEFAULT_THREADS == 16384, "the help names it");

void options_help(FILE *out)
{
	fputs("usage: gapp-read [record] -p PID[,PID...] [options]\n"
	      "       gapp-read [record] [options] -- command [argument...]\n"
	      "\n"
	      "Finds out which threads keep a parallel program from running in parallel.\n"
	      "\n"
	      "  gapp-read -- ./prog arg          run a program, then report\n"
	      "  gapp-read -p 1234 -d 10          follow a running one for 10 seconds\n"
	      "  gapp-read -p 1234                the same, until it ends or Ctrl-C\n"
	      "  gapp-read --format json -p 1234  for a script\n"
	      "\n",
	      out);

	for (size_t i = 0; i < ARRAY_SIZE(option_table); i++) {
		const struct option *option = &option_table[i];
		const char *line = option->help;
		int column;

		column = option->letter ? fprintf(out, "  -%c, ", option->letter) :
					  fprintf(out, "      ");
		column += fprintf(out, "--%s", option->name);
		if (option->value)
			column += fprintf(out, " %s", option->value);
		for (;;) {
			int length = strcspn(line, "\n");

			fprintf(out, "%*s%.*s\n", 26 - column, "", length, line);
			if (!line[length])
				break;
			line += length + 1;
			column = 0;
		}
	}

	fputs("\nexit status: the command's own with --, else 0; 2 usage; 125 gapp failed\n", out);
}

static const struct option *find_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_table); i++)
		if (letter && option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

static const struct option *find_name(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_table); i++)
		if (strlen(option_table[i].name) == len && !memcmp(option_table[i].name, name, len))
			return &option_table[i];
	return NULL;
}

static int no_value(const char *name, const struct option *option)
{
	complain("%s needs a value (%s): " SEE_HELP, name, option->value);
	return -1;
}

static int set_flag(struct options *options, const struct option *option)
{
	*(bool *)((char *)options + option->flag) = true;
	return 1;
}

/* --name, --name value, --name=value. Returns the arguments taken. */
static int parse_long(struct options *options, char **args)
{
	size_t len = strcspn(args[0], "=");
	const char *value = args[0][len] ? &args[0][len + 1] : NULL;
	const struct option *option = find_name(args[0] + 2, len - 2);
	char name[32];

	if (!option) {
		complain("unknown option '%.*s': " SEE_HELP, (int)len, args[0]);
		return -1;
	}
	snprintf(name, sizeof(name), "--%s", option->name);
	if (!option->value) {
		if (!value)
			return set_flag(options, option);
		complain("%s takes no value: " SEE_HELP, name);
		return -1;
	}
	if (value)
		return option->handler(options, name, value) ? -1 : 1;
	if (!args[1])
		return no_value(name, option);
	return option->handler(options, name, args[1]) ? -1 : 2;
}

/* -x, -xyz, -x value, -xvalue. Returns the arguments taken. */
static int parse_letters(struct options *options, char **args)
{
	for (const char *letter = args[0] + 1; *letter; letter++) {
		const struct option *option = find_letter(*letter);
		char name[3] = { '-', *letter };

		if (!option) {
			complain("unknown option '%s': " SEE_HELP, name);
			return -1;
		}
		if (!option->value) {
			set_flag(options, option);
			continue;
		}
		if (letter[1])
			return option->handler(options, name, letter + 1) ? -1 : 1;
		if (!args[1])
			return no_value(name, option);
		return option->handler(options, name, args[1]) ? -1 : 2;
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

static int check(const struct options *options)
{
	if (options->help || options->version)
		return 0;
	if (options->command && !options->command[0]) {
		complain("no command after --: " SEE_HELP);
		return -1;
	}
	if (options->command && options->pids) {
		complain("-p and a command after -- exclude each other: to end by time, use -d");
		return -1;
	}
	if (!options->command && !options->pids) {
		complain("nothing to record: give -p PID, or a command after --: " SEE_HELP);
		return -1;
	}
	return 0;
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
	int i = 1;

	if (argc > 1 && !strcmp(argv[1], "record"))
		i++;

	while (i < argc && !options->help && !options->version) {
		int taken;

		if (!strcmp(argv[i], "--")) {
			options->command = &argv[i + 1];
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1])
			return refuse_argument(argv[i], i == 1);
		taken = argv[i][1] == '-' ? parse_long(options, &argv[i]) :
					    parse_letters(options, &argv[i]);
		if (taken < 0)
			return -1;
		i += taken;
	}
	return check(options);
}

void options_free(struct options *options)
{
	free(options->pids);
}
