// SPDX-License-Identifier: GPL-2.0
/* Other shapes of both kinds, which no rule was made for. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

#include "corpus.h"

struct slot {
	atomic_ulong epoch;
	atomic_int active;
	char pad[48];
};

/* as the grace period of an RCU in user space */
LABELLED void spin_grace_period(struct slot *slots, int count, unsigned long epoch)
{
	for (int i = 0; i < count; i++)
		while (relaxed(&slots[i].active) && acquire(&slots[i].epoch) < epoch)
			pause_cpu();
}

LABELLED void spin_bakery(atomic_int *choosing, atomic_int *number, int self, int count)
{
	for (int i = 0; i < count; i++) {
		while (atomic_load(&choosing[i]))
			;
		while (atomic_load(&number[i]) &&
		       atomic_load(&number[i]) < atomic_load(&number[self]))
			;
	}
}

LABELLED void spin_token(atomic_int *token, int self)
{
	while (acquire(token) != self)
		;
	release(token, self + 1);
}

struct tree_node {
	struct tree_node *parent;
	atomic_int children;
	atomic_int epoch;
};

LABELLED void spin_tree_barrier(struct tree_node *node, int epoch)
{
	while (acquire(&node->children) != 0)
		pause_cpu();
	if (node->parent) {
		atomic_fetch_sub(&node->parent->children, 1);
		while (acquire(&node->epoch) < epoch)
			pause_cpu();
	}
}

LABELLED void spin_semaphore(atomic_int *count)
{
	for (;;) {
		int value = relaxed(count);

		if (value > 0 && atomic_compare_exchange_weak(count, &value, value - 1))
			return;
		pause_cpu();
	}
}

LABELLED void spin_read_lock(atomic_uint *word)
{
	for (;;) {
		unsigned int value = relaxed(word);

		if (!(value & 1) && atomic_compare_exchange_weak(word, &value, value + 2))
			return;
		pause_cpu();
	}
}

LABELLED void spin_write_lock(atomic_uint *word)
{
	unsigned int expected = 0;

	while (relaxed(word) || !atomic_compare_exchange_weak(word, &expected, 1)) {
		expected = 0;
		pause_cpu();
	}
}

LABELLED void spin_once(atomic_int *state, void (*make)(void))
{
	int expected = 0;

	if (atomic_compare_exchange_strong(state, &expected, 1)) {
		make();
		release(state, 2);
		return;
	}
	while (acquire(state) != 2)
		;
}

LABELLED int spin_idle_worker(atomic_int *stop, atomic_int *queued)
{
	int count;

	while (!(count = acquire(queued))) {
		if (relaxed(stop))
			return 0;
		pause_cpu();
	}
	return count;
}

LABELLED void spin_stable(volatile unsigned int *high, volatile unsigned int *low,
			  unsigned long *result)
{
	unsigned int before;

	do {
		before = *high;
		*result = (unsigned long)before << 32 | *low;
	} while (before != *high);
}

LABELLED void call_three_phases(atomic_int *flag)
{
	struct timespec pause = { 0, 50000 };

	for (int i = 0; !acquire(flag); i++) {
		if (i < 100)
			pause_cpu();
		else if (i < 200)
			sched_yield();
		else
			nanosleep(&pause, NULL);
	}
}

LABELLED bool call_queue_timeout(atomic_int *count, const struct timespec *until)
{
	struct timespec now;

	while (!acquire(count)) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		if (now.tv_sec > until->tv_sec ||
		    (now.tv_sec == until->tv_sec && now.tv_nsec >= until->tv_nsec))
			return false;
		sched_yield();
	}
	return true;
}

LABELLED int look_ring_drain(int *items, atomic_uint *head, unsigned int tail)
{
	int sum = 0;

	while (tail != acquire(head))
		sum += items[tail++ & 63];
	return sum;
}

LABELLED unsigned int look_collatz(unsigned long number)
{
	unsigned int steps = 0;

	while (number != 1) {
		number = number & 1 ? 3 * number + 1 : number / 2;
		steps++;
	}
	return steps;
}

LABELLED void look_bubble_sort(int *array, int count)
{
	bool swapped = true;

	while (swapped) {
		swapped = false;
		for (int i = 1; i < count; i++)
			if (array[i - 1] > array[i]) {
				int one = array[i];

				array[i] = array[i - 1];
				array[i - 1] = one;
				swapped = true;
			}
	}
}

LABELLED void look_sift_down(int *heap, int count, int at)
{
	for (;;) {
		int child = 2 * at + 1, value = heap[at];

		if (child >= count)
			return;
		if (child + 1 < count && heap[child + 1] > heap[child])
			child++;
		if (heap[child] <= value)
			return;
		heap[at] = heap[child];
		heap[child] = value;
		at = child;
	}
}

LABELLED int look_bitmap(const unsigned long *bitmap, int words)
{
	for (int i = 0; i < words; i++)
		if (~bitmap[i])
			return i * 64 + __builtin_ctzl(~bitmap[i]);
	return -1;
}

LABELLED bool look_put_reference(atomic_int *count)
{
	int old = relaxed(count);

	while (!atomic_compare_exchange_weak(count, &old, old - 1))
		;
	return old == 1;
}

LABELLED void look_saturate(atomic_uint *counter)
{
	unsigned int old = relaxed(counter);

	do {
		if (old == ~0u)
			return;
	} while (!atomic_compare_exchange_weak(counter, &old, old + 1));
}

LABELLED void look_condition(pthread_mutex_t *mutex, pthread_cond_t *cond, int *ready)
{
	pthread_mutex_lock(mutex);
	while (!*ready)
		pthread_cond_wait(cond, mutex);
	pthread_mutex_unlock(mutex);
}

extern void corpus_handle(struct epoll_event *event);

LABELLED void look_event_loop(int epoll, volatile int *stop)
{
	struct epoll_event events[16];

	while (!*stop) {
		int count = epoll_wait(epoll, events, 16, -1);

		for (int i = 0; i < count; i++)
			corpus_handle(&events[i]);
	}
}

LABELLED long look_strtol(const char *text)
{
	long value = 0;

	while (*text >= '0' && *text <= '9')
		value = value * 10 + *text++ - '0';
	return value;
}

LABELLED struct tree_node *look_root(struct tree_node *node)
{
	while (node->parent)
		node = node->parent;
	return node;
}

LABELLED void look_quick_partition(int *array, int *low, int *high, int pivot)
{
	int i = *low, j = *high;

	while (i <= j) {
		while (array[i] < pivot)
			i++;
		while (array[j] > pivot)
			j--;
		if (i <= j) {
			int one = array[i];

			array[i++] = array[j];
			array[j--] = one;
		}
	}
	*low = i;
	*high = j;
}
