// SPDX-License-Identifier: GPL-2.0
/*
 * A lock convoy: threads queue for a lock that is handed over in the order of
 * arrival, and hold it longer than they compute without it.
 *
 * Bottleneck by construction: the lock's holder, one thread at a time. All
 * threads have the same share of it.
 *
 * Usage: convoy [threads=6] [rounds=120] [units inside=1000] [units outside=300]
 */
#include <semaphore.h>
#include <stdatomic.h>

#include "work.h"

/* The lock is a token that goes from one semaphore to the next. */
static sem_t turns[WORK_MAX_THREADS];
static atomic_ulong next_ticket;
static unsigned int count;
static unsigned long rounds, units_inside, units_outside;

static unsigned long lock_fair(void)
{
	unsigned long ticket = atomic_fetch_add(&next_ticket, 1);

	while (sem_wait(&turns[ticket % count]))
		;
	return ticket;
}

static void unlock_fair(unsigned long ticket)
{
	sem_post(&turns[(ticket + 1) % count]);
}

static void *worker(void *arg)
{
	(void)arg;
	for (unsigned long i = 0; i < rounds; i++) {
		unsigned long ticket = lock_fair();

		burn(units_inside);
		unlock_fair(ticket);
		burn(units_outside);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS];

	count = threads_arg(argc, argv, 1, 6);
	rounds = arg_or(argc, argv, 2, 120);
	units_inside = arg_or(argc, argv, 3, 1000);
	units_outside = arg_or(argc, argv, 4, 300);
	for (unsigned int i = 0; i < count; i++)
		sem_init(&turns[i], 0, i == 0);
	start_threads(threads, count, worker);
	join_threads(threads, count);
	return 0;
}
