/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that makes tables of ELF files, because making one can take a second or more, in which
 * the rings would fill up. All functions here are for the one thread that gives it files.
 */
#ifndef GAPP_READ_TABLE_WORKER_H
#define GAPP_READ_TABLE_WORKER_H

#include "util/util.h"

struct table_worker;

/* Files that a worker holds at most, including those whose finished tables nobody took yet. */
#define TABLE_WORKER_ROOM 16

/**
 * struct table_maker - what a worker does
 * @make: makes the tables of the open file @fd, in the worker's thread; NULL: no memory. Ends soon
 *	once @cancel is set
 * @free: frees what @make returned, which nobody took
 * @context: handed to @make
 * @nice: the thread's niceness
 */
struct table_maker {
	void *(*make)(void *context, int fd, const volatile bool *cancel);
	void (*free)(void *made);
	void *context;
	int nice;
};

/**
 * struct table_made - what became of a file that the worker was given
 * @owner: as given to table_worker_give()
 * @took_ns: nanoseconds that it took
 * @made: what struct table_maker made; whoever takes it frees it
 */
struct table_made {
	void *owner;
	u64 took_ns;
	void *made;
};

/* The thread starts with the first file. NULL: no memory, or no file descriptor. */
struct table_worker *table_worker_new(const struct table_maker *maker);
/* Cancels the work, ends the thread, and frees what nobody took. */
void table_worker_free(struct table_worker *worker);

/* A descriptor that is readable while there is something to take. */
int table_worker_fd(const struct table_worker *worker);
/* How many files the worker has room for now. */
unsigned int table_worker_room(const struct table_worker *worker);

/* Gives the worker an open file, which the worker closes; needs room. -1: no thread. */
int table_worker_give(struct table_worker *worker, int fd, void *owner);
/* False: nothing is ready. */
bool table_worker_take(struct table_worker *worker, struct table_made *made);

#endif /* GAPP_READ_TABLE_WORKER_H */
