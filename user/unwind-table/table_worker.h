/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A thread that makes unwind tables of ELF files, for that can take a second
 * while the rings fill up. Everything of libelf and libdw that it needs is made
 * and used there. The functions here are all for one and the same other thread.
 */
#ifndef GAPP_READ_TABLE_WORKER_H
#define GAPP_READ_TABLE_WORKER_H

#include "unwind_table.h"

struct table_worker;

/* Files that are open, and tables that wait to be taken, at one time. */
#define TABLE_WORKER_ROOM 16

/**
 * struct table_made - what became of a file
 * @owner: as given with it
 * @error: 0, or the errno with which it failed; then @table is empty
 * @took_ns: time it took
 * @table: its table, the taker's
 */
struct table_made {
	void *owner;
	int error;
	u64 took_ns;
	struct code_table table;
};

/* NULL: no memory, or no file descriptor. The thread begins with the first file. */
struct table_worker *table_worker_new(void);
/* What is not done is cancelled, and what was not taken is thrown away. */
void table_worker_free(struct table_worker *worker);

/* Readable while there is something to take. */
int table_worker_fd(const struct table_worker *worker);
/* Files that it can be given now. */
unsigned int table_worker_room(const struct table_worker *worker);

/* Gives it an open file, which it closes; only while there is room. -1: no thread is to be had. */
int table_worker_give(struct table_worker *worker, int fd, void *owner);
/* False: nothing is ready. */
bool table_worker_take(struct table_worker *worker, struct table_made *made);

#endif /* GAPP_READ_TABLE_WORKER_H */
