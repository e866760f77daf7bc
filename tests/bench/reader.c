// SPDX-License-Identifier: GPL-2.0
/*
 * The command of a gapp-read whose device is fed_node.c: it writes records into the rings, of
 * threads and on paths that it makes up, and tells what the reader took for them. The paths' frames
 * are functions of libraries that it loads, so names and lines are found as usual.
 *
 *	reader FOLDER OPTION...		FOLDER has object0.so to object3.so
 *
 *	--paths N	distinct ones (1000)
 *	--frames N	of each (16)
 *	--threads N	that end slices (64)
 *	--rate N	records a second; 0: as fast as they are read (0)
 *	--records N	in all (1000000)
 *	--sampled N	per cent of the slices have a sample (10)
 *	--waits		as of a trace: a slice for each begin of a wait, a wake-up for its end
 *
 * Prints a line of JSON to standard error. Records that find no room are lost with a rate, and else
 * waited for.
 */
#include "reader.h"

#include <errno.h>
#include <getopt.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* As the module wakes its readers. */
#define TICK_NS (50 * NSEC_PER_MSEC)
/* For the reader to take the last records, which must settle. */
#define PATIENCE_NS (20 * NSEC_PER_SEC)

void feed_die(const char *what)
{
	fprintf(stderr, "reader: %s: %s\n", what, strerror(errno));
	exit(1);
}

static u64 clock_ns(clockid_t clock)
{
	struct timespec time;

	if (clock_gettime(clock, &time))
		feed_die("clock_gettime");
	return time.tv_sec * NSEC_PER_SEC + time.tv_nsec;
}

u64 feed_now(void)
{
	return clock_ns(CLOCK_MONOTONIC);
}

static void nap(u64 ns)
{
	struct timespec time = { .tv_nsec = ns };

	nanosleep(&time, NULL);
}

static void tick(struct feed *feed)
{
	if (feed_now() - feed->ticked_ns >= TICK_NS)
		feed_wake(feed);
}

static void feed_all(struct feed *feed)
{
	u64 begin = feed_now(), number = 0;

	while (number < feed->records) {
		u64 due = feed->rate ? (feed_now() - begin) * feed->rate / NSEC_PER_SEC :
				       UINT64_MAX;

		for (; number < feed->records && number < due; number++) {
			if (feed_put(feed, number))
				feed->written++;
			else if (feed->rate)
				feed->lost++;
			else
				break;
		}
		tick(feed);
		nap(feed->rate ? NSEC_PER_MSEC : NSEC_PER_MSEC / 5);
	}
}

static void wait_until_read(struct feed *feed)
{
	u64 end = feed_now() + PATIENCE_NS;
	bool any = true;

	while (any) {
		any = false;
		for (u32 cpu = 0; cpu < FED_CPUS; cpu++)
			any |= feed_used(feed, cpu) != 0;
		if (any && feed_now() > end) {
			fprintf(stderr, "reader: gapp-read does not take the last records\n");
			exit(1);
		}
		tick(feed);
		nap(NSEC_PER_MSEC);
	}
}

/* A number of the reader's in /proc, in KiB. */
static u64 memory_of(pid_t pid, const char *name)
{
	unsigned long long kib = 0;
	size_t room = 0, length = strlen(name);
	char path[64], *line = NULL;
	bool found = false;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "r");
	if (!file)
		feed_die(path);
	while (!found && getline(&line, &room, file) > 0)
		found = !strncmp(line, name, length) &&
			sscanf(line + length, ": %llu kB", &kib) == 1;
	fclose(file);
	free(line);
	if (!found)
		feed_die(name);
	return kib;
}

static u64 number(const char *text, u64 least, u64 most)
{
	char *end;
	u64 value = strtoull(text, &end, 0);

	if (*end || end == text || value < least || value > most) {
		fprintf(stderr, "reader: %s is no number from %llu to %llu\n", text, least, most);
		exit(2);
	}
	return value;
}

static void parse(struct feed *feed, int argc, char **argv)
{
	static const struct option options[] = {
		{ "paths", required_argument, NULL, 'p' },
		{ "frames", required_argument, NULL, 'f' },
		{ "threads", required_argument, NULL, 't' },
		{ "rate", required_argument, NULL, 'r' },
		{ "records", required_argument, NULL, 'n' },
		{ "sampled", required_argument, NULL, 's' },
		{ "waits", no_argument, NULL, 'w' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'p')
			feed->paths = number(optarg, 1, FED_SLOTS);
		else if (option == 'f')
			feed->frames = number(optarg, 4, 31);
		else if (option == 't')
			feed->threads = number(optarg, 1, 60000);
		else if (option == 'r')
			feed->rate = number(optarg, 0, 100000000);
		else if (option == 'n')
			feed->records = number(optarg, 1, 1000000000);
		else if (option == 's')
			feed->sampled = number(optarg, 0, 100);
		else if (option == 'w')
			feed->waits = true;
		else
			exit(2);
	}
	if (optind != argc - 1) {
		fprintf(stderr, "usage: reader FOLDER [OPTION]...\n");
		exit(2);
	}
}

int main(int argc, char **argv)
{
	struct feed feed = { .paths = 1000,
			     .frames = 16,
			     .threads = 64,
			     .records = 1000000,
			     .sampled = 10,
			     .random = 0x2545f4914f6cdd1dULL };
	pid_t reader = getppid();
	u64 begin, cpu, ns;
	clockid_t clock;

	parse(&feed, argc, argv);
	feed_map(&feed);
	feed_load(&feed, argv[optind]);
	feed_make_paths(&feed);
	errno = clock_getcpuclockid(reader, &clock);
	if (errno)
		feed_die("the reader's CPU time");
	/* what it does about libraries that were just loaded is over */
	nap(300 * NSEC_PER_MSEC);
	begin = feed_now();
	cpu = clock_ns(clock);
	feed_all(&feed);
	ns = feed_now() - begin;
	wait_until_read(&feed);
	cpu = clock_ns(clock) - cpu;
	fprintf(stderr,
		"{\"name\": \"reader\", \"records\": %llu, \"lost\": %llu, \"ns\": %llu, \"cpu_ns\": %llu, \"hwm_kib\": %llu, \"anon_kib\": %llu, \"shmem_kib\": %llu}\n",
		feed.written, feed.lost, ns, cpu, memory_of(reader, "VmHWM"),
		memory_of(reader, "RssAnon"), memory_of(reader, "RssShmem"));
	return 0;
}
