/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The processor that this program runs on: stack copies are finished where they were made.
 * Registers have DWARF's numbers.
 */
#ifndef GAPP_CALLPATH_MACHINE_H
#define GAPP_CALLPATH_MACHINE_H

#include <elf.h>

#include <gapp_table.h>

#include "core/unwind.h"

#ifdef __aarch64__
#define MACHINE_ARCH GAPP_ARCH_AARCH64
#define MACHINE_ELF EM_AARCH64
#define MACHINE_FP GAPP_AARCH64_FP
#define MACHINE_IP GAPP_AARCH64_IP
/* Addresses of user space end here; return addresses may have a signature above. */
#define MACHINE_LIMIT 0x0001000000000000ULL
#define MACHINE_SIGNS_ADDRESSES true
/*
 * Where a frame without a rule follows one that has a rule, libdwfl takes the link register, which
 * it still has from the latter, for the caller's address: so the frame comes twice.
 */
#define MACHINE_REPEATS true
#else
#define MACHINE_ARCH GAPP_ARCH_X86_64
#define MACHINE_ELF EM_X86_64
#define MACHINE_FP GAPP_X86_64_FP
#define MACHINE_IP GAPP_X86_64_IP
/* The limit of page tables with five levels. */
#define MACHINE_LIMIT 0x0100000000000000ULL
#define MACHINE_SIGNS_ADDRESSES false
#define MACHINE_REPEATS false
#endif

#endif /* GAPP_CALLPATH_MACHINE_H */
