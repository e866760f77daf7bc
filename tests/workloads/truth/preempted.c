// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=merge_runs kind=ran waits=barrier cpu=below feed=hog
 * truth: options=--waits preempted=merger preempted_by=hog
 * truth: object=round_end waits_at=sort_runs
 *
 * One thread merges while the others wait for it at a barrier, and a process that
 * has nothing to do with them takes its CPU again and again.
 */
#include "truth.h"

#define ROUNDS 25

static pthread_barrier_t round_end;
static struct pieces rounds[ROUNDS];

static noinline void merge_runs(void)
{
	BURN(18000); /* TRUTH: first */
}

/* On the CPU that the foreign process takes. */
static void merge(void)
{
	pin_first(1);
	pthread_setname_np(pthread_self(), "merger");
	for (int i = 0; i < ROUNDS; i++) {
		pthread_barrier_wait(&round_end);
		merge_runs();
		pthread_barrier_wait(&round_end);
	}
}

static noinline void sort_runs(void)
{
	for (int i = 0; i < ROUNDS; i++) {
		parallel_work(&rounds[i]);
		pthread_barrier_wait(&round_end);
		pthread_barrier_wait(&round_end);
	}
}

static void *worker(void *arg)
{
	if (arg)
		sort_runs();
	else
		merge();
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&round_end, NULL, WORKERS);
	for (int i = 0; i < ROUNDS; i++)
		rounds[i].left = 90;
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
