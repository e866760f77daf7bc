/* SPDX-License-Identifier: GPL-2.0 */
/* What symbols.c and saved_names.c share. */
#ifndef GAPP_READ_SYMBOLS_PRIVATE_H
#define GAPP_READ_SYMBOLS_PRIVATE_H

#include "symbol_file.h"
#include "symbols.h"
#include "util/hash_index.h"

struct generated;

/**
 * struct answer - all that was found out about a code address
 * @code: the code address
 * @is_return: it is a return address
 * @function: frame of its function, or @unknown
 * @unknown: the frame, if there is no function
 * @frames: with lines, allocated, or @function; NULL: nobody asked yet
 * @rule: rule for the frame pointer
 * @rule_known: @rule is set
 */
struct answer {
	struct code_address code;
	bool is_return;
	const struct frame *function;
	struct frame unknown;
	const struct frame *frames;
	size_t frame_count;
	enum frame_rule rule;
	bool rule_known;
};

/**
 * struct kernel - the running kernel
 * @files: where it is looked up
 * @kallsyms: its functions; NULL: not needed yet
 * @sought: @file was looked for
 * @path: path of its vmlinux
 * @vmlinux: that file
 * @file: symbols and debug information of @vmlinux; NULL: there is none
 * @shift: how much higher the kernel's code lies than @vmlinux says
 */
struct kernel {
	struct kernel_files files;
	struct kallsyms *kallsyms;
	bool sought;
	char *path;
	struct object vmlinux;
	struct symbol_file *file;
	u64 shift;
};

/**
 * struct symbols - what was looked up so far
 * @cancel: as for symbols_new()
 * @files: files of all objects
 * @loaded: files that are loaded
 * @calls: calls of load() so far
 * @sources: as for symbols_set_sources(); all 0 if none were set
 * @debuginfod: what servers have sent
 * @kernel: the kernel, for its frames
 * @generated: functions of generated code; NULL: not needed yet
 * @texts: all texts in frames
 * @restored: they come from a recording's file: nothing is looked up
 * @frames: with @restored: all frames
 * @frame_count: elements of @frames
 * @former: frames of recordings that were read before
 * @former_count: elements of @former
 */
struct symbols {
	const volatile bool *cancel;
	struct symbol_file **files;
	u32 file_count;
	u32 file_room;
	unsigned int loaded;
	u64 calls;
	struct symbol_sources sources;
	struct debuginfod debuginfod;
	struct kernel kernel;
	struct generated *generated;
	struct texts texts;
	bool restored;
	struct frame *frames;
	u32 frame_count;
	struct frame **former;
	u32 former_count;
};

/* An answer that knows no function. NULL: no memory. */
struct answer *symbols_new_answer(struct symbols *symbols, struct code_address code,
				  bool is_return);
void symbols_free_answer(struct answer *answer);

/* Frees what was found out about a file's code: struct answer twice, struct frame of functions. */
void symbols_free_names(struct key_map *answers, struct key_map *functions);

/* Finds or adds the object's file. NULL: no memory. */
struct symbol_file *symbols_file(struct symbols *symbols, struct object *object);

#endif /* GAPP_READ_SYMBOLS_PRIVATE_H */
