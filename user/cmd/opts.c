// SPDX-License-Identifier: GPL-2.0
/* The command line: the table of options, which values they take, and which go together. */
#include "opts.h"

#include <errno.h>
#include <limits.h>

#include "core/cmetric.h"
#include "outputs.h"

#define DEFAULT_RATE_HZ 333
#define DEFAULT_MIN_CRITICAL_NS 10000
/* Default bytes of a ring if every path comes with a stack copy. */
#define DEFAULT_RING_WITH_COPIES (8U << 20)
#define SEE_HELP "see `gapp-read --help`"

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
};

enum {
	WRONG_VALUE = 1,
	GIVEN_TWICE,
};

static void *member(struct options *options, const struct option *option)
{
	return (char *)options + option->member;
}

int parse_count(const char *text, const char **end, u32 max, u32 *number)
{
	unsigned long parsed;
	char *rest;

	if (*text < '0' || *text > '9')
		return -1;
	errno = 0;
	parsed = strtoul(text, &rest, 10);
	if (errno || parsed > max)
		return -1;
	*number = parsed;
	*end = rest;
	return 0;
}

/* Parses an unsigned decimal number; strtod() alone takes signs, hexadecimal and "inf", too. */
static int parse_decimal(const char *text, const char **end, double *number)
{
	char *rest;

	if (!strchr(".0123456789", *text) || text[strcspn(text, "xX")])
		return -1;
	*number = strtod(text, &rest);
	if (rest == text)
		return -1;
	*end = rest;
	return 0;
}

static int read_number(struct options *options, const struct option *option, const char *value)
{
	const char *end;
	u32 number;

	if (parse_count(value, &end, option->most, &number) || *end || number < option->least)
		return WRONG_VALUE;
	*(u32 *)member(options, option) = number;
	return 0;
}

static int read_seconds(struct options *options, const struct option *option, const char *value)
{
	const char *end;
	double seconds;
	u64 ns;

	if (parse_decimal(value, &end, &seconds) || *end ||
	    !(seconds * NSEC_PER_SEC < GAPP_TIME_MAX))
		return WRONG_VALUE;
	ns = seconds * NSEC_PER_SEC + 0.5;
	*(u64 *)member(options, option) = ns;
	return ns < option->least ? WRONG_VALUE : 0;
}

/* Reads "10us", "1.5ms", "2s"; 0 needs no unit. */
static int read_time(struct options *options, const struct option *option, const char *value)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	u64 *ns = member(options, option);
	const char *unit;
	double number;

	if (parse_decimal(value, &unit, &number))
		return WRONG_VALUE;
	if (!*unit && !number) {
		*ns = 0;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name) || !(number * units[i].ns <= option->most))
			continue;
		*ns = number * units[i].ns + 0.5;
		return 0;
	}
	return WRONG_VALUE;
}

static int read_word(struct options *options, const struct option *option, const char *value)
{
	for (u32 i = 0; option->words[i]; i++) {
		if (strcmp(option->words[i], value))
			continue;
		*(u32 *)member(options, option) = i;
		return 0;
	}
	return WRONG_VALUE;
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

static int read_pids(struct options *options, const struct option *option, const char *value)
{
	u32 pid;

	do {
		if (parse_count(value, &value, option->most, &pid) || pid < option->least ||
		    (*value && *value != ','))
			return WRONG_VALUE;
		if (add_pid(options, pid))
			return -1;
	} while (*value++);
	return 0;
}

static int read_path(struct options *options, const struct option *option, const char *value)
{
	const char **path = member(options, option);

	if (!*value)
		return WRONG_VALUE;
	if (*path)
		return GIVEN_TWICE;
	*path = value;
	return 0;
}

static int read_output(struct options *options, const struct option *option, const char *value)
{
	const char **outputs;

	if (!*value)
		return WRONG_VALUE;
	for (size_t i = 0; i < options->output_count; i++) {
		if (strcmp(options->outputs[i], value))
			continue;
		complain("--%s %s: it can be written once", option->name, value);
		return -1;
	}
	if (outputs_check(value))
		return -1;
	outputs = reallocarray(options->outputs, options->output_count + 1, sizeof(*outputs));
	if (!outputs)
		return out_of_memory();
	outputs[options->output_count++] = value;
	options->outputs = outputs;
	return 0;
}

static int read_threshold(struct options *options, const struct option *option, const char *value)
{
	bool half = !strcmp(value, "half");

	options->n_min_mode = half ? GAPP_N_MIN_HALF : GAPP_N_MIN_FIXED;
	options->n_min = 0;
	return half ? 0 : read_number(options, option, value);
}

static int read_ring(struct options *options, const struct option *option, const char *value)
{
	static const char suffixes[] = "KMG";
	const char *suffix, *end;
	u32 number;
	u64 wanted;

	if (parse_count(value, &end, option->most, &number) || !number)
		return WRONG_VALUE;
	wanted = number;
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		wanted <<= 10 * (suffix - suffixes + 1);
		end++;
	}
	if (*end || wanted > option->most)
		return WRONG_VALUE;
	for (options->ring_bytes = GAPP_MIN_RING; options->ring_bytes < wanted;)
		options->ring_bytes *= 2;
	return 0;
}

