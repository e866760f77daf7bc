// SPDX-License-Identifier: GPL-2.0
/* Small functions, built -Os: pushes around calls, jumps instead of last calls, early returns. */
#include <stdlib.h>
#include <string.h>

static volatile long work;

__attribute__((noinline)) long nine(long a, long b, long c, long d, long e, long f, long g, long h,
				    long i);
__attribute__((noinline)) long even(long n, long a);
__attribute__((noinline)) long odd(long n, long a);
__attribute__((noinline)) long early(long n, char *text);

long nine(long a, long b, long c, long d, long e, long f, long g, long h, long i)
{
	return a * b + c * d + e * f + g * h + i;
}

long even(long n, long a)
{
	return n ? odd(n - 1, a + n) : a;
}

long odd(long n, long a)
{
	return n ? even(n - 1, a ^ n) : a + 1;
}

long early(long n, char *text)
{
	if (n % 3 == 0)
		return n;
	memset(text, n, 32);
	return nine(n, text[1], n + 2, strlen(text), n, 5, n * 7, 8, early(n / 2, text)) +
	       even(n % 20, n);
}

int main(void)
{
	char text[64] = "";
	long i;

	for (i = 0;; i++)
		work += early(i, text);
}
