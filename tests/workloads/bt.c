// SPDX-License-Identifier: GPL-2.0
/*
 * A block solver: block-tridiagonal systems along the rows of a grid, then along its columns, as
 * implicit solvers of fluid flow have them. Each line is solved by one thread; between the two
 * directions all threads meet. usage: bt SIZE TIMES
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define B 3 /* unknowns of a cell */

static double *field; /* SIZE x SIZE cells of B unknowns */
static int size;

static double *cell(int row, int column)
{
	return &field[((long)row * size + column) * B];
}

/* Solves the B equations of one cell, by elimination without pivots: they are diagonally dominant.
 */
static void solve_cell(double matrix[B][B], double *right)
{
	for (int k = 0; k < B; k++) {
		for (int i = k + 1; i < B; i++) {
			double factor = matrix[i][k] / matrix[k][k];

			for (int j = k; j < B; j++)
				matrix[i][j] -= factor * matrix[k][j];
			right[i] -= factor * right[k];
		}
	}
	for (int i = B - 1; i >= 0; i--) {
		for (int j = i + 1; j < B; j++)
			right[i] -= matrix[i][j] * right[j];
		right[i] /= matrix[i][i];
	}
}

/* One line of cells, from its begin to its end and back. */
static void solve_line(double *first, long stride)
{
	double before[B] = { 0 };

	for (int n = 0; n < size; n++) {
		double *here = first + n * stride;
		double matrix[B][B];

		for (int i = 0; i < B; i++) {
			for (int j = 0; j < B; j++)
				matrix[i][j] = i == j ? 4.0 + i : 0.25 / (1 + i + j);
			here[i] += 0.5 * before[i];
		}
		solve_cell(matrix, here);
		memcpy(before, here, sizeof(before));
	}
	for (int n = size - 2; n >= 0; n--)
		for (int i = 0; i < B; i++)
			first[n * stride + i] += 0.25 * first[(n + 1) * stride + i];
}

static void solve_rows(void)
{
#pragma omp parallel for schedule(static)
	for (int row = 0; row < size; row++)
		solve_line(cell(row, 0), B);
}

static void solve_columns(void)
{
#pragma omp parallel for schedule(static)
	for (int column = 0; column < size; column++)
		solve_line(cell(0, column), (long)size * B);
}

int main(int argc, char **argv)
{
	int times = argc > 2 ? atoi(argv[2]) : 0;
	double sum = 0;

	size = argc > 1 ? atoi(argv[1]) : 0;
	if (size < 2 || size > 4000 || times < 1) {
		fprintf(stderr, "usage: bt SIZE TIMES\n");
		return 2;
	}
	field = malloc(sizeof(*field) * size * size * B);
	if (!field)
		return 1;
	for (long i = 0; i < (long)size * size * B; i++)
		field[i] = 1.0 + i % 7;
	for (int i = 0; i < times; i++) {
		solve_rows();
		solve_columns();
	}
	for (long i = 0; i < (long)size * size * B; i++)
		sum += field[i];
	printf("%.6e\n", sum);
	free(field);
	return 0;
}
