/* SPDX-License-Identifier: GPL-2.0 */
/* The machines whose stacks are walked; for unwind.c alone. */
#ifndef GAPP_CORE_MACHINE_H
#define GAPP_CORE_MACHINE_H

#include "unwind.h"

/**
 * struct machine - what is different between machines
 * @ip: number of its register
 * @sp: likewise
 * @fp: likewise
 * @registers: how many there are
 * @signal_offset: from a signal frame's stack pointer to the registers saved there
 * @signal_order: their numbers; NULL: in their order
 * @sp_behind_fp: at the frame pointer are a frame's last two words
 */
struct machine {
	u8 ip, sp, fp;
	u8 registers;
	u16 signal_offset;
	const u8 *signal_order;
	bool sp_behind_fp;
};

/* r8 to r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip */
static const u8 x86_64_order[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };

static const struct machine x86_64 = {
	.ip = GAPP_X86_64_IP,
	.sp = GAPP_X86_64_SP,
	.fp = GAPP_X86_64_FP,
	.registers = sizeof(x86_64_order),
	.signal_offset = 40,
	.signal_order = x86_64_order,
	.sp_behind_fp = true,
};

static const struct machine aarch64 = {
	.ip = GAPP_AARCH64_IP,
	.sp = GAPP_AARCH64_SP,
	.fp = GAPP_AARCH64_FP,
	.registers = GAPP_REGISTERS,
	.signal_offset = 312,
};

#endif /* GAPP_CORE_MACHINE_H */
