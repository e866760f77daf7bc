/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names and lines of generated code, by the JIT dumps and perf maps of the processes that generated
 * it.
 */
#ifndef GAPP_READ_GENERATED_H
#define GAPP_READ_GENERATED_H

#include "symbols.h"
#include "util/hash_index.h"

struct generated;

/* @texts: where texts in frames are kept. NULL: no memory. */
struct generated *generated_new(struct texts *texts);
void generated_free(struct generated *generated);

/*
 * The function at an address of generated code. Where no file names it, all of a mapping is one
 * function, "JIT code of PROGRAM". Two addresses of one function give the same pointer, wherever it
 * was put, and in whichever process of one program. NULL: no memory.
 */
const struct frame *generated_function(struct generated *generated, const struct object *object,
				       u64 address);

/*
 * Sets @line to the source line at an address, a copy of its @function with another line. Returns
 * whether the line is known, or -1 without memory.
 */
int generated_line(struct generated *generated, const struct object *object, u64 address,
		   const struct frame *function, struct frame *line);

/* Whether a function is generated code that no file names. */
bool generated_is_nameless(const struct frame *function);

/*
 * Reads the files of a process again that have changed since they were read and did not name some
 * code that was looked up. Returns whether any was read, or -1 without memory. Functions that were
 * given stay.
 */
int generated_read_again(struct generated *generated);

/*
 * Adds the function that interprets Python, which can name what it runs: sets its advice as long as
 * no name of that kind is found. The function lives as long as @generated.
 */
void generated_add_interpreter(struct generated *generated, struct frame *function);

#endif /* GAPP_READ_GENERATED_H */
