// SPDX-License-Identifier: GPL-2.0
/* Far jumps up the stack. */
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static volatile long work;

static __attribute__((noinline)) long dive(int depth, int jump)
{
	char room[64];
	long sum;

	memset(room, depth, sizeof(room));
	if (!depth) {
		if (jump)
			longjmp(back, 1 + jump);
		return room[5];
	}
	sum = dive(depth - 1, jump);
	return sum + room[depth % 64];
}

int main(void)
{
	volatile int i;

	for (i = 0;; i++) {
		if (!setjmp(back))
			work += dive(i % 50, i & 1);
		else
			work += i;
	}
}
