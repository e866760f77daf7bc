// SPDX-License-Identifier: GPL-2.0
/*
 * In a guest under plugin.c: rounds of a loop without a command and with it, in turn, as
 *alternate.c has them, between markers. What the guest executes without the command is of the class
 *given, with it of the next; what the command does after the rounds with records of them counts
 *too.
 *
 * usage: marked --class N --loop KIND [--build fp|nofp] [--frames N] [--rounds N] [--pairs N]
 *	[--settle MS] [--ready gapp|SECONDS|text:WORDS] [--maps FILE] -- COMMAND [ARGUMENT]...
 *
 * {pid} in an argument is the loop's process, {other} one that sleeps. For each pair there is a
 *line of JSON with nanoseconds, which are instructions under icount. FILE gets what all of these
 * processes have mapped.
 */
#include <errno.h>
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
#include "marker.h"
#include "observe.h"

#define LIMIT_S 600

static struct {
	const char *loop, *build, *frames, *maps;
	uint64_t rounds, pairs, settle_ms;
	unsigned int class;
	struct command command;
} plan = {
	.loop = "pipe",
	.build = "fp",
	.frames = "8",
	.rounds = 2000,
	.pairs = 4,
	.settle_ms = 300,
	.command = { .ready = "gapp", .out = "/dev/null", .limit = LIMIT_S },
};

static struct loop_child child;
static pid_t other;

static bool copy_maps(pid_t pid)
{
	char path[32], line[PATH_MAX + 128];
	FILE *from, *to;
	bool good;

	if (!plan.maps)
		return true;
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	from = fopen(path, "re");
	to = fopen(plan.maps, "ae");
	good = from && to;
	while (good && fgets(line, sizeof(line), from))
		good = fputs(line, to) >= 0;
	if (from)
		fclose(from);
	if (to && fclose(to))
		good = false;
	if (!good)
		complain("cannot copy %s to %s: %m", path, plan.maps);
	return good;
}

static bool warm_up(void)
{
	struct rounds unused;

	if (!loop_run(&child, plan.rounds / 10 + 1, LIMIT_S, &unused))
		return false;
	sleep_ns(plan.settle_ms * NSEC_PER_MSEC);
	return true;
}

static bool measure_off(struct rounds *rounds)
{
	bool good = warm_up();

	mark(plan.class);
	good = good && loop_run(&child, plan.rounds, LIMIT_S, rounds);
	mark(0);
	return good;
}

/**
 * struct on - rounds with the command
 * @rounds: themselves
 * @reader_ns: CPU time that it had meanwhile
 * @late_ns: and afterwards
 * @idle_ns: and in the same time before them, with no record to be had
 */
struct on {
	struct rounds rounds;
	uint64_t reader_ns, late_ns, idle_ns;
};

/* What it takes to look at the command is not counted. Returns its CPU time. */
static uint64_t counted_sleep(unsigned int class, uint64_t before)
{
	mark(class);
	sleep_ns(plan.settle_ms * NSEC_PER_MSEC);
	mark(0);
	return command_cpu_ns(&plan.command) - before;
}

static bool measure_on(struct on *on)
{
	struct command *command = &plan.command;
	uint64_t before;
	bool good;

	if (!command_start(command) || !warm_up())
		return false;
	on->idle_ns = counted_sleep(plan.class + 2, command_cpu_ns(command));
	before = command_cpu_ns(command);
	mark(plan.class + 1);
	good = loop_run(&child, plan.rounds, LIMIT_S, &on->rounds);
	mark(0);
	on->reader_ns = command_cpu_ns(command) - before;
	on->late_ns = counted_sleep(plan.class + 1, before + on->reader_ns);
	return good && copy_maps(command->pids[0]) && command_stop(command);
}

static bool measure_pair(uint64_t pair)
{
	struct rounds off;
	struct on on;
	bool off_first = pair % 2;

	if ((off_first && !measure_off(&off)) || !measure_on(&on) ||
	    (!off_first && !measure_off(&off)))
		return false;
	printf("{\"class\": %u, \"pair\": %" PRIu64 ", \"on\": %" PRIu64 ", \"off\": %" PRIu64
	       ", \"reader\": %" PRIu64 ", \"late\": %" PRIu64 ", \"idle\": %" PRIu64
	       ", \"rounds\": %" PRIu64 ", \"switches\": %" PRIu64 "}\n",
	       plan.class, pair, on.rounds.ns, off.ns, on.reader_ns, on.late_ns, on.idle_ns,
	       plan.rounds, off.blocking + off.other);
	return !fflush(stdout);
}

