// SPDX-License-Identifier: GPL-2.0
/* The table of options, the parsers of their values, and the help, made from the table. */
#include "opts_table.h"

#include <errno.h>
#include <limits.h>

#include "core/cmetric.h"

#define MAX_TOP 1000000
#define MAX_MIN_CRITICAL_NS (3600 * NSEC_PER_SEC)

static int bad_value(const char *name, const char *value, const char *wanted)
{
	complain("%s: '%s' is not %s: " SEE_HELP, name, value, wanted);
	return -1;
}

static int parse_count(const char *text, const char **end, u32 max, u32 *number)
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

/* Parses all of @text as a number from 1 to @max. */
static int parse_number(const char *text, u32 max, u32 *number)
{
	const char *end;

	return parse_count(text, &end, max, number) || !*number || *end ? -1 : 0;
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

static int parse_seconds(const char *text, u64 *ns)
{
	const char *end;
	double seconds;

	if (parse_decimal(text, &end, &seconds) || *end ||
	    !(seconds * NSEC_PER_SEC < GAPP_TIME_MAX))
		return -1;
	*ns = seconds * NSEC_PER_SEC + 0.5;
	return 0;
}

/* Parses "10us", "1.5ms", "2s"; 0 needs no unit. */
static int parse_time(const char *text, u64 max, u64 *ns)
{
	static const struct {
		const char *name;
		double ns;
	} units[] = { { "us", 1e3 }, { "ms", 1e6 }, { "s", 1e9 } };
	const char *unit;
	double number;

	if (parse_decimal(text, &unit, &number))
		return -1;
	if (!*unit && !number) {
		*ns = 0;
		return 0;
	}
	for (size_t i = 0; i < ARRAY_SIZE(units); i++) {
		if (strcmp(unit, units[i].name) || !(number * units[i].ns <= max))
			continue;
		*ns = number * units[i].ns + 0.5;
		return 0;
	}
	return -1;
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
		if (parse_count(text, &text, INT_MAX, &pid) || !pid || (*text && *text != ','))
			return bad_value(name, value,
					 "a process id, or several with commas between");
		if (add_pid(options, pid))
			return -1;
		if (!*text++)
			return 0;
	}
}

