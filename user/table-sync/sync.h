/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Table sync: keeps the module's address spaces, unwind tables and spin tables current. The module
 * cannot unwind code that it has no mapping for, so the reader sends a process's mappings as soon
 * as they change.
 */
#ifndef GAPP_READ_TABLE_SYNC_H
#define GAPP_READ_TABLE_SYNC_H

#include <gapp_record.h>

#include "input/sideband.h"
#include "object_tables.h"
#include "outdated.h"

/**
 * struct table_sync_figures - what was sent, since the session began
 * @on: mappings were sent, so the module unwinds by tables
 * @objects: of mapped objects
 * @processes: processes whose mappings the module has, sent or inherited from a parent
 * @sends: times that a process's mappings were sent
 * @outdated: times that the process executed another program before its mappings arrived
 * @mapping_requests: times that the module asked for a mapping
 * @send_ns: time it took to read mappings and send them
 */
struct table_sync_figures {
	bool on;
	struct object_figures objects;
	u64 processes;
	u64 sends;
	u64 outdated;
	u64 mapping_requests;
	u64 send_ns;
};

struct table_sync;

/*
 * @outdated: gets the times when mappings of the module were outdated. @every_exec: any process
 * that executes a program may belong to the target, so its mappings are sent. @verbose: complain
 * about mappings that cannot be sent. NULL: no memory.
 */
struct table_sync *table_sync_new(struct device *dev, struct objects *objects,
				  struct outdated *outdated, bool every_exec, bool verbose);
void table_sync_free(struct table_sync *sync);

/* @pid: a process of the target or one of its threads. @children: its descendants are too. */
void table_sync_attach(struct table_sync *sync, pid_t pid, bool children);

/*
 * @pid is a copy of this process that will execute @command, words with a NULL behind them. Its
 * mappings are not sent before that, but the tables of the files that the command will map are made
 * and loaded; and those of further programs that it names by a path, as env and mpirun execute.
 */
void table_sync_expect(struct table_sync *sync, pid_t pid, char *const *command);
/* The process has executed the command; an event of it may come later, or never. */
void table_sync_executed(struct table_sync *sync, pid_t pid);

/* An event of any process: to be called as soon as the side-band has it. */
void table_sync_event(struct table_sync *sync, const struct sideband_event *event);

/* Whether the process belongs to the target, as far as is known. */
bool table_sync_knows(const struct table_sync *sync, pid_t pid);

/* Notes that the module asked for a mapping: the next table_sync_run() sends it. */
void table_sync_asked(struct table_sync *sync, const struct gapp_record_need_mapping *record);

/* Sends changed mappings for some milliseconds at most; the rest is due at the next call. */
void table_sync_run(struct table_sync *sync);

/*
 * Sends everything, and waits for unwind tables that are being made, and @with_spins for the loops
 * of small files, until @deadline_ns at the latest, or a signal.
 */
void table_sync_settle(struct table_sync *sync, u64 deadline_ns, bool with_spins);

/* The tables that the module has. */
const struct object_tables *table_sync_tables(const struct table_sync *sync);

/* CLOCK_MONOTONIC at which table_sync_run() has something to do without any event; 0: never. */
u64 table_sync_due(const struct table_sync *sync);
/* A file descriptor that is readable when table_sync_run() can load tables. */
int table_sync_fd(const struct table_sync *sync);

void table_sync_get_figures(const struct table_sync *sync, struct table_sync_figures *figures);

#endif /* GAPP_READ_TABLE_SYNC_H */
