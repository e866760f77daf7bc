// SPDX-License-Identifier: GPL-2.0
/*
 * A barrier loop with unequal work: thread i computes i + 1 shares, then all
 * meet at a barrier.
 *
 * Bottleneck by construction: the last thread, which all others wait for.
 *
 * Usage: barrier [threads=4] [rounds=120] [units a share=800]
 */
#include "work.h"

static pthread_barrier_t barrier;
static unsigned long rounds, units;

static void *worker(void *arg)
{
	unsigned long shares = (unsigned long)arg + 1;

	for (unsigned long i = 0; i < rounds; i++) {
		burn(shares * units);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int count = threads_arg(argc, argv, 1, 4);
	pthread_t threads[WORK_MAX_THREADS];

	rounds = arg_or(argc, argv, 2, 120);
	units = arg_or(argc, argv, 3, 800);
	pthread_barrier_init(&barrier, NULL, count);
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
