/* SPDX-License-Identifier: GPL-2.0 */
/* The context that runs. */
#ifndef GAPP_COMPAT_PREEMPT_H
#define GAPP_COMPAT_PREEMPT_H

#include <linux/preempt.h>

/* v5.11, 15115830c887 */
#ifndef in_hardirq
#define in_hardirq() (hardirq_count())
#endif

#endif /* GAPP_COMPAT_PREEMPT_H */
