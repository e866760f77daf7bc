/* SPDX-License-Identifier: GPL-2.0 */
/* What is read of one object: its ELF file and, when asked for, its debug information. */
#ifndef GAPP_READ_SYMBOL_FILE_H
#define GAPP_READ_SYMBOL_FILE_H

#include <elfutils/libdwfl.h>

#include "input/object.h"
#include "symtab.h"

/**
 * struct segment - a part of the file that is mapped
 * @offset: in the file
 * @size: bytes in the file
 * @address: where the ELF file says it belongs
 * @executable: it holds code
 */
struct segment {
	u64 offset;
	u64 size;
	u64 address;
	bool executable;
};

/**
 * struct unit_range - code of a compilation unit
 * @begin: first address, as the debug information has it
 * @end: behind its last
 * @unit: offset of the unit's DIE
 */
struct unit_range {
	u64 begin;
	u64 end;
	u64 unit;
};

/**
 * struct symbol_file - an object's file; all but the first target is there only while it is loaded
 * @object: the object
 * @next: of all files of the symbols
 * @used: when it was last, in calls
 * @cancel: becomes true when the user has enough; or NULL
 * @link_failed: its debug link leads nowhere
 * @state: enum symbol_file_state
 *
 * @dwfl: holds @module alone
 * @module: its addresses are those that the ELF file itself gives
 * @frames_dwfl: holds @frames alone
 * @frames: its call frame information, looked over; made when it is first asked for
 * @frames_read: that was tried
 * @x86_64: its code is for x86-64
 * @linked_statically: it is a program that has its C library in it
 * @segments: of the file
 * @segment_count: how many
 * @symtab: functions
 * @units: compilation units by address, made when debug information is first asked for
 * @unit_count: how many
 * @units_read: @units are made
 * @asking: debug information is being looked for
 * @start_code: begins of functions that begin a program or thread, in a C library without names
 * @start_code_count: how many
 * @start_code_read: @start_code is made
 */
struct symbol_file {
	struct object *object;
	struct symbol_file *next;
	u64 used;
	const volatile bool *cancel;
	bool link_failed;
	enum symbol_file_state {
		SYMBOL_FILE_UNTRIED,
		SYMBOL_FILE_LOADED,
		SYMBOL_FILE_UNLOADED, /* to make room; may be loaded again */
		SYMBOL_FILE_FAILED, /* it is not to be had */
	} state;

	Dwfl *dwfl;
	Dwfl_Module *module;
	Dwfl *frames_dwfl;
	Dwfl_Module *frames;
	bool frames_read;
	bool x86_64;
	bool linked_statically;
	struct segment *segments;
	size_t segment_count;
	struct symtab symtab;
	struct unit_range *units;
	size_t unit_count;
	bool units_read;
	bool asking;
	u64 *start_code;
	size_t start_code_count;
	bool start_code_read;
};

struct symbol_file *symbol_file_new(struct object *object, const volatile bool *cancel);
void symbol_file_free(struct symbol_file *file);

static inline bool symbol_file_cancelled(const struct symbol_file *file)
{
	return file->cancel && *file->cancel;
}

/* Reads symbols. Returns 0; -1: it is not to be had, which is noted in its state. */
int symbol_file_load(struct symbol_file *file);
void symbol_file_unload(struct symbol_file *file);

/* The address, as the ELF file gives it, of an offset in the file. False: no segment has it. */
bool symbol_file_address(const struct symbol_file *file, u64 offset, u64 *address);

/*
 * The module that has nothing but the file's call frame information, without what libdw may not be
 * let at; NULL: it cannot be read. Addresses are those of the file's own module.
 */
Dwfl_Module *symbol_file_frames(struct symbol_file *file);

/* @size bytes of the file at an address, or NULL. They belong to libelf. */
const u8 *symbol_file_bytes(const struct symbol_file *file, u64 address, u64 size);

#endif /* GAPP_READ_SYMBOL_FILE_H */
