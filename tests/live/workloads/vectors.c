// SPDX-License-Identifier: GPL-2.0
/* Arrays that want more alignment than the stack has: the CFA is then found by a word on the stack.
 */
#include <stdlib.h>
#include <string.h>

#define VECTOR double __attribute__((vector_size(32)))

static volatile double result;

static __attribute__((noinline)) double sum_of(const double *values, int count)
{
	double sum = 0;
	int i;

	for (i = 0; i < count; i++)
		sum += values[i];
	return sum;
}

static __attribute__((noinline)) double spill(int size, double start, double a, double b, double c,
					      double d, double e, double f, double g, double h,
					      double i)
{
	double room[64] __attribute__((aligned(64)));
	char some[size % 200 + 8];
	VECTOR v = { start, a, b, c }, w = { d, e, f, g };
	int k;

	memset(some, size, sizeof(some));
	for (k = 0; k < 16; k++) {
		v = v * w + (VECTOR){ h, i, some[k % 8], k };
		memcpy(room + 4 * k, &v, sizeof(v));
	}
	if (size > 3)
		return sum_of(room, 64) / 1e9 + spill(size - 3, start, a, b, c, d, e, f, g, h, i);
	return sum_of(room, 64);
}

int main(void)
{
	int i;

	for (i = 0;; i++)
		result += spill(i % 60, i, 1, 2, 3, .4, .5, .6, .7, .8, .9);
}
