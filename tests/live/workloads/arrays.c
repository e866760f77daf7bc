// SPDX-License-Identifier: GPL-2.0
/* Frames whose size is known at run time only: alloca(), arrays. */
#include <alloca.h>
#include <stdlib.h>
#include <string.h>

static volatile long work;

static __attribute__((noinline)) long array(int size)
{
	char room[size + 1], *more = alloca(size % 77 + 1);
	long sum;

	memset(room, size, size + 1);
	memset(more, 1, size % 77 + 1);
	sum = size > 10 ? array(size - 9) : 0;
	return sum + room[size / 2] + more[0];
}

int main(void)
{
	int i;

	for (i = 0;; i++)
		work += array(i % 300);
}
