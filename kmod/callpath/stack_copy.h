/* SPDX-License-Identifier: GPL-2.0 */
/* What the module cannot walk goes along, for the reader to go on with. Interrupts are off. */
#ifndef GAPP_STACK_COPY_H
#define GAPP_STACK_COPY_H

#include "callpath.h"

bool gapp_stack_copy_allowed(struct gapp_unwinder *cpu);
u32 gapp_stack_copy_send(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			 u64 now, u32 path, const struct gapp_regs *regs, u32 flags);
void gapp_stack_copy_need(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			  u64 now, u64 address);

#endif /* GAPP_STACK_COPY_H */
