/* SPDX-License-Identifier: GPL-2.0 */
/* User registers of a task, and the system call that it is in. */
#ifndef GAPP_COMPAT_REGS_H
#define GAPP_COMPAT_REGS_H

#include <linux/bits.h>
#include <linux/compat.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <asm/irq_regs.h>
#include <asm/syscall.h>

#include <gapp_record.h>

#include "compat.h"
#include "preempt.h"
#include "core/unwind.h"

/*
 * Kernel threads have no user registers, not even those that use a process's memory. v6.4,
 * 54e6842d0775: PF_USER_WORKER
 */
#ifdef PF_USER_WORKER
#define GAPP_NO_USER_REGS (PF_KTHREAD | PF_IO_WORKER | PF_USER_WORKER)
#else
#define GAPP_NO_USER_REGS (PF_KTHREAD | PF_IO_WORKER)
#endif

/* Current may just be changing others of its flags, or the caller interrupts it in that. */
static inline unsigned int gapp_task_flags(const struct task_struct *task)
{
	/* those that are asked for here do not change, or only by current itself */
	return data_race(task->flags);
}

/* Whether task_pt_regs() has what a task last entered the kernel with from 64-bit user code. */
static inline bool gapp_has_user_regs(struct task_struct *task)
{
	if (gapp_task_flags(task) & GAPP_NO_USER_REGS)
		return false;
#ifdef CONFIG_X86_64
	/* All registers are 0 if the task has never been in user space. */
	return user_64bit_mode(task_pt_regs(task));
#elif defined(CONFIG_ARM64)
	return user_mode(task_pt_regs(task)) && !compat_user_mode(task_pt_regs(task));
#else
	return user_mode(task_pt_regs(task));
#endif
}

/* Whether a task last entered the kernel from 32-bit user code. */
static inline bool gapp_has_32_bit_regs(struct task_struct *task)
{
	if (gapp_task_flags(task) & GAPP_NO_USER_REGS)
		return false;
#ifdef CONFIG_X86_64
	return user_mode(task_pt_regs(task)) && !user_64bit_mode(task_pt_regs(task));
#elif defined(CONFIG_ARM64)
	return compat_user_mode(task_pt_regs(task));
#else
	return false;
#endif
}

/* Whether interrupts were off where the registers are of. */
static inline bool gapp_irqs_were_off(struct pt_regs *regs)
{
#ifdef CONFIG_ARM64
	return !interrupts_enabled(regs);
#else
	return regs_irqs_disabled(regs);
#endif
}

/* Registers with which a task last entered the kernel from 64-bit user code; NULL: it has none. */
static inline struct pt_regs *gapp_user_regs(struct task_struct *task)
{
	return gapp_has_user_regs(task) ? task_pt_regs(task) : NULL;
}

/* The flags of user code, as conditional jumps ask for them. */
static inline u64 gapp_user_flags(const struct pt_regs *regs)
{
#if defined(CONFIG_X86_64)
	return regs->flags;
#elif defined(CONFIG_ARM64)
	return regs->pstate;
#else
	return 0;
#endif
}

/* Sets the first three arguments of the system call that the task is in. */
static inline void gapp_syscall_args(struct task_struct *task, struct pt_regs *regs, u64 *args)
{
	unsigned long all[6];

	syscall_get_arguments(task, regs, all);
	args[0] = all[0];
	args[1] = all[1];
	args[2] = all[2];
}

/* The first argument of the system call that the task is in. */
static inline u64 gapp_syscall_arg0(struct task_struct *task, struct pt_regs *regs)
{
	unsigned long all[6];

	syscall_get_arguments(task, regs, all);
	return all[0];
}

/*
 * Whether a task is in a system call of 32 bits, whose number means another call. Code of 64 bits
 * can make one, too, by "int $0x80". The task is current, or cannot run now.
 */
static inline bool gapp_in_32_bit_call(struct task_struct *task)
{
#if defined(CONFIG_X86_64) && defined(CONFIG_IA32_EMULATION)
	return task_thread_info(task)->status & TS_COMPAT;
#else
	return false;
#endif
}

/* Number of the system call that a task is in; below 0: none, or one of 32 bits. */
static inline s32 gapp_syscall_number(struct task_struct *task, struct pt_regs *regs)
{
	return gapp_in_32_bit_call(task) ? -1 : syscall_get_nr(task, regs);
}

/*
 * Returns the number of the system call that a task is in, and sets its first three arguments.
 * Without a system call or registers it returns -1, and the arguments are 0.
 */
