// SPDX-License-Identifier: GPL-2.0
/*
 * Sweeps over a grid in which each point needs those left of it and above it, as in solvers of the
 * LU kind: a thread has a block of columns, and begins a row when its left neighbour has done that
 * row. It waits for the neighbour in a loop, for each row. usage: wavefront SIZE TIMES
 */
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

#include "sweep.h"
#include "work.h"

static void wait_for_left(int thread, int row)
{
	while (!left_has_done(thread, row))
		relax();
}

static void sweep_row(int row, int begin, int end)
{
	for (int column = begin; column < end; column++) {
		double left = column ? *at(row, column - 1) : 0,
		       above = row ? *at(row - 1, column) : 0;

		*at(row, column) = 0.25 * (left + above) + 0.5 * *at(row, column);
	}
}

static void sweep(void)
{
	for (int i = 0; i < THREADS_MAX; i++)
		done[i].rows = 0;
#pragma omp parallel
	{
		int thread = omp_get_thread_num(), threads = omp_get_num_threads();
		int begin = (long)size * thread / threads,
		    end = (long)size * (thread + 1) / threads;

		for (int row = 0; row < size; row++) {
			wait_for_left(thread, row);
			sweep_row(row, begin, end);
			has_done(thread, row);
		}
	}
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;
	double sum = 0;

	size = argc > 1 ? atoi(argv[1]) : 0;
	if (size < 2 || size > 8000 || times < 1 || omp_get_max_threads() > THREADS_MAX) {
		fprintf(stderr, "usage: wavefront SIZE TIMES\n");
		return 2;
	}
	if (make_grid())
		return 1;
	for (int i = 0; i < times; i++)
		sweep();
	for (long i = 0; i < (long)size * size; i++)
		sum += grid[i];
	printf("%.6e\n", sum);
	free(grid);
	return 0;
}
