/* SPDX-License-Identifier: GPL-2.0 */
/* Writes records. */
#ifndef GAPP_TELL_H
#define GAPP_TELL_H

#include "tale.h"

/* Interrupts are off. */
void gapp_export_write(struct gapp_track *track, struct gapp_cpu *cpu, struct gapp_thread *entry,
		       struct gapp_export *tale);

#endif /* GAPP_TELL_H */