static int on_exe(struct options *options, const char *name, const char *value)
{
	if (!*value)
		return bad_value(name, value, "the path of a program's file");
	if (options->exe) {
		complain("%s can be given once: start gapp-read again for another program", name);
		return -1;
	}
	options->exe = value;
	return 0;
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

_Static_assert(GAPP_MAX_THREADS == 65536, "messages name it");

static int on_threshold(struct options *options, const char *name, const char *value)
{
	if (!strcmp(value, "half")) {
		options->n_min_mode = GAPP_N_MIN_HALF;
		options->n_min = 0;
		return 0;
	}
	if (parse_number(value, GAPP_MAX_THREADS, &options->n_min))
		return bad_value(name, value, "'half' or a number of threads from 1 to 65536");
	options->n_min_mode = GAPP_N_MIN_FIXED;
	return 0;
}

static int on_max_threads(struct options *options, const char *name, const char *value)
{
	if (parse_number(value, GAPP_MAX_THREADS, &options->max_threads))
		return bad_value(name, value, "a number of threads from 1 to 65536");
	return 0;
}

/* Sets @chosen to the index of @value among @words. */
static int parse_word(const char *const *words, size_t count, const char *value, u32 *chosen)
{
	for (size_t i = 0; i < count; i++) {
		if (strcmp(words[i], value))
			continue;
		*chosen = i;
		return 0;
	}
	return -1;
}

static int on_level(struct options *options, const char *name, const char *value)
{
	static const char *const words[] = {
		[GAPP_LEVEL_STATS] = "stats",
		[GAPP_LEVEL_CRITICAL] = "critical",
		[GAPP_LEVEL_TRACE] = "trace",
	};

	if (parse_word(words, ARRAY_SIZE(words), value, &options->level))
		return bad_value(name, value, "'stats', 'critical' or 'trace'");
	return 0;
}

static int on_criterion(struct options *options, const char *name, const char *value)
{
	static const char *const words[] = {
		[GAPP_CRITERION_SHARE] = "share",
		[GAPP_CRITERION_AVERAGE] = "average",
	};

	if (parse_word(words, ARRAY_SIZE(words), value, &options->criterion))
		return bad_value(name, value, "'share' or 'average'");
	return 0;
}

static int on_min_critical(struct options *options, const char *name, const char *value)
{
	if (parse_time(value, MAX_MIN_CRITICAL_NS, &options->min_critical_ns))
		return bad_value(name, value,
				 "a time such as 10us, 1.5ms or 1s, of at most an hour, or 0");
	return 0;
}

_Static_assert(GAPP_MAX_RATE_HZ == 20000, "messages name it");

static int on_rate(struct options *options, const char *name, const char *value)
{
	const char *end;

	if (parse_count(value, &end, GAPP_MAX_RATE_HZ, &options->rate_hz) || *end)
		return bad_value(name, value,
				 "a number of samples a second from 1 to 20000, or 0 for none");
	return 0;
}

_Static_assert(GAPP_MAX_STACK == 127, "messages name it");

static int on_max_stack(struct options *options, const char *name, const char *value)
{
	if (parse_number(value, GAPP_MAX_STACK, &options->max_stack))
		return bad_value(name, value, "a number of frames from 1 to 127");
	return 0;
}

_Static_assert(GAPP_MAX_RING == 64U << 20, "messages name it");

static int on_ring(struct options *options, const char *name, const char *value)
{
	static const char suffixes[] = "KMG";
	u32 bytes = GAPP_MIN_RING;
	const char *suffix, *end;
	u32 number;
	u64 wanted;

	if (parse_count(value, &end, GAPP_MAX_RING, &number) || !number)
		goto bad;
	wanted = number;
	suffix = *end ? strchr(suffixes, *end) : NULL;
	if (suffix) {
		wanted <<= 10 * (suffix - suffixes + 1);
		end++;
	}
	if (*end || wanted > GAPP_MAX_RING)
		goto bad;
	while (bytes < wanted)
		bytes *= 2;
	options->ring_bytes = bytes;
	return 0;
bad:
	return bad_value(name, value, "a size of at most 64M, in bytes or with K, M or G");
}

#define COPY_BYTES 8192
#define COPY_WORD "copy"

_Static_assert(GAPP_MIN_STACK_COPY == 64 && GAPP_MAX_STACK_COPY == 32768, "messages name them");

/* Parses "copy" or "copy,BYTES". */
static int parse_copy(const char *text, u32 *bytes)
{
	*bytes = COPY_BYTES;
	if (!strcmp(text, COPY_WORD))
		return 0;
	if (strncmp(text, COPY_WORD ",", strlen(COPY_WORD ",")) ||
	    parse_number(text + strlen(COPY_WORD ","), GAPP_MAX_STACK_COPY, bytes))
		return -1;
	return *bytes < GAPP_MIN_STACK_COPY || *bytes % 8 ? -1 : 0;
}

static int on_call_graph(struct options *options, const char *name, const char *value)
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
	if (parse_copy(value, &options->stack_copy_bytes))
		return bad_value(
			name, value,
			"auto, fp, table, copy, none or verify, nor copy,BYTES with a multiple of 8 from 64 to 32768");
	options->unwind_by = GAPP_UNWIND_BY_COPY;
	options->verify = false;
	return 0;
}

static int on_by(struct options *options, const char *name, const char *value)
{
	static const char *const words[] = {
		[BY_PATH] = "path", [BY_SLICE_END] = "slice-end", [BY_FUNCTION] = "function",
		[BY_LINE] = "line", [BY_THREAD] = "thread",	  [BY_PROCESS] = "process",
	};

	if (parse_word(words, ARRAY_SIZE(words), value, &options->by))
		return bad_value(name, value, "path, slice-end, function, line, thread or process");
	return 0;
}

static int on_top(struct options *options, const char *name, const char *value)
{
	if (parse_number(value, MAX_TOP, &options->top))
		return bad_value(name, value, "a number of rows from 1 to 1000000");
	return 0;
}

static int on_format(struct options *options, const char *name, const char *value)
{
	static const char *const words[] = { [FORMAT_TEXT] = "text", [FORMAT_JSON] = "json" };

	if (parse_word(words, ARRAY_SIZE(words), value, &options->format))
		return bad_value(name, value, "'text' or 'json'");
	return 0;
}

#define FLAG(member) offsetof(struct options, member)
#define HELP_COLUMN 26

