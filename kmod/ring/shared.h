/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that a reader may map. */
#ifndef GAPP_SHARED_H
#define GAPP_SHARED_H

#include <linux/gfp.h>
#include <linux/types.h>

/*
 * For memory whose size the reader chooses. Where there is none the reader gets ENOMEM: the OOM
 * killer ends no process for a session, neither of the machine nor of the opener's memory cgroup,
 * and the kernel's log has no trace of it.
 */
#define GAPP_GFP_READER (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

void *gapp_shared_alloc(u64 bytes, int node);
void gapp_shared_free(void *memory, u64 bytes);

#endif /* GAPP_SHARED_H */
