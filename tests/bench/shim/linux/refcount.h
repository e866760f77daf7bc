/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_REFCOUNT_H
#define GAPP_BENCH_SHIM_REFCOUNT_H

struct shim_refcount {
	int count;
};

#define refcount_t struct shim_refcount

#endif /* GAPP_BENCH_SHIM_REFCOUNT_H */
