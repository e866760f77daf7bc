// SPDX-License-Identifier: GPL-2.0
/*
 * Parallel regions of OpenMP, and a sequential part, whose critical time the program measures
 * itself, by the clock that gapp has, too: one of two threads works, and the other one waits. It
 * prints a line for each: name, line of the pragma, seconds at least, and at most, because nobody
 * sees how long a thread that begins later than the other one still slept. usage: regions TIMES
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define MS 1000000LL

/* When each thread began. */
static long long begun[2];
/* When each thread had nothing to do any more, in the first and in the second part of a region. */
static long long done[2][2];
/* When each thread woke up. */
static long long woken[2];
/* Nanoseconds in which the other thread may have slept before it began. */
static long long late;
/* Where the region that ran last has its pragma; 0: it was none. */
static int line;

static long long now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000LL + time.tv_nsec;
}

/*
 * A thread works for so long. Regions note the end themselves, or a compiler might jump here, and
 * the region's function would be on no call path.
 */
static long long work(long long ns)
{
	const long long end = now() + ns;

	while (now() < end)
		;
	return now();
}

static int begin(void)
{
	const int thread = omp_get_thread_num();

	begun[thread] = now();
	return thread;
}

static void note_late(void)
{
	late = llabs(begun[0] - begun[1]);
}

/* While one thread still works, the other one waits. */
static long long alone(int part)
{
	return llabs(done[part][0] - done[part][1]);
}

/* Thread 1 works for longer; the other one waits where the region ends. */
static long long uneven(void)
{
	line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	{
		const int thread = begin();

		done[0][thread] = work(thread ? 150 * MS : 50 * MS);
	}
	note_late();
	return alone(0);
}

/* Thread 0 works for longer; the other one waits within the region. */
static long long at_barrier(void)
{
	line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	{
		const int thread = begin();

		done[0][thread] = work(thread ? 20 * MS : 100 * MS);
#pragma omp barrier
		done[1][thread] = work(MS);
	}
	note_late();
	return alone(0) + alone(1);
}

/* Both work for the same time, which is hardly critical. */
static long long even(void)
{
	line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	{
		const int thread = begin();

		done[0][thread] = work(50 * MS);
	}
	note_late();
	return alone(0);
}

static long long sequential(void)
{
	const long long before = now();

	line = 0;
	late = 0;
	return work(75 * MS) - before;
}

/* Both are asleep, so that nobody is active until the last one wakes up, but for little. */
static long long asleep(void)
{
	const struct timespec time = { 0, 80 * MS };

	line = __LINE__ + 1;
#pragma omp parallel num_threads(2)
	{
		const int thread = begin();

		nanosleep(&time, NULL);
		woken[thread] = now();
	}
	late = 0;
	return (woken[0] > woken[1] ? woken[0] : woken[1]) -
	       (begun[0] > begun[1] ? begun[0] : begun[1]);
}

struct part {
	const char *name;
	long long (*run)(void);
	int line;
	long long least, most;
};

static void run(struct part *part)
{
	const long long ns = part->run();

	part->line = line;
	part->least += ns;
	part->most += ns + late;
}

int main(int argc, char **argv)
{
	static struct part parts[] = {
		{ "uneven", uneven, 0, 0, 0 }, { "at_barrier", at_barrier, 0, 0, 0 },
		{ "even", even, 0, 0, 0 },     { "sequential", sequential, 0, 0, 0 },
		{ "asleep", asleep, 0, 0, 0 },
	};
	const int count = sizeof(parts) / sizeof(*parts);
	int times = argc > 1 ? atoi(argv[1]) : 0;

	if (times < 1) {
		fprintf(stderr, "usage: regions TIMES\n");
		return 2;
	}
	for (int i = 0; i < times; i++)
		for (int j = 0; j < count; j++)
			run(&parts[j]);
	for (int j = 0; j < count; j++)
		printf("%s %d %.9f %.9f\n", parts[j].name, parts[j].line, parts[j].least / 1e9,
		       parts[j].most / 1e9);
	return 0;
}
