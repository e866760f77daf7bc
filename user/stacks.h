/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call paths by what their frames are in, so that the same path of two
 * processes, or of one that has gone, is one.
 */
#ifndef GAPP_READ_STACKS_H
#define GAPP_READ_STACKS_H

#include <gapp_record.h>

#include "maps.h"
#include "rings.h"

/**
 * struct stack - a call path; there is one for each distinct list of places
 * @id: 0, 1, 2 ... in the order in which they were seen
 * @flags: as in struct gapp_path
 * @count: frames
 * @places: innermost first; all but the innermost are return addresses
 */
struct stack {
	u32 id;
	u16 flags;
	u16 count;
	struct place places[];
};

struct stacks;

/* @rings: where the paths' numbers are looked up. NULL: no memory. */
struct stacks *stacks_new(struct objects *objects, struct maps *maps, const struct rings *rings);
void stacks_free(struct stacks *stacks);

/*
 * The call path of number @path in a record of process @tgid at @time_ns. The first time it is
 * looked up among the process's mappings as they are then (and again, a few times, while there is
 * nothing known at one of its addresses), so records come in the order of time.
 * NULL: there is none (GAPP_PATH_NONE, GAPP_PATH_LOST), or no memory.
 */
const struct stack *stacks_get(struct stacks *stacks, u32 path, pid_t tgid, u64 time_ns);

#endif /* GAPP_READ_STACKS_H */
