// SPDX-License-Identifier: GPL-2.0
/*
 * truth: part=waits first=encode_frame kind=ran waits=lock cpu=below
 * truth: options=--waits,-n,2 preempted=low preempted_by=medium
 * truth: object=bus_lock waits_at=use_bus
 *
 * A priority inversion, all on one CPU: the thread of low priority has the lock that
 * the one of high priority waits for, and cannot go on, for one of medium priority
 * computes. Before, they compute together.
 */
#include <semaphore.h>

#include "truth.h"

#define THREADS 3
#define ROUNDS 70

static pthread_mutex_t bus_lock = PTHREAD_MUTEX_INITIALIZER;
static sem_t for_high, for_medium;
static pthread_barrier_t ready;
static struct pieces warming = { 1600 };

static noinline void encode_frame(void)
{
	BURN(10000); /* TRUTH: first */
}

static noinline void write_bus(void)
{
	BURN(200);
}

static noinline void use_bus(void)
{
	pthread_mutex_lock(&bus_lock);
	write_bus();
	pthread_mutex_unlock(&bus_lock);
}

/* All have their priority before the first one goes on. */
static void become(int priority)
{
	const struct sched_param param = { .sched_priority = priority };

	errno = pthread_setschedparam(pthread_self(), SCHED_FIFO, &param);
	if (errno)
		die("pthread_setschedparam");
	pthread_barrier_wait(&ready);
}

static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

/* The high one takes the CPU from it at once, and waits for the lock; then the medium one. */
static void be_low(void)
{
	become(10);
	for (int i = 0; i < ROUNDS; i++) {
		pthread_mutex_lock(&bus_lock);
		sem_post(&for_high);
		sem_post(&for_medium);
		write_bus();
		pthread_mutex_unlock(&bus_lock);
	}
}

static void be_medium(void)
{
	become(20);
	for (int i = 0; i < ROUNDS; i++) {
		wait_for(&for_medium);
		encode_frame();
	}
}

static void be_high(void)
{
	become(30);
	for (int i = 0; i < ROUNDS; i++) {
		wait_for(&for_high);
		use_bus();
	}
}

static void *worker(void *arg)
{
	static const struct {
		const char *name;
		void (*be)(void);
	} kinds[THREADS] = { { "low", be_low }, { "medium", be_medium }, { "high", be_high } };
	unsigned long me = (unsigned long)arg;

	pthread_setname_np(pthread_self(), kinds[me].name);
	parallel_work(&warming);
	kinds[me].be();
	return NULL;
}

int main(void)
{
	truth_begin();
	pin_first(1);
	pthread_barrier_init(&ready, NULL, THREADS);
	sem_init(&for_high, 0, 0);
	sem_init(&for_medium, 0, 0);
	read_input();
	on_threads(THREADS, worker);
	write_output();
	truth_end();
	return 0;
}
