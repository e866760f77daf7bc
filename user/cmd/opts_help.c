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
	fputs("Finds the code that keeps a parallel program from running in parallel.\n"
	      "\n"
	      "  gapp-read -- ./prog arg          run a program, then report\n"
	      "  gapp-read -p 1234 -d 10          follow a running process for 10 seconds\n"
	      "  gapp-read report -v              the last recording again, with more of it\n"
	      "  gapp-read diff old.data          what has changed since an older recording\n"
	      "\n"
	      "usage: gapp-read [record|script] -p PID[,PID...] | -x PATH | -a [options]\n"
	      "       gapp-read [record|script] [options] -- command [argument...]\n"
	      "       gapp-read report|export [options] [FILE]\n"
	      "       gapp-read script FILE\n"
	      "       gapp-read diff [options] [BASE [NEW]]\n"
	      "       gapp-read merge FILE FILE... -o FILE.data\n"
	      "       gapp-read top -p PID[,PID...] | -x PATH | -a | -- command [argument...]\n"
	      "       gapp-read spins [options] FILE...\n"
	      "       gapp-read doctor [options] [-p PID[,PID...]] [PROGRAM...]\n"
	      "       gapp-read ctl dump|status|start|stop [PID | -s SOCKET]\n"
	      "\n"
	      "  record    record, report, and keep the recording in gapp.data (default)\n"
	      "  script    print every record as a line of text\n"
	      "  report    report a recording that was kept: FILE, or gapp.data\n"
	      "  export    write a recording that was kept to the files of -o\n"
	      "  diff      compare two recordings: BASE or gapp.data.old, NEW or gapp.data\n"
	      "  merge     make one recording of several that were made on one machine\n"
	      "  top       show what has come of a recording, every 2 seconds; q quits\n"
	      "  spins     find the busy-wait loops of programs and libraries, without source\n"
	      "  doctor    tell whether gapp works here, and what to do if not\n"
	      "  ctl       tell a gapp-read that records to write what it keeps, or to end\n",
	      out);
	for (size_t i = 0; i < option_count; i++)
		put_option(out, &option_table[i]);
	fputs("\nexit status: the command's own with --, else 0; 1 doctor found a problem;\n"
	      "2 usage; 3 a condition of --fail-if holds; 125 gapp failed\n",
	      out);
}
