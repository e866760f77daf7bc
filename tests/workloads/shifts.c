// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that come and go at different times, and compute and sleep by turns. The last two stay
 * four times as long as the others.
 *
 * By construction: the number of live threads, and with it N_min, goes up step by step and down
 * again; while only the last two are there, either, both or none of them is active.
 *
 * Usage: shifts [threads=12] [rounds=24] [units=400]
 */
#include "work.h"

static unsigned long count, rounds, units;

static void *worker(void *arg)
{
	unsigned long me = (unsigned long)arg, times = me + 2 < count ? rounds : 4 * rounds;

	for (unsigned long i = 0; i < times; i++) {
		burn(units * (1 + (me + i) % 4));
		sleep_us(units * (2 + me % 5));
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS];

	count = threads_arg(argc, argv, 1, 12);
	rounds = arg_or(argc, argv, 2, 24);
	units = arg_or(argc, argv, 3, 400);
	for (unsigned long i = 0; i < count; i++) {
		start_thread(&threads[i], worker, (void *)i);
		sleep_us(units * 20);
	}
	join_threads(threads, count);
	return 0;
}
