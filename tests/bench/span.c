// SPDX-License-Identifier: GPL-2.0
/*
 * Runs a program and writes one line of JSON on the time of its run alone, from just before it is
 * started until it has been waited for: nanoseconds, which are instructions in a guest under
 * icount; the CPU time of a reader meanwhile; context switches of the machine.
 *
 * A reader's attaching is over when it starts this one as its command, and its report comes
 * afterwards.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

struct reading {
	uint64_t now; /* ns */
	uint64_t reader; /* ns of CPU time, of threads that have ended too */
	uint64_t switches;
	uint64_t idle; /* ns, of all CPUs; in steps of 10 ms */
};

static void fail(const char *what)
{
	fprintf(stderr, "span: %s: %s\n", what, strerror(errno));
	exit(125);
}

static uint64_t clock_ns(clockid_t clock, const char *what)
{
	struct timespec t;

	if (clock_gettime(clock, &t))
		fail(what);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void read_machine(struct reading *reading)
{
	unsigned int found = 0;
	uint64_t ticks;
	char line[256];
	FILE *file = fopen("/proc/stat", "r");

	if (!file)
		fail("/proc/stat");
	while (fgets(line, sizeof(line), file)) {
		if (sscanf(line, "ctxt %" SCNu64, &reading->switches) == 1)
			found++;
		if (!strncmp(line, "cpu ", 4) &&
		    sscanf(line, "cpu %*u %*u %*u %" SCNu64, &ticks) == 1) {
			reading->idle = ticks * (1000000000 / (uint64_t)sysconf(_SC_CLK_TCK));
			found++;
		}
	}
	fclose(file);
	if (found != 2) {
		errno = ENODATA;
		fail("/proc/stat has no line ctxt or cpu");
	}
}

static struct reading read_now(bool with_reader, clockid_t reader)
{
	struct reading reading = { 0 };

	read_machine(&reading);
	if (with_reader)
		reading.reader = clock_ns(reader, "the reader's CPU time (has it ended?)");
	reading.now = clock_ns(CLOCK_MONOTONIC, "CLOCK_MONOTONIC");
	return reading;
}

static int run(char **command)
{
	int status;
	pid_t child = fork();

	if (child < 0)
		fail("fork");
	if (!child) {
		execvp(command[0], command);
		fail(command[0]);
	}
	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			fail("waitpid");
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void write_line(const char *path, const struct reading *begin, const struct reading *end,
		       int status)
{
	FILE *file = fopen(path, "w");

	if (!file)
		fail(path);
	fprintf(file,
		"{\"ns\": %" PRIu64 ", \"reader\": %" PRIu64 ", \"switches\": %" PRIu64
		", \"idle\": %" PRIu64 ", \"status\": %d}\n",
		end->now - begin->now, end->reader - begin->reader, end->switches - begin->switches,
		end->idle - begin->idle, status);
	if (fclose(file))
		fail(path);
}

static void usage(void)
{
	fputs("usage: span OUT none|parent|PID COMMAND [ARGUMENT]...\n"
	      "       OUT: the file for the line; then the reader whose CPU time is wanted\n",
	      stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct reading begin, end;
	clockid_t clock = 0;
	bool with_reader;
	pid_t reader;
	int status;

	if (argc < 4)
		usage();
	with_reader = strcmp(argv[2], "none");
	if (with_reader) {
		reader = strcmp(argv[2], "parent") ? atoi(argv[2]) : getppid();
		if (reader <= 0)
			usage();
		errno = clock_getcpuclockid(reader, &clock);
		if (errno)
			fail("the reader's CPU clock");
	}
	begin = read_now(with_reader, clock);
	status = run(argv + 3);
	end = read_now(with_reader, clock);
	write_line(argv[1], &begin, &end, status);
	return status;
}
