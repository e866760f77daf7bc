// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that do nothing but compute, for a time by the clock.
 *
 * No bottleneck by construction: every thread is active all the time. On fewer
 * CPUs than threads they wait for a CPU, and each collects an equal share.
 *
 * Usage: spin [threads=8] [ms=400] [cpus=0: any]
 */
#include "work.h"

static unsigned long long end_ns;

static void *worker(void *arg)
{
	(void)arg;
	burn_until(end_ns);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int count = threads_arg(argc, argv, 1, 8);
	unsigned long ms = arg_or(argc, argv, 2, 400);
	pthread_t threads[WORK_MAX_THREADS];

	pin_first(arg_or(argc, argv, 3, 0));
	end_ns = now_ns() + ms * NSEC_PER_MSEC;
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
