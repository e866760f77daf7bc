/* SPDX-License-Identifier: GPL-2.0 */
/* Each thread is a CPU of its own. */
#ifndef GAPP_BENCH_SHIM_PERCPU_H
#define GAPP_BENCH_SHIM_PERCPU_H

#define DEFINE_PER_CPU(type, name) \
	__thread struct {          \
		type own;          \
	} name
#define this_cpu_ptr(variable) (&(variable)->own)

#endif /* GAPP_BENCH_SHIM_PERCPU_H */
