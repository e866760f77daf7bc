// SPDX-License-Identifier: GPL-2.0
/* Signals that are handled on a stack of their own, and signals within these. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile unsigned int work;

static __attribute__((noinline)) unsigned int deeper(unsigned int depth)
{
	volatile char room[200];

	memset((char *)room, depth, sizeof(room));
	if (!depth) {
		raise(SIGUSR2);
		return room[7];
	}
	return deeper(depth - 1) + room[depth];
}

static void inner(int signal)
{
	unsigned int i;

	for (i = 0; i < 2000; i++)
		work += i * signal;
}

static void outer(int signal, siginfo_t *info, void *context)
{
	(void)info;
	(void)context;
	work += deeper(signal % 16 + 5);
}

static __attribute__((noinline)) void step(unsigned int i)
{
	raise(SIGUSR1);
	work += i;
}

int main(void)
{
	stack_t stack = { .ss_sp = malloc(65536), .ss_size = 65536 };
	struct sigaction action = { .sa_sigaction = outer, .sa_flags = SA_ONSTACK | SA_SIGINFO };
	unsigned int i;

	sigaltstack(&stack, NULL);
	sigaction(SIGUSR1, &action, NULL);
	action.sa_flags = SA_ONSTACK;
	action.sa_handler = inner;
	sigaction(SIGUSR2, &action, NULL);
	for (i = 0;; i++)
		step(i);
}
