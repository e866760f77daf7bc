/* SPDX-License-Identifier: GPL-2.0 */
/* The sampler: a timer on each CPU that runs threads of the target. */
#ifndef GAPP_SAMPLER_H
#define GAPP_SAMPLER_H

#include "cpu.h"

void gapp_sampler_init(struct gapp_cpu *cpu);
void gapp_sampler_arm(struct gapp_cpu *cpu);
void gapp_sampler_arm_here(void *data);

#endif /* GAPP_SAMPLER_H */
