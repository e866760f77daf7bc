/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Call paths by what their frames are in, so that the same path of two
 * processes, or of one that has gone, is one.
 */
#ifndef GAPP_READ_STACKS_H
#define GAPP_READ_STACKS_H

#include <gapp_record.h>

#include "input/maps.h"
#include "input/rings.h"
#include "table-sync/outdated.h"
#include "verify.h"

/* Who found a path. */
enum stack_method {
	STACK_BY_FP, /* the module: a step at least by the frame pointer */
	STACK_BY_TABLE, /* the module, by unwind tables alone */
	STACK_BY_COPY, /* we, the end of it at least, from a copy of the stack */
	STACK_METHODS,
};

/* How it ended: enum gapp_unwind_end, or: */
enum stack_end {
	STACK_END_COPY = GAPP_UNWIND_ENDS, /* the copy did not reach farther */
	STACK_END_NO_FP, /* the next one was found with what is no frame pointer: it is left out */
	STACK_ENDS,
};

/**
 * struct stack - a call path; there is one for each distinct list of places
 * @id: 0, 1, 2 ... in the order in which they were seen
 * @flags: as in struct gapp_path, with an enum stack_end
 * @count: frames
 * @method: enum stack_method
 * @stale: what was found behind its last frame is not believed, whatever that was
 * @places: innermost first; all but the innermost are return addresses
 */
struct stack {
	u32 id;
	u16 flags;
	u16 count;
	u8 method;
	bool stale;
	struct place places[];
};

static inline unsigned int stack_end(const struct stack *stack)
{
	return stack->flags & GAPP_PATH_END_MASK;
}

struct stacks;

/* @rings: where the paths' numbers are looked up. NULL: no memory. */
struct stacks *stacks_new(struct objects *objects, struct maps *maps, const struct rings *rings);
void stacks_free(struct stacks *stacks);

/* From now on paths by tables are cut where the module walked by what was @stale. */
void stacks_set_stale(struct stacks *stacks, const struct outdated *stale);

/*
 * The call path of number @path in a record of process @tgid at @time_ns, taken not before
 * @begin_ns. The first time it is looked up among the process's mappings as they are then (and
 * again, a few times, while there is nothing known at one of its addresses, and when something was
 * mapped there in place of something else), so records come in the order of time. What is stale is
 * cut off for this record alone. NULL: there is none (GAPP_PATH_NONE, GAPP_PATH_LOST, a copy that
 * is not known), or no memory.
 */
const struct stack *stacks_get(struct stacks *stacks, u32 path, pid_t tgid, u64 begin_ns,
			       u64 time_ns);

/*
 * What stacks_get() says of the number of a path is so for all of its process's records of before
 * then, as long as @stacks_changes tells the same; 0: not even for the next one. But where
 * something is stale, that is nobody's but the record's: @stacks_over tells until when that was so,
 * UINT64_MAX: it still is.
 */
u64 stacks_until(const struct stacks *stacks, u32 path);
const u64 *stacks_changes(const struct stacks *stacks);
const u64 *stacks_over(const struct stacks *stacks);

/*
 * Finishes the path that a copy of a stack goes with: by the mappings of the copy's time, so before
 * any record that is later. stacks_get() then finds it by the copy's number, as long as not too
 * many others have come. Returns 0, or -1 without memory.
 */
int stacks_add_tail(struct stacks *stacks, const struct gapp_record_stack_copy *tail);

/**
 * struct stacks_figures - what became of copies
 * @tails: copies that came, but those for comparison
 * @longer: those that made a path longer
 * @whole: those that made it whole
 * @unknown: records whose copy had not come, or too long ago
 * @verdict: of the last comparison, enum verify_verdict
 * @verify: of all
 */
struct stacks_figures {
	u64 tails;
	u64 longer;
	u64 whole;
	u64 unknown;
	enum verify_verdict verdict;
	struct verify verify;
};

const struct stacks_figures *stacks_figures(const struct stacks *stacks);

#endif /* GAPP_READ_STACKS_H */
