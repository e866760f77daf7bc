/* SPDX-License-Identifier: GPL-2.0 */
/* Registers of which addresses are made, by their DWARF numbers. */
#ifndef GAPP_CORE_REGISTERS_H
#define GAPP_CORE_REGISTERS_H

#include <gapp_table.h>

#include "port.h"
#include "unwind.h"

/* Whether it is a register, or says that there is none. */
static inline bool gapp_register_is_valid(u8 number)
{
	return number < GAPP_REGISTERS || number == GAPP_SPIN_NO_REGISTER;
}

/**
 * gapp_register_add() - add a register to an address
 * @regs: the thread's registers
 * @number: a valid number; GAPP_SPIN_NO_REGISTER adds nothing
 * @scale: how often it is added
 * @sum: the address
 *
 * Return: false if its value is not known.
 */
static inline bool gapp_register_add(const struct gapp_regs *regs, u8 number, u64 scale, u64 *sum)
{
	if (number == GAPP_SPIN_NO_REGISTER)
		return true;
	if (!(regs->valid & 1ULL << number))
		return false;
	*sum += regs->value[number] * scale;
	return true;
}

#endif /* GAPP_CORE_REGISTERS_H */
