/* SPDX-License-Identifier: GPL-2.0 */
/* Each thread is a CPU of its own. */
#ifndef GAPP_BENCH_SHIM_SMP_H
#define GAPP_BENCH_SHIM_SMP_H

#include <linux/compiler.h>

extern __thread u32 shim_cpu;

#define smp_processor_id() shim_cpu
#define get_cpu() shim_cpu
#define put_cpu() ((void)0)

#endif /* GAPP_BENCH_SHIM_SMP_H */
