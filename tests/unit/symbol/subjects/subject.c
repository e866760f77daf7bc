// SPDX-License-Identifier: GPL-2.0
/* Functions inlined into each other, and one with a part that is rarely run. */

#include <stdio.h>
#include <stdlib.h>

volatile int sink;

static inline __attribute__((always_inline)) void innermost(int x)
{
	sink += x * 3;
	sink ^= x;
}

static inline __attribute__((always_inline)) void between(int x)
{
	innermost(x + 1);
	sink++;
}

__attribute__((noinline)) int outer(int x)
{
	sink = x;
	between(x);
	for (int i = 0; i < x; i++)
		innermost(i);
	return sink;
}

static __attribute__((cold, noinline)) void fail(void)
{
	puts("rarely");
}

static __attribute__((noinline)) int caller(int x)
{
	int y = outer(x) + 1;

	if (__builtin_expect(y == 12345, 0)) {
		fail();
		abort();
	}
	return y + sink;
}

int main(int argc, char **argv)
{
	(void)argv;
	return caller(argc) == 42;
}
