/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths of the thread that is on this CPU. */
#ifndef GAPP_CALLPATH_H
#define GAPP_CALLPATH_H

#include "switch/cpu.h"

u32 gapp_callpath_user(struct gapp_cpu *cpu, const struct gapp_thread *thread, u32 image, u64 now);
u32 gapp_callpath_kernel(struct gapp_cpu *cpu, unsigned long from);

#endif /* GAPP_CALLPATH_H */
