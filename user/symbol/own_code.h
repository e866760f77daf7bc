/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Own code is what a person would change: the program's. All else is library code: libraries that
 * came with the system, the runtime of a language, and what a compiler makes of their headers and
 * templates within the program.
 */
#ifndef GAPP_READ_OWN_CODE_H
#define GAPP_READ_OWN_CODE_H

#include "symbols.h"

/* Whether what is mapped is library code; @library of its frames. */
bool object_is_library(const struct object *object);

/*
 * Whether a program that contains its C library has the function called @symbol from there: it is
 * one that the C library gives to programs, or its name is reserved.
 */
bool symbol_is_of_c_library(const char *symbol);

/* Whether a source file, as debug information names it, is library code. */
bool source_is_library(const char *file);

/* Whether a frame is library code, by its object, its name, or its source file if that is known. */
bool function_is_library(const struct frame *frame);

/*
 * Whether a frame is code that a runtime has generated to run other code: the JVM's interpreter and
 * its stubs, V8's builtins. As a caller it says nothing.
 */
bool function_runs_others(const struct frame *frame);

/* Whether a frame is own code. */
static inline bool function_is_own(const struct frame *frame)
{
	return !frame->kernel && !function_is_library(frame) && !function_runs_others(frame);
}

/*
 * Of the frames of one address, innermost first, as symbols_frames() gives them: the innermost one
 * that is own code and whose line is known, else that is own code, else the first. NULL: @count is
 * 0.
 */
const struct frame *own_line(const struct frame *frames, size_t count);

#endif /* GAPP_READ_OWN_CODE_H */
