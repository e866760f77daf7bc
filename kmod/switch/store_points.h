/* SPDX-License-Identifier: GPL-2.0 */
/* Instructions of which a session is told what they store, by breakpoints on them. */
#ifndef GAPP_STORE_POINTS_H
#define GAPP_STORE_POINTS_H

#include <gapp.h>

#include "breakpoints.h"

/**
 * struct gapp_store_place - an instruction of a process
 * @asked: what it stores, and where, as the reader has decoded it
 * @points: a breakpoint on it
 */
struct gapp_store_place {
	struct gapp_store_point asked;
	struct gapp_breakpoints points;
};

/* Process context; may be preempted. */
bool gapp_store_point_hit(struct gapp_uprobe *uprobe, struct pt_regs *regs);

#endif /* GAPP_STORE_POINTS_H */
