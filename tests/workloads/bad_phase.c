// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that compute together, but for a bad phase: now and then all wait until the first one has
 * rebuilt what they work on.
 *
 * Bottleneck by construction: rebuild_index(), in a bad phase alone, while n is 1.
 *
 * Usage: bad_phase [threads=4] [seconds=20] [ms from one bad phase to the next=3000]
 *	[ms of a bad phase=500]
 * Prints the CLOCK_MONOTONIC times, in seconds, of each bad phase's begin and end.
 */
#include "work.h"

static pthread_barrier_t met;
static unsigned long long begin_ns, end_ns;
static unsigned long period_ns, bad_ns;

static __attribute__((noinline)) void rebuild_index(void)
{
	const unsigned long long from_ns = now_ns();

	burn_until(from_ns + bad_ns);
	printf("%.3f %.3f\n", from_ns / 1e9, now_ns() / 1e9);
	fflush(stdout);
}

static __attribute__((noinline)) void serve(unsigned long long until_ns)
{
	burn_until(until_ns);
}

static void *worker(void *arg)
{
	name_thread("worker", (unsigned long)arg);
	for (unsigned long long next = begin_ns + period_ns; next < end_ns; next += period_ns) {
		serve(next);
		pthread_barrier_wait(&met);
		if (!arg)
			rebuild_index();
		pthread_barrier_wait(&met);
	}
	serve(end_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS];
	unsigned int count = threads_arg(argc, argv, 1, 4);

	begin_ns = now_ns();
	end_ns = begin_ns + arg_or(argc, argv, 2, 20) * NSEC_PER_SEC;
	period_ns = arg_or(argc, argv, 3, 3000) * NSEC_PER_MSEC;
	bad_ns = arg_or(argc, argv, 4, 500) * NSEC_PER_MSEC;
	pthread_barrier_init(&met, NULL, count);
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
