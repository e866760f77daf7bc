/* SPDX-License-Identifier: GPL-2.0 */
/* Breakpoints in the code of one process, which are given up if they are passed too often. */
#ifndef GAPP_BREAKPOINTS_H
#define GAPP_BREAKPOINTS_H

#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/path.h>

#include "compat/uprobe.h"

/* So many belong together at most: the finder knows no loop with more exits. */
#define GAPP_BREAKPOINTS 16

struct gapp_breakpoints;
struct gapp_session;

/**
 * struct gapp_breakpoint - a breakpoint on an instruction
 * @uprobe: the kernel's
 * @of: those that it belongs to
 * @address: of the instruction, in the process
 * @path: of the file, held by path_get() for longer than the inode; zeros: not yet
 */
struct gapp_breakpoint {
	struct gapp_uprobe uprobe;
	struct gapp_breakpoints *of;
	u64 address;
	struct path path;
};

/**
 * struct gapp_breakpoints - breakpoints that are given up together
 * @session: the session
 * @mm: memory of the process, held by mmgrab()
 * @most_passes: within @window_ns; beyond them they are given up
 * @window_ns: nanoseconds
 * @window: when the last window began, in jiffies
 * @passes: passes since then
 * @given_up: there were too many
 * @count: number of breakpoints
 * @points: breakpoints
 *
 * Nobody changes the members while there are breakpoints, but for @window, @passes and @given_up,
 * which those that come to a breakpoint write without a lock.
 */
struct gapp_breakpoints {
	struct gapp_session *session;
	struct mm_struct *mm;
	u32 most_passes;
	u32 window_ns;
	unsigned long window;
	atomic_t passes;
	bool given_up;
	u32 count;
	struct gapp_breakpoint points[GAPP_BREAKPOINTS];
};

static inline struct gapp_breakpoint *gapp_breakpoint_of(struct gapp_uprobe *uprobe)
{
	return container_of(uprobe, struct gapp_breakpoint, uprobe);
}

/* Whether a process is to have a breakpoint: those of others, and those given up, are taken out. */
static inline bool gapp_breakpoint_is_for(const struct gapp_uprobe *uprobe,
					  const struct mm_struct *mm)
{
	const struct gapp_breakpoint *point = container_of(uprobe, struct gapp_breakpoint, uprobe);

	return mm == point->of->mm && !READ_ONCE(point->of->given_up);
}

/* Counts a pass. CPUs that begin a new window at once may count a few too many or too few. */
static inline bool gapp_breakpoints_may_pass(struct gapp_breakpoints *points)
{
	const unsigned long began = READ_ONCE(points->window);

	if (time_after(jiffies, began + nsecs_to_jiffies(points->window_ns))) {
		WRITE_ONCE(points->window, jiffies);
		atomic_set(&points->passes, 0);
	}
	return atomic_inc_return(&points->passes) <= points->most_passes;
}

/* Its processes would rather go on without so many breakpoints. */
static inline void gapp_breakpoints_give_up(struct gapp_breakpoints *points)
{
	WRITE_ONCE(points->given_up, true);
}

#endif /* GAPP_BREAKPOINTS_H */
