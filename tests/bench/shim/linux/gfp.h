/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_GFP_H
#define GAPP_BENCH_SHIM_GFP_H

#define GFP_KERNEL_ACCOUNT 0
#define __GFP_RETRY_MAYFAIL 0
#define __GFP_NOWARN 0

#endif /* GAPP_BENCH_SHIM_GFP_H */
