// SPDX-License-Identifier: GPL-2.0
/* Coroutines on stacks of their own, by swapcontext(). */
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>

#define COUNT 8
#define STACK 65536

static ucontext_t main_context, contexts[COUNT];
static volatile long work;

static __attribute__((noinline)) long down(int depth, int which)
{
	char room[48];
	long sum;

	memset(room, depth + which, sizeof(room));
	if (!depth) {
		swapcontext(&contexts[which], &main_context);
		return room[9];
	}
	sum = down(depth - 1, which);
	return sum + room[depth % 48];
}

static void routine(int which)
{
	int i;

	for (i = 0;; i++)
		work += down(i % 20, which);
}

int main(void)
{
	int i;

	for (i = 0; i < COUNT; i++) {
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = malloc(STACK);
		contexts[i].uc_stack.ss_size = STACK;
		contexts[i].uc_link = &main_context;
		makecontext(&contexts[i], (void (*)(void))routine, 1, i);
	}
	for (i = 0;; i++)
		swapcontext(&main_context, &contexts[i % COUNT]);
}