static inline s32 gapp_syscall(struct task_struct *task, struct pt_regs *regs, u64 *args)
{
	s32 number = regs ? gapp_syscall_number(task, regs) : -1;

	if (number < 0) {
		args[0] = 0;
		args[1] = 0;
		args[2] = 0;
		return -1;
	}
	gapp_syscall_args(task, regs, args);
	return number;
}

/* The machine for tables; on other machines the module follows frame pointers. */
#if defined(CONFIG_X86_64)
#define GAPP_ARCH_HERE GAPP_ARCH_X86_64
#define GAPP_SP_HERE GAPP_X86_64_SP
#elif defined(CONFIG_ARM64)
#define GAPP_ARCH_HERE GAPP_ARCH_AARCH64
#define GAPP_SP_HERE GAPP_AARCH64_SP
#else
#define GAPP_ARCH_HERE 0
#define GAPP_SP_HERE 0
#endif

static inline u64 gapp_reg(const unsigned long *at)
{
	/*
	 * An exec that sets them may be interrupted, and current preempted then: the path is of no
	 * use, and ends soon.
	 */
	return data_race(*at);
}

/* Copies all registers by their DWARF numbers. */
static inline void gapp_regs_take(const struct pt_regs *from, struct gapp_regs *regs)
{
#if defined(CONFIG_X86_64)
	regs->value[0] = gapp_reg(&from->ax);
	regs->value[1] = gapp_reg(&from->dx);
	regs->value[2] = gapp_reg(&from->cx);
	regs->value[3] = gapp_reg(&from->bx);
	regs->value[4] = gapp_reg(&from->si);
	regs->value[5] = gapp_reg(&from->di);
	regs->value[6] = gapp_reg(&from->bp);
	regs->value[7] = gapp_reg(&from->sp);
	regs->value[8] = gapp_reg(&from->r8);
	regs->value[9] = gapp_reg(&from->r9);
	regs->value[10] = gapp_reg(&from->r10);
	regs->value[11] = gapp_reg(&from->r11);
	regs->value[12] = gapp_reg(&from->r12);
	regs->value[13] = gapp_reg(&from->r13);
	regs->value[14] = gapp_reg(&from->r14);
	regs->value[15] = gapp_reg(&from->r15);
	regs->value[16] = gapp_reg(&from->ip);
	regs->valid = GENMASK_ULL(16, 0);
#elif defined(CONFIG_ARM64)
	memcpy(regs->value, from->regs, sizeof(from->regs));
	regs->value[GAPP_AARCH64_SP] = from->sp;
	regs->value[GAPP_AARCH64_IP] = from->pc;
	regs->valid = GENMASK_ULL(GAPP_AARCH64_IP, 0);
#else
	regs->valid = 0;
#endif
}

/*
 * Makes registers those of the function that has called the one they are of, which has no frame: of
 * the others than the stack pointer only those remain that a function must keep.
 */
static inline void gapp_regs_leave_call(struct gapp_regs *regs)
{
#if defined(CONFIG_X86_64)
	regs->value[GAPP_X86_64_SP] += sizeof(u64);
	regs->valid = BIT_ULL(3) | BIT_ULL(6) | BIT_ULL(GAPP_X86_64_SP) | GENMASK_ULL(15, 12);
#elif defined(CONFIG_ARM64)
	regs->valid = GENMASK_ULL(29, 19) | BIT_ULL(GAPP_AARCH64_SP);
#else
	regs->valid = 0;
#endif
}

/* Address at which an interrupt hit the kernel; 0: it hit user space, or there is none. */
static inline unsigned long gapp_interrupted_kernel(void)
{
	struct pt_regs *regs = get_irq_regs();

	return regs && !user_mode(regs) ? instruction_pointer(regs) : 0;
}

/* Whether an interrupt hit current in user space; some kinds of interrupt do not tell. */
static inline bool gapp_in_user_code(void)
{
	return in_hardirq() && !gapp_interrupted_kernel();
}

/*
 * Where the interrupt hit current: number of a system call, or GAPP_IN_*. @shown: the registers
 * with which current entered the kernel can be read and may be shown.
 */
static inline s32 gapp_interrupted_in(bool shown)
{
	s32 number;

	if (gapp_task_flags(current) & GAPP_NO_USER_REGS)
		return GAPP_IN_KTHREAD;
	if (gapp_in_user_code())
		return GAPP_IN_USER;
	if (in_serving_softirq())
		return GAPP_IN_INTERRUPT;
	if (!shown)
		return GAPP_IN_UNKNOWN;
	if (gapp_in_32_bit_call(current))
		return GAPP_IN_UNKNOWN;
	number = gapp_syscall_number(current, task_pt_regs(current));
	return number < 0 ? GAPP_IN_FAULT : number;
}

#endif /* GAPP_COMPAT_REGS_H */
