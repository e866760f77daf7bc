/* SPDX-License-Identifier: GPL-2.0 */
/* Finds the busy-wait loops of an ELF file, without its source. */
#ifndef GAPP_READ_SPINS_H
#define GAPP_READ_SPINS_H

#include "insn.h"

#define SPIN_WAITS_MAX 4
#define SPIN_TERMS_MAX 4
#define SPIN_EXITS_MAX 16

/* What a loop does besides loading and comparing. */
enum spin_does {
	SPIN_PAUSES = 1, /* it tells the CPU that it waits */
	SPIN_YIELDS = 2, /* it lets others run */
	SPIN_SLEEPS = 4, /* it sleeps for some time between two looks */
	SPIN_READS_CLOCK = 8,
	SPIN_BOUNDED = 16, /* it ends after so many looks, or so long */
	SPIN_TAKES = 32, /* it takes what it waits for, by an atomic instruction */
	SPIN_CALLS = 64, /* it calls a function that may do anything, see @callee */
	SPIN_BLOCKS = 128, /* it makes a system call that may wait: spinning is not all it does */
	SPIN_PART = 256, /* the loop also does other things, in blocks that are not in @ranges */
	SPIN_STORES = 512, /* it changes memory, and was found by its pauses */
	SPIN_HELPER = 1024, /* it waits for what a function loads that it calls */
	SPIN_PROGRESS = 2048, /* it calls a progress engine, see @callee */
};

/* How sure it is that a loop waits. */
enum spin_tier {
	SPIN_LOW, /* what runs must show it */
	SPIN_HIGH,
};

/**
 * struct spin_term - one step of an address
 * @base: register, or REGISTER_NONE
 * @index: register, or REGISTER_NONE
 * @scale: factor of @index
 * @offset: what is added
 */
struct spin_term {
	u8 base;
	u8 index;
	u8 scale;
	s64 offset;
};

/**
 * struct spin_address - where a value lies
 * @count: steps
 * @moves: a register of it changes in the loop, so that it holds at one instruction only
 * @rough: the steps are for people only: one reads fewer than 8 bytes or cuts a register, or the
 *	first begins with an absolute address
 * @terms: the first gives an address; each other is added to the word at the address before
 */
struct spin_address {
	u8 count;
	bool moves;
	bool rough;
	struct spin_term terms[SPIN_TERMS_MAX];
};

enum spin_value_kind {
	SPIN_VALUE_UNKNOWN,
	SPIN_VALUE_NUMBER,
	SPIN_VALUE_REGISTER,
	SPIN_VALUE_MEMORY,
	SPIN_VALUE_CALLEE, /* what a helper returns */
};

/**
 * struct spin_value - a side of a comparison
 * @kind: enum spin_value_kind
 * @reg: with SPIN_VALUE_REGISTER: register
 * @bytes: size in memory or the register; 0: not known
 * @number: with SPIN_VALUE_NUMBER
 * @is_local: with SPIN_VALUE_MEMORY: a word of the stack that the loop does not write
 * @mask: bits that are compared; 0: all
 * @at: with SPIN_VALUE_MEMORY: address of the instruction that loads it, or with SPIN_VALUE_CALLEE:
 *	calls the helper
 * @address: with SPIN_VALUE_MEMORY: where
 */
struct spin_value {
	u8 kind;
	u8 reg;
	u8 bytes;
	bool is_local;
	s64 number;
	u64 mask;
	u64 at;
	struct spin_address address;
};

/**
 * struct spin_wait - an exit of a loop that depends on memory
 * @branch: address of the branch that ends the loop
 * @bytes: how many of it are compared; 0: not known
 * @while_is: the loop goes on while @location compares so with @value: enum branch_condition
 * @location: what is waited for; SPIN_VALUE_MEMORY, or not known
 * @value: what it is compared with
 */
struct spin_wait {
	u64 branch;
	u8 while_is;
	u8 bytes;
	struct spin_value location;
	struct spin_value value;
};

/* Code of a loop, from @begin to before @end. */
struct spin_range {
	u64 begin;
	u64 end;
};

/**
 * struct spin_exit - a conditional jump in a loop, one of whose ways leaves it
 * @address: of the jump
 * @target: where it leads if it jumps
 * @next: and if not
 * @condition: the machine's number of when it jumps
 */
struct spin_exit {
	u64 address;
	u64 target;
	u64 next;
	u8 condition;
};

/**
 * struct spin - a busy-wait loop
 * @header: address of its first instruction
 * @function: address of the function that it is in
 * @callee: with SPIN_CALLS or SPIN_PROGRESS: address of the first call
 * @does: enum spin_does
 * @tier: enum spin_tier
 * @insns: instructions
 * @ranges: its code, by address
 * @range_count: ranges
 * @exits: all its exits, if each is a jump with a condition, and there are not too many
 * @exit_count: exits, or 0
 * @waits: exits that depend on memory
 * @wait_count: exits
 */
struct spin {
	u64 header;
	u64 function;
	u64 callee;
	u32 does;
	u8 tier;
	u8 wait_count;
	u16 insns;
	u32 range_count;
	struct spin_range *ranges;
	u32 exit_count;
	struct spin_exit *exits;
	struct spin_wait waits[SPIN_WAITS_MAX];
};

/* Where a loaded segment is in the file. */
struct spin_load {
	u64 address;
	u64 offset;
	u64 size;
};

/**
 * struct spins - the busy-wait loops of a file
 * @register_names: of the file's machine
 * @dwarf_numbers: DWARF numbers of registers; REGISTER_NONE: it has none
 * @spins: loops, by the address of their first instruction
 * @loads: loaded segments
 * @load_count: loaded segments
 * @code_bytes: bytes of code in the file
 * @insns: instructions
 * @functions: functions
 * @loops: loops that were looked at
 * @pauses: instructions that tell the CPU that the code waits
 * @pauses_inside: those that are in @spins
 * @given_up: functions that are too large, or have too many loops
 */
struct spins {
	const char *const *register_names;
	const u8 *dwarf_numbers;
	struct spin *spins;
	u32 count;
	u32 room;
	struct spin_load *loads;
	u32 load_count;
	u64 code_bytes;
	u64 insns;
	u32 functions;
	u32 loops;
	u64 pauses;
	u64 pauses_inside;
	u32 given_up;
};

/* Raise it when other loops are found in the same file than before, or are sure, or are one. */
#define SPINS_FINDER_VERSION 8

/* Whether there is a decoder for a machine, by its number in ELF files; if not, may complain. */
bool spins_can_find(u16 machine, bool complains);

/*
 * Finds the loops of an open file. Returns 0; or -1 with errno set: ENOEXEC: it is no ELF file of a
 * machine that has a decoder; ENOMEM; ENOTSUP, with a complaint made: there is no decoder.
 */
int spins_find(struct spins *spins, int fd);
/*
 * As spins_find(), but ENOTSUP comes with a complaint only if @complains; and ECANCELED says that
 * another thread has set @cancel, which may be NULL.
 */
int spins_find_until(struct spins *spins, int fd, bool complains, const volatile bool *cancel);
void spins_free(struct spins *spins);
#define _cleanup_spins_ _cleanup_(spins_free)

/* Sets @offset to where the file has an address. False: it is not loaded from the file. */
bool spins_offset(const struct spins *spins, u64 address, u64 *offset);

#endif /* GAPP_READ_SPINS_H */
