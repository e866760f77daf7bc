// SPDX-License-Identifier: GPL-2.0
/*
 * One reader/writer lock: readers look things up, and a writer keeps them out
 * for longer.
 *
 * Bottleneck by construction: the writer.
 *
 * Usage: rwlock [readers=3] [rounds=40] [units of the writer=1500]
 */
#include "work.h"

static pthread_rwlock_t table;
static unsigned long rounds, units;

static void *reader(void *arg)
{
	name_thread("reader", (unsigned long)arg);
	for (unsigned long i = 0; i < rounds; i++) {
		pthread_rwlock_rdlock(&table);
		burn(units / 5);
		pthread_rwlock_unlock(&table);
		burn(units / 3);
	}
	return NULL;
}

static void *writer(void *arg)
{
	name_thread("writer", (unsigned long)arg);
	for (unsigned long i = 0; i < rounds; i++) {
		pthread_rwlock_wrlock(&table);
		burn(units);
		pthread_rwlock_unlock(&table);
		burn(units / 4);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t readers[WORK_MAX_THREADS], one;
	unsigned int count = threads_arg(argc, argv, 1, 3);

	rounds = arg_or(argc, argv, 2, 40);
	units = arg_or(argc, argv, 3, 1500);
	pthread_rwlock_init(&table, NULL);
	start_thread(&one, writer, NULL);
	start_threads(readers, count, reader);
	join_threads(readers, count);
	pthread_join(one, NULL);
	return 0;
}