#define COPY_BYTES 8192

static int read_call_graph(struct options *options, const struct option *option, const char *value)
{
	static const struct {
		const char *word;
		enum gapp_unwind_by unwind_by;
		bool verify;
		u32 stack_copy_bytes;
	} ways[] = {
		{ "auto", GAPP_UNWIND_BY_AUTO, false, GAPP_DEFAULT_STACK_COPY },
		{ "fp", GAPP_UNWIND_BY_FP, false, 0 },
		{ "table", GAPP_UNWIND_BY_TABLE, false, 0 },
		{ "copy", GAPP_UNWIND_BY_COPY, false, COPY_BYTES },
		{ "none", GAPP_UNWIND_BY_NONE, false, 0 },
		{ "verify", GAPP_UNWIND_BY_TABLE, true, GAPP_MAX_STACK_COPY },
	};

	for (size_t i = 0; i < ARRAY_SIZE(ways); i++) {
		if (strcmp(value, ways[i].word))
			continue;
		options->unwind_by = ways[i].unwind_by;
		options->verify = ways[i].verify;
		options->stack_copy_bytes = ways[i].stack_copy_bytes;
		return 0;
	}
	options->unwind_by = GAPP_UNWIND_BY_COPY;
	options->verify = false;
	if (strncmp(value, "copy,", strlen("copy,")) ||
	    read_number(options, option, value + strlen("copy,")))
		return WRONG_VALUE;
	return options->stack_copy_bytes % 8 ? WRONG_VALUE : 0;
}

#define OFFSET(name) offsetof(struct options, name)

/* clang-format off */

static const char *const level_words[] = {
	[GAPP_LEVEL_STATS] = "stats", [GAPP_LEVEL_CRITICAL] = "critical",
	[GAPP_LEVEL_TRACE] = "trace", NULL,
};

static const char *const criterion_words[] = {
	[GAPP_CRITERION_SHARE] = "share", [GAPP_CRITERION_AVERAGE] = "average", NULL,
};

