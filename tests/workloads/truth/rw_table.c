// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=rebuild_table kind=ran waits=lock cpu=below
 * truth: object=table_lock waits_at=look_up
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * A reader/writer lock: readers look things up side by side, and from time to time
 * a writer keeps all of them out.
 */
#include "truth.h"

#define ROUNDS 40

static pthread_rwlock_t table_lock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t round_end;
static struct pieces rounds[ROUNDS];

static noinline void rebuild_table(void)
{
	BURN(12000); /* TRUTH: first */
}

static noinline void read_row(void)
{
	BURN(200);
}

static noinline void look_up(void)
{
	pthread_rwlock_rdlock(&table_lock);
	read_row();
	pthread_rwlock_unlock(&table_lock);
}

/* It has the lock before the readers want it, and they have had it before the next round. */
static noinline void write_table(void)
{
	pthread_rwlock_wrlock(&table_lock);
	pthread_barrier_wait(&round_end);
	rebuild_table();
	pthread_rwlock_unlock(&table_lock);
	pthread_barrier_wait(&round_end);
}

static void *worker(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		parallel_work(&rounds[i]);
		if (!arg) {
			write_table();
			continue;
		}
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
		rounds[i].left = 60;
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
