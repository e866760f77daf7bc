/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_BITS_H
#define GAPP_BENCH_SHIM_BITS_H

#define BIT(number) (1UL << (number))

#endif /* GAPP_BENCH_SHIM_BITS_H */
