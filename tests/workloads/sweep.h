/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A grid whose columns are shared out among threads, for sweeps in which a thread begins a row when
 * its left neighbour has done that row.
 */
#ifndef GAPP_WORKLOADS_SWEEP_H
#define GAPP_WORKLOADS_SWEEP_H

#include <stdbool.h>
#include <stdlib.h>

#define THREADS_MAX 64

/* Rows that each thread has done, a cache line each. */
static struct {
	int rows;
	char rest[60];
} done[THREADS_MAX];

static double *grid;
static int size;

static inline double *at(int row, int column)
{
	return &grid[(long)row * size + column];
}

/* Returns 0, or -1 without memory. */
static inline int make_grid(void)
{
	grid = malloc(sizeof(*grid) * size * size);
	for (long i = 0; grid && i < (long)size * size; i++)
		grid[i] = 1.0 + i % 5;
	return grid ? 0 : -1;
}

/* Row number @row of the sweep; the first thread waits for nobody. */
static inline bool left_has_done(int thread, int row)
{
	return !thread || __atomic_load_n(&done[thread - 1].rows, __ATOMIC_ACQUIRE) > row;
}

static inline void has_done(int thread, int row)
{
	__atomic_store_n(&done[thread].rows, row + 1, __ATOMIC_RELEASE);
}

#endif /* GAPP_WORKLOADS_SWEEP_H */
