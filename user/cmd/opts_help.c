// SPDX-License-Identifier: GPL-2.0
/* What --help prints. */
#include "opts_private.h"

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
	      "       gapp-read report|export [options] [FILE]\n"
	      "       gapp-read script FILE\n"
	      "       gapp-read diff [options] [BASE [NEW]]\n"
	      "       gapp-read top -p PID[,PID...] | -x PATH | -a | -- command [argument...]\n"
	      "\n"
	      "Finds the code that keeps a parallel program from running in parallel.\n"
	      "\n"
	      "  gapp-read -- ./prog arg          run a program, then report\n"
	      "  gapp-read -p 1234 -d 10          follow a running one for 10 seconds\n"
	      "  gapp-read -p 1234                the same, until it ends or Ctrl-C\n"
	      "  gapp-read report -v              the last recording again, from gapp.data\n"
	      "  gapp-read diff old.data          the last recording against an older one\n"
	      "  gapp-read top -p 1234            live, every 2 seconds; q quits\n"
	      "  gapp-read -o x.json -- ./prog    for a script, beside the report\n"
	      "  gapp-read script -p 1234 -d 1    every record as a line of text\n",
	      out);
	for (size_t i = 0; i < option_count; i++)
		put_option(out, &option_table[i]);
	fputs("\nexit status: the command's own with --, else 0; 2 usage;\n"
	      "3 a condition of --fail-if holds; 125 gapp failed\n",
	      out);
}
