/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_KCSAN_CHECKS_H
#define GAPP_BENCH_SHIM_KCSAN_CHECKS_H

#define kcsan_nestable_atomic_begin() ((void)0)
#define kcsan_nestable_atomic_end() ((void)0)
#define kcsan_atomic_next(count) ((void)(count))

#endif /* GAPP_BENCH_SHIM_KCSAN_CHECKS_H */
