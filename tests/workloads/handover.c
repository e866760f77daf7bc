// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads on one CPU: an asker and an answerer, of which each waits for the other one.
 *
 * By construction each round has a handover from asks() to answers(), and one back.
 *
 * Usage: handover [rounds=500] [units a round=2000]
 */
#include <sched.h>
#include <semaphore.h>
#include <sys/prctl.h>

#include "work.h"

enum {
	ASKER,
	ANSWERER,
};

static sem_t question, answer;
static unsigned long rounds, units;

static __attribute__((noinline)) void asks(void)
{
	burn(units);
	sem_post(&question);
	sem_wait(&answer);
	/* no call is the last thing, which the compiler would make a jump of */
	__asm__ volatile("");
}

static __attribute__((noinline)) void answers(void)
{
	sem_wait(&question);
	burn(units);
	sem_post(&answer);
	__asm__ volatile("");
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
	if (sem_init(&question, 0, 0) || sem_init(&answer, 0, 0))
		die("sem_init");
	if (pthread_create(&threads[ASKER], NULL, asker, NULL) ||
	    pthread_create(&threads[ANSWERER], NULL, answerer, NULL))
		die("pthread_create");
	join_threads(threads, 2);
	return 0;
}
