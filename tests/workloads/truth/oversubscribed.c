// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=rebuild_index kind=ran waits=barrier cpu=below
 *
 * Many more threads than CPUs. What the last one to arrive does alone is the
 * bottleneck, not that they wait for CPUs before.
 */
#include "truth.h"

#define THREADS 16
#define PHASES 12

static pthread_barrier_t phase_end, rebuilt;
static struct pieces phases[PHASES];

static noinline void rebuild_index(void)
{
	BURN(50000); /* TRUTH: first */
}

static void *worker(void *arg)
{
	(void)arg;
	for (int i = 0; i < PHASES; i++) {
		parallel_work(&phases[i]);
		if (pthread_barrier_wait(&phase_end) == PTHREAD_BARRIER_SERIAL_THREAD)
			rebuild_index();
		pthread_barrier_wait(&rebuilt);
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&phase_end, NULL, THREADS);
	pthread_barrier_init(&rebuilt, NULL, THREADS);
	for (int i = 0; i < PHASES; i++)
		phases[i].left = 160;
	read_input();
	on_threads(THREADS, worker);
	write_output();
	truth_end();
	return 0;
}
