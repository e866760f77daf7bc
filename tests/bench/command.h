/* SPDX-License-Identifier: GPL-2.0 */
/* What is switched on and off: programs that record, or a command for each. */
#ifndef GAPP_BENCH_COMMAND_H
#define GAPP_BENCH_COMMAND_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define MOST_COMMANDS 16
#define MOST_READERS 8

/**
 * struct command - how to turn it on, and off
 * @arguments: of each program, each list with a NULL at its end
 * @count: of them; they are stopped by SIGINT
 * @start: what sh runs instead; NULL: nothing
 * @stop: likewise
 * @ready: "gapp": when sessions are shown as running; "text:WORDS": when they are in @out;
 *	   else the seconds it takes
 * @out: file for the programs' standard output, emptied each time
 * @readers: names of processes whose CPU time counts too, whoever started them
 * @reader_count: of them
 * @limit: seconds after which what does not start or end has failed
 * @pids: of the programs that run
 */
struct command {
	char **arguments[MOST_COMMANDS];
	unsigned int count;
	const char *start, *stop, *ready, *out;
	const char *readers[MOST_READERS];
	unsigned int reader_count, limit;
	pid_t pids[MOST_COMMANDS];
};

/* Returns when it records. False: complained. */
bool command_start(struct command *command);

/* False: one of them failed; complained. */
bool command_stop(struct command *command);

/* CPU time it has had so far. */
uint64_t command_cpu_ns(const struct command *command);

/* Whatever still runs. */
void command_kill(struct command *command);

#endif /* GAPP_BENCH_COMMAND_H */
