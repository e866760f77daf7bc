/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Keeps the mappings of processes right: the reader's as of the time of each record, the module's
 * as of now.
 */
#ifndef GAPP_READ_PROCESSES_H
#define GAPP_READ_PROCESSES_H

#include "input/command_lines.h"
#include "input/rings.h"
#include "input/sideband.h"
#include "opts.h"
#include "table-sync/sync.h"

/**
 * struct processes - mappings of all processes
 * @options: what was asked for
 * @objects: the files that are mapped
 * @maps: the mappings
 * @sideband: events that change @maps; NULL: the kernel refuses it, or it is not open yet
 * @table_sync: sends mappings to the module; NULL: the module unwinds without tables
 * @outdated: when mappings of the module were outdated; NULL like @table_sync
 * @wakeup: wakes the reader for @table_sync; closed like @table_sync
 * @commands: gets the command lines of processes of the target that execute a program; or NULL
 * @woken_ns: when @wakeup last woke the reader
 * @due_ns: time of the next event to apply to @maps; 0: not known
 * @started: the session has been started
 */
struct processes {
	const struct options *options;
	struct objects *objects;
	struct maps *maps;
	struct sideband *sideband;
	struct table_sync *table_sync;
	struct outdated *outdated;
	struct wakeup wakeup;
	struct command_lines *commands;
	u64 woken_ns;
	u64 due_ns;
	bool started;
};

/*
 * Called after CONFIGURE and before START, so that no event is missed. Returns 0, or -1 with a
 * complaint made; the caller calls processes_free() in any case.
 */
int processes_init(struct processes *processes, struct device *dev, const struct options *options);
void processes_free(struct processes *processes);

/* Reads the mappings of a process that runs already; @pid is -1: of every process. */
void processes_attach(struct processes *processes, pid_t pid);

/*
 * The command's process waits for its exec: has the unwind tables made that the command will need.
 * After the exec, which any event may tell of first, the caller calls processes_executed().
 */
void processes_expect(struct processes *processes, pid_t pid, char *const *command);
void processes_executed(struct processes *processes, pid_t pid);

/* Reads the side-band: before records of the same time. Returns 0, or -1 with a complaint made. */
int processes_read(struct processes *processes);

/* Sends to the module what processes_read() has found, and what the module asks for in @rings. */
void processes_sync(struct processes *processes, struct rings *rings);

/* Called after a wakeup. Takes some milliseconds. Returns 0, or -1 with a complaint made. */
int processes_woken(struct processes *processes, struct rings *rings);

/*
 * Sends all mappings, and waits some seconds at most until the module has the tables, @with_spins
 * also the spin tables of small files.
 */
void processes_settle(struct processes *processes, bool with_spins);

/* See processes_advance(). */
void processes_bring_up(struct processes *processes, u64 time_ns, pid_t pid, u32 image);

/*
 * Brings the mappings up to the time of a record, before the record's addresses are looked up. @pid
 * and @image: the process and the image in the record; @pid is 0: the record names no process.
 */
static inline void processes_advance(struct processes *processes, u64 time_ns, pid_t pid, u32 image)
{
	if (time_ns >= processes->due_ns)
		processes_bring_up(processes, time_ns, pid, image);
}

/* No record of a time before @time_ns will come any more. */
void processes_passed(struct processes *processes, u64 time_ns);

#endif /* GAPP_READ_PROCESSES_H */
