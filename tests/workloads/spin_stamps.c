// SPDX-License-Identifier: GPL-2.0
/*
 * Two threads that work in turns and wait for each other in busy-wait loops. Each notes when it
 * gets into such a loop and when it has left it. At the end: a line for each thread, with its id
 * and the nanoseconds that it spun.
 *
 * usage: spin_stamps TURNS [yield]   TURNS of each; yield: loops that let others run
 */
#include "work.h"

#include <stdatomic.h>

#define THREADS 2
/* A turn lasts so long at random, in microseconds. */
#define SHORTEST_US 1000
#define LONGEST_US 20000
#define SETTLES_US 300000

struct player {
	unsigned int number;
	pid_t tid;
	unsigned long long spun_ns;
};

static atomic_uint turn;
static unsigned int turns;
static int yields;

static __attribute__((noinline)) void wait_for(unsigned int mine)
{
	while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
		relax();
}

static __attribute__((noinline)) void yield_for(unsigned int mine)
{
	while (atomic_load_explicit(&turn, memory_order_acquire) != mine)
		sched_yield();
}

static void *play(void *arg)
{
	struct player *player = arg;
	unsigned int seed = player->number;

	player->tid = gettid();
	for (unsigned int i = 0; i < turns; i++) {
		unsigned int mine = i * THREADS + player->number;
		const unsigned long long begin = now_ns();

		if (yields)
			yield_for(mine);
		else
			wait_for(mine);
		player->spun_ns += now_ns() - begin;
		burn_until(now_ns() +
			   1000ULL * (SHORTEST_US + rand_r(&seed) % (LONGEST_US - SHORTEST_US)));
		atomic_fetch_add_explicit(&turn, 1, memory_order_release);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct player players[THREADS] = { 0 };
	pthread_t threads[THREADS];

	turns = arg_or(argc, argv, 1, 100);
	yields = argc > 2;
	/* a reader that follows this program from its start tells the module of its loops */
	sleep_us(SETTLES_US);
	for (unsigned int i = 0; i < THREADS; i++) {
		players[i].number = i;
		start_thread(&threads[i], play, &players[i]);
	}
	join_threads(threads, THREADS);
	for (unsigned int i = 0; i < THREADS; i++)
		printf("%d %llu\n", players[i].tid, players[i].spun_ns);
	return 0;
}
