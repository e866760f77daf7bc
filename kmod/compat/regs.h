/* SPDX-License-Identifier: GPL-2.0 */
/* A task's user registers, and what system call they are of. */
#ifndef GAPP_COMPAT_REGS_H
#define GAPP_COMPAT_REGS_H

#include <linux/compat.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>
#include <asm/syscall.h>

#include "compat.h"

/* Threads of the kernel that run in a process's memory have no user registers of their own. */
#ifdef PF_USER_WORKER
#define GAPP_NO_USER_REGS (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define GAPP_NO_USER_REGS (PF_KTHREAD | PF_IO_WORKER)
#endif

/* The registers with which the task entered the kernel last; NULL: it has none of this kind. */
static inline struct pt_regs *gapp_user_regs(struct task_struct *task)
{
	struct pt_regs *regs;

	if (task->flags & GAPP_NO_USER_REGS)
		return NULL;
	regs = task_pt_regs(task);
#ifdef CONFIG_X86_64
	/* A task that has never been to user space has all zeroes there. */
	if (!user_64bit_mode(regs))
		return NULL;
#else
	if (!user_mode(regs))
		return NULL;
#endif
	return regs;
}

/* Where an interrupt hit the kernel; 0: it hit user space, or this is no interrupt. */
static inline unsigned long gapp_interrupted_kernel(void)
{
	struct pt_regs *regs = get_irq_regs();

	return regs && !user_mode(regs) ? instruction_pointer(regs) : 0;
}

/* Current is in user space, as far as its interrupt knows; not all kinds of interrupt do. */
static inline bool gapp_in_user_code(void)
{
	return in_hardirq() && !gapp_interrupted_kernel();
}

#endif /* GAPP_COMPAT_REGS_H */
