/* SPDX-License-Identifier: GPL-2.0 */
/* Figures of threads, as the ABI gives them. */
#ifndef GAPP_FIGURES_H
#define GAPP_FIGURES_H

#include "threads/table.h"

struct pid_namespace;

void gapp_figures_of(struct gapp_thread *thread, const struct gapp_at *at,
		     struct gapp_thread_figures *figures);
bool gapp_figures_slot(struct gapp_session *session, u32 slot, struct pid_namespace *ns,
		       struct gapp_thread_figures *figures);
u32 gapp_figures_threads(struct gapp_session *session, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_thread_figures *rows, u32 capacity);
u32 gapp_figures_processes(struct gapp_session *session, struct pid_namespace *ns, u64 *cursor,
			   struct gapp_thread_figures *rows, u32 capacity);
u32 gapp_figures_parallelism(struct gapp_session *session, u64 *cursor, u64 *rows, u32 capacity);
u32 gapp_figures_targets(struct gapp_session *session, struct pid_namespace *ns, u64 *cursor,
			 struct gapp_target_figures *rows, u32 capacity);

#endif /* GAPP_FIGURES_H */
