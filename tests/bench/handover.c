// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads that wake each other in turn, each from the end of a chain of 40 calls, so that a
 * walk of its stack has as many frames as it is allowed. Built with frame pointers: both walks find
 * all. Each round waits with another stack pointer: a walk from where one was made before is
 * answered from memory, if the CPU still has it, and these are more than it remembers.
 *
 * Usage: handover ROUNDS
 */
#include <linux/futex.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>

#define DEPTH 40
/* Stack pointers of each thread. */
#define PLACES 1021

static int turn;
static unsigned long rounds;

/* Not by way of libc: whose functions have no frame pointers. */
static inline long futex(int *word, long operation, long value)
{
	register long timeout asm("r10") = 0;
	long result;

	asm volatile("syscall"
		     : "=a"(result)
		     : "a"(SYS_futex), "D"(word), "S"(operation), "d"(value), "r"(timeout)
		     : "rcx", "r11", "memory");
	return result;
}

/* Of a frame that is never the same size as in the last rounds. */
static __attribute__((noinline)) void one_round(int self, unsigned long place)
{
	char room[16 * place + 16];
	int now;

	asm volatile("" ::"r"(room) : "memory");
	while ((now = __atomic_load_n(&turn, __ATOMIC_ACQUIRE)) != self)
		futex(&turn, FUTEX_WAIT, now);
	__atomic_store_n(&turn, !self, __ATOMIC_RELEASE);
	futex(&turn, FUTEX_WAKE, 1);
}

static __attribute__((noinline)) void hand_over(int self)
{
	for (unsigned long i = 0; i < rounds; i++)
		one_round(self, i % PLACES);
	asm volatile("" ::: "memory");
}

static void odd(int self, int levels);

/* Frames of two sizes, and not the same return address all the way. */
static __attribute__((noinline)) void even(int self, int levels)
{
	volatile char room[40];

	room[0] = levels;
	if (levels)
		odd(self, levels - 1);
	else
		hand_over(self);
	room[1] = room[0];
}

static __attribute__((noinline)) void odd(int self, int levels)
{
	volatile char room[150];

	room[0] = levels;
	if (levels)
		even(self, levels - 1);
	else
		hand_over(self);
	room[1] = room[0];
}

static void *other(void *unused)
{
	even(1, DEPTH);
	return unused;
}

int main(int argc, char **argv)
{
	pthread_t thread;

	rounds = argc > 1 ? strtoul(argv[1], NULL, 10) : 1000;
	if (pthread_create(&thread, NULL, other, NULL)) {
		fprintf(stderr, "handover: no thread\n");
		return 1;
	}
	even(0, DEPTH);
	pthread_join(thread, NULL);
	return 0;
}
