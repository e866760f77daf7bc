/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of entries, as the ABI gives them. */
#ifndef GAPP_FIGURES_H
#define GAPP_FIGURES_H

#include "threads/track.h"

struct pid_namespace;

void gapp_figures_of(struct gapp_thread *entry, const struct gapp_at *at,
		     struct gapp_thread_figures *figures);
bool gapp_figures_slot(struct gapp_track *track, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_figures *figures);
u32 gapp_figures_threads(struct gapp_track *track, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_thread_figures *rows, u32 capacity);
u32 gapp_figures_processes(struct gapp_track *track, struct pid_namespace *ns, u64 *cursor,
			   struct gapp_thread_figures *rows, u32 capacity);
u32 gapp_figures_parallelism(struct gapp_track *track, u64 *cursor, u64 *rows, u32 capacity);
u32 gapp_figures_targets(struct gapp_track *track, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_target_figures *rows, u32 capacity);

#endif /* GAPP_FIGURES_H */