static bool start_other(void)
{
	pid_t parent = getpid();

	other = fork();
	if (other < 0)
		complain("fork: %m");
	if (other)
		return other > 0;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (getppid() == parent)
		pause();
	_exit(0);
}

static bool start_loop(void)
{
	char folder[PATH_MAX], program[PATH_MAX + 16];
	ssize_t length = readlink("/proc/self/exe", folder, sizeof(folder) - 1);
	char *const arguments[] = { program, (char *)plan.loop, "--frames", (char *)plan.frames,
				    NULL };

	if (length < 0) {
		complain("/proc/self/exe: %m");
		return false;
	}
	folder[length] = '\0';
	snprintf(program, sizeof(program), "%s/loops-%s", dirname(folder), plan.build);
	return loop_start(&child, arguments);
}

/* The first of either word in each argument. */
static bool fill_in(char **arguments)
{
	for (; *arguments; arguments++) {
		char *at = strstr(*arguments, "{pid}") ?: strstr(*arguments, "{other}"), *new;

		if (!at)
			continue;
		if (asprintf(&new, "%.*s%d%s", (int)(at - *arguments), *arguments,
			     at[1] == 'p' ? child.pid : other, strchr(at, '}') + 1) < 0) {
			complain("no memory");
			return false;
		}
		*arguments = new;
	}
	return true;
}

static bool take_option(int option, char *value)
{
	switch (option) {
	case 'c':
		plan.class = strtoul(value, NULL, 10);
		return true;
	case 'l':
		plan.loop = value;
		return true;
	case 'b':
		plan.build = value;
		return true;
	case 'f':
		plan.frames = value;
		return true;
	case 'r':
		plan.rounds = strtoull(value, NULL, 10);
		return true;
	case 'p':
		plan.pairs = strtoull(value, NULL, 10);
		return true;
	case 's':
		plan.settle_ms = strtoull(value, NULL, 10);
		return true;
	case 'R':
		plan.command.ready = value;
		return true;
	case 'm':
		plan.maps = value;
		return true;
	}
	return false;
}

static bool take_options(int argc, char **argv)
{
	static const struct option options[] = {
		{ "class", required_argument, NULL, 'c' },
		{ "loop", required_argument, NULL, 'l' },
		{ "build", required_argument, NULL, 'b' },
		{ "frames", required_argument, NULL, 'f' },
		{ "rounds", required_argument, NULL, 'r' },
		{ "pairs", required_argument, NULL, 'p' },
		{ "settle", required_argument, NULL, 's' },
		{ "ready", required_argument, NULL, 'R' },
		{ "maps", required_argument, NULL, 'm' },
		{ 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1)
		if (!take_option(option, optarg))
			return false;
	plan.command.arguments[0] = argv + optind;
	plan.command.count = 1;
	return plan.class && plan.class + 2 < MARKER_CLASSES && plan.rounds && plan.pairs &&
	       optind < argc;
}

int main(int argc, char **argv)
{
	bool good;

	if (!take_options(argc, argv)) {
		fprintf(stderr,
			"usage: marked --class 1..%d --loop KIND [--build fp|nofp] [--frames N] [--rounds N]\n"
			"\t[--pairs N] [--settle MS] [--ready gapp|SECONDS|text:WORDS] [--maps FILE]\n"
			"\t-- COMMAND [ARGUMENT]...\n",
			MARKER_CLASSES - 3);
		return 2;
	}
	signal(SIGPIPE, SIG_IGN);
	good = start_other() && start_loop() && fill_in(plan.command.arguments[0]) &&
	       copy_maps(getpid()) && copy_maps(child.pid) && wait_for_calm();
	for (uint64_t pair = 0; good && pair < plan.pairs; pair++)
		good = measure_pair(pair);
	command_kill(&plan.command);
	loop_end(&child);
	if (other > 0) {
		kill(other, SIGKILL);
		waitpid(other, NULL, 0);
	}
	return good ? 0 : 1;
}
