/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Any bytes as tables, mappings, registers and a user stack: core/unwind
 * against a walk that looks at every row and reads word by word.
 */
#ifndef GAPP_UNWIND_CHECK_H
#define GAPP_UNWIND_CHECK_H

#include "unwind.h"

#define UNWIND_STACK 0x7ffd00001000ULL
#define UNWIND_PAGES 6
#define UNWIND_WORDS (UNWIND_PAGES * 512)
#define UNWIND_MAX 127
#define UNWIND_TABLE_WORDS 512
#define UNWIND_TABLES 2
#define UNWIND_CODES 6

/**
 * struct unwind_case - a thread to be walked
 * @bytes: where all choices come from
 * @size: how many there are
 * @next: the next one
 * @calm: nothing is odd, so that paths get long
 * @tables: as they would be loaded; the second one may be another machine's
 * @table: they, opened
 * @code: mappings
 * @code_count: how many
 * @arch: of the thread
 * @regs: its registers
 * @limit: of its memory
 * @max: frames that are asked for
 * @words: the stack, from UNWIND_STACK on
 * @chosen: a word is chosen when the walk that is trusted first reads it, so that it goes on
 * @absent: pages that are not there, a bit each
 * @copies: windows that the walk took
 * @wrong: what was wrong with one of them
 */
struct unwind_case {
	const u8 *bytes;
	size_t size;
	size_t next;
	bool calm;
	u64 tables[UNWIND_TABLES][UNWIND_TABLE_WORDS];
	struct gapp_table table[UNWIND_TABLES];
	struct gapp_unwind_mapping code[UNWIND_CODES];
	u32 code_count;
	u32 arch;
	struct gapp_regs regs;
	u64 limit;
	u16 max;
	u64 words[UNWIND_WORDS];
	bool chosen[UNWIND_WORDS];
	u32 absent;
	u32 copies;
	const char *wrong;
};

/**
 * struct unwind_found - what a walk found
 * @frames: innermost first
 * @count: how many
 * @end: how it ended
 * @regs: of the last frame
 * @by_fp: as in struct gapp_unwind
 * @by_more: likewise
 * @unmapped: likewise
 */
struct unwind_found {
	u64 frames[UNWIND_MAX + 1];
	u32 count;
	enum gapp_unwind_end end;
	struct gapp_regs regs;
	bool by_fp;
	bool by_more;
	u64 unmapped;
};

/* A number below @limit, which is at most 65536. */
u32 unwind_choose(struct unwind_case *thread, u32 limit);
/* Tables, mappings and registers as @size bytes say. */
const char *unwind_make(struct unwind_case *thread, const u8 *bytes, size_t size);
/* The walk that is trusted; it fills in the stack. */
void unwind_naively(struct unwind_case *thread, struct unwind_found *found);
/* Makes a case and walks it both ways: returns what is wrong, or NULL. */
const char *unwind_check(struct unwind_case *thread, struct unwind_found *found, const u8 *bytes,
			 size_t size);

#endif /* GAPP_UNWIND_CHECK_H */
