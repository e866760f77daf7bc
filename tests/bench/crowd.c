// SPDX-License-Identifier: GPL-2.0
/*
 * Targets of many threads, and what sessions on them cost. For a guest that counts instructions,
 * where a nanosecond is one; only `load` is for one that does not. Prints a line of JSON for each
 * measurement.
 *
 *	crowd cost OPTION...	a pipe loop with and without sessions, in turn
 *	crowd hold OPTION...	records that a ring holds when nobody reads it
 *	crowd attach OPTION... [-- READER ARG...]
 *				START of a session, or of a reader, whose {pid} is the target
 *	crowd memory OPTION...	of the kernel, before and with sessions
 *	crowd load OPTION...	a program that switches at a given rate, to be followed
 */
#include "crowd.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS_MAX 60000

enum {
	OPT_NAME = 256,
	OPT_THREADS,
	OPT_FOREIGN,
	OPT_SWITCHING,
	OPT_OUTSIDE,
	OPT_SESSIONS,
	OPT_LEVEL,
	OPT_EXPORT_ALL,
	OPT_ROUNDS,
	OPT_PAIRS,
	OPT_SECONDS,
	OPT_RATE,
};

static const struct option long_options[] = {
	{ "name", required_argument, NULL, OPT_NAME },
	{ "threads", required_argument, NULL, OPT_THREADS },
	{ "foreign", required_argument, NULL, OPT_FOREIGN },
	{ "switching", required_argument, NULL, OPT_SWITCHING },
	{ "outside", no_argument, NULL, OPT_OUTSIDE },
	{ "sessions", required_argument, NULL, OPT_SESSIONS },
	{ "level", required_argument, NULL, OPT_LEVEL },
	{ "export-all", no_argument, NULL, OPT_EXPORT_ALL },
	{ "rounds", required_argument, NULL, OPT_ROUNDS },
	{ "pairs", required_argument, NULL, OPT_PAIRS },
	{ "seconds", required_argument, NULL, OPT_SECONDS },
	{ "rate", required_argument, NULL, OPT_RATE },
	{ NULL, 0, NULL, 0 },
};

static void bad_usage(const char *what)
{
	fprintf(stderr, "crowd: %s: the usage is at the begin of its source\n", what);
	exit(2);
}

static u32 number(const char *text, u32 least, u32 most)
{
	char *end;
	unsigned long value = strtoul(text, &end, 0);

	if (*end || end == text || value < least || value > most)
		bad_usage(text);
	return value;
}

static double amount(const char *text)
{
	char *end;
	double value = strtod(text, &end);

	if (*end || end == text || !(value >= 0) || value > 1e9)
		bad_usage(text);
	return value;
}

static u32 level_of(const char *name)
{
	if (!strcmp(name, "stats"))
		return GAPP_LEVEL_STATS;
	if (!strcmp(name, "critical"))
		return GAPP_LEVEL_CRITICAL;
	if (!strcmp(name, "trace"))
		return GAPP_LEVEL_TRACE;
	bad_usage(name);
	return 0;
}

static void set(struct crowd *crowd, int option, const char *value)
{
	switch (option) {
	case OPT_NAME:
		crowd->name = value;
		break;
	case OPT_THREADS:
		crowd->threads = number(value, 1, THREADS_MAX);
		break;
	case OPT_FOREIGN:
		crowd->foreign = number(value, 0, THREADS_MAX);
		break;
	case OPT_SWITCHING:
		crowd->switching = number(value, 0, 1000);
		break;
	case OPT_OUTSIDE:
		crowd->outside = true;
		break;
	case OPT_SESSIONS:
		crowd->sessions = number(value, 1, CROWD_SESSIONS_MAX);
		break;
	case OPT_LEVEL:
		crowd->level = level_of(value);
		break;
	case OPT_EXPORT_ALL:
		crowd->export_all = true;
		break;
	case OPT_ROUNDS:
		crowd->rounds = number(value, 1, 100000000);
		break;
	case OPT_PAIRS:
		crowd->pairs = number(value, 1, 10000);
		break;
	case OPT_SECONDS:
		crowd->seconds = amount(value);
		break;
	case OPT_RATE:
		crowd->rate = amount(value);
		break;
	default:
		bad_usage("no such option");
	}
}

int main(int argc, char **argv)
{
	struct crowd crowd = { .name = "crowd",
			       .threads = 2,
			       .sessions = 1,
			       .level = GAPP_LEVEL_STATS,
			       .rounds = 1000,
			       .pairs = 20,
			       .seconds = 1 };
	const char *what = argc > 1 ? argv[1] : "";
	int option;

	signal(SIGPIPE, SIG_IGN);
	optind = 2;
	while ((option = getopt_long(argc, argv, "+", long_options, NULL)) != -1)
		set(&crowd, option, optarg);
	argv += optind;
	if (!strcmp(what, "cost"))
		crowd_cost(&crowd);
	else if (!strcmp(what, "hold"))
		crowd_hold(&crowd);
	else if (!strcmp(what, "attach"))
		crowd_attach(&crowd, *argv ? argv : NULL);
	else if (!strcmp(what, "memory"))
		crowd_memory(&crowd);
	else if (!strcmp(what, "load"))
		crowd_load(&crowd);
	else
		bad_usage("cost, hold, attach, memory or load");
	return 0;
}
