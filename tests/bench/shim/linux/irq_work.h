/* SPDX-License-Identifier: GPL-2.0 */
/* There are no interrupts: who posts merges when it likes. */
#ifndef GAPP_BENCH_SHIM_IRQ_WORK_H
#define GAPP_BENCH_SHIM_IRQ_WORK_H

struct irq_work {
	void (*function)(struct irq_work *work);
};

#define IRQ_WORK_INIT_HARD(work) ((struct irq_work){ work })
#define irq_work_queue(work) ((void)(work))
#define irq_work_sync(work) ((void)(work))

#endif /* GAPP_BENCH_SHIM_IRQ_WORK_H */
