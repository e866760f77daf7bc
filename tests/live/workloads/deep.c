// SPDX-License-Identifier: GPL-2.0
/* More frames than a path may have, and frames of megabytes. */
#include <string.h>

static volatile long work;

static __attribute__((noinline)) long recurse(int depth)
{
	char room[100];
	long sum = 0;

	memset(room, depth, sizeof(room));
	if (depth)
		sum = recurse(depth - 1);
	return sum + room[depth % 100];
}

static __attribute__((noinline)) long large(int depth)
{
	char room[300000];
	long sum = 0;

	memset(room, depth, 5000);
	if (depth)
		sum = large(depth - 1);
	return sum + room[depth];
}

int main(void)
{
	int i;

	for (i = 0;; i++)
		work += i & 1 ? recurse(i % 400) : large(i / 2 % 12);
}
