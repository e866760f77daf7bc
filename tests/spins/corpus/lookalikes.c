// SPDX-License-Identifier: GPL-2.0
/* Loops that look as if they waited, and work. */
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "corpus.h"

struct item {
	struct item *_Atomic next;
	long key;
	atomic_int done;
};

/* it pauses between pieces, and another piece is asked for each time */
LABELLED int look_paced_calls(int (*work)(unsigned int), unsigned int pieces)
{
	unsigned int i = 0;

	while (work(i)) {
		pause_cpu();
		if (++i == pieces)
			return 0;
	}
	return 1;
}

LABELLED const char *look_memchr(const char *text, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		if (text[i] == byte)
			return text + i;
	return NULL;
}

LABELLED size_t look_strlen(const char *text)
{
	const char *at = text;

	while (*at)
		at++;
	return at - text;
}

LABELLED int look_strcmp(const unsigned char *one, const unsigned char *other)
{
	while (*one && *one == *other) {
		one++;
		other++;
	}
	return *one - *other;
}

LABELLED struct item *look_list(struct item *item, long key)
{
	while (item && item->key != key)
		item = relaxed(&item->next);
	return item;
}

LABELLED struct item *look_list_last(struct item *item)
{
	struct item *next;

	while ((next = acquire(&item->next)))
		item = next;
	return item;
}

LABELLED unsigned int look_list_length(struct item **head)
{
	unsigned int length = 0;

	for (struct item *item = *head; item; item = relaxed(&item->next))
		length++;
	return length;
}

LABELLED uint32_t look_checksum(const uint8_t *bytes, size_t size)
{
	uint32_t sum = 1;

	for (size_t i = 0; i < size; i++)
		sum = sum * 31 + bytes[i];
	return sum;
}

LABELLED uint32_t look_crc(const uint8_t *bytes, size_t size)
{
	uint32_t crc = ~0u;

	while (size--) {
		crc ^= *bytes++;
		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0xedb88320 : crc >> 1;
	}
	return ~crc;
}

/* each read of the register takes a byte out of the device */
LABELLED int look_device_fifo(volatile uint32_t *fifo, uint8_t *to, int size)
{
	int count = 0;

	while (count < size) {
		uint32_t word = *fifo;

		if (word & 0x100)
			break;
		to[count++] = word;
	}
	return count;
}

LABELLED unsigned int look_device_sum(volatile uint32_t *port, int count)
{
	unsigned int sum = 0;

	for (int i = 0; i < count; i++)
		sum += *port;
	return sum;
}

LABELLED void look_device_write(volatile uint32_t *port, const uint32_t *words, int count)
{
	for (int i = 0; i < count; i++)
		*port = words[i];
}

LABELLED void look_fetch_multiply(atomic_long *place, long factor)
{
	long old = atomic_load(place);

	while (!atomic_compare_exchange_weak(place, &old, old * factor + 1))
		;
}

LABELLED void look_fetch_max(atomic_long *place, long value)
{
	long old = relaxed(place);

	while (old < value && !atomic_compare_exchange_weak(place, &old, value))
		;
}

LABELLED void look_add_double(_Atomic double *place, double value)
{
	double old = atomic_load(place);

	while (!atomic_compare_exchange_strong(place, &old, old + value))
		;
}

struct stack {
	struct item *_Atomic first;
};

LABELLED void look_stack_push(struct stack *stack, struct item *item)
{
	struct item *first = relaxed(&stack->first);

	do
		atomic_store_explicit(&item->next, first, memory_order_relaxed);
	while (!atomic_compare_exchange_weak(&stack->first, &first, item));
}

LABELLED struct item *look_stack_pop(struct stack *stack)
{
	struct item *first = acquire(&stack->first);

	while (first && !atomic_compare_exchange_weak(&stack->first, &first, relaxed(&first->next)))
		;
	return first;
}

LABELLED bool look_get_reference(atomic_int *count)
{
	int old = relaxed(count);

	do {
		if (!old)
			return false;
	} while (!atomic_compare_exchange_weak(count, &old, old + 1));
	return true;
}

LABELLED void look_delay(unsigned int times)
{
	for (volatile unsigned int i = 0; i < times; i++)
		;
}

LABELLED void look_delay_pause(const unsigned int *times)
{
	for (unsigned int i = 0; i < *times; i++)
		pause_cpu();
}

LABELLED int look_scan(volatile int *array, const int *count)
{
	for (int i = 0; i < *count; i++)
		if (array[i])
			return i;
	return -1;
}

LABELLED int look_search(const int *sorted, int count, int key)
{
	int low = 0;

	while (low < count) {
		int middle = low + (count - low) / 2;

		if (sorted[middle] < key)
			low = middle + 1;
		else
			count = middle;
	}
	return low;
}

LABELLED unsigned int look_hash_probe(const long *table, unsigned int mask, long key)
{
	unsigned int at = key & mask;

	while (table[at] && table[at] != key)
		at = (at + 1) & mask;
	return at;
}

LABELLED struct item *look_tree(struct item *root, long key)
{
	while (root && root->key != key)
		root = key < root->key ? (struct item *)((uintptr_t)root->next ^ 1) : root->next;
	return root;
}

LABELLED int look_find_root(int *parents, int at)
{
	while (parents[at] != at)
		at = parents[at];
	return at;
}

LABELLED long look_gcd(long one, long other)
{
	while (other) {
		long rest = one % other;

		one = other;
		other = rest;
	}
	return one;
}

LABELLED double look_newton(double value, const double *precision)
{
	double root = value;

	while (root * root - value > *precision)
		root = 0.5 * (root + value / root);
	return root;
}

LABELLED void look_fill(int *array, int count, int value)
{
	for (int i = 0; i < count; i++)
		array[i] = value;
}

LABELLED void look_copy(char *to, const char *from)
{
	while ((*to++ = *from++))
		;
}

LABELLED long look_varint(const uint8_t **at)
{
	long value = 0;
	int shift = 0;

	while (**at & 0x80) {
		value |= (long)(**at & 0x7f) << shift;
		shift += 7;
		(*at)++;
	}
	return value;
}

/* others look at the counter, as at a heartbeat */
LABELLED void look_count_until(volatile int *stop, volatile long *counter)
{
	while (!*stop)
		(*counter)++;
}

LABELLED long look_histogram(volatile int *stop, long *counts)
{
	unsigned int state = 1;

	while (!*stop) {
		state = state * 1103515245 + 12345;
		counts[state >> 24]++;
	}
	return state;
}

extern void corpus_work(int number);

LABELLED void look_worker(volatile int *stop)
{
	int number = 0;

	while (!*stop)
		corpus_work(number++);
}

LABELLED int look_read_all(FILE *file)
{
	int sum = 0;

	while (!feof(file))
		sum += fgetc(file);
	return sum;
}

LABELLED long look_read_fd(int fd, char *to, long size)
{
	long done = 0;

	while (done < size) {
		long bytes = read(fd, to + done, size - done);

		if (bytes <= 0)
			break;
		done += bytes;
	}
	return done;
}

LABELLED int look_tokens(char *text, char **tokens)
{
	int count = 0;

	for (char *token = strtok(text, " "); token; token = strtok(NULL, " "))
		tokens[count++] = token;
	return count;
}

struct memo {
	int known;
	int values[16];
};

LABELLED int look_fill_memo(struct memo *memo, int wanted)
{
	while (memo->known < wanted) {
		memo->values[memo->known] = memo->known * 3;
		memo->known++;
	}
	return memo->values[wanted - 1];
}
