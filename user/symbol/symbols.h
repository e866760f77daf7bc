/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions and source lines of code addresses. Everything is looked up once and kept, but for
 * generated code without a name.
 */
#ifndef GAPP_READ_SYMBOLS_H
#define GAPP_READ_SYMBOLS_H

#include "input/object.h"

/**
 * struct frame - a function at a code address, as it is shown
 * @function: demangled name, or NULL
 * @module: name of the object, "[kernel]" for the kernel; never NULL
 * @file: source file, or NULL
 * @line: line in @file; 0: not known
 * @inlined: the function is inlined into the frame that follows
 * @outermost: the C library's code that begins a program or thread, or the kernel's
 * @switches: Go's code that runs what it calls on another stack: a path may end there
 * @library: what it is in is library code, see own_code.h
 * @kernel: the kernel's code, or a module's of the kernel
 * @interpreter: it runs what is written in another language: all code there is below this function
 * @scheduler: the kernel's code that puts a thread to sleep, which /proc/PID/wchan leaves out
 * @object: what it is in; NULL: generated code
 * @advice: how to have names of generated code that has none, or of what an interpreter runs; or
 *	NULL
 * @offset: if @function is NULL: where the function begins, or if that is not known, the code
 *	address itself; an address as objdump shows it, or for an object that cannot be read the
 *	offset in its file, or the address in memory
 *
 * Texts belong to the symbols.
 */
struct frame {
	const char *function;
	const char *module;
	const char *file;
	u32 line;
	bool inlined;
	bool outermost;
	bool switches;
	bool library;
	bool kernel;
	bool scheduler;
	bool interpreter;
	const struct object *object;
	const char *advice;
	u64 offset;
};

struct symbols;

/*
 * Once @cancel is true, nothing more is looked up. An object must live longer than
 * the symbols that it was used with, and be used with one struct symbols at a time.
 */
struct symbols *symbols_new(const volatile bool *cancel);
void symbols_free(struct symbols *symbols);

/**
 * struct symbol_sources - where files are looked up besides their own places
 * @symfs: files are looked up below this folder first; or NULL
 * @debuginfod: servers may be asked for what no folder has
 * @quiet: without a word about what servers send
 */
struct symbol_sources {
	const char *symfs;
	bool debuginfod;
	bool quiet;
};

/* To be called before anything is looked up; keeps @sources. */
void symbols_set_sources(struct symbols *symbols, const struct symbol_sources *sources);

/*
 * Asks servers for the debug information of an object, if @sources allow that and it has none. What
 * they send counts once symbols_forget() was called. Returns whether they sent any.
 */
bool symbols_ask_servers(struct symbols *symbols, const struct object *object);

/* Forgets every answer, so that all is looked up again. Frames that were given are invalid then. */
void symbols_forget(struct symbols *symbols);

/*
 * Looks generated code without a name up again, if a file of its process has changed: of a
 * recording that goes on, because programs go on to generate code. Frames that were given stay
 * valid. Returns 0, or -1 without memory.
 */
int symbols_name_generated(struct symbols *symbols);

/**
 * struct kernel_files - where the running kernel is looked up
 * @root: the folders of vmlinux files are below this path
 * @kallsyms: its functions
 * @notes: its notes, which have its build id
 */
struct kernel_files {
	const char *root;
	const char *kallsyms;
	const char *notes;
};

/* For tests: other files than those of the system. */
void symbols_set_kernel_files(struct symbols *symbols, const struct kernel_files *files);

/*
 * The function by the symbol table; reads no debug information. @is_return: the address is a return
 * address, so the call before it counts. Two addresses in one function give the same pointers.
 * NULL: no memory.
 */
const struct frame *symbols_function(struct symbols *symbols, struct code_address address,
				     bool is_return);

/*
 * Sets @frames to all frames of an address with their lines, innermost first: inlined functions and
 * the one that they are in, which is that of symbols_function(). Returns how many there are, 0
 * without memory. They belong to the symbols.
 */
size_t symbols_frames(struct symbols *symbols, struct code_address address, bool is_return,
		      const struct frame **frames);

/*
 * The frame of a function's first instruction, with its line. @function: one that
 * symbols_function() gave for a code address in the function, whose offset is @inside. NULL: it is
 * not known where the function begins, or no memory.
 */
const struct frame *symbols_first_line(struct symbols *symbols, const struct frame *function,
				       u64 inside);

/*
 * The static variable that lies @distance bytes behind a code address, where a process has both in
 * memory: "journal_lock", or of its inner parts "journal+0x28". NULL: there is none, or its file
 * has no symbol for it. It belongs to the symbols.
 */
const char *symbols_variable(struct symbols *symbols, struct code_address code, u64 distance);

/* The build-id of an object that was looked up, in hexadecimal; "": none is known. */
const char *object_build_id(const struct object *object);

enum frame_rule {
	FRAME_UNKNOWN, /* no call frame information */
	FRAME_POINTER, /* the frame pointer is that of this function's frame */
	FRAME_OTHER, /* the frame pointer is another function's, so it leads past the caller */
	FRAME_OUTERMOST, /* there is no caller */
};

/* Whether the frame pointer leads from a frame at that address to the frame's caller. */
enum frame_rule symbols_frame_rule(struct symbols *symbols, struct code_address address,
				   bool is_return);

#endif /* GAPP_READ_SYMBOLS_H */
