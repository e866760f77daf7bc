/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Capstone, which is loaded when it is first needed: it has some megabytes, and most uses of the
 * reader decode nothing.
 */
#ifndef GAPP_READ_CAPSTONE_LIBRARY_H
#define GAPP_READ_CAPSTONE_LIBRARY_H

#include <stdbool.h>

#include <capstone/capstone.h>

/* Capstone 5 has the name of the processors' manuals. */
#if CS_API_MAJOR < 5
#define X86_INS_UD1 X86_INS_UD2B
#endif

#define CAPSTONE_QUOTE(number) #number
#define CAPSTONE_TEXT(number) CAPSTONE_QUOTE(number)
/* Each major version has its own structures. */
#define CAPSTONE_LIBRARY "libcapstone.so." CAPSTONE_TEXT(CS_API_MAJOR)
/* Debian's package of it. */
#define CAPSTONE_PACKAGE "libcapstone" CAPSTONE_TEXT(CS_API_MAJOR)

/**
 * struct capstone - an open decoder
 * @plain: handle that leaves operands out
 * @detailed: handle with operands
 * @plain_insn: room for an instruction of @plain
 * @insn: room for an instruction of @detailed
 * @next: cs_disasm_iter()
 */
struct capstone {
	csh plain;
	csh detailed;
	cs_insn *plain_insn;
	cs_insn *insn;
	typeof(cs_disasm_iter) *next;
};

/* Opens a decoder. NULL, with a complaint if @complains: there is no library, or no memory. */
struct capstone *capstone_open(cs_arch arch, cs_mode mode, bool complains);
void capstone_close(struct capstone *capstone);

#endif /* GAPP_READ_CAPSTONE_LIBRARY_H */
