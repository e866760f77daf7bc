/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's records of mmap, exec, fork and exit, as perf_event_open(2) gives them. */
#ifndef GAPP_READ_SIDEBAND_EVENT_H
#define GAPP_READ_SIDEBAND_EVENT_H

#include <linux/perf_event.h>
#include <sys/types.h>

#include "util/util.h"

enum sideband_kind {
	SIDEBAND_MMAP,
	SIDEBAND_EXEC,
	SIDEBAND_FORK,
	SIDEBAND_EXIT,
	SIDEBAND_LOST,
};

/**
 * struct sideband_event - one event; what is not of its kind is zero
 * @kind: enum sideband_kind
 * @time_ns: CLOCK_MONOTONIC
 * @order: among events of the same time
 * @pid: the process; of SIDEBAND_FORK the new one
 * @parent: the one that forked
 * @start: SIDEBAND_MMAP: address
 * @length: bytes
 * @offset: in the file
 * @dev: the file's device
 * @inode: the file's inode
 * @lost: SIDEBAND_LOST: how many events
 * @path: SIDEBAND_MMAP: as the kernel gives it
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

/* How its records must be asked for: what sideband_event_new() takes them to be. */
extern const struct perf_event_attr sideband_attr;

enum sideband_result {
	SIDEBAND_NO_MEMORY = -2,
	SIDEBAND_MALFORMED = -1,
	SIDEBAND_UNUSED, /* it tells nothing of interest: a thread's name */
	SIDEBAND_EVENT,
};

/* Makes an event of a record whose header's size has been checked; the caller frees it. */
enum sideband_result sideband_event_new(const struct perf_event_header *record,
					struct sideband_event **event);

#endif /* GAPP_READ_SIDEBAND_EVENT_H */
