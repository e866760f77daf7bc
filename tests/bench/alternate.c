// SPDX-License-Identifier: GPL-2.0
/*
 * What something that records costs a loop: the same rounds with it and without, in turn.
 *
 *	alternate --loop KIND [OPTION]... [-- COMMAND [ARGUMENT]... [++ COMMAND [ARGUMENT]...]...]
 *
 *	--loop KIND       pipe, ring, futex, yield, join, spin or wait
 *	--build HOW       fp (default): with frame pointers, or nofp
 *	--frames N        length of its call paths (8)
 *	--threads N       of its process: those of a ring; of others, those not needed sleep, and
 *	                  1 gives its second side a process of its own
 *	--rounds N        of each measurement (1000)
 *	--warm N          before each one (a tenth of them)
 *	--pairs N         of measurements (20)
 *	--name ID         for the output
 *	--ready WHEN      when COMMAND records: gapp (default), a number of seconds, or text:WORDS
 *	                  for when its output has these
 *	--out FILE        COMMAND's standard output, of the last time (/dev/null)
 *	--settle MS       wait so long before rounds, and after those with COMMAND for what it does
 *	                  late (0)
 *	--reader NAME     processes of this name belong to COMMAND as well; may be repeated
 *	--start, --stop   lines for sh to run before and after, with or without COMMAND
 *	--limit SECONDS   for anything to start, to end, or to be measured (600)
 *
 * In COMMAND and its arguments {pid} is the loop's process and {other} one that sleeps. COMMAND is
 * stopped by SIGINT. For each pair a line of JSON: nanoseconds of the rounds with COMMAND (on) and
 * without (off), of CPU time that COMMAND had meanwhile (reader) and then until --settle was over
 * (late) and then once more (idle), and the switches of the loop without and with it, "blocking"
 *being those without it that blocked. A thread's last switch is not counted.
 */
#include <ctype.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "command.h"
#include "loop_child.h"
#include "observe.h"

/**
 * struct plan - what was asked for
 * @name: of the measurement
 * @loop: the kind
 * @build: with frame pointers or without
 * @frames: as the loop's own option
 * @threads: likewise
 * @rounds: of a measurement
 * @warm: before one; -1: a tenth of @rounds
 * @pairs: of measurements
 * @settle_ms: before one, and after one with the command
 * @command: what is turned on and off
 */
struct plan {
	const char *name, *loop, *build, *frames, *threads;
	uint64_t rounds;
	int64_t warm;
	unsigned int pairs, settle_ms;
	struct command command;
};

/**
 * struct on - rounds with the command
 * @rounds: themselves
 * @reader_ns: of the command meanwhile
 * @late_ns: and afterwards
 * @idle_ns: and then, in as much time, when there was nothing left to do
 */
struct on {
	struct rounds rounds;
	uint64_t reader_ns, late_ns, idle_ns;
};

static struct plan plan = {
	.build = "fp",
	.frames = "8",
	.threads = "0",
	.rounds = 1000,
	.warm = -1,
	.pairs = 20,
	.command = { .ready = "gapp", .out = "/dev/null", .limit = 600 },
};

static struct loop_child child;
static pid_t other;

/* The same before rounds of either kind, so that they differ in nothing else. */
static bool warm_up(void)
{
	uint64_t count = plan.warm < 0 ? plan.rounds / 10 + 1 : (uint64_t)plan.warm;
	struct rounds unused;

	if (count && !loop_run(&child, count, plan.command.limit, &unused))
		return false;
	sleep_ns(plan.settle_ms * NSEC_PER_MSEC);
	return true;
}

static uint64_t cpu_ns_while_settling(void)
{
	uint64_t begin = command_cpu_ns(&plan.command);

	sleep_ns(plan.settle_ms * NSEC_PER_MSEC);
	return command_cpu_ns(&plan.command) - begin;
}

static bool measure_on(struct on *on)
{
	uint64_t begin;

	if (!command_start(&plan.command) || !warm_up())
		return false;
	begin = command_cpu_ns(&plan.command);
	if (!loop_run(&child, plan.rounds, plan.command.limit, &on->rounds))
		return false;
	on->reader_ns = command_cpu_ns(&plan.command) - begin;
	on->late_ns = cpu_ns_while_settling();
	on->idle_ns = cpu_ns_while_settling();
	return command_stop(&plan.command);
}

static bool measure_off(struct rounds *rounds)
{
	return warm_up() && loop_run(&child, plan.rounds, plan.command.limit, rounds);
}

static bool measure_pair(unsigned int pair)
{
	bool off_first = pair % 2;
	struct rounds off;
	struct on on;

	if ((off_first && !measure_off(&off)) || !measure_on(&on) ||
	    (!off_first && !measure_off(&off)))
		return false;
	printf("{\"name\": \"%s\", \"loop\": \"%s\", \"pair\": %u, \"on\": %" PRIu64
	       ", \"off\": %" PRIu64 ", \"reader\": %" PRIu64 ", \"late\": %" PRIu64
	       ", \"idle\": %" PRIu64 ", \"rounds\": %" PRIu64 ", \"switches\": %" PRIu64
	       ", \"blocking\": %" PRIu64 ", \"switches_on\": %" PRIu64 "}\n",
	       plan.name, plan.loop, pair, on.rounds.ns, off.ns, on.reader_ns, on.late_ns,
	       on.idle_ns, plan.rounds, off.blocking + off.other, off.blocking,
	       on.rounds.blocking + on.rounds.other);
	return !fflush(stdout);
}

