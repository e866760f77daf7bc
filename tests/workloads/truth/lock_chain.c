// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=rewrite_page kind=ran waits=lock cpu=below
 * truth: object=chain path=rewrite_page
 * variant: spun -DSPIN spun=yes part=spins waits=spin turns=chain:40:3
 *
 * A chain of three locks: each thread holds one and waits for the next, and the
 * last one computes. All three have the same waits, and only the end of the chain
 * is to blame.
 */
#include "truth.h"

#define LOCKS (WORKERS - 1)
#define ROUNDS 40

static pthread_mutex_t chain[LOCKS];
static pthread_barrier_t round_begin, round_end;
static struct pieces rounds[ROUNDS];

static noinline void rewrite_page(void)
{
	BURN(12000); /* TRUTH: first */
}

static noinline void use_row(void)
{
	BURN(20);
}

/* Thread 0 has the last lock, each other one the one before it, but for the last thread. */
static noinline void pass_chain(unsigned long me)
{
	unsigned long own = LOCKS - 1 - me;

	if (me < LOCKS)
		pthread_mutex_lock(&chain[own]);
	pthread_barrier_wait(&round_begin);
	if (me)
		pthread_mutex_lock(&chain[own + 1]);
	if (me)
		use_row();
	else
		rewrite_page();
	if (me)
		pthread_mutex_unlock(&chain[own + 1]);
	if (me < LOCKS)
		pthread_mutex_unlock(&chain[own]);
}

static void *worker(void *arg)
{
	for (int i = 0; i < ROUNDS; i++) {
		parallel_work(&rounds[i]);
		pass_chain((unsigned long)arg);
		pthread_barrier_wait(&round_end);
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	pthread_barrier_init(&round_begin, NULL, WORKERS);
	pthread_barrier_init(&round_end, NULL, WORKERS);
	for (int i = 0; i < LOCKS; i++)
		pthread_mutex_init(&chain[i], NULL);
	for (int i = 0; i < ROUNDS; i++)
		rounds[i].left = 60;
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
