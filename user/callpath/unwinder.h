/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds stack copies with libdwfl, by the call frame information of the files that the process
 * has mapped. The owner of the process can write anything into its stack, registers and files.
 */
#ifndef GAPP_READ_UNWINDER_H
#define GAPP_READ_UNWINDER_H

#include <elfutils/libdwfl.h>

#include "call_paths.h"
#include "input/mappings.h"

/**
 * struct unwinding - one stack copy to unwind
 * @mappings: mappings of the process
 * @registers: registers of the first frame, by DWARF's numbers
 * @valid: a bit for each register that is known
 * @is_return: a call left the first frame, so its address is a return address
 * @stack: the copied bytes
 * @stack_at: their address in the process
 * @frames: the result: address of the first frame, then of its callers
 * @room: frames that @frames has memory for
 * @count: frames found; 0: not even the first is known
 * @unmapped: with UNWIND_UNMAPPED, the address
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

/* An unwinder keeps what it has read of files. NULL: no memory. */
struct unwinder *unwinder_new(struct objects *objects);
void unwinder_free(struct unwinder *unwinder);

enum unwind_end unwinder_unwind(struct unwinder *unwinder, struct unwinding *unwinding);

/* Whether the code at @address restores the registers when a signal's handler returns to it. */
bool unwinder_ends_signal(struct unwinder *unwinder, const struct mappings *mappings, u64 address);

/*
 * Address spaces as libdwfl sees them: one for each distinct list of mapped files. A file is opened
 * when a frame is in it.
 */
struct unwind_space;
struct unwind_spaces;

/* NULL: no memory. */
struct unwind_spaces *unwind_spaces_new(struct objects *objects);
void unwind_spaces_free(struct unwind_spaces *spaces);

/* The space for a list of mappings; it stays until the next call. NULL: no memory. */
struct unwind_space *unwind_space_get(struct unwind_spaces *spaces,
				      const struct mappings *mappings);

/*
 * The module of the file that is mapped at @address; NULL: no file is, or it cannot be read. The
 * call may free modules that earlier calls gave.
 */
Dwfl_Module *unwind_space_module(struct unwind_space *space, u64 address);

/*
 * Sets the callbacks for the space's threads, and their @context, at the first call; all later
 * calls give the same ones. NULL: libdwfl has failed.
 */
Dwfl *unwind_space_attach(struct unwind_space *space, const Dwfl_Thread_Callbacks *callbacks,
			  void *context);

/* The frame that call frame information describes at @address, freed by the caller; NULL: none. */
Dwarf_Frame *unwind_space_frame(struct unwind_space *space, u64 address);

#endif /* GAPP_READ_UNWINDER_H */
