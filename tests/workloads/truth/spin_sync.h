/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locks and barriers that wait by looking again and again, under the names of
 * pthread's: with -DSPIN a program of the truth suite waits on its CPU and not
 * asleep, and is the same otherwise.
 */
#ifndef GAPP_WORKLOADS_TRUTH_SPIN_SYNC_H
#define GAPP_WORKLOADS_TRUTH_SPIN_SYNC_H

#include <stdatomic.h>

struct spin_mutex {
	atomic_uint next;
	atomic_uint served;
};

struct spin_barrier {
	unsigned int count;
	atomic_uint arrived;
	atomic_uint round;
};

/* @readers: -1: a writer has it. @writers: those that wait or have it */
struct spin_rwlock {
	atomic_int readers;
	atomic_uint writers;
};

static inline __attribute__((always_inline)) void spin_pause(void)
{
	__asm__ volatile("pause");
}

/* In the order in which they came. */
static __attribute__((noipa, unused)) int spin_mutex_lock(struct spin_mutex *mutex)
{
	unsigned int mine = atomic_fetch_add(&mutex->next, 1);

	while (atomic_load(&mutex->served) != mine)
		spin_pause();
	return 0;
}

static __attribute__((noipa, unused)) int spin_mutex_unlock(struct spin_mutex *mutex)
{
	atomic_fetch_add(&mutex->served, 1); /* ends waits */
	return 0;
}

static __attribute__((noipa, unused)) int spin_barrier_wait(struct spin_barrier *barrier)
{
	unsigned int round = atomic_load(&barrier->round);

	if (atomic_fetch_add(&barrier->arrived, 1) + 1 == barrier->count) {
		atomic_store(&barrier->arrived, 0);
		atomic_fetch_add(&barrier->round, 1); /* ends waits */
		return 1;
	}
	while (atomic_load(&barrier->round) == round)
		spin_pause();
	return 0;
}

static __attribute__((noipa, unused)) int spin_rwlock_rdlock(struct spin_rwlock *lock)
{
	for (;;) {
		int readers;

		while (atomic_load(&lock->writers))
			spin_pause();
		readers = atomic_load(&lock->readers);
		if (readers >= 0 &&
		    atomic_compare_exchange_strong(&lock->readers, &readers, readers + 1))
			return 0;
	}
}

static __attribute__((noipa, unused)) int spin_rwlock_wrlock(struct spin_rwlock *lock)
{
	int none = 0;

	atomic_fetch_add(&lock->writers, 1);
	while (!atomic_compare_exchange_strong(&lock->readers, &none, -1)) {
		while (atomic_load(&lock->readers))
			spin_pause();
		none = 0;
	}
	return 0;
}

static __attribute__((noipa, unused)) int spin_rwlock_unlock(struct spin_rwlock *lock)
{
	if (atomic_load(&lock->readers) < 0) {
		atomic_store(&lock->readers, 0); /* ends waits */
		atomic_fetch_sub(&lock->writers, 1); /* ends waits */
	} else {
		atomic_fetch_sub(&lock->readers, 1); /* ends waits */
	}
	return 0;
}

static inline int spin_mutex_init(struct spin_mutex *mutex, const void *attributes)
{
	(void)attributes;
	atomic_store(&mutex->next, 0);
	atomic_store(&mutex->served, 0);
	return 0;
}

static inline int spin_barrier_init(struct spin_barrier *barrier, const void *attributes,
				    unsigned int threads)
{
	(void)attributes;
	barrier->count = threads;
	return 0;
}

#define pthread_mutex_t struct spin_mutex
#define pthread_mutex_init spin_mutex_init
#define pthread_mutex_lock spin_mutex_lock
#define pthread_mutex_unlock spin_mutex_unlock
#define pthread_barrier_t struct spin_barrier
#define pthread_barrier_init spin_barrier_init
#define pthread_barrier_wait spin_barrier_wait
#define pthread_rwlock_t struct spin_rwlock
#define pthread_rwlock_rdlock spin_rwlock_rdlock
#define pthread_rwlock_wrlock spin_rwlock_wrlock
#define pthread_rwlock_unlock spin_rwlock_unlock
/* all zero, as any static variable */
#undef PTHREAD_MUTEX_INITIALIZER
#define PTHREAD_MUTEX_INITIALIZER \
	{                         \
	}
#undef PTHREAD_RWLOCK_INITIALIZER
#define PTHREAD_RWLOCK_INITIALIZER \
	{                          \
	}

#endif /* GAPP_WORKLOADS_TRUTH_SPIN_SYNC_H */
