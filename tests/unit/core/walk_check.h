/* SPDX-License-Identifier: GPL-2.0 */
/* Any bytes as a user stack: gapp_unwind_fp() against an unwinder that reads word by word. */
#ifndef GAPP_UNWIND_CHECK_H
#define GAPP_UNWIND_CHECK_H

#include "unwind.h"

#define WALK_STACK 0x7ffd00001000ULL
#define WALK_PAGES 3
#define WALK_WORDS (WALK_PAGES * 512)
#define WALK_MAX 127
#define WALK_IP 0x401234ULL

/**
 * struct walk_stack - a stack, and where the thread is on it
 * @words: from WALK_STACK on
 * @absent: pages that are not there, a bit each
 * @sp: stack pointer
 * @bp: frame pointer
 * @limit: of the process
 * @max: frames that are asked for
 * @copies: windows that the walk took
 * @wrong: what was wrong with one of them
 */
struct walk_stack {
	u64 words[WALK_WORDS];
	u32 absent;
	u64 sp, bp, limit;
	u16 max;
	u32 copies;
	const char *wrong;
};

/**
 * struct walk_found - what a walk found
 * @frames: innermost first
 * @count: how many
 * @end: how it ended
 */
struct walk_found {
	u64 frames[WALK_MAX + 1];
	u32 count;
	enum gapp_unwind_end end;
};

/* A stack as @size bytes say. */
void walk_stack_decode(struct walk_stack *stack, const u8 *bytes, u32 size);
/* Walks it both ways: returns what is wrong, or NULL. */
const char *walk_check(struct walk_stack *stack, struct walk_found *found);

#endif /* GAPP_UNWIND_CHECK_H */
