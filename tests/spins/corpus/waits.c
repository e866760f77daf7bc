// SPDX-License-Identifier: GPL-2.0
/* Flags, barriers and conditions that threads wait for. */
#include <sys/syscall.h>
#include <unistd.h>

#include "corpus.h"

LABELLED void spin_flag_volatile(volatile int *flag)
{
	while (*flag == 0)
		;
}

LABELLED void spin_flag_byte(atomic_bool *flag)
{
	while (!acquire(flag))
		pause_cpu();
}

static atomic_int go;

LABELLED void spin_flag_global(void)
{
	while (!acquire(&go))
		;
}

LABELLED void corpus_go(void)
{
	release(&go, 1);
}

struct device {
	uint32_t control;
	uint32_t status;
};

LABELLED void spin_status_bit(volatile struct device *device)
{
	while (!(device->status & 0x80))
		;
}

struct child {
	char pad[24];
	volatile long done;
};

struct parent {
	struct child *volatile child;
};

LABELLED void spin_through_pointer(struct parent *parent)
{
	while (!parent->child->done)
		pause_cpu();
}

struct box {
	void *_Atomic content;
};

LABELLED void spin_for_pointer(struct box *box)
{
	while (!acquire(&box->content))
		;
}

LABELLED void spin_either(volatile int *one, volatile int *other)
{
	while (!*one && !*other)
		pause_cpu();
}

LABELLED int spin_until_least(volatile long *counter, long least)
{
	int looks = 0;

	while (*counter < least)
		looks++;
	return looks;
}

LABELLED bool spin_budget(atomic_int *flag, int budget)
{
	for (int i = 0; i < budget; i++) {
		if (acquire(flag))
			return true;
		pause_cpu();
	}
	return false;
}

LABELLED void spin_budget_then_futex(atomic_int *flag, int value)
{
	for (int i = 0; i < 1000; i++) {
		if (acquire(flag) != value)
			return;
		pause_cpu();
	}
	while (acquire(flag) == value)
		syscall(SYS_futex, flag, 0, value, NULL, NULL, 0);
}

unsigned long long corpus_spin_count = 1000;

/* as libgomp's do_wait() */
LABELLED void spin_gomp(int *address, int value)
{
	unsigned long long count = corpus_spin_count;

	for (unsigned long long i = 0; i < count; i++) {
		if (__builtin_expect(__atomic_load_n(address, __ATOMIC_RELAXED) != value, 0))
			return;
		pause_cpu();
	}
	syscall(SYS_futex, address, 128, value, NULL);
}

LABELLED bool spin_until_time(volatile int *flag, unsigned long long ticks)
{
	unsigned long long begin = __builtin_ia32_rdtsc();

	while (!*flag)
		if (__builtin_ia32_rdtsc() - begin > ticks)
			return false;
	return true;
}

struct barrier {
	atomic_int left;
	atomic_int sense;
	int threads;
};

LABELLED void spin_sense_barrier(struct barrier *barrier, int *local)
{
	int sense = *local = !*local;

	if (atomic_fetch_sub(&barrier->left, 1) == 1) {
		atomic_store(&barrier->left, barrier->threads);
		release(&barrier->sense, sense);
		return;
	}
	while (acquire(&barrier->sense) != sense)
		pause_cpu();
}

LABELLED void spin_generation_barrier(atomic_uint *arrived, atomic_uint *generation, unsigned int n)
{
	unsigned int mine = acquire(generation);

	if (atomic_fetch_add(arrived, 1) + 1 == n) {
		atomic_store(arrived, 0);
		atomic_fetch_add(generation, 1);
		return;
	}
	while (acquire(generation) == mine)
		;
}

struct padded {
	atomic_int arrived;
	char pad[60];
};

LABELLED void spin_dissemination(struct padded (*flags)[8], int self, int rounds, int epoch)
{
	for (int round = 0; round < rounds; round++) {
		release(&flags[(self + (1 << round)) & 7][round].arrived, epoch);
		while (acquire(&flags[self][round].arrived) != epoch)
			pause_cpu();
	}
}

LABELLED void spin_gather(struct padded *flags, int count)
{
	for (int i = 1; i < count; i++)
		while (!acquire(&flags[i].arrived))
			pause_cpu();
}

LABELLED int spin_poll_any(atomic_int *flags, int count)
{
	for (;;)
		for (int i = 0; i < count; i++)
			if (acquire(&flags[i]))
				return i;
}

struct ring {
	atomic_ulong head;
	atomic_ulong tail;
	int items[64];
};

LABELLED int spin_ring_pop(struct ring *ring)
{
	unsigned long tail = relaxed(&ring->tail);
	int item;

	while (acquire(&ring->head) == tail)
		pause_cpu();
	item = ring->items[tail % 64];
	release(&ring->tail, tail + 1);
	return item;
}

LABELLED void spin_ring_push(struct ring *ring, int item)
{
	unsigned long head = relaxed(&ring->head);

	while (head - acquire(&ring->tail) >= 64)
		;
	ring->items[head % 64] = item;
	release(&ring->head, head + 1);
}

LABELLED void spin_double(volatile double *place, double least)
{
	while (*place < least)
		;
}
