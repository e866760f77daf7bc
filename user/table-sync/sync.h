/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Teaches the module how to walk the stacks of processes: which unwind tables
 * their code has, and where it is mapped. It is told at once what a process maps
 * while it runs, for what it does not know it cannot walk.
 */
#ifndef GAPP_READ_TEACH_H
#define GAPP_READ_TEACH_H

#include <gapp_record.h>

#include "input/sideband_event.h"
#include "outdated.h"
#include "sync_objects.h"

/**
 * struct teach_figures - what the module was told
 * @on: it was told something: paths are taken by tables
 * @code: of objects
 * @processes: processes it was told of, or whose parents it was
 * @pushes: times that it was told of a process's mappings
 * @stale: times that the process had executed another program meanwhile
 * @needmaps: times that it asked
 * @push_ns: time it took to find out and tell
 */
struct teach_figures {
	bool on;
	struct code_figures code;
	u64 processes;
	u64 pushes;
	u64 stale;
	u64 needmaps;
	u64 push_ns;
};

struct teach;

/*
 * @stale: where it is noted when what the module was told was wrong. @every_exec: whoever executes
 * a program may be of the target, and is asked about. @verbose: to complain about what is not told.
 * NULL: no memory.
 */
struct teach *teach_new(struct device *dev, struct objects *objects, struct stale *stale,
			bool every_exec, bool verbose);
void teach_free(struct teach *teach);

/* A process of the target, or one of its threads. Its children too, if @children. */
void teach_attach(struct teach *teach, pid_t pid, bool children);

/* What the kernel says of processes that were attached to and their children, as soon as known. */
void teach_event(struct teach *teach, const struct sideband_event *event);
void teach_missed(struct teach *teach);

/* The module asks. */
void teach_needmap(struct teach *teach, const struct gapp_record_need_mapping *record);

/* Tells what has changed. Takes some milliseconds at most; the rest is due at once. */
void teach_run(struct teach *teach);

/* Tells everything, and waits for tables that are being made, until @deadline_ns at the latest. */
void teach_settle(struct teach *teach, u64 deadline_ns);

/* When teach_run() has something to do, if nothing else happens; 0: never. */
u64 teach_due(const struct teach *teach);
/* Readable when it has, because tables are ready. */
int teach_fd(const struct teach *teach);

void teach_get_figures(const struct teach *teach, struct teach_figures *figures);

#endif /* GAPP_READ_TEACH_H */
