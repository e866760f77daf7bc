/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that programs have put into memory, and where, as they write it into files. Perf maps
 * are such files, of text; JIT dumps are others, see jit_dump.h.
 */
#ifndef GAPP_READ_PERF_MAP_H
#define GAPP_READ_PERF_MAP_H

#include "util/util.h"

/* Bytes of a file that are read, and of a name; a longer name is cut. */
#define PERF_MAP_BYTES_MAX (128U << 20)
#define PERF_MAP_NAME_MAX 1024

/**
 * struct perf_line - where a line of a source begins in a function
 * @offset: in bytes, from the function's begin
 * @file: source file
 * @line: line in @file
 * @number: how many came before it in the file that was read
 */
struct perf_line {
	u64 offset;
	const char *file;
	u32 line;
	u32 number;
};

/**
 * struct perf_function - a function in memory
 * @begin: first address
 * @end: address behind the last
 * @reach: the highest @end in the map so far
 * @number: how many came before it in the file
 * @first_line: of its lines in the map's @lines, sorted by offset
 * @line_count: of these; 0: only its name is known
 * @name: the name as the file has it
 */
struct perf_function {
	u64 begin;
	u64 end;
	u64 reach;
	u32 number;
	u32 first_line;
	u32 line_count;
	const char *name;
};

/**
 * struct perf_map - what a perf map or a JIT dump says
 * @functions: sorted by @begin
 * @lines: of the functions; a perf map has none
 * @text: what names of functions and files are in
 * @bytes: of @text that are used
 * @cut: the file has more than is kept
 */
struct perf_map {
	struct perf_function *functions;
	u32 count;
	u32 room;
	struct perf_line *lines;
	u32 line_count;
	u32 line_room;
	char *text;
	size_t bytes;
	bool cut;
};

/*
 * Reads a perf map, up to a bound. Lines that are none of a perf map count for nothing. Returns 0,
 * or -1 without memory.
 */
int perf_map_read(struct perf_map *map, int fd);
void perf_map_free(struct perf_map *map);

/* The function at @address, the last one that was put there; NULL: none was. */
const struct perf_function *perf_map_find(const struct perf_map *map, u64 address);
/* The line at @address in @function; NULL: it is not known. */
const struct perf_line *perf_map_line(const struct perf_map *map,
				      const struct perf_function *function, u64 address);

/*
 * For what reads a file: adds a function without a name, and makes it the last one. Returns whether
 * it was added, or -1 without memory.
 */
int perf_map_add(struct perf_map *map, u64 begin, u64 size);
/* To be called when all functions were added. */
void perf_map_put_in_order(struct perf_map *map);

/**
 * struct generated_name - what a name in a perf map or a JIT dump says
 * @function: the function, without marks of how well it was compiled, and without parameters
 * @file: source file, or ""
 * @line: line in @file; 0: not known
 */
struct generated_name {
	char function[PERF_MAP_NAME_MAX];
	char file[PERF_MAP_NAME_MAX];
	u32 line;
};

/*
 * Takes apart a name as V8, CPython, the JVM, its agents or .NET write it; other names stay as they
 * are. All forms of one function, however often it was compiled, give the same result.
 */
void generated_name(struct generated_name *made, const char *name);

#endif /* GAPP_READ_PERF_MAP_H */
