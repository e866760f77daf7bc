/* SPDX-License-Identifier: GPL-2.0 */
/* What is told between the scheduler's events. */
#ifndef GAPP_BETWEEN_H
#define GAPP_BETWEEN_H

#include "cpu.h"

void gapp_between_init(struct gapp_cpu *cpu);
void gapp_between_exec(struct gapp_session *session, struct gapp_thread *thread);
void gapp_between_stop(void *data);

#endif /* GAPP_BETWEEN_H */
