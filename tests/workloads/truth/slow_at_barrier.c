// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=relax_boundary kind=ran waits=barrier cpu=below alike=yes
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * Every round ends at a barrier, and one thread has the boundary to do besides
 * its share of the inner cells.
 */
#include "truth.h"

#define ROUNDS 40

static pthread_barrier_t round_end;
static struct pieces rounds[ROUNDS];

static noinline void relax_boundary(void)
{
	BURN(15000); /* TRUTH: first */
}

static void *worker(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		parallel_work(&rounds[i]);
		if (!arg)
			relax_boundary();
		pthread_barrier_wait(&round_end);
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&round_end, NULL, WORKERS);
	for (int i = 0; i < ROUNDS; i++)
		rounds[i].left = 48;
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
