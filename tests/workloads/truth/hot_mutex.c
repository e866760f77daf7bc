// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=insert_entry kind=ran waits=lock cpu=below sleeps=worker
 * truth: object=locks holders=worker,insert_entry ended_at=worker
 * variant: mended -DMENDED twin=mended
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * One lock around a table that all threads insert into, after a phase in which
 * they compute without it for longer. Mended, each thread has a table.
 */
#include "truth.h"

static pthread_mutex_t locks[WORKERS];
static pthread_barrier_t hashed;
static struct pieces hashing = { 1600 }, inserting = { 200 };

static noinline void insert_entry(void)
{
	BURN(3000); /* TRUTH: first */
}

static noinline void next_key(void)
{
	BURN(20);
}

static void *worker(void *arg)
{
	pthread_mutex_t *lock = &locks[0];

#ifdef MENDED
	lock = &locks[(unsigned long)arg];
#else
	(void)arg;
#endif
	parallel_work(&hashing);
	pthread_barrier_wait(&hashed);
	while (take_piece(&inserting)) {
		next_key();
		pthread_mutex_lock(lock);
		insert_entry();
		pthread_mutex_unlock(lock); /* TRUTH: ended_at */
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];

	truth_begin();
	for (int i = 0; i < WORKERS; i++)
		pthread_mutex_init(&locks[i], NULL);
	pthread_barrier_init(&hashed, NULL, WORKERS);
	read_input();
	start_threads(threads, WORKERS, worker);
	join_threads(threads, WORKERS);
	write_output();
	truth_end();
	return 0;
}
