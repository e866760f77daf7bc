// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that compute in turn, under a lock, at the end of a chain of calls:
 * who waits does so in libc, and called it from the same depth.
 *
 * A path: hold_lock() or libc, DEPTH times descend(), worker(), and how the
 * thread began.
 *
 * Usage: deep [threads=3] [rounds=100] [units=1000]
 */
#include "calls.h"

#define DEPTH 10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned long rounds, units;

static in_frame void hold_lock(void)
{
	burn(units);
	STAY();
}

static in_frame int descend(int levels)
{
	int below = 0;

	if (levels > 1) {
		below = descend(levels - 1);
	} else {
		pthread_mutex_lock(&lock);
		hold_lock();
		pthread_mutex_unlock(&lock);
	}
	STAY();
	return below + 1;
}

static in_frame void *worker(void *arg)
{
	for (unsigned long i = 0; i < rounds; i++) {
		burn(units / 2);
		descend(DEPTH);
	}
	return arg;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS];
	unsigned int count = threads_arg(argc, argv, 1, 3);

	rounds = arg_or(argc, argv, 2, 100);
	units = arg_or(argc, argv, 3, 1000);
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
