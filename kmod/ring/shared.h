/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that a reader may map. */
#ifndef GAPP_SHARED_H
#define GAPP_SHARED_H

#include <linux/types.h>

void *gapp_shared_alloc(u64 bytes, int node);
void gapp_shared_free(void *memory, u64 bytes);

#endif /* GAPP_SHARED_H */
