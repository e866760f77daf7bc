/* SPDX-License-Identifier: GPL-2.0 */
/* Work in hard interrupt context. */
#ifndef GAPP_COMPAT_IRQ_WORK_H
#define GAPP_COMPAT_IRQ_WORK_H

#include <linux/irq_work.h>

/* v5.11, 7a9f50a05843; in hard interrupt context also with PREEMPT_RT */
#ifndef IRQ_WORK_INIT_HARD
#define IRQ_WORK_INIT_HARD(function) \
	((struct irq_work){ .flags = ATOMIC_INIT(IRQ_WORK_HARD_IRQ), .func = (function) })
#endif

#endif /* GAPP_COMPAT_IRQ_WORK_H */
