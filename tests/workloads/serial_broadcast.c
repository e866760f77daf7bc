// SPDX-License-Identifier: GPL-2.0
/*
 * A serial phase, then a broadcast: main computes alone, all workers compute
 * together while main waits, and again.
 *
 * Bottleneck by construction: main() in its serial phase. While it computes n is 1.
 *
 * Usage: serial_broadcast [threads=7] [rounds=10] [serial units=50000] [parallel units=8000]
 */
#include "work.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t begin = PTHREAD_COND_INITIALIZER;
static pthread_cond_t done = PTHREAD_COND_INITIALIZER;
static unsigned long round_number, rounds, parallel_units;
static unsigned int busy;

static void *worker(void *arg)
{
	char name[16];

	snprintf(name, sizeof(name), "worker-%lu", (unsigned long)arg + 1);
	pthread_setname_np(pthread_self(), name);
	for (unsigned long next = 1; next <= rounds; next++) {
		pthread_mutex_lock(&lock);
		while (round_number < next)
			pthread_cond_wait(&begin, &lock);
		pthread_mutex_unlock(&lock);

		burn(parallel_units);

		pthread_mutex_lock(&lock);
		if (!--busy)
			pthread_cond_signal(&done);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned int count = threads_arg(argc, argv, 1, 7);
	unsigned long serial_units = arg_or(argc, argv, 3, 50000);
	pthread_t threads[WORK_MAX_THREADS];

	rounds = arg_or(argc, argv, 2, 10);
	parallel_units = arg_or(argc, argv, 4, 8000);
	start_threads(threads, count, worker);

	for (unsigned long i = 0; i < rounds; i++) {
		burn(serial_units);
		pthread_mutex_lock(&lock);
		busy = count;
		round_number++;
		pthread_cond_broadcast(&begin);
		while (busy)
			pthread_cond_wait(&done, &lock);
		pthread_mutex_unlock(&lock);
	}
	join_threads(threads, count);
	return 0;
}
