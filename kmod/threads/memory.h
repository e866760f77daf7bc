/* SPDX-License-Identifier: GPL-2.0 */
/* How memory is asked for. */
#ifndef GAPP_MEMORY_H
#define GAPP_MEMORY_H

#include <linux/gfp.h>

/*
 * For memory whose size the reader or the target chooses. Where there is none a command fails with
 * ENOMEM, or a thread is missed: the OOM killer ends no process for a session, neither of the
 * machine nor of the opener's memory cgroup, and the kernel's log has no trace of it.
 */
#define GAPP_GFP (GFP_KERNEL_ACCOUNT | __GFP_RETRY_MAYFAIL | __GFP_NOWARN)

#endif /* GAPP_MEMORY_H */
