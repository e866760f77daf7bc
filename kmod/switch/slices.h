/* SPDX-License-Identifier: GPL-2.0 */
/* What there is to tell of a thread's slices and waits. The thread is locked. */
#ifndef GAPP_SLICES_H
#define GAPP_SLICES_H

#include "core/wait_reason.h"
#include "export.h"

bool gapp_slices_open(struct gapp_cpu *cpu, struct gapp_thread *thread);
void gapp_slices_event(struct gapp_session *session, struct gapp_cpu *cpu,
		       struct gapp_thread *thread, enum gapp_event event, bool open,
		       const struct gapp_at *at, struct gapp_export *export);
u8 gapp_slices_begin_wait(struct gapp_thread *thread, struct gapp_export *export);
void gapp_slices_out(struct gapp_session *session, struct gapp_cpu *cpu, struct gapp_thread *thread,
		     enum gapp_then then, const struct gapp_at *at, struct gapp_export *export);
void gapp_slices_active(struct gapp_session *session, struct gapp_thread *thread, bool waited,
			const struct gapp_at *at, struct gapp_export *export);
void gapp_slices_describe(const struct gapp_thread *thread, const struct gapp_at *at,
			  struct gapp_export *export, bool slept);
void gapp_slices_part(struct gapp_session *session, struct gapp_cpu *cpu,
		      struct gapp_thread *thread, enum gapp_then then, const struct gapp_at *at,
		      struct gapp_export *export);
bool gapp_slices_wanted(struct gapp_session *session, struct gapp_thread *thread,
			const struct gapp_at *at, struct gapp_export *export);
bool gapp_slices_rest(struct gapp_session *session, struct gapp_thread *thread,
		      const struct gapp_at *end, struct gapp_export *export);

#endif /* GAPP_SLICES_H */
