// SPDX-License-Identifier: GPL-2.0
/*
 * Threads that take one lock in turns. Each first spins for it, for so long at most, and then
 * sleeps. At the end: how often they slept.
 *
 * usage: spin_budget THREADS TURNS HELD_US BUDGET_US [CPUS]   TURNS of each; the lock is held for
 *	HELD_US of CPU time; a BUDGET_US of 0 is without end; on the first CPUS CPUs
 */
#include "amount.h"

#include <linux/futex.h>
#include <stdatomic.h>
#include <sys/syscall.h>

#define UNITS_TIMED 1000
#define ROUNDS_TIMED 500000

enum { FREE, HELD, HELD_AND_AWAITED };

static atomic_int hot_lock;
static atomic_ulong slept;
static unsigned long turns, held_units, rounds;

/*
 * Whether the lock was seen free. Without a pause, at which an emulator lets another of its CPUs
 * run: then nobody knows how long a round takes.
 */
static __attribute__((noipa)) int spin_for_lock(void)
{
	for (unsigned long left = rounds; left; left--)
		if (atomic_load_explicit(&hot_lock, memory_order_relaxed) == FREE)
			return 1;
	return 0;
}

static __attribute__((noipa)) void sleep_for_lock(void)
{
	atomic_fetch_add(&slept, 1);
	while (atomic_exchange(&hot_lock, HELD_AND_AWAITED) != FREE)
		syscall(SYS_futex, &hot_lock, FUTEX_WAIT_PRIVATE, HELD_AND_AWAITED, NULL);
}

static __attribute__((noipa)) void take_lock(void)
{
	int expected = FREE;

	while (!atomic_compare_exchange_strong(&hot_lock, &expected, HELD)) {
		expected = FREE;
		if (!spin_for_lock()) {
			sleep_for_lock();
			return;
		}
	}
}

static __attribute__((noipa)) void release_lock(void)
{
	if (atomic_exchange(&hot_lock, FREE) == HELD_AND_AWAITED)
		syscall(SYS_futex, &hot_lock, FUTEX_WAKE_PRIVATE, 1);
}

static __attribute__((noipa)) void update_shared(void)
{
	burn(held_units);
}

static void *worker(void *arg)
{
	name_thread("worker", (unsigned long)arg);
	for (unsigned long i = 0; i < turns; i++) {
		take_lock();
		update_shared();
		release_lock();
		burn(held_units / 4);
	}
	return NULL;
}

static void spin_rounds(unsigned long amount)
{
	rounds = amount;
	spin_for_lock();
}

int main(int argc, char **argv)
{
	const unsigned int threads = threads_arg(argc, argv, 1, 4);
	pthread_t ids[WORK_MAX_THREADS];

	turns = arg_or(argc, argv, 2, 100);
	pin_first(arg_or(argc, argv, 5, 0));
	held_units = amount_for(arg_or(argc, argv, 3, 2000), UNITS_TIMED, burn);
	atomic_store(&hot_lock, HELD);
	rounds = amount_for(arg_or(argc, argv, 4, 0), ROUNDS_TIMED, spin_rounds) ?: ~0UL;
	atomic_store(&hot_lock, FREE);
	start_threads(ids, threads, worker);
	join_threads(ids, threads);
	printf("%lu\n", slept);
	return 0;
}
