// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=merge_results kind=ran waits=barrier cpu=below alike=yes path=merge_results
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * Phases in which all threads compute, and between them one that merges what
 * they found while they wait.
 */
#include "truth.h"

#define PHASES 12

static pthread_barrier_t phase_end;
static struct pieces phases[PHASES];

static noinline void merge_results(void)
{
	BURN(50000); /* TRUTH: first */
}

static void *worker(void *arg)
{
	for (int i = 0; i < PHASES; i++) {
		parallel_work(&phases[i]);
		pthread_barrier_wait(&phase_end);
		if (!arg)
			merge_results();
		pthread_barrier_wait(&phase_end);
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&phase_end, NULL, WORKERS);
	for (int i = 0; i < PHASES; i++)
		phases[i].left = 140;
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
