// SPDX-License-Identifier: GPL-2.0
/*
 * A loop that waits for orders: a line on standard input with the number of rounds, answered by a
 * line with the nanoseconds they took and the switches there were meanwhile, by blocking and other.
 *
 * Usage: loops-fp KIND [--frames N] [--threads N]
 *
 * A ring has as many threads as --threads says, which wake each other in turn. Of other loops
 * --threads 1 makes the second side a process of its own; with more than the loop needs, the others
 * sleep.
 */
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "kinds.h"

/* Of a thread that sleeps. */
#define SMALL_STACK (32U << 10)
#define MOST_THREADS 32768

/**
 * struct side - the second one
 * @loop: shared with the first
 * @kind: what it answers
 * @frames: length of its call path
 * @process: its own, where it has one; else 0
 */
struct side {
	struct loop *loop;
	const struct kind *kind;
	unsigned int frames;
	pid_t process;
};

struct switches {
	uint64_t blocking, other;
};

static void fail(const char *what)
{
	fprintf(stderr, "loops: %s: %m\n", what);
	exit(1);
}

static uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static void take_count(const char *line, const char *name, uint64_t *count)
{
	size_t length = strlen(name);

	if (!strncmp(line, name, length))
		*count = strtoull(line + length, NULL, 10);
}

/* Of another process, whose usage the kernel tells its parent only when it has ended. */
static struct switches switches_of(pid_t process)
{
	struct switches sum = { 0 };
	char path[64], line[128];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/status", process);
	file = fopen(path, "re");
	if (!file)
		fail(path);
	while (fgets(line, sizeof(line), file)) {
		take_count(line, "voluntary_ctxt_switches:", &sum.blocking);
		take_count(line, "nonvoluntary_ctxt_switches:", &sum.other);
	}
	fclose(file);
	return sum;
}

static struct switches count_switches(const struct side *second)
{
	struct switches sum = { 0 };
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage))
		fail("getrusage");
	if (second->process)
		sum = switches_of(second->process);
	sum.blocking += usage.ru_nvcsw;
	sum.other += usage.ru_nivcsw;
	return sum;
}

static void *answer(void *argument)
{
	struct side *second = argument;

	from_frames(second->frames, second->kind->second, second->loop);
	return NULL;
}

/* A seat of a ring: whose frames are as many as the first side's. */
struct seat {
	struct place place;
	const struct side *like;
};

static void *answer_next(void *argument)
{
	struct seat *seat = argument;

	from_frames(seat->like->frames, seat->like->kind->next, &seat->place);
	return NULL;
}

static void *sleep_forever(void *argument)
{
	for (;;)
		pause();
	return argument;
}

static void start_thread(void *(*function)(void *), void *argument, size_t stack)
{
	pthread_attr_t attributes;
	pthread_t thread;

	pthread_attr_init(&attributes);
	if (stack)
		pthread_attr_setstacksize(&attributes, stack);
	errno = pthread_create(&thread, &attributes, function, argument);
	if (errno)
		fail("cannot start a thread (lower --threads, or give the guest more memory)");
	pthread_attr_destroy(&attributes);
}

static void start_process(struct side *second)
{
	pid_t parent = getpid();

	second->process = fork();
	if (second->process < 0)
		fail("fork");
	if (second->process)
		return;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() == parent)
		answer(second);
	_exit(1);
}

static void allow_files(rlim_t count)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		fail("getrlimit");
	if (limit.rlim_cur >= count)
		return;
	limit.rlim_cur = count;
	if (limit.rlim_max < count)
		limit.rlim_max = count;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail("setrlimit of open files (lower --threads)");
}

/* With stacks as large as threads have them if nobody says otherwise. */
static void start_ring(const struct side *like, unsigned int places)
{
	struct seat *seats = calloc(places, sizeof(*seats));
	struct loop *loop = like->loop;

	loop->places = places;
	loop->ring = calloc(places, sizeof(*loop->ring));
	if (!seats || !loop->ring)
		fail("no memory for a ring");
	allow_files(2 * places + 64);
	for (unsigned int i = 0; i < places; i++)
		if (pipe2(loop->ring[i], O_CLOEXEC))
			fail("a pipe of the ring");
	for (unsigned int i = 1; i < places; i++) {
		seats[i] = (struct seat){ .place = { loop, i }, .like = like };
		start_thread(answer_next, &seats[i], 0);
	}
}

static struct loop *make_loop(void)
{
	struct loop *loop = mmap(NULL, sizeof(*loop), PROT_READ | PROT_WRITE,
				 MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (loop == MAP_FAILED)
		fail("mmap");
	if (pipe2(loop->to, O_CLOEXEC) || pipe2(loop->fro, O_CLOEXEC))
		fail("pipe");
	return loop;
}

static void stay_on_one_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(sched_getcpu(), &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		fail("sched_setaffinity");
}

/* The kernel lets no thread that wakes of this kind take the CPU from one that has not blocked. */
static void give_way(void)
{
	const struct sched_param none = { 0 };

	if (sched_setscheduler(0, SCHED_BATCH, &none))
		fail("sched_setscheduler");
}

static void obey(const struct side *second)
{
	struct loop *loop = second->loop;
	char line[32];

	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof(line), stdin)) {
		struct switches before, after;
		uint64_t begin, end;

		loop->rounds = strtoull(line, NULL, 10);
		before = count_switches(second);
		begin = clock_ns();
		from_frames(second->frames, second->kind->first, loop);
		end = clock_ns();
		after = count_switches(second);
		if (loop->failed) {
			fprintf(stderr, "loops: a system call of the loop failed\n");
			exit(1);
		}
		printf("%" PRIu64 " %" PRIu64 " %" PRIu64 "\n", end - begin,
		       after.blocking - before.blocking, after.other - before.other);
		fflush(stdout);
	}
}

static int usage(void)
{
	fprintf(stderr,
		"usage: loops KIND [--frames %d..%d] [--threads 1..%d]\nkinds:", LEAST_FRAMES,
		MOST_FRAMES, MOST_THREADS);
	for (const struct kind *kind = kinds; kind->name; kind++)
		fprintf(stderr, " %s", kind->name);
	fputc('\n', stderr);
	return 2;
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "frames", required_argument, NULL, 'f' },
		{ "threads", required_argument, NULL, 't' },
		{ 0 },
	};
	struct side second = { .frames = 8 };
	unsigned long threads = 0, own;
	int option;

	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		if (option == 'f')
			second.frames = strtoul(optarg, NULL, 10);
		else if (option == 't')
			threads = strtoul(optarg, NULL, 10);
		else
			return usage();
	}
	second.kind = optind + 1 == argc ? find_kind(argv[optind]) : NULL;
	if (!second.kind || second.frames < LEAST_FRAMES || second.frames > MOST_FRAMES ||
	    threads > MOST_THREADS)
		return usage();

	second.loop = make_loop();
	if (second.kind->one_cpu)
		stay_on_one_cpu();
	if (second.kind->blocks)
		give_way();
	own = second.kind->second && threads != 1 ? 2 : 1;
	if (second.kind->second && threads == 1)
		start_process(&second);
	else if (second.kind->second)
		start_thread(answer, &second, 0);
	if (second.kind->next) {
		own = threads < 2 ? 2 : threads;
		start_ring(&second, own);
	}
	for (; own < threads; own++)
		start_thread(sleep_forever, NULL, SMALL_STACK);
	obey(&second);
	return 0;
}
