// SPDX-License-Identifier: GPL-2.0
/* Threads that wait for each other in every way that libc has. */
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define THREADS 6

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static pthread_barrier_t barrier;
static sem_t semaphore;
static int turn;
static volatile long work;

static void take_turn(int me)
{
	pthread_mutex_lock(&mutex);
	while (turn % THREADS != me)
		pthread_cond_wait(&condition, &mutex);
	turn++;
	pthread_cond_broadcast(&condition);
	pthread_mutex_unlock(&mutex);
}

static void wait_a_little(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += 100000;
	if (until.tv_nsec >= 1000000000) {
		until.tv_nsec -= 1000000000;
		until.tv_sec++;
	}
	sem_timedwait(&semaphore, &until);
}

static void read_or_write(int me)
{
	int i;

	if (me)
		pthread_rwlock_rdlock(&rwlock);
	else
		pthread_rwlock_wrlock(&rwlock);
	for (i = 0; i < 5000; i++)
		work += i;
	pthread_rwlock_unlock(&rwlock);
}

static void *run(void *arg)
{
	int me = (int)(long)arg;

	for (;;) {
		take_turn(me);
		read_or_write(me);
		if (me == 1)
			sem_post(&semaphore);
		else
			wait_a_little();
		pthread_barrier_wait(&barrier);
		usleep(50);
	}
	return NULL;
}

int main(void)
{
	pthread_t threads[THREADS];
	long i;

	pthread_barrier_init(&barrier, NULL, THREADS);
	sem_init(&semaphore, 0, 0);
	for (i = 0; i < THREADS; i++)
		if (pthread_create(&threads[i], NULL, run, (void *)i))
			return 1;
	pthread_join(threads[0], NULL);
	return 0;
}
