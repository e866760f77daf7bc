// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads on one CPU: an asker and an answerer, of which each waits for the other one.
 *
 * By construction each round has a handover from asks() to answers(), and one back.
 *
 * Usage: handover [rounds=500] [units a round=2000]
 */
#include <linux/futex.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "work.h"

enum {
	ASKER,
	ANSWERER,
};

static unsigned int turn = ASKER;
static unsigned long rounds, units;

static void pass_to(unsigned int whose)
{
	__atomic_store_n(&turn, whose, __ATOMIC_SEQ_CST);
	syscall(SYS_futex, &turn, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* Inlined, so that the caller is the function that waits. */
static inline __attribute__((always_inline)) void await(unsigned int whose)
{
	while (__atomic_load_n(&turn, __ATOMIC_SEQ_CST) != whose)
		syscall(SYS_futex, &turn, FUTEX_WAIT, !whose, NULL, NULL, 0);
}

static __attribute__((noinline)) void asks(void)
{
	burn(units);
	pass_to(ANSWERER);
	await(ASKER);
}

static __attribute__((noinline)) void answers(void)
{
	await(ANSWERER);
	burn(units);
	pass_to(ASKER);
}

static void *answerer(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "answerer");
	for (unsigned long i = 0; i < rounds; i++)
		answers();
	return NULL;
}

static void *asker(void *unused)
{
	(void)unused;
	prctl(PR_SET_NAME, "asker");
	for (unsigned long i = 0; i < rounds; i++)
		asks();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[2];
	cpu_set_t cpus;

	rounds = arg_or(argc, argv, 1, 500);
	units = arg_or(argc, argv, 2, 2000);
	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	if (pthread_create(&threads[ASKER], NULL, asker, NULL) ||
	    pthread_create(&threads[ANSWERER], NULL, answerer, NULL))
		die("pthread_create");
	join_threads(threads, 2);
	return 0;
}
