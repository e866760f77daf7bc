// SPDX-License-Identifier: GPL-2.0
/* The command line. */
#include "opts_private.h"
#include "outputs.h"

#define DEFAULT_RATE_HZ 333
#define DEFAULT_MIN_CRITICAL_NS 10000
/* Default bytes of a ring if every path comes with a stack copy. */
#define DEFAULT_RING_WITH_COPIES (8U << 20)

/**
 * struct action_words - an action
 * @name: the word for it; NULL: there is no such action
 * @files: how many recordings it reads at most, or files
 */
static const struct action_words {
	const char *name;
	size_t files;
} action_words[] = {
	[ACTION_RECORD] = { "record", 0 },
	[ACTION_SCRIPT] = { "script", 1 },
	[ACTION_REPORT] = { "report", 1 },
	[ACTION_EXPORT] = { "export", 1 },
	[ACTION_DIFF] = { "diff", 2 },
	[ACTION_TOP] = { "top", 0 },
	[ACTION_SPINS] = { "spins", FILES_MAX },
	[ACTION_MERGE] = { "merge", FILES_MAX },
	[ACTION_DOCTOR] = { "doctor", FILES_MAX },
	[ACTION_CTL] = { "ctl", 2 },
};

const char *action_name(enum action action)
{
	return action_words[action].name;
}

u64 option_bit(const struct option *option)
{
	return 1ULL << (option - option_table);
}

static const struct option *option_by_letter(char letter)
{
	for (size_t i = 0; i < option_count; i++)
		if (letter && option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

const struct option *option_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < option_count; i++)
		if (strlen(option_table[i].name) == len && !memcmp(option_table[i].name, name, len))
			return &option_table[i];
	return NULL;
}

static int set_flag(struct options *options, const struct option *option)
{
	*(bool *)option_member(options, option) = true;
	options->given |= option_bit(option);
	return 1;
}

/*
 * Sets the value from @own, the text after "=", or if that is NULL from @next, the next argument.
 * @name: the option as it was given. Returns how many arguments were used, or -1.
 */
static int set_value(struct options *options, const struct option *option, const char *name,
		     const char *own, const char *next)
{
	const char *value = own ? own : next;
	int result;

	if (!value) {
		complain("%s needs a value (%s): " SEE_HELP, name, option->value);
		return -1;
	}
	options->given |= option_bit(option);
	result = option->read(options, option, value);
	if (result == WRONG_VALUE)
		complain("%s: '%s' is not %s: " SEE_HELP, name, value, option->wanted);
	else if (result == GIVEN_TWICE)
		complain("%s can be given once: start gapp-read again for others", name);
	if (result)
		return -1;
	return own ? 1 : 2;
}

/* --name, --name value, --name=value. Returns the arguments taken. */
static int parse_long(struct options *options, char **args)
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
	if (option->value)
		return set_value(options, option, name, value, args[1]);
	if (!value)
		return set_flag(options, option);
	complain("%s takes no value: " SEE_HELP, name);
	return -1;
}

/* -x, -xyz, -x value, -xvalue. Returns the arguments taken. */
static int parse_letters(struct options *options, char **args)
{
	for (const char *letter = args[0] + 1; *letter; letter++) {
		const struct option *option = option_by_letter(*letter);
		char name[3] = { '-', *letter };

		if (!option) {
			complain("unknown option '%s': " SEE_HELP, name);
			return -1;
		}
		if (option->value)
			return set_value(options, option, name, letter[1] ? letter + 1 : NULL,
					 args[1]);
		set_flag(options, option);
	}
	return 1;
}

static bool find_action(const char *word, enum action *action)
{
	for (size_t i = 0; i < ARRAY_SIZE(action_words); i++) {
		if (strcmp(word, action_words[i].name))
			continue;
		*action = i;
		return true;
	}
	return false;
}

static int refuse_argument(const struct options *options, const char *argument, bool first)
{
	const struct action_words *words = &action_words[options->action];

	if (options->action == ACTION_CTL)
		complain("unexpected '%s': ctl takes one request and one process id", argument);
	else if (words->files)
		complain("unexpected '%s': %s reads %zu %s%s at most", argument, words->name,
			 words->files,
			 options->action == ACTION_SPINS || options->action == ACTION_DOCTOR ?
				 "file" :
				 "recording",
			 words->files == 1 ? "" : "s");
	else if (first)
		complain("unknown command '%s': a program to run goes after --: `gapp-read -- %s`",
			 argument, argument);
	else
		complain("unexpected '%s': a command goes after --, a process id after -p: %s",
			 argument, SEE_HELP);
	return -1;
}

/* Takes an argument that is no option. Returns 0, or -1 with a complaint made. */
static int take_file(struct options *options, const char *argument, bool first)
{
	if (options->file_count == action_words[options->action].files)
		return refuse_argument(options, argument, first);
	options->files[options->file_count++] = argument;
	return 0;
}

static void set_defaults(struct options *options)
{
	options->level = options->action == ACTION_SCRIPT ? GAPP_LEVEL_TRACE : GAPP_LEVEL_CRITICAL;
	options->min_critical_ns = DEFAULT_MIN_CRITICAL_NS;
	options->rate_hz = DEFAULT_RATE_HZ;
	options->max_stack = GAPP_DEFAULT_STACK;
	options->unwind_by = GAPP_UNWIND_BY_AUTO;
	options->stack_copy_bytes = GAPP_DEFAULT_STACK_COPY;
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
	int i = 1;

	if (argc > 1 && find_action(argv[1], &options->action))
		i++;
	set_defaults(options);

	while (i < argc && !options->help && !options->version) {
		int taken;

		if (!strcmp(argv[i], "--")) {
			options->command = &argv[i + 1];
			break;
		}
		if (argv[i][0] != '-' || !argv[i][1]) {
			if (take_file(options, argv[i], i == 1))
				return -1;
			i++;
			continue;
		}
		taken = argv[i][1] == '-' ? parse_long(options, &argv[i]) :
					    parse_letters(options, &argv[i]);
		if (taken < 0)
			return -1;
		i += taken;
	}
	if (options->help || options->version)
		return 0;
	/* threads of the kernel have no other call paths */
	options->kernel |= options->kthreads && options->level != GAPP_LEVEL_STATS;
	/* what is made of the recording's file has timelines if that has every slice */
	options->records |= options->level == GAPP_LEVEL_TRACE && !options->keep_ns &&
			    outputs_of_file(options);
	options->ring_may_shrink = !options->ring_bytes;
	if (options->ring_may_shrink)
		options->ring_bytes = options->verify || options->unwind_by == GAPP_UNWIND_BY_COPY ?
					      DEFAULT_RING_WITH_COPIES :
					      GAPP_DEFAULT_RING;
	return options_check(options);
}

void options_free(struct options *options)
{
	free(options->pids);
	free(options->outputs);
	free(options->conditions);
	free(options->source_paths);
	wait_rules_free(options->rules);
}
