/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GAPP_BENCH_SHIM_MM_H
#define GAPP_BENCH_SHIM_MM_H

#include <errno.h>
#include <stdlib.h>

#define kvcalloc(count, size, flags) ((void)(flags), calloc(count, size))
#define kvzalloc_node(size, flags, node) ((void)(flags), (void)(node), calloc(1, size))
#define kvfree free

#endif /* GAPP_BENCH_SHIM_MM_H */
