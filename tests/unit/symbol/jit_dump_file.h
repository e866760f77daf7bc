/* SPDX-License-Identifier: GPL-2.0 */
/* Writes JIT dumps as programs do. */
#ifndef GAPP_TESTS_JIT_DUMP_FILE_H
#define GAPP_TESTS_JIT_DUMP_FILE_H

#include <stdio.h>
#include <string.h>

#include "util/util.h"

enum { DUMP_LOAD, DUMP_MOVE, DUMP_DEBUG_INFO, DUMP_CLOSE, DUMP_UNWINDING_INFO };

/* A line of a source, as DUMP_DEBUG_INFO has it. */
struct dump_line {
	u64 address;
	u32 line;
	const char *file;
};

static inline void dump_head(FILE *file)
{
	const u32 words[] = { 0x4a695444, 1, 40, 62, 0, getpid() };
	const u64 rest[] = { 1, 0 };

	fwrite(words, sizeof(words), 1, file);
	fwrite(rest, sizeof(rest), 1, file);
}

static inline void dump_record(FILE *file, u32 id, u32 bytes)
{
	const u32 words[] = { id, 16 + bytes };
	const u64 time = 1;

	fwrite(words, sizeof(words), 1, file);
	fwrite(&time, sizeof(time), 1, file);
}

/* @number: what the program calls it. Its code is @bytes zeros. */
static inline void dump_load(FILE *file, u64 begin, u64 bytes, u64 number, const char *name)
{
	const u32 ids[] = { getpid(), getpid() };
	const u64 words[] = { begin, begin, bytes, number };

	dump_record(file, DUMP_LOAD, 40 + strlen(name) + 1 + bytes);
	fwrite(ids, sizeof(ids), 1, file);
	fwrite(words, sizeof(words), 1, file);
	fwrite(name, strlen(name) + 1, 1, file);
	while (bytes--)
		fputc(0, file);
}

static inline void dump_move(FILE *file, u64 from, u64 to, u64 bytes, u64 number)
{
	const u32 ids[] = { getpid(), getpid() };
	const u64 words[] = { to, from, to, bytes, number };

	dump_record(file, DUMP_MOVE, 48);
	fwrite(ids, sizeof(ids), 1, file);
	fwrite(words, sizeof(words), 1, file);
}

static inline void dump_lines(FILE *file, u64 code, const struct dump_line *lines, u64 count)
{
	const u64 words[] = { code, count };
	u32 bytes = sizeof(words);

	for (u64 i = 0; i < count; i++)
		bytes += 16 + strlen(lines[i].file) + 1;
	dump_record(file, DUMP_DEBUG_INFO, bytes);
	fwrite(words, sizeof(words), 1, file);
	for (u64 i = 0; i < count; i++) {
		const u32 numbers[] = { lines[i].line, 0 };

		fwrite(&lines[i].address, 8, 1, file);
		fwrite(numbers, sizeof(numbers), 1, file);
		fwrite(lines[i].file, strlen(lines[i].file) + 1, 1, file);
	}
}

#endif /* GAPP_TESTS_JIT_DUMP_FILE_H */
