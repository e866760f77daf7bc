/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The code of an ELF file: bytes, functions, and what calls of imported functions lead to. Whoever
 * owns the file can write anything into it, so that every part is bounded, checked and read once.
 */
#ifndef GAPP_READ_CODE_FILE_H
#define GAPP_READ_CODE_FILE_H

#include "decoder.h"
#include "util/hash_index.h"

/* Bytes of code that are looked at; the largest known program has a quarter of that. */
#define CODE_BYTES_MAX 0x40000000ULL

/**
 * struct code_bytes - an executable segment
 * @address: address that the ELF file gives it
 * @size: bytes of @bytes
 * @bytes: its content
 */
struct code_bytes {
	u64 address;
	u64 size;
	u8 *bytes;
};

/**
 * struct code_load - where a loaded segment is in the file
 * @address: address that the ELF file gives it
 * @offset: offset in the file
 * @size: bytes in the file
 */
struct code_load {
	u64 address;
	u64 offset;
	u64 size;
};

/**
 * struct code_range - a function, or a part of one that the compiler has put elsewhere
 * @begin: first address
 * @end: address behind the last
 * @whole: number of the range that this one is a part of: its own, if it is a whole function
 * @next_part: number of the function's next part, or HASH_NONE
 * @loops: a jump leads back, or to another part
 * @returns: it can come back to its caller
 */
struct code_range {
	u64 begin;
	u64 end;
	u32 whole;
	u32 next_part;
	bool loops;
	bool returns;
};

/**
 * struct code_symbol - a function's name
 * @address: first address
 * @size: bytes, or 0
 * @name: name as the symbol table has it
 */
struct code_symbol {
	u64 address;
	u64 size;
	const char *name;
};

/**
 * struct code_file - the code of a file
 * @machine: what the code is for
 * @fd: the file, which stays the caller's
 * @file_bytes: size of the file
 * @read_bytes: bytes that were read of it
 * @code: executable segments
 * @loads: all loaded segments
 * @ranges: functions and parts of functions, sorted by address, none of which begins in another
 * @symbols: sorted by address, one for each address
 * @imports: names by the address of the pointer that ld.so sets
 * @texts: string tables that names belong to
 */
struct code_file {
	const struct machine *machine;
	int fd;
	u64 file_bytes;
	u64 read_bytes;
	struct code_bytes *code;
	u32 code_count;
	struct code_load *loads;
	u32 load_count;
	struct code_range *ranges;
	u32 range_count;
	u32 range_room;
	struct code_symbol *symbols;
	u32 symbol_count;
	u32 symbol_room;
	struct key_map imports;
	char **texts;
	u32 text_count;
	u32 text_room;
};

/*
 * Reads an open file. Returns 0, or -1 with @code empty and errno set; ENOEXEC: it is no ELF file
 * of a machine that has a decoder.
 */
int code_file_read(struct code_file *code, int fd);
void code_file_free(struct code_file *code);
#define _cleanup_code_file_ _cleanup_(code_file_free)

/* Sets @size to how many bytes of code begin at an address, at most to @end. NULL: none do. */
const u8 *code_file_bytes(const struct code_file *code, u64 address, u64 end, size_t *size);

/* Reads @size bytes of what is loaded at an address. False: the file has no such bytes there. */
bool code_file_load(const struct code_file *code, u64 address, void *to, size_t size);

/* The number of the range that has @address, or HASH_NONE. */
u32 code_file_find(const struct code_file *code, u64 address);

/* The name of the function that begins at @address, or NULL. */
const char *code_file_name(const struct code_file *code, u64 address);

/*
 * The name of the function that is called at @target, by a stub or its own name; or through the
 * pointer at @slot, if @target is 0. NULL: it has no name.
 */
const char *code_file_callee(const struct code_file *code, u64 target, u64 slot);

/* Adds the ranges that frame descriptions (.eh_frame) name. Returns 0, or -1 without memory. */
int frame_ranges_add(struct code_file *code, const u8 *frames, size_t size, u64 address);

/* Adds a range, to be sorted in. Returns 0, or -1 without memory. */
int code_file_add_range(struct code_file *code, u64 begin, u64 end);

#endif /* GAPP_READ_CODE_FILE_H */
