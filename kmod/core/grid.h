/* SPDX-License-Identifier: GPL-2.0 */
/*
 * When the sampler looks: once in every period, at an offset drawn for that
 * period and CPU. Every instant is as likely to be hit as any other, however
 * short the bursts and whenever they begin.
 */
#ifndef GAPP_CORE_GRID_H
#define GAPP_CORE_GRID_H

#include "port.h"

u64 gapp_grid_next(u64 now_ns, u32 period_ns, u64 seed);

#endif /* GAPP_CORE_GRID_H */
