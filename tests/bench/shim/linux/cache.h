/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_CACHE_H
#define GAPP_BENCH_SHIM_CACHE_H

#define SMP_CACHE_BYTES 64
#define ____cacheline_aligned __attribute__((aligned(SMP_CACHE_BYTES)))
#define ____cacheline_aligned_in_smp ____cacheline_aligned

#endif /* GAPP_BENCH_SHIM_CACHE_H */
