/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_TIMEKEEPING_H
#define GAPP_BENCH_SHIM_TIMEKEEPING_H

#include <linux/ktime.h>

#endif /* GAPP_BENCH_SHIM_TIMEKEEPING_H */
