/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that is mapped page by page. */
#ifndef GAPP_COMPAT_VMALLOC_H
#define GAPP_COMPAT_VMALLOC_H

#include <linux/vmalloc.h>

/*
 * As GAPP_GFP, but it gives up sooner. v6.19, 07003531e03c: __vmalloc() prints a warning if it is
 * given __GFP_RETRY_MAYFAIL, and goes on without, so that the OOM killer may end a process.
 */
#define GAPP_VMALLOC_GFP (GFP_KERNEL_ACCOUNT | __GFP_NORETRY | __GFP_NOWARN)

#endif /* GAPP_COMPAT_VMALLOC_H */
