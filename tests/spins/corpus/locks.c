// SPDX-License-Identifier: GPL-2.0
/* Locks that threads wait for. */
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "corpus.h"

struct tas_lock {
	int pad;
	atomic_int held;
};

LABELLED void spin_tas(struct tas_lock *lock)
{
	while (atomic_exchange_explicit(&lock->held, 1, memory_order_acquire))
		;
}

LABELLED void spin_tas_flag(atomic_flag *flag)
{
	while (atomic_flag_test_and_set(flag))
		pause_cpu();
}

LABELLED void spin_ttas(struct tas_lock *lock)
{
	for (;;) {
		while (relaxed(&lock->held))
			pause_cpu();
		if (!atomic_exchange(&lock->held, 1))
			return;
	}
}

LABELLED void spin_ttas_backoff(struct tas_lock *lock)
{
	unsigned int most = 4;

	while (relaxed(&lock->held) || atomic_exchange(&lock->held, 1)) {
		for (unsigned int i = 0; i < most; i++)
			pause_cpu();
		most = most < 1024 ? most * 2 : most;
	}
}

LABELLED void spin_bit_lock(atomic_ulong *word)
{
	while (atomic_fetch_or(word, 1UL << 5) & (1UL << 5))
		while (relaxed(word) & (1UL << 5))
			pause_cpu();
}

LABELLED void spin_cas_zero(atomic_int *lock, int self)
{
	int expected = 0;

	while (!atomic_compare_exchange_strong(lock, &expected, self)) {
		expected = 0;
		pause_cpu();
	}
}

LABELLED void spin_cas_builtin(int *lock)
{
	while (__sync_val_compare_and_swap(lock, 0, 1))
		;
}

LABELLED void spin_lock_builtin(volatile int *lock)
{
	while (__sync_lock_test_and_set(lock, 1))
		while (*lock)
			;
}

struct ticket_lock {
	atomic_ushort next;
	atomic_ushort owner;
};

LABELLED void spin_ticket(struct ticket_lock *lock)
{
	unsigned short mine = atomic_fetch_add(&lock->next, 1);

	while (acquire(&lock->owner) != mine)
		pause_cpu();
}

LABELLED void spin_ticket_proportional(struct ticket_lock *lock)
{
	unsigned short mine = atomic_fetch_add(&lock->next, 1), owner;

	while ((owner = acquire(&lock->owner)) != mine)
		for (int i = (unsigned short)(mine - owner) * 16; i > 0; i--)
			pause_cpu();
}

struct mcs_node {
	struct mcs_node *_Atomic next;
	atomic_bool waits;
};

struct mcs_lock {
	struct mcs_node *_Atomic tail;
};

LABELLED void spin_mcs_lock(struct mcs_lock *lock, struct mcs_node *node)
{
	struct mcs_node *before;

	atomic_store(&node->next, NULL);
	atomic_store(&node->waits, true);
	before = atomic_exchange(&lock->tail, node);
	if (!before)
		return;
	release(&before->next, node);
	while (acquire(&node->waits))
		pause_cpu();
}

LABELLED void spin_mcs_unlock(struct mcs_lock *lock, struct mcs_node *node)
{
	struct mcs_node *next = acquire(&node->next), *expected = node;

	if (!next) {
		if (atomic_compare_exchange_strong(&lock->tail, &expected, NULL))
			return;
		do
			next = acquire(&node->next);
		while (!next);
	}
	release(&next->waits, false);
}

struct clh_node {
	atomic_int held;
};

struct clh_lock {
	struct clh_node *_Atomic tail;
};

LABELLED struct clh_node *spin_clh(struct clh_lock *lock, struct clh_node *node)
{
	struct clh_node *before;

	atomic_store(&node->held, 1);
	before = atomic_exchange(&lock->tail, node);
	while (acquire(&before->held))
		;
	return before;
}

/* as glibc's pthread_spin_lock() */
LABELLED int spin_glibc_spinlock(atomic_int *lock)
{
	int expected = 0;

	if (atomic_exchange_explicit(lock, 1, memory_order_acquire) == 0)
		return 0;
	do {
		do {
			pause_cpu();
			expected = relaxed(lock);
		} while (expected != 0);
	} while (!atomic_compare_exchange_weak(lock, &expected, 1));
	return 0;
}

struct adaptive_mutex {
	atomic_int lock;
	int spins;
};

/* as glibc's mutexes of the adaptive kind */
LABELLED int spin_glibc_adaptive(struct adaptive_mutex *mutex)
{
	int count = 0, most = mutex->spins * 2 + 10, expected = 0;

	if (most > 100)
		most = 100;
	while (!atomic_compare_exchange_strong(&mutex->lock, &expected, 1)) {
		if (count++ >= most) {
			while (atomic_exchange(&mutex->lock, 2))
				syscall(SYS_futex, &mutex->lock, 0, 2, NULL, NULL, 0);
			break;
		}
		pause_cpu();
		expected = 0;
	}
	mutex->spins += (count - mutex->spins) / 8;
	return 0;
}

struct rw_lock {
	atomic_int writers;
	atomic_int readers;
};

LABELLED void spin_reader(struct rw_lock *lock)
{
	for (;;) {
		while (acquire(&lock->writers))
			pause_cpu();
		atomic_fetch_add(&lock->readers, 1);
		if (!acquire(&lock->writers))
			return;
		atomic_fetch_sub(&lock->readers, 1);
	}
}

LABELLED void spin_writer(struct rw_lock *lock)
{
	atomic_store(&lock->writers, 1);
	while (atomic_load(&lock->readers) > 0)
		;
}

struct peterson {
	atomic_int wants[2];
	atomic_int turn;
};

LABELLED void spin_peterson(struct peterson *lock, int self)
{
	atomic_store(&lock->wants[self], 1);
	atomic_store(&lock->turn, !self);
	while (atomic_load(&lock->wants[!self]) && atomic_load(&lock->turn) == !self)
		;
}

struct sequence {
	atomic_uint number;
	int first;
	int second;
};

LABELLED int spin_seqlock_begin(struct sequence *sequence)
{
	unsigned int number;

	while ((number = acquire(&sequence->number)) & 1)
		pause_cpu();
	return number;
}

LABELLED int spin_seqlock_read(struct sequence *sequence)
{
	unsigned int number;
	int sum;

	do {
		while ((number = acquire(&sequence->number)) & 1)
			;
		sum = *(volatile int *)&sequence->first + *(volatile int *)&sequence->second;
		atomic_thread_fence(memory_order_acquire);
	} while (relaxed(&sequence->number) != number);
	return sum;
}
