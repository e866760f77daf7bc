// SPDX-License-Identifier: GPL-2.0
/* The options there are, and the help, which is made of them. */
#include "opts_table.h"

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
