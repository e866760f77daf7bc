/* SPDX-License-Identifier: GPL-2.0 */
/* What there is to tell of a thread's slices and waits. The entry is locked. */
#ifndef GAPP_SLICES_H
#define GAPP_SLICES_H

#include "core/wait_reason.h"
#include "tale.h"

bool gapp_slices_open(struct gapp_cpu *cpu, struct gapp_thread *entry);
void gapp_slices_event(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		       enum gapp_event event, bool open, const struct gapp_at *at,
		       struct gapp_export *tale);
u8 gapp_slices_sleep(struct gapp_thread *entry, struct gapp_export *tale);
void gapp_slices_out(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		     enum gapp_then then, const struct gapp_at *at, struct gapp_export *tale);
void gapp_slices_active(struct gapp_track *track, struct gapp_thread *entry, bool waited,
			const struct gapp_at *at, struct gapp_export *tale);
void gapp_slices_describe(const struct gapp_thread *entry, const struct gapp_at *at,
			  struct gapp_export *tale, bool slept);
void gapp_slices_part(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		      enum gapp_then then, const struct gapp_at *at, struct gapp_export *tale);
bool gapp_slices_wanted(struct gapp_track *track, struct gapp_thread *entry,
			const struct gapp_at *at, struct gapp_export *tale);
bool gapp_slices_rest(struct gapp_track *track, struct gapp_thread *entry,
		      const struct gapp_at *end, struct gapp_export *tale);

#endif /* GAPP_SLICES_H */