static const char *const format_words[] = { [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json", NULL };

static const char *const color_words[] = {
	[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never", NULL,
};

static const struct option option_table[] = {
	{ .heading = "What to follow", .letter = 'p', .name = "pid", .value = "PID[,PID...]",
	  .read = read_pids, .least = 1, .most = INT_MAX,
	  .wanted = "a process id, or several with commas between",
	  .help = "follow these processes, with all their threads and\n"
		  "their descendants" },
	{ .letter = 'x', .name = "exe", .value = "PATH", .read = read_path, .member = OFFSET(exe),
	  .wanted = "the path of a program's file",
	  .help = "follow all processes that run this program, now or\n"
		  "later, as one target" },
	{ .letter = 'a', .name = "all", .member = OFFSET(all),
	  .help = "follow every process, each as a target of its own" },
	{ .name = "as-one", .member = OFFSET(as_one),
	  .help = "with -a: all of them as one target" },
	{ .name = "kthreads", .value = "GLOB", .read = read_path, .member = OFFSET(kthreads),
	  .wanted = "a name of kernel threads, such as 'kworker/*'",
	  .help = "follow kernel threads of such names, alone or with\n"
		  "what the others name (needs root); implies -k" },
	{ .name = "no-inherit", .member = OFFSET(no_inherit), .help = "do not follow children" },
	{ .name = "max-threads", .value = "N",
	  .read = read_number, .member = OFFSET(max_threads), .least = 1, .most = GAPP_MAX_THREADS,
	  .wanted = "a number of threads from 1 to 65536",
	  .help = "follow at most so many threads at a time (16384)" },
	{ .letter = 'd', .name = "duration", .value = "SEC",
	  .read = read_seconds, .member = OFFSET(duration_ns), .least = 1,
	  .wanted = "a number of seconds above 0, and at most 52 days",
	  .help = "record for so long at most" },
	{ .name = "delay", .value = "SEC", .read = read_seconds, .member = OFFSET(delay_ns),
	  .wanted = "a number of seconds of at most 52 days",
	  .help = "begin to record after so long" },

	{ .heading = "What to record", .letter = 'n', .name = "threshold", .value = "K|half",
	  .read = read_threshold, .member = OFFSET(n_min), .least = 1, .most = GAPP_MAX_THREADS,
	  .wanted = "'half' or a number of threads from 1 to 65536",
	  .help = "N_min, how few active threads are too few: a number,\n"
		  "or half the live threads (default: half the live\n"
		  "threads, or half the CPUs they may use if fewer)" },
	{ .name = "level", .value = "stats|critical|trace",
	  .read = read_word, .member = OFFSET(level), .words = level_words,
	  .wanted = "'stats', 'critical' or 'trace'",
	  .help = "threads' figures only; what ran while few did, too\n"
		  "(default); every slice and wake-up, for script" },
	{ .letter = 'F', .name = "rate", .value = "HZ",
	  .read = read_number, .member = OFFSET(rate_hz), .most = GAPP_MAX_RATE_HZ,
	  .wanted = "a number of samples a second from 1 to 20000, or 0 for none",
	  .help = "samples a second; 0: none (333)" },
	{ .name = "max-stack", .value = "N",
	  .read = read_number, .member = OFFSET(max_stack), .least = 1, .most = GAPP_MAX_STACK,
	  .wanted = "a number of frames from 1 to 127",
	  .help = "frames of a call path, at most 127 (64)" },
	{ .name = "call-graph", .value = "auto|fp|table|copy[,BYTES]|none|verify",
	  .read = read_call_graph, .member = OFFSET(stack_copy_bytes),
	  .least = GAPP_MIN_STACK_COPY, .most = GAPP_MAX_STACK_COPY,
	  .wanted = "auto, fp, table, copy, none or verify, nor copy,BYTES with a multiple of 8 from 64 to 32768",
	  .help = "how paths are taken: by unwind tables, and copies of\n"
		  "stacks where these do not reach (default); by frame\n"
		  "pointers; by tables alone; by copies (of 8192 bytes);\n"
		  "not at all; by tables, and compared with copies" },
	{ .letter = 'k', .name = "kernel", .member = OFFSET(kernel),
	  .help = "call paths go on in the kernel (needs root)" },
	{ .name = "no-kernel", .member = OFFSET(no_kernel), .help = "none of them (default)" },
	{ .name = "min-critical", .value = "T",
	  .read = read_time, .member = OFFSET(min_critical_ns), .most = 3600 * NSEC_PER_SEC,
	  .wanted = "a time such as 10us, 1.5ms or 1s, of at most an hour, or 0",
	  .help = "pass a slice on when its thread has collected about\n"
		  "so much: 5us, 1ms, 1s; 0: pass on each one (10us)" },
	{ .name = "criterion", .value = "share|average",
	  .read = read_word, .member = OFFSET(criterion), .words = criterion_words,
	  .wanted = "'share' or 'average'",
	  .help = "count the part of a slice in which few threads were\n"
		  "active (default), or all of a slice in which they\n"
		  "were few on average, as the GAPP paper has it" },
	{ .letter = 'm', .name = "ring", .value = "SIZE", .read = read_ring, .most = GAPP_MAX_RING,
	  .wanted = "a size of at most 64M, in bytes or with K, M or G",
	  .help = "buffer of each CPU, at most 64M (1M; 8M where every\n"
		  "path is a copy)" },

	{ .heading = "What to print", .name = "by", .value = "WHAT",
	  .read = read_word, .member = OFFSET(by), .words = by_names,
	  .wanted = "place, path, slice-end, function, line, thread or process",
	  .help = "rows of the table: place (default), path, slice-end,\n"
		  "function, line, thread or process" },
	{ .name = "tree", .member = OFFSET(tree),
	  .help = "print the tree of call paths, too" },
	{ .name = "top", .value = "N",
	  .read = read_number, .member = OFFSET(top), .least = 1, .most = 1000000,
	  .wanted = "a number of rows from 1 to 1000000",
	  .help = "so many rows (those above 3 %, at most 5; -v: 10)" },
	{ .name = "no-libs", .member = OFFSET(no_libs),
	  .help = "paths begin at the program itself, not in libraries" },
	{ .name = "threads-only", .member = OFFSET(threads_only),
	  .help = "do not rank processes' first threads" },
	{ .name = "process-only", .member = OFFSET(process_only),
	  .help = "rank only processes' first threads" },
	{ .name = "format", .value = "text|json",
	  .read = read_word, .member = OFFSET(format), .words = format_words,
	  .wanted = "'text' or 'json'",
	  .help = "format of the report on standard output (text)" },
	{ .letter = 'o', .name = "output", .value = "FILE", .read = read_output,
	  .wanted = "the path of a file",
	  .help = "write the report to FILE, too, as its suffix says:\n"
		  ".json or .txt; may be given more than once" },
	{ .name = "color", .value = "auto|always|never",
	  .read = read_word, .member = OFFSET(color), .words = color_words,
	  .wanted = "'auto', 'always' or 'never'",
	  .help = "colours: on a terminal, without NO_COLOR (auto)" },
	{ .letter = 'q', .name = "quiet", .member = OFFSET(quiet), .help = "no progress line" },
	{ .letter = 'v', .name = "verbose", .member = OFFSET(verbose),
	  .help = "every thread, more paths and all checks" },
	{ .letter = 'h', .name = "help", .member = OFFSET(help), .help = "this text" },
	{ .letter = 'V', .name = "version", .member = OFFSET(version),
	  .help = "versions of gapp-read and of the loaded module" },
};

/* clang-format on */

_Static_assert(GAPP_MAX_THREADS == 65536, "messages name it");
_Static_assert(GAPP_MAX_RATE_HZ == 20000, "messages name it");
_Static_assert(GAPP_MAX_STACK == 127, "messages name it");
_Static_assert(GAPP_MAX_RING == 64U << 20, "messages name it");
_Static_assert(GAPP_MIN_STACK_COPY == 64 && GAPP_MAX_STACK_COPY == 32768, "messages name them");
_Static_assert(GAPP_DEFAULT_THREADS == 16384, "the help names it");
_Static_assert(GAPP_DEFAULT_STACK == 64, "the help names it");
_Static_assert(GAPP_DEFAULT_RING == 1 << 20, "the help names it");

#define HELP_COLUMN 26

static void put_option(FILE *out, const struct option *option)
{
	const char *line = option->help;
	int column;

	if (option->heading)
		fprintf(out, "\n%s:\n", option->heading);
	column = option->letter ? fprintf(out, "  -%c, ", option->letter) : fprintf(out, "      ");
	column += fprintf(out, "--%s", option->name);
	if (option->value)
		column += fprintf(out, " %s", option->value);
	if (column >= HELP_COLUMN) {
		putc('\n', out);
		column = 0;
	}
	for (;;) {
		int length = strcspn(line, "\n");

		fprintf(out, "%*s%.*s\n", HELP_COLUMN - column, "", length, line);
		if (!line[length])
			return;
		line += length + 1;
		column = 0;
	}
}

void options_help(FILE *out)
{
	fputs("usage: gapp-read [record|script] -p PID[,PID...] | -x PATH | -a [options]\n"
	      "       gapp-read [record|script] [options] -- command [argument...]\n"
	      "\n"
	      "Finds the code that keeps a parallel program from running in parallel.\n"
	      "\n"
	      "  gapp-read -- ./prog arg          run a program, then report\n"
	      "  gapp-read -p 1234 -d 10          follow a running one for 10 seconds\n"
	      "  gapp-read -p 1234                the same, until it ends or Ctrl-C\n"
	      "  gapp-read -o x.json -- ./prog    for a script, beside the report\n"
	      "  gapp-read script -p 1234 -d 1    every record as a line of text\n",
	      out);
	for (size_t i = 0; i < ARRAY_SIZE(option_table); i++)
		put_option(out, &option_table[i]);
	fputs("\nexit status: the command's own with --, else 0; 2 usage; 125 gapp failed\n", out);
}

_Static_assert(ARRAY_SIZE(option_table) <= 64, "bits of struct options.given");

static u64 option_bit(const struct option *option)
{
	return 1ULL << (option - option_table);
}

static const struct option *option_by_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_table); i++)
		if (letter && option_table[i].letter == letter)
			return &option_table[i];
	return NULL;
}

