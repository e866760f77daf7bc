/* SPDX-License-Identifier: GPL-2.0 */
/* Busy-wait loops that a session has timed exactly, by breakpoints at their exits. */
#ifndef GAPP_EXACT_H
#define GAPP_EXACT_H

#include "breakpoints.h"
#include "core/spin_table.h"

/**
 * struct gapp_exact_loop - a busy-wait loop of a process, which is timed exactly
 * @exits: its exits, with their addresses in the process
 * @points: breakpoints at the exits, by the same numbers
 */
struct gapp_exact_loop {
	struct gapp_spin_exit exits[GAPP_BREAKPOINTS];
	struct gapp_breakpoints points;
};

/* Process context; may be preempted. */
bool gapp_exact_hit(struct gapp_uprobe *uprobe, struct pt_regs *regs);

#endif /* GAPP_EXACT_H */
