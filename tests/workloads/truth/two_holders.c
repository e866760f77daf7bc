// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=evict_entries kind=ran waits=lock cpu=below
 * truth: object=cache_lock waits_at=look_up
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * One lock with two holders: one refreshes an entry while the others compute and
 * do not need the lock, for longer in all, and one evicts entries while all others
 * wait for it. Only the second one is critical.
 */
#include "truth.h"

#define ROUNDS 30

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t round_end;
static struct pieces rounds[ROUNDS];

static noinline void refresh_entry(void)
{
	BURN(15000);
}

static noinline void evict_entries(void)
{
	BURN(12000); /* TRUTH: first */
}

static noinline void read_entry(void)
{
	BURN(50);
}

static noinline void look_up(void)
{
	pthread_mutex_lock(&cache_lock);
	read_entry();
	pthread_mutex_unlock(&cache_lock);
}

/* It has the lock before the others meet it, and all have had it before the next round. */
static noinline void keep_cache(struct pieces *pieces)
{
	pthread_mutex_lock(&cache_lock);
	refresh_entry();
	pthread_mutex_unlock(&cache_lock);
	parallel_work(pieces);
	pthread_mutex_lock(&cache_lock);
	pthread_barrier_wait(&round_end);
	evict_entries();
	pthread_mutex_unlock(&cache_lock);
	pthread_barrier_wait(&round_end);
}

static void *worker(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		if (!arg) {
			keep_cache(&rounds[i]);
			continue;
		}
		parallel_work(&rounds[i]);
		pthread_barrier_wait(&round_end);
		look_up();
		pthread_barrier_wait(&round_end);
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&round_end, NULL, WORKERS);
	for (int i = 0; i < ROUNDS; i++)
		rounds[i].left = 100;
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
