/* SPDX-License-Identifier: GPL-2.0 */
/* Names and source lines of places. Everything is looked up once and kept. */
#ifndef GAPP_READ_SYMBOLS_H
#define GAPP_READ_SYMBOLS_H

#include "input/object.h"

/**
 * struct frame - a function at a place, as it is shown
 * @function: demangled name; NULL: none is known
 * @module: name of the object, "[kernel]" for the kernel; never NULL
 * @file: source file, or NULL
 * @line: in @file; 0: not known
 * @inlined: it was inlined into the frame that follows
 * @outermost: it is the C library's code that begins a program or thread
 * @offset: @function is NULL: the object's address (as objdump shows it) at which the function
 *	begins, or that of the place where not even that is known; where the object cannot be read
 *	the place's offset in the file, or the address in memory
 *
 * Strings belong to the symbols.
 */
struct frame {
	const char *function;
	const char *module;
	const char *file;
	u32 line;
	bool inlined;
	bool outermost;
	u64 offset;
};

struct symbols;

/*
 * @cancel becomes true when the user has enough: everything that is not known yet is unknown from
 * then on. The objects of places must live longer than the symbols, and be used with one at a time.
 */
struct symbols *symbols_new(const volatile bool *cancel);
void symbols_free(struct symbols *symbols);

/*
 * The function of the symbol table that a place is in. @is_return: the place is a return address,
 * so the call before it counts. Cheap: no debug information is read. Two places in one function
 * give the same pointers. NULL only without memory.
 */
const struct frame *symbols_function(struct symbols *symbols, struct place place, bool is_return);

/*
 * All frames of a place, innermost first: inlined functions and the one that they are in, with
 * lines. The last one is the same function that symbols_function() gives. Returns how many there
 * are (at least 1; 0 without memory); they belong to the symbols.
 */
size_t symbols_frames(struct symbols *symbols, struct place place, bool is_return,
		      const struct frame **frames);

enum frame_rule {
	FRAME_UNKNOWN, /* nothing tells: believe it */
	FRAME_POINTER, /* the frame pointer is that of this function's frame */
	FRAME_OTHER, /* it is not: what was found with it is not this function's caller */
	FRAME_OUTERMOST, /* there is no caller */
};

/* Whether the frame pointer tells the caller there, by the call frame information. */
enum frame_rule symbols_frame_rule(struct symbols *symbols, struct place place, bool is_return);

/*
 * Whether no caller is missing behind a frame in @function: it is the C library's code that begins
 * a program or a thread. Whoever called main() is in such a function.
 */
bool symbols_is_outermost(const struct frame *function);

#endif /* GAPP_READ_SYMBOLS_H */
