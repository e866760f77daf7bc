// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=update_index kind=ran waits=lock cpu=below sleeps=add_entry,count_entry
 * truth: object=index_lock waits_at=add_entry
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * Two locks that all threads take, of which one is hot: that of the index is held
 * for long, that of the statistics for a moment. Before, they compute together.
 */
#include "truth.h"

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t stats_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t hashed;
static struct pieces hashing = { 1600 }, adding = { 180 };

static noinline void update_index(void)
{
	BURN(3000); /* TRUTH: first */
}

static noinline void update_stats(void)
{
	BURN(10);
}

static noinline void count_entry(void)
{
	pthread_mutex_lock(&stats_lock);
	update_stats();
	pthread_mutex_unlock(&stats_lock);
}

static noinline void add_entry(void)
{
	pthread_mutex_lock(&index_lock);
	update_index();
	pthread_mutex_unlock(&index_lock);
}

static void *worker(void *arg)
{
	(void)arg;
	parallel_work(&hashing);
	pthread_barrier_wait(&hashed);
	while (take_piece(&adding)) {
		count_entry();
		add_entry();
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&hashed, NULL, WORKERS);
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