static const struct option *option_by_name(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_SIZE(option_table); i++)
		if (strlen(option_table[i].name) == len && !memcmp(option_table[i].name, name, len))
			return &option_table[i];
	return NULL;
}

static int set_flag(struct options *options, const struct option *option)
{
	*(bool *)member(options, option) = true;
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

/* Options that exclude each other, and why. */
static const struct {
	const char *name;
	const char *with;
	const char *why;
} conflicts[] = {
	{ "threads-only", "process-only", "one ranks only what the other leaves out" },
	{ "kernel", "no-kernel", "one asks for what the other forbids" },
	{ "kthreads", "no-kernel", "kernel threads have no other frames" },
	{ "kthreads", "no-libs", "kernel threads have no frames in a program" },
	{ "kernel", "no-libs", "paths would end before they enter the kernel" },
	{ "no-inherit", "all", "every process is followed anyway" },
};

static const char *const need_records[] = {
	"rate", "max-stack", "kernel",	     "min-critical", "criterion",  "ring", "by",
	"top",	"no-libs",   "threads-only", "process-only", "call-graph", "tree",
};

static const char *const need_report[] = {
	"by",	  "top",    "no-libs", "threads-only", "process-only",
	"format", "output", "color",   "verbose",      "tree",
};

static bool is_given(const struct options *options, const char *name)
{
	const struct option *option = option_by_name(name, strlen(name));

	return option && options->given & option_bit(option);
}

#define AS_ONE_ALONE                                             \
	"--as-one joins the processes of -a, which is missing: " \
	"with -p, -x and -- they are one target anyway"

static int check_targets(const struct options *options)
{
	int ways = !!options->command + !!options->pids + !!options->exe + options->all;
	int any = ways + !!options->kthreads;
	const char *wrong = NULL;

	if (options->command && !options->command[0])
		wrong = "no command after --: " SEE_HELP;
	else if (options->command && options->pids)
		wrong = "-p and a command after -- exclude each other: to end by time, use -d";
	else if (ways > 1)
		wrong = "-p, -x, -a and a command after -- exclude each other: give one of them";
	else if (!any)
		wrong = "nothing to record: give -p, -x, -a, or a command after --: " SEE_HELP;
	else if (options->as_one && !options->all)
		wrong = AS_ONE_ALONE;
	if (wrong)
		complain("%s", wrong);
	return wrong ? -1 : 0;
}

static int refuse_any(const struct options *options, const char *const *names, size_t count,
		      const char *with, const char *why)
{
	for (size_t i = 0; i < count; i++) {
		if (!is_given(options, names[i]))
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

/* The output of a command and a report for a program would be mixed on standard output. */
static int check_format(const struct options *options)
{
	enum format format;

	if (options->format != FORMAT_TEXT && options->tree) {
		complain("--tree is a part of the text: --format %s has all paths",
			 format_words[options->format]);
		return -1;
	}
	if (options->format == FORMAT_TEXT || !options->command)
		return 0;
	for (size_t i = 0; i < options->output_count; i++)
		if (!output_format(options->outputs[i], &format) || format == options->format)
			return 0;
	complain("--format %s: standard output is the command's, too: give -o FILE.%s instead",
		 format_words[options->format], format_words[options->format]);
	return -1;
}

static int check(const struct options *options)
{
	if (check_targets(options))
		return -1;
	for (size_t i = 0; i < ARRAY_SIZE(conflicts); i++) {
		if (!is_given(options, conflicts[i].name) || !is_given(options, conflicts[i].with))
			continue;
		complain("--%s and --%s exclude each other: %s", conflicts[i].name,
			 conflicts[i].with, conflicts[i].why);
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
		return refuse_any(options, need_report, ARRAY_SIZE(need_report), "script",
				  "it prints records, no report");
	if (check_format(options))
		return -1;
	if (options->level == GAPP_LEVEL_STATS)
		return refuse_any(options, need_records, ARRAY_SIZE(need_records), "--level stats",
				  "it records no call paths; use --level critical");
	return 0;
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
	options->ring_may_shrink = !options->ring_bytes;
	if (options->ring_may_shrink)
		options->ring_bytes = options->verify || options->unwind_by == GAPP_UNWIND_BY_COPY ?
					      DEFAULT_RING_WITH_COPIES :
					      GAPP_DEFAULT_RING;
	return check(options);
}

void options_free(struct options *options)
{
	free(options->pids);
	free(options->outputs);
}
