/* SPDX-License-Identifier: GPL-2.0 */
/* The counter that drives the module's clock is the one that drives the shim's. */
#ifndef GAPP_BENCH_SHIM_TICKS_H
#define GAPP_BENCH_SHIM_TICKS_H

#include <linux/ktime.h>

static inline u64 gapp_ticks(void)
{
	return shim_counter();
}

#endif /* GAPP_BENCH_SHIM_TICKS_H */
