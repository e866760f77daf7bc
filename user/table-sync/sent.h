/* SPDX-License-Identifier: GPL-2.0 */
/* What the module was told to be executable in a process, by what it is of. */
#ifndef GAPP_READ_TOLD_H
#define GAPP_READ_TOLD_H

#include "input/proc_maps.h"
#include "input/sideband_event.h"

/**
 * struct told_range - a part of a process's memory
 * @begin: first address
 * @end: behind the last one
 * @dev: the file's device; 0: memory that is no file's
 * @inode: the file's inode; 0: likewise
 * @bias: address of the file's first byte; 0: likewise
 */
struct told_range {
	u64 begin;
	u64 end;
	dev_t dev;
	u64 inode;
	u64 bias;
};

/**
 * struct told - all of a process, in the order of addresses
 * @ranges: they do not overlap
 * @count: how many
 * @room: for so many
 * @anything: they are too many to remember: it may be anything
 */
struct told {
	struct told_range *ranges;
	u32 count;
	u32 room;
	bool anything;
};

void told_free(struct told *told);
/* Those of higher addresses come later. */
void told_add(struct told *told, const struct proc_mapping *line);
void told_copy(struct told *to, const struct told *from);

/* Whether something else was told of what is mapped by @event. */
bool told_otherwise(const struct told *told, const struct sideband_event *event);

#endif /* GAPP_READ_TOLD_H */
