/* SPDX-License-Identifier: GPL-2.0 */
/* What the module cannot walk goes along, for the reader to go on with. Interrupts are off. */
#ifndef GAPP_TAIL_H
#define GAPP_TAIL_H

#include "cpu.h"

bool gapp_tail_allowed(struct gapp_cpu *cpu);
u32 gapp_tail_tell(struct gapp_cpu *cpu, const struct gapp_entry *entry, u32 image, u64 now,
		   u32 path, const struct gapp_regs *regs, u32 flags);
void gapp_tail_need(struct gapp_cpu *cpu, const struct gapp_entry *entry, u32 image, u64 now,
		    u64 address);

#endif /* GAPP_TAIL_H */
