/* SPDX-License-Identifier: GPL-2.0 */
/* A position in the code with names of its own, so that it outlives symbols and can be saved. */
#ifndef GAPP_READ_CODE_PLACE_H
#define GAPP_READ_CODE_PLACE_H

#include "data/blocks.h"
#include "json_write.h"
#include "symbol/symbols.h"

/**
 * struct code_place - a position in the code, as it is shown
 * @function: its function; NULL: it has no name, or is not known
 * @module: name of the file that it is in; NULL: it is not known
 * @offset: where it is in @module, if @function is NULL
 * @file: source file, or NULL
 * @line: line in @file; 0: not known
 */
struct code_place {
	char *function;
	char *module;
	u64 offset;
	char *file;
	u32 line;
};

/* @frame: NULL: nothing is known. Returns 0, or -1 without memory. */
int code_place_name(struct code_place *place, const struct frame *frame);
void code_place_free(struct code_place *place);

/* What text_function() names. */
struct frame code_place_frame(const struct code_place *place);
/* Adds function, module, offset, file and line. */
void json_code_place(struct json *json, const struct code_place *place);

void code_place_pack(struct pack *pack, const struct code_place *place);
void code_place_unpack(struct unpack *unpack, struct code_place *place);

#endif /* GAPP_READ_CODE_PLACE_H */
