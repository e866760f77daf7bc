// SPDX-License-Identifier: GPL-2.0
/*
 * Threads created and joined one after the other: never more than two alive.
 *
 * Bottleneck by construction: the program is serial; main and the one thread
 * take turns, so n is 1 nearly all the time.
 *
 * Usage: churn [threads=300] [units a thread=600]
 */
#include "work.h"

static void *worker(void *arg)
{
	burn((unsigned long)arg);
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long count = arg_or(argc, argv, 1, 300);
	unsigned long units = arg_or(argc, argv, 2, 600);
	pthread_t thread;

	for (unsigned long i = 0; i < count; i++) {
		start_thread(&thread, worker, (void *)units);
		burn(units / 3);
		pthread_join(thread, NULL);
	}
	return 0;
}
