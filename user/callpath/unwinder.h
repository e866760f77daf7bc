/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Walks a copy of a stack with libdwfl, by the call frame information of the
 * files that the process has mapped. Copy, registers and files are hostile.
 */
#ifndef GAPP_READ_UNWINDER_H
#define GAPP_READ_UNWINDER_H

#include <gapp_record.h>

#include "input/mappings.h"

/* How a walk ended. */
enum unwind_end {
	UNWIND_OUTERMOST, /* at an outermost frame */
	UNWIND_FULL, /* there is no room for more frames */
	UNWIND_BEYOND, /* what comes next is behind the end of the copy */
	UNWIND_UNMAPPED, /* the next address is in nothing that is known to be mapped */
	UNWIND_NO_RULE, /* no file tells how to go on */
};

/**
 * struct unwinding - a walk
 * @mappings: of the process
 * @registers: as DWARF numbers them, of the frame to begin with
 * @valid: a bit for each one that is known
 * @is_return: that frame was left by a call: its address is a return address
 * @stack: the copy
 * @stack_at: its address in the process
 * @stack_bytes: its size
 * @frames: the result, innermost first: the frame to begin with, and its callers
 * @room: for so many
 * @count: how many there are; 0: not even the first is known
 * @unmapped: with UNWIND_UNMAPPED the address
 */
struct unwinding {
	const struct mappings *mappings;
	const u64 *registers;
	u64 valid;
	bool is_return;
	const void *stack;
	u64 stack_at;
	size_t stack_bytes;
	u64 *frames;
	u16 room;
	u16 count;
	u64 unmapped;
};

struct unwinder;

/* NULL: no memory. What it has read of files it keeps, for processes that map the same. */
struct unwinder *unwinder_new(struct objects *objects);
void unwinder_free(struct unwinder *unwinder);

enum unwind_end unwinder_walk(struct unwinder *unwinder, struct unwinding *walk);

/* Whether a signal's handler returns to @address, to the code that restores the registers. */
bool unwinder_ends_signal(struct unwinder *unwinder, const struct mappings *mappings, u64 address);

#endif /* GAPP_READ_UNWINDER_H */
