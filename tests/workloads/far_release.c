// SPDX-License-Identifier: GPL-2.0
/*
 * One thread works, and then stores into a word for which all others wait in a loop.
 * Those on the far CPUs look at it seldom, as if it took so long to get there.
 *
 * usage: far_release ROUNDS WORK_US LATE_US NEAR_CPU... / FAR_CPU...
 *	The first one works. LATE_US: CPU time between two looks on the far CPUs
 */
#include "amount.h"

#include <stdatomic.h>
#include <string.h>

#define UNITS_TIMED 1000
#define ROUNDS_TIMED 500000

static atomic_ulong release;
static atomic_ulong arrived;
static unsigned long rounds, work_units, late_rounds;
static unsigned int waiters;

/**
 * struct place - where a thread is
 * @cpu: its CPU
 * @pauses: rounds that it waits between two looks
 */
struct place {
	unsigned int cpu;
	unsigned long pauses;
};

static struct place places[WORK_MAX_THREADS];

/* At a pause an emulator lets another of its CPUs run. Between two late looks none does. */
static __attribute__((noipa)) void wait_for_release(unsigned long round, unsigned long pauses)
{
	while (atomic_load_explicit(&release, memory_order_relaxed) != round) {
		relax();
		for (unsigned long left = pauses; left; left--)
			__asm__ volatile("");
	}
}

static __attribute__((noipa)) void wait_for_all(unsigned long count)
{
	while (atomic_load_explicit(&arrived, memory_order_relaxed) != count)
		relax();
}

static __attribute__((noipa)) void release_all(unsigned long round)
{
	atomic_store(&release, round);
}

static __attribute__((noipa)) void prepare_round(void)
{
	burn(work_units);
}

static void pin_to(unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
}

static void *worker(void *arg)
{
	const struct place *place = &places[(unsigned long)arg];

	pin_to(place->cpu);
	for (unsigned long round = 1; round <= rounds; round++) {
		if (place == places) {
			prepare_round();
			wait_for_all((round - 1) * waiters);
			release_all(round);
			continue;
		}
		wait_for_release(round, place->pauses);
		atomic_fetch_add(&arrived, 1);
	}
	return NULL;
}

static void pause_for(unsigned long amount)
{
	for (unsigned long left = amount; left; left--)
		__asm__ volatile("");
}

int main(int argc, char **argv)
{
	pthread_t ids[WORK_MAX_THREADS];
	unsigned int threads = 0;
	int far = 0;

	rounds = arg_or(argc, argv, 1, 50);
	work_units = amount_for(arg_or(argc, argv, 2, 5000), UNITS_TIMED, burn);
	late_rounds = amount_for(arg_or(argc, argv, 3, 0), ROUNDS_TIMED, pause_for);
	for (int i = 4; i < argc && threads < WORK_MAX_THREADS; i++) {
		if (!strcmp(argv[i], "/"))
			far = 1;
		else
			places[threads++] =
				(struct place){ arg_or(argc, argv, i, 0), far ? late_rounds : 0 };
	}
	if (threads < 2) {
		fprintf(stderr,
			"usage: far_release ROUNDS WORK_US LATE_US NEAR_CPU... / FAR_CPU...\n");
		return 2;
	}
	waiters = threads - 1;
	start_threads(ids, threads, worker);
	join_threads(ids, threads);
	return 0;
}
