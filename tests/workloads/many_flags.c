// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads work in turn. After its turn each stores into the words of all others, which wait for
 * their own words in loops; the second one has a quarter of the turns. So one instruction ends all
 * waits, for many words.
 *
 * usage: many_flags WAITERS ROUNDS WORK_US
 *	Prints how many of the waits each of the two has ended.
 */
#include "amount.h"

#include <stdatomic.h>

#define UNITS_TIMED 1000
#define LEADERS 2

/* A cache line each. */
static struct flag {
	_Alignas(64) atomic_uint round;
} flags[WORK_MAX_THREADS];

static atomic_uint turn;
static atomic_uint arrived;
static unsigned long rounds, work_units;
static unsigned int waiters;

static __attribute__((noipa)) void wait_for_flag(struct flag *flag, unsigned int round)
{
	while (atomic_load_explicit(&flag->round, memory_order_relaxed) != round)
		relax();
}

static __attribute__((noipa)) void wait_for_all(unsigned int count)
{
	while (atomic_load_explicit(&arrived, memory_order_relaxed) != count)
		relax();
}

static __attribute__((noipa)) void wait_for_turn(unsigned int round)
{
	while (atomic_load_explicit(&turn, memory_order_relaxed) != round)
		relax();
}

static __attribute__((noipa)) void raise_flags(unsigned int round)
{
	for (unsigned int i = 0; i < waiters; i++)
		atomic_store_explicit(&flags[i].round, round, memory_order_release);
}

static __attribute__((noipa)) void prepare_round(void)
{
	burn(work_units);
}

static unsigned int leader_of(unsigned int round)
{
	return round % 4 == 3;
}

static void lead(unsigned int leader)
{
	name_thread("leader", leader);
	for (unsigned int round = 1; round <= rounds; round++) {
		wait_for_turn(round);
		if (leader_of(round) != leader)
			continue;
		prepare_round();
		wait_for_all((round - 1) * waiters);
		raise_flags(round);
		atomic_store(&turn, round + 1);
	}
}

static void *run(void *arg)
{
	const unsigned long number = (unsigned long)arg;

	if (number < LEADERS) {
		lead(number);
		return NULL;
	}
	name_thread("waiter", number - LEADERS);
	for (unsigned int round = 1; round <= rounds; round++) {
		wait_for_flag(&flags[number - LEADERS], round);
		atomic_fetch_add(&arrived, 1);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t threads[WORK_MAX_THREADS + LEADERS];
	unsigned long ended[LEADERS] = { 0 };

	waiters = threads_arg(argc, argv, 1, 8);
	rounds = arg_or(argc, argv, 2, 200);
	work_units = amount_for(arg_or(argc, argv, 3, 10000), UNITS_TIMED, burn);
	turn = 1;
	start_threads(threads, waiters + LEADERS, run);
	join_threads(threads, waiters + LEADERS);
	for (unsigned int round = 1; round <= rounds; round++)
		ended[leader_of(round)] += waiters;
	printf("%lu %lu\n", ended[0], ended[1]);
	return 0;
}
