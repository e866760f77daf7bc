// SPDX-License-Identifier: GPL-2.0
/*
 * Conjugate gradients for a sparse matrix with a few entries in each row, far from each other:
 * short parallel loops with sums over all threads, one behind the other. usage: cg SIZE TIMES
 */
#include <stdio.h>
#include <stdlib.h>

#define ENTRIES 8 /* of a row, beside the diagonal */

static double *x, *r, *p, *q;
static int *columns;
static int size;

static void make(void)
{
	unsigned int seed = 1;

	for (long i = 0; i < (long)size * ENTRIES; i++) {
		seed = seed * 1103515245 + 12345;
		columns[i] = (seed >> 8) % size;
	}
	for (int i = 0; i < size; i++) {
		x[i] = 0;
		r[i] = 1.0 + i % 3;
		p[i] = r[i];
	}
}

static void multiply(void)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < size; i++) {
		double sum = (2 * ENTRIES) * p[i];

		for (int k = 0; k < ENTRIES; k++)
			sum -= p[columns[(long)i * ENTRIES + k]];
		q[i] = sum;
	}
}

static double product(const double *a, const double *b)
{
	double sum = 0;

#pragma omp parallel
	{
		double part = 0;

#pragma omp for schedule(static) nowait
		for (int i = 0; i < size; i++)
			part += a[i] * b[i];
#pragma omp atomic
		sum += part;
	}
	return sum;
}

static void step(double alpha)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < size; i++) {
		x[i] += alpha * p[i];
		r[i] -= alpha * q[i];
	}
}

static void turn(double beta)
{
#pragma omp parallel for schedule(static)
	for (int i = 0; i < size; i++)
		p[i] = r[i] + beta * p[i];
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;
	double left, before;

	size = argc > 1 ? atoi(argv[1]) : 0;
	if (size < 2 || size > 4000000 || times < 1) {
		fprintf(stderr, "usage: cg SIZE TIMES\n");
		return 2;
	}
	x = malloc(sizeof(*x) * size);
	r = malloc(sizeof(*r) * size);
	p = malloc(sizeof(*p) * size);
	q = malloc(sizeof(*q) * size);
	columns = malloc(sizeof(*columns) * size * ENTRIES);
	if (!x || !r || !p || !q || !columns)
		return 1;
	make();
	left = product(r, r);
	for (int i = 0; i < times; i++) {
		double by_q;

		multiply();
		by_q = product(p, q);
		step(by_q > 0 ? left / by_q : 0);
		before = left;
		left = product(r, r);
		turn(before > 0 ? left / before : 0);
	}
	printf("%.6e\n", left);
	return 0;
}
