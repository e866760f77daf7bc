/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The side-band: the kernel's records of mmap, exec, fork and exit, which perf_event_open(2) gives
 * for the whole machine.
 */
#ifndef GAPP_READ_SIDEBAND_H
#define GAPP_READ_SIDEBAND_H

#include <linux/perf_event.h>

#include "maps.h"
#include "wakeup.h"

enum sideband_kind {
	SIDEBAND_MMAP,
	SIDEBAND_EXEC,
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
	SIDEBAND_LOST,
};

/**
 * struct sideband_event - one event; members of other kinds are 0
 * @kind: enum sideband_kind
 * @time_ns: CLOCK_MONOTONIC
 * @order: orders events of one time: how many events the reader had read before
 * @pid: the process; SIDEBAND_FORK: the child
 * @parent: SIDEBAND_FORK: the parent
 * @start: SIDEBAND_MMAP: first address
 * @length: SIDEBAND_MMAP: bytes
 * @offset: SIDEBAND_MMAP: offset of @start in the file
 * @dev: SIDEBAND_MMAP: the file's device
 * @inode: SIDEBAND_MMAP: the file's inode
 * @lost: SIDEBAND_LOST: how many events the kernel dropped
 * @path: SIDEBAND_MMAP: the file's path as the kernel gives it
 */
struct sideband_event {
	enum sideband_kind kind;
	u64 time_ns;
	u64 order;
	pid_t pid;
	pid_t parent;
	u64 start;
	u64 length;
	u64 offset;
	dev_t dev;
	u64 inode;
	u64 lost;
	char path[];
};

enum sideband_result {
	SIDEBAND_NO_MEMORY = -2,
	SIDEBAND_MALFORMED = -1,
	SIDEBAND_UNUSED, /* no event that the reader needs: a thread's name, say */
	SIDEBAND_EVENT,
};

/* Makes an event of a record of @record->size bytes. The caller frees it. */
enum sideband_result sideband_event_new(const struct perf_event_header *record,
					struct sideband_event **event);

struct sideband;

/*
 * Opens the side-band of every CPU. NULL, without a complaint, if the kernel refuses: mappings are
 * then read from /proc alone, and @reason says why. With @wakeup, which must live as long, each
 * event wakes the reader.
 */
struct sideband *sideband_new(struct wakeup *wakeup, const char **reason);
void sideband_free(struct sideband *sideband);

/*
 * Reads what the kernel has written. The kernel's buffer is small, so the reader calls it often,
 * and always before it looks at records of the same time. Returns 0, or -1 without memory.
 */
int sideband_read(struct sideband *sideband);

/*
 * From now on sideband_read() calls @each for each event that it reads. The events of one read come
 * in the order of time; a later read may give earlier events.
 */
void sideband_watch(struct sideband *sideband,
		    void (*each)(void *context, const struct sideband_event *event), void *context);

/*
 * Applies to @maps the events up to @time_ns (CLOCK_MONOTONIC), in the order of time. The reader
 * calls it for each record, and now and then without records, or events pile up. Returns the time
 * of the next event; until then, or until the next read, there is nothing to apply.
 */
u64 sideband_apply(struct sideband *sideband, struct maps *maps, u64 time_ns);

/* Events that were lost. */
u64 sideband_lost(const struct sideband *sideband);

#endif /* GAPP_READ_SIDEBAND_H */
