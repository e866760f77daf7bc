// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=solve_dense kind=ran waits=join cpu=below
 * variant: mended -DMENDED twin=mended
 *
 * A matrix cut into equal numbers of rows, the dense ones all in the first part.
 * Mended, rows are dealt out one by one, the dense ones first.
 */
#include "truth.h"

#define DENSE 300
#define SPARSE 2600

static struct pieces dense = { DENSE }, sparse = { SPARSE };

static noinline void solve_sparse(void)
{
	BURN(CHUNK_US);
}

static noinline void solve_dense(void)
{
	BURN(4000); /* TRUTH: first */
}

static void *worker(void *arg)
{
#ifdef MENDED
	int has_dense = 1;
#else
	int has_dense = !arg;
#endif

	(void)arg;
	while (has_dense && take_piece(&dense))
		solve_dense();
	while (take_piece(&sparse))
		solve_sparse();
	return NULL;
}

int main(void)
{
	pthread_t threads[WORKERS];

	truth_begin();
	read_input();
	start_threads(threads, WORKERS, worker);
	join_threads(threads, WORKERS);
	write_output();
	truth_end();
	return 0;
}
