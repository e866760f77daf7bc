/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the programs of MPI share: work by the amount, and waits. Open MPI cannot block. So with
 * SLEEPS ranks first wait for each other asleep, in memory that they share, and what they wait for
 * by MPI has come then.
 */
#ifndef GAPP_RANKS_H
#define GAPP_RANKS_H

#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

#define RANKS 4
#define OUT_OF_LINE __attribute__((noipa))

static inline unsigned long loops_per_ms(void)
{
	static unsigned long loops;

	if (!loops)
		loops = strtoul(getenv("TRUTH_LOOPS_PER_MS"), NULL, 10);
	return loops;
}

/* In the code of the function that says it: what is inlined would have lines of its own. */
#define BURN(ms)                                                           \
	do {                                                               \
		unsigned long long x_ = 1;                                 \
		for (unsigned long i_ = loops_per_ms() * (ms); i_; i_--) { \
			x_ = x_ * 6364136223846793005ULL + 1;              \
			__asm__ volatile("" : "+r"(x_));                   \
		}                                                          \
	} while (0)

/**
 * struct shared - where ranks sleep
 * @barrier: until all are there
 * @sent: for each rank: messages that others have sent it
 */
struct shared {
	pthread_barrier_t barrier;
	sem_t sent[RANKS];
};

#ifdef SLEEPS
static struct shared *shared;
#endif

/* Returns the rank. */
static inline int begin(int *argc, char ***argv)
{
	int rank;

	MPI_Init(argc, argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
#ifdef SLEEPS
	pthread_barrierattr_t attr;
	MPI_Aint bytes;
	MPI_Win window;
	int unit;

	MPI_Win_allocate_shared(rank ? 0 : sizeof(*shared), 1, MPI_INFO_NULL, MPI_COMM_WORLD,
				&shared, &window);
	MPI_Win_shared_query(window, 0, &bytes, &unit, &shared);
	if (!rank) {
		pthread_barrierattr_init(&attr);
		pthread_barrierattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
		pthread_barrier_init(&shared->barrier, &attr, RANKS);
		for (int i = 0; i < RANKS; i++)
			sem_init(&shared->sent[i], 1, 0);
	}
	MPI_Barrier(MPI_COMM_WORLD);
#endif
	return rank;
}

static inline void wait_asleep(void)
{
#ifdef SLEEPS
	pthread_barrier_wait(&shared->barrier);
#endif
}

static inline void wait_at_barrier(void)
{
	wait_asleep();
	MPI_Barrier(MPI_COMM_WORLD);
}

static inline double sum_up(double own)
{
	double sum = 0;

	wait_asleep();
	MPI_Allreduce(&own, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return sum;
}

static inline void send(int to, int what)
{
	MPI_Send(&what, 1, MPI_INT, to, 0, MPI_COMM_WORLD);
#ifdef SLEEPS
	sem_post(&shared->sent[to]);
#endif
}

/* The rank @own receives. */
static inline int receive(int own, int from)
{
	int what;

#ifdef SLEEPS
	sem_wait(&shared->sent[own]);
#endif
	MPI_Recv(&what, 1, MPI_INT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	(void)own;
	return what;
}

/* To start takes longer than all else: so the program says how long that took. */
static inline double begin_rounds(void)
{
	wait_at_barrier();
	return MPI_Wtime();
}

static inline void end_rounds(double began, int rank)
{
	wait_at_barrier();
	if (!rank)
		printf("rounds %.3f s\n", MPI_Wtime() - began);
}

#endif /* GAPP_RANKS_H */
