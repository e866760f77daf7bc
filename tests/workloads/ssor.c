// SPDX-License-Identifier: GPL-2.0
/*
 * Symmetric sweeps over a grid, as a solver of the LU kind has them: each iteration has a lower and
 * an upper sweep with pipelined waits, and the residual between them. Each thread marks which of
 * the three it is in, as sections of its own. usage: ssor SIZE TIMES
 */
#include <fcntl.h>
#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sweep.h"

static double residual;
static int marks = -1;

/* One write is one mark, of the thread that makes it. */
static void tell(const char *line)
{
	if (marks >= 0 && write(marks, line, strlen(line)) < 0)
		perror("ssor: mark");
}

static void wait_for_left(int thread, int row)
{
	while (!left_has_done(thread, row))
		sched_yield();
}

/* @step: 1 from the first row on, -1 from the last row on. */
static void sweep(int thread, int begin, int end, int step)
{
	for (int n = 0; n < size; n++) {
		int row = step > 0 ? n : size - 1 - n, before = row - step;

		wait_for_left(thread, n);
		for (int column = begin; column < end; column++) {
			double left = column ? *at(row, column - 1) : 0,
			       above = n ? *at(before, column) : 0;

			*at(row, column) = 0.25 * (left + above) + 0.5 * *at(row, column);
		}
		has_done(thread, n);
	}
}

static double add_up(int begin, int end)
{
	double sum = 0;

	for (int row = 0; row < size; row++)
		for (int column = begin; column < end; column++)
			sum += *at(row, column) * *at(row, column);
	return sum;
}

static void begin_sweep(int thread)
{
	done[thread].rows = 0;
#pragma omp barrier
}

static void iterate(int times)
{
#pragma omp parallel
	{
		int thread = omp_get_thread_num(), threads = omp_get_num_threads();
		int begin = (long)size * thread / threads,
		    end = (long)size * (thread + 1) / threads;

		for (int i = 0; i < times; i++) {
			double sum;

			begin_sweep(thread);
			tell("begin lower sweep");
			sweep(thread, begin, end, 1);
			tell("end lower sweep");
#pragma omp barrier
			tell("begin residual");
			sum = add_up(begin, end);
#pragma omp atomic
			residual += sum;
			tell("end residual");
			begin_sweep(thread);
			tell("begin upper sweep");
			sweep(thread, begin, end, -1);
			tell("end upper sweep");
#pragma omp barrier
		}
	}
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;

	size = argc > 1 ? atoi(argv[1]) : 0;
	if (size < 2 || size > 8000 || times < 1 || omp_get_max_threads() > THREADS_MAX) {
		fprintf(stderr, "usage: ssor SIZE TIMES\n");
		return 2;
	}
	if (make_grid())
		return 1;
	/* without gapp's module there is no node, and nothing to say */
	marks = open("/dev/gapp_mark", O_WRONLY | O_CLOEXEC);
	iterate(times);
	printf("%.6e\n", residual);
	free(grid);
	return 0;
}