const struct option option_table[] = {
	{ 'p', "pid", "PID[,PID...]", on_pid, 0,
	  "follow these processes, with all their threads and\n"
	  "their descendants",
	  "What to follow" },
	{ 'x', "exe", "PATH", on_exe, 0,
	  "follow all processes that run this program, now or\n"
	  "later, as one target",
	  NULL },
	{ 'a', "all", NULL, NULL, FLAG(all), "follow every process, each as a target of its own",
	  NULL },
	{ 0, "as-one", NULL, NULL, FLAG(as_one), "with -a: all of them as one target", NULL },
	{ 0, "no-inherit", NULL, NULL, FLAG(no_inherit), "do not follow children", NULL },
	{ 0, "max-threads", "N", on_max_threads, 0,
	  "follow at most so many threads at a time (16384)", NULL },
	{ 'd', "duration", "SEC", on_duration, 0, "record for so long at most", NULL },
	{ 0, "delay", "SEC", on_delay, 0, "begin to record after so long", NULL },

	{ 'n', "threshold", "K|half", on_threshold, 0,
	  "N_min, how few active threads are too few: a number,\n"
	  "or half the live threads (default: half the live\n"
	  "threads, or half the CPUs they may use if fewer)",
	  "What to record" },
	{ 0, "level", "stats|critical|trace", on_level, 0,
	  "threads' figures only; what ran while few did, too\n"
	  "(default); every slice and wake-up, for script",
	  NULL },
	{ 'F', "rate", "HZ", on_rate, 0, "samples a second; 0: none (333)", NULL },
	{ 0, "max-stack", "N", on_max_stack, 0, "frames of a call path, at most 127 (64)", NULL },
	{ 0, "call-graph", "auto|fp|table|copy[,BYTES]|none|verify", on_call_graph, 0,
	  "how paths are taken: by unwind tables, and copies of\n"
	  "stacks where these do not reach (default); by frame\n"
	  "pointers; by tables alone; by copies (of 8192 bytes);\n"
	  "not at all; by tables, and compared with copies",
	  NULL },
	{ 'k', "kernel", NULL, NULL, FLAG(kernel), "with script: frames in the kernel too", NULL },
	{ 0, "no-kernel", NULL, NULL, FLAG(no_kernel), "none of them (default)", NULL },
	{ 0, "min-critical", "T", on_min_critical, 0,
	  "pass a slice on when its thread has collected about\n"
	  "so much: 5us, 1ms, 1s; 0: pass on each one (10us)",
	  NULL },
	{ 0, "criterion", "share|average", on_criterion, 0,
	  "count the part of a slice in which few threads were\n"
	  "active (default), or all of a slice in which they\n"
	  "were few on average, as the GAPP paper has it",
	  NULL },
	{ 'm', "ring", "SIZE", on_ring, 0,
	  "buffer of each CPU, at most 64M (1M; 8M where every\n"
	  "path is a copy)",
	  NULL },

	{ 0, "by", "WHAT", on_by, 0,
	  "rows of the table: path (default), slice-end,\n"
	  "function, line, thread or process",
	  "What to print" },
	{ 0, "top", "N", on_top, 0, "so many rows (those above 3 %, at most 5; -v: 10)", NULL },
	{ 0, "no-libs", NULL, NULL, FLAG(no_libs),
	  "paths begin at the program itself, not in libraries", NULL },
	{ 0, "threads-only", NULL, NULL, FLAG(threads_only), "do not rank processes' first threads",
	  NULL },
	{ 0, "process-only", NULL, NULL, FLAG(process_only), "rank only processes' first threads",
	  NULL },
	{ 0, "format", "text|json", on_format, 0, "format of the report (text)", NULL },
	{ 'q', "quiet", NULL, NULL, FLAG(quiet), "no progress line", NULL },
	{ 'v', "verbose", NULL, NULL, FLAG(verbose), "every thread, more paths and all checks",
	  NULL },
	{ 'h', "help", NULL, NULL, FLAG(help), "this text", NULL },
	{ 'V', "version", NULL, NULL, FLAG(version),
	  "versions of gapp-read and of the loaded module", NULL },
};

const size_t option_count = ARRAY_SIZE(option_table);

_Static_assert(ARRAY_SIZE(option_table) <= 64, "option_set");
_Static_assert(GAPP_DEFAULT_THREADS == 16384, "the help names it");
_Static_assert(GAPP_DEFAULT_STACK == 64, "the help names it");
_Static_assert(GAPP_DEFAULT_RING == 1 << 20, "the help names it");

const struct option *option_by_letter(char letter)
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
	      "  gapp-read --format json -p 1234  for a script\n"
	      "  gapp-read script -p 1234 -d 1    every record as a line of text\n",
	      out);
	for (size_t i = 0; i < option_count; i++)
		put_option(out, &option_table[i]);
	fputs("\nexit status: the command's own with --, else 0; 2 usage; 125 gapp failed\n", out);
}
