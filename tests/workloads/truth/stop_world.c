// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=mark_objects kind=ran waits=queue cpu=below
 * truth: object=world_resumed waits_at=stop_at_safepoint
 *
 * A garbage collector's stop of all threads: they wait at their safepoints until
 * the one that collects has marked everything.
 */
#include "truth.h"

#define COLLECTIONS 25

static pthread_mutex_t world = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t all_stopped = PTHREAD_COND_INITIALIZER;
static pthread_cond_t world_resumed = PTHREAD_COND_INITIALIZER;
static atomic_int stopping, over;
static int stopped;

static noinline void mark_objects(void)
{
	BURN(18000); /* TRUTH: first */
}

static noinline void run_bytecode(void)
{
	BURN(CHUNK_US);
}

static noinline void stop_at_safepoint(void)
{
	pthread_mutex_lock(&world);
	stopped++;
	pthread_cond_signal(&all_stopped);
	while (stopping)
		pthread_cond_wait(&world_resumed, &world);
	stopped--;
	pthread_mutex_unlock(&world);
}

static noinline void collect(void)
{
	pthread_mutex_lock(&world);
	stopping = 1;
	while (stopped < WORKERS - 1)
		pthread_cond_wait(&all_stopped, &world);
	mark_objects();
	stopping = 0;
	pthread_cond_broadcast(&world_resumed);
	pthread_mutex_unlock(&world);
}

/* So much between two collections that the mutators do most of the work. */
static void allocate(void)
{
	for (int i = 0; i < 50; i++)
		run_bytecode();
}

static void *worker(void *arg)
{
	if (!arg) {
		for (int i = 0; i < COLLECTIONS; i++) {
			allocate();
			collect();
		}
		over = 1;
		return NULL;
	}
	while (!over) {
		run_bytecode();
		if (stopping)
			stop_at_safepoint();
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