static bool start_other(void)
{
	pid_t parent = getpid();

	other = fork();
	if (other < 0) {
		complain("fork: %m");
		return false;
	}
	if (other)
		return true;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static bool start_loop(void)
{
	char folder[PATH_MAX], program[PATH_MAX + 16];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *const arguments[] = { program,	 (char *)plan.loop,
				    "--frames",	 (char *)plan.frames,
				    "--threads", (char *)plan.threads,
				    NULL };

	if (length < 0) {
		complain("/proc/self/exe: %m");
		return false;
	}
	folder[length] = '\0';
	snprintf(program, sizeof(program), "%s/loops-%s", dirname(folder), plan.build);
	return loop_start(&child, arguments);
}

/* In place; there is as much room as a number needs. */
static char *replace(char *argument, const char *word, pid_t pid)
{
	char *at, *new;

	while ((at = strstr(argument, word))) {
		if (asprintf(&new, "%.*s%d%s", (int)(at - argument), argument, pid,
			     at + strlen(word)) < 0)
			return NULL;
		argument = new;
	}
	return argument;
}

static bool fill_in(void)
{
	for (unsigned int i = 0; i < plan.command.count; i++) {
		for (char **argument = plan.command.arguments[i]; *argument; argument++) {
			*argument = replace(*argument, "{pid}", child.pid);
			if (*argument)
				*argument = replace(*argument, "{other}", other);
			if (!*argument) {
				complain("no memory");
				return false;
			}
		}
	}
	return true;
}

/* "++" ends one and begins the next. */
static bool take_commands(char **arguments)
{
	struct command *command = &plan.command;

	while (*arguments) {
		if (command->count == MOST_COMMANDS || !strcmp(*arguments, "++"))
			return false;
		command->arguments[command->count++] = arguments;
		while (*arguments && strcmp(*arguments, "++"))
			arguments++;
		if (*arguments)
			*arguments++ = NULL;
	}
	return command->count || command->start;
}

static bool to_number(const char *text, uint64_t least, uint64_t most, uint64_t *number)
{
	char *end;

	*number = strtoull(text, &end, 10);
	return isdigit((unsigned char)text[0]) && !*end && *number >= least && *number <= most;
}

/* It is printed as it is. */
static bool is_name(const char *text)
{
	if (!text || !*text)
		return false;
	for (; *text; text++)
		if (!isalnum((unsigned char)*text) && !strchr("/._+-", *text))
			return false;
	return true;
}

static bool take_option(int option, char *value)
{
	struct command *command = &plan.command;
	uint64_t number = 0;
	bool good = true;

	switch (option) {
	case 'l':
		plan.loop = value;
		break;
	case 'b':
		plan.build = value;
		break;
	case 'f':
		plan.frames = value;
		break;
	case 't':
		plan.threads = value;
		break;
	case 'n':
		plan.name = value;
		break;
	case 'R':
		command->ready = value;
		break;
	case 'o':
		command->out = value;
		break;
	case '+':
		command->start = value;
		break;
	case '-':
		command->stop = value;
		break;
	case 'r':
		good = to_number(value, 1, 1ULL << 40, &plan.rounds);
		break;
	case 'w':
		good = to_number(value, 0, 1ULL << 40, &number);
		plan.warm = number;
		break;
	case 'p':
		good = to_number(value, 1, 1000000, &number);
		plan.pairs = number;
		break;
	case 's':
		good = to_number(value, 0, 600000, &number);
		plan.settle_ms = number;
		break;
	case 'L':
		good = to_number(value, 1, 86400, &number);
		command->limit = number;
		break;
	case 'a':
		good = command->reader_count < MOST_READERS;
		if (good)
			command->readers[command->reader_count++] = value;
		break;
	default:
		return false;
	}
	return good;
}

static bool take_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "loop", required_argument, NULL, 'l' },
		{ "build", required_argument, NULL, 'b' },
		{ "frames", required_argument, NULL, 'f' },
		{ "threads", required_argument, NULL, 't' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "warm", required_argument, NULL, 'w' },
		{ "pairs", required_argument, NULL, 'p' },
		{ "name", required_argument, NULL, 'n' },
		{ "ready", required_argument, NULL, 'R' },
		{ "out", required_argument, NULL, 'o' },
		{ "settle", required_argument, NULL, 's' },
		{ "reader", required_argument, NULL, 'a' },
		{ "start", required_argument, NULL, '+' },
		{ "stop", required_argument, NULL, '-' },
		{ "limit", required_argument, NULL, 'L' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1)
		if (!take_option(option, optarg))
			return false;
	if (!plan.name)
		plan.name = plan.loop;
	return is_name(plan.loop) && is_name(plan.build) && is_name(plan.name) &&
	       take_commands(argv + optind);
}

int main(int argc, char **argv)
{
	bool good;

	if (!take_options(argc, argv)) {
		fprintf(stderr,
			"usage: alternate --loop KIND [--build fp|nofp] [--frames N] [--threads N] [--rounds N]\n"
			"\t[--warm N] [--pairs N] [--name ID] [--ready gapp|SECONDS|text:WORDS] [--out FILE]\n"
			"\t[--settle MS] [--reader NAME]... [--start LINE --stop LINE] [--limit SECONDS]\n"
			"\t[-- COMMAND [ARGUMENT]... [++ COMMAND [ARGUMENT]...]...]\n");
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	good = start_other() && start_loop() && fill_in() && wait_for_calm();
	for (unsigned int pair = 0; good && pair < plan.pairs; pair++)
		good = measure_pair(pair);
	command_kill(&plan.command);
	loop_end(&child);
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	return good ? 0 : 1;
}
