/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_DELAY_H
#define GAPP_BENCH_SHIM_DELAY_H

#include <unistd.h>

#define usleep_range(least, most) usleep(((least) + (most)) / 2)

#endif /* GAPP_BENCH_SHIM_DELAY_H */
