// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=hash_block caller=update_header kind=ran waits=barrier
 * truth: cpu=below cpu_as=update_header
 * variant: spun -DSPIN spun=yes part=spins waits=spin
 *
 * The same function, called by all threads side by side most of the time, and
 * by one alone while the others wait. Only the second way to it is critical.
 */
#include "truth.h"

#define PHASES 12
#define HEADER_US 50000

static pthread_barrier_t phase_end;
static struct pieces phases[PHASES];

static noinline void hash_block(unsigned long us)
{
	LOOP(us * loops_per_ms / 1000); /* TRUTH: first */
}

static noinline void update_header(void)
{
	hash_block(HEADER_US);
	SPENT(HEADER_US * 1000);
}

static noinline void index_blocks(struct pieces *pieces)
{
	while (take_piece(pieces)) {
		hash_block(CHUNK_US);
		SPENT(CHUNK_US * 1000);
	}
}

static void *worker(void *arg)
{
	for (int i = 0; i < PHASES; i++) {
		index_blocks(&phases[i]);
		pthread_barrier_wait(&phase_end);
		if (!arg)
			update_header();
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
