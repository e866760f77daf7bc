/* SPDX-License-Identifier: GPL-2.0 */
/* Decoders: from bytes to instructions, one for each machine. */
#ifndef GAPP_READ_DECODER_H
#define GAPP_READ_DECODER_H

#include "insn.h"

/* No instruction is longer. */
#define INSN_BYTES_MAX 16

/* What a system call does, as far as a loop that waits is concerned. */
enum syscall_kind {
	SYSCALL_OTHER,
	SYSCALL_YIELD,
	SYSCALL_SLEEP,
	SYSCALL_CLOCK,
};

/**
 * struct machine - what the rules must know of a machine
 * @elf: its number in ELF files
 * @stack_pointer: register
 * @frame_pointer: register that holds the frame's address in functions that begin so
 * @flags: register of the flags
 * @result: register of what a call returns
 * @syscall_number: register of a system call's number
 * @arguments: registers of a call's first arguments, REGISTER_BIT() of each
 * @lost: registers that a call may change
 * @syscall_lost: registers that a system call may change, besides @result
 * @register_names: by number
 * @dwarf_numbers: DWARF numbers, by number; REGISTER_NONE: it has none
 * @open: makes the decoder's own state; NULL: there is none, with a complaint made if asked for
 * @close: frees it
 * @step: decodes an instruction of at most @size bytes by the way it leads; false: it is none
 * @decode: decodes it whole; false: it is none
 * @syscall: what a system call does
 * @condition: of an instruction by which step() finds FLOW_BRANCH: the machine's number of when it
 *	jumps (see struct gapp_spin_exit); -1: it has none
 * @import: of a stub that jumps to an imported function: the address of the pointer that it takes
 *	(see struct code_import); 0: @code is no such stub
 */
struct machine {
	u16 elf;
	u8 stack_pointer;
	u8 frame_pointer;
	u8 flags;
	u8 result;
	u8 syscall_number;
	u64 arguments;
	u64 lost;
	u64 syscall_lost;
	const char *const *register_names;
	const u8 *dwarf_numbers;
	void *(*open)(bool complains);
	void (*close)(void *state);
	bool (*step)(void *state, const u8 *code, size_t size, u64 address, struct step *step);
	bool (*decode)(void *state, const u8 *code, size_t size, u64 address, struct insn *insn);
	enum syscall_kind (*syscall)(u64 number);
	int (*condition)(const u8 *code, size_t size);
	u64 (*import)(const u8 *code, size_t size, u64 address);
};

extern const struct machine machine_x86_64;

/* The machine with that number in ELF files, or NULL: there is no decoder for it. */
const struct machine *machine_find(u16 elf);

#endif /* GAPP_READ_DECODER_H */
