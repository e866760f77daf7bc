// SPDX-License-Identifier: GPL-2.0
/* What the module's clock and posts need. */
#include <linux/ktime.h>
#include <linux/smp.h>

#include "threads/clock.h"

struct shim_clock shim_clock;
/* NULL: the module's clock is the kernel's. */
const struct gapp_scale *gapp_clock_scale;
__thread u32 shim_cpu;
