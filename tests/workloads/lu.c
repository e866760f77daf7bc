// SPDX-License-Identifier: GPL-2.0
/*
 * LU factorization of a dense matrix, as programs of science do it: a parallel loop for each column
 * and a barrier behind it, thousands of times. usage: lu SIZE TIMES
 */
#include <stdio.h>
#include <stdlib.h>

static double *matrix;
static int size;

static double *row(int i)
{
	return &matrix[(long)i * size];
}

static void fill(void)
{
	for (int i = 0; i < size; i++)
		for (int j = 0; j < size; j++)
			row(i)[j] = i == j ? size : 1.0 / (1 + i + j);
}

static void factorize(void)
{
#pragma omp parallel
	for (int k = 0; k < size - 1; k++) {
#pragma omp for schedule(static)
		for (int i = k + 1; i < size; i++) {
			double *of = row(i), factor = of[k] / row(k)[k];

			of[k] = factor;
			for (int j = k + 1; j < size; j++)
				of[j] -= factor * row(k)[j];
		}
	}
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;
	double trace = 0;

	size = argc > 1 ? atoi(argv[1]) : 0;
	if (size < 2 || size > 4000 || times < 1) {
		fprintf(stderr, "usage: lu SIZE TIMES\n");
		return 2;
	}
	matrix = malloc(sizeof(*matrix) * size * size);
	if (!matrix)
		return 1;
	for (int i = 0; i < times; i++) {
		fill();
		factorize();
		for (int k = 0; k < size; k++)
			trace += row(k)[k];
	}
	printf("%.6e\n", trace);
	free(matrix);
	return 0;
}
