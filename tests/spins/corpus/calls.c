// SPDX-License-Identifier: GPL-2.0
/* Loops that wait and call other functions meanwhile. */
#include <sched.h>
#include <time.h>
#include <unistd.h>

#include "corpus.h"

LABELLED void call_yield(volatile int *flag)
{
	while (!*flag)
		sched_yield();
}

LABELLED void call_yield_lock(atomic_int *lock)
{
	while (atomic_exchange(lock, 1))
		sched_yield();
}

/* as libomp's: pause, and yield now and then */
LABELLED void call_pause_and_yield(atomic_uint *place, unsigned int value)
{
	unsigned int spins = 1024;

	while (acquire(place) != value) {
		pause_cpu();
		if (!--spins) {
			sched_yield();
			spins = 1024;
		}
	}
}

/* as libomp's: a function that the caller chose says whether that is the value */
LABELLED void call_chosen_predicate(atomic_uint *place, unsigned int value,
				    int (*is_it)(unsigned int, unsigned int))
{
	unsigned int spins = 1024;

	while (!is_it(acquire(place), value)) {
		pause_cpu();
		if (!--spins) {
			sched_yield();
			spins = 1024;
		}
	}
}

LABELLED void call_backoff(atomic_int *flag)
{
	struct timespec pause = { 0, 1000 };

	while (!acquire(flag)) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < 1000000)
			pause.tv_nsec *= 2;
	}
}

LABELLED void call_usleep(volatile char *flag)
{
	while (!*flag)
		usleep(50);
}

LABELLED bool call_deadline(volatile int *flag, time_t deadline)
{
	struct timespec now;

	do {
		if (*flag)
			return true;
		clock_gettime(CLOCK_MONOTONIC, &now);
	} while (now.tv_sec < deadline);
	return false;
}

struct queue {
	atomic_int count;
	atomic_int closed;
};

static __attribute__((noinline)) bool is_ready(struct queue *queue)
{
	return acquire(&queue->count) > 0;
}

LABELLED void call_predicate(struct queue *queue)
{
	while (!is_ready(queue))
		pause_cpu();
}

static __attribute__((noinline)) void relax(unsigned int times)
{
	for (unsigned int i = 0; i < times; i++)
		pause_cpu();
}

LABELLED void call_relax(atomic_int *flag)
{
	while (!acquire(flag))
		relax(20);
}

/* of another library, as opal_progress() of Open MPI */
extern void corpus_progress(void);

struct request {
	char pad[88];
	volatile void *complete;
};

LABELLED int call_progress(struct request *request, int *status)
{
	while (!request->complete)
		corpus_progress();
	return *status;
}

extern int corpus_make_progress(void *worker);

LABELLED int call_progress_worker(void *worker, volatile int *status)
{
	while (*status == 1)
		corpus_make_progress(worker);
	return *status;
}
