/* SPDX-License-Identifier: GPL-2.0 */
/* Perf maps: text files in which programs write where in memory they have put which function. */
#ifndef GAPP_READ_PERF_MAP_H
#define GAPP_READ_PERF_MAP_H

#include "util/util.h"

/* Bytes of a file that are read, and of a name; a longer name is cut. */
#define PERF_MAP_BYTES_MAX (128U << 20)
#define PERF_MAP_NAME_MAX 1024

/**
 * struct perf_function - a line of a perf map
 * @begin: first address
 * @end: address behind the last
 * @reach: the highest @end in the map so far
 * @line: number of the line, among the valid ones
 * @name: the name as the line has it
 */
struct perf_function {
	u64 begin;
	u64 end;
	u64 reach;
	u32 line;
	const char *name;
};

/**
 * struct perf_map - a perf map in memory
 * @functions: sorted by @begin
 * @text: the file's bytes, which names are in
 * @bytes: of @text
 */
struct perf_map {
	struct perf_function *functions;
	u32 count;
	u32 room;
	char *text;
	size_t bytes;
};

/*
 * Reads a perf map, up to a bound. Lines that are none of a perf map count for nothing. Returns 0,
 * or -1 without memory.
 */
int perf_map_read(struct perf_map *map, int fd);
void perf_map_free(struct perf_map *map);

/* The function at @address, by the last line that has it; NULL: none has. */
const struct perf_function *perf_map_find(const struct perf_map *map, u64 address);

/**
 * struct generated_name - what a name in a perf map says
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
 * Takes apart a name as V8, CPython, the JVM or .NET writes it; other names stay as they are. All
 * forms of one function, however often it was compiled, give the same result.
 */
void generated_name(struct generated_name *made, const char *name);

#endif /* GAPP_READ_PERF_MAP_H */
