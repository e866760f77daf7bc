// SPDX-License-Identifier: GPL-2.0
/*
 * truth: first=update_shared kind=ran waits=other cpu=below
 *
 * No rule knows whose futex it is.
 * A lock for which a thread first spins, then sleeps, held much longer than
 * they spin. Before, they compute together.
 */
#include <linux/futex.h>

#include "truth.h"

#define SPIN_US 200
#define HELD_US 2000

enum { FREE, HELD, HELD_AND_AWAITED };

static atomic_int state;
static struct pieces warming = { 1800 }, updates = { 300 };

static int try_lock(int wanted)
{
	int expected = FREE;

	return atomic_compare_exchange_strong(&state, &expected, wanted);
}

static noinline int spin_for_lock(void)
{
	for (int i = 0; i < SPIN_US / 5; i++) {
		if (try_lock(HELD))
			return 1;
		BURN(5);
	}
	return 0;
}

/* As in Debian's libc a 2 in the word says that somebody sleeps. */
static void take_lock(void)
{
	if (spin_for_lock())
		return;
	while (atomic_exchange(&state, HELD_AND_AWAITED) != FREE)
		DIRECT(SYS_futex, &state, FUTEX_WAIT_PRIVATE, HELD_AND_AWAITED, 0);
}

static void release_lock(void)
{
	if (atomic_exchange(&state, FREE) == HELD_AND_AWAITED)
		DIRECT(SYS_futex, &state, FUTEX_WAKE_PRIVATE, 1, 0);
}

static noinline void update_shared(void)
{
	BURN(HELD_US); /* TRUTH: first */
}

static noinline void prepare_update(void)
{
	BURN(100);
}

static void *worker(void *arg)
{
	(void)arg;
	parallel_work(&warming);
	while (take_piece(&updates)) {
		prepare_update();
		take_lock();
		update_shared();
		release_lock();
	}
	return NULL;
}

int main(void)
{
	truth_begin();
	read_input();
	on_threads(WORKERS, worker);
	write_output();
	truth_end();
	return 0;
}
