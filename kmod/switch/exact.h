/* SPDX-License-Identifier: GPL-2.0 */
/* Busy-wait loops that a session has timed exactly, by breakpoints at their exits. */
#ifndef GAPP_EXACT_H
#define GAPP_EXACT_H

#include <linux/atomic.h>
#include <linux/path.h>

#include "compat/uprobe.h"
#include "core/spin_table.h"

struct gapp_exact_loop;
struct gapp_session;

/**
 * struct gapp_exact_exit - an exit of a loop that is timed exactly
 * @uprobe: breakpoint there
 * @loop: the loop
 * @exit: the exit, with its address in the process
 * @path: of the file, held by path_get() for longer than the inode; zeros: not yet
 */
struct gapp_exact_exit {
	struct gapp_uprobe uprobe;
	struct gapp_exact_loop *loop;
	struct gapp_spin_exit exit;
	struct path path;
};

/**
 * struct gapp_exact_loop - a busy-wait loop of a process, which is timed exactly
 * @session: the session
 * @mm: memory of the process, held by mmgrab()
 * @most_passes: within GAPP_EXACT_PASSES_NS; beyond them the loop is given up
 * @window: when the last GAPP_EXACT_PASSES_NS began, in jiffies
 * @passes: passes since then
 * @given_up: there were too many
 * @count: number of exits
 * @exits: the exits
 *
 * Nobody changes the members while there are breakpoints, but for @window, @passes and @given_up,
 * which gapp_exact_hit() writes without a lock.
 */
struct gapp_exact_loop {
	struct gapp_session *session;
	struct mm_struct *mm;
	u32 most_passes;
	unsigned long window;
	atomic_t passes;
	bool given_up;
	u32 count;
	struct gapp_exact_exit exits[];
};

/* Process context; may be preempted. */
bool gapp_exact_hit(struct gapp_uprobe *uprobe, struct pt_regs *regs);
bool gapp_exact_wants(const struct gapp_uprobe *uprobe, const struct mm_struct *mm);

#endif /* GAPP_EXACT_H */
