/* SPDX-License-Identifier: GPL-2.0 */
/* A user stack of three pages, of which the rig makes copies as the module does. */
#ifndef GAPP_VEC_STACK_H
#define GAPP_VEC_STACK_H

#include "unwind.h"

#define VEC_STACK 0x7ffd00001000ULL
#define VEC_STACK_WORDS 1536
#define VEC_LIMIT 0x7ffffffff000ULL

/**
 * struct vec_stack - a stack to be walked
 * @words: what is on it
 * @absent: pages that are not there
 * @limit: addresses from here on are not the process's
 * @copies: windows taken
 * @wrong: what was wrong with one of them
 */
struct vec_stack {
	u64 words[VEC_STACK_WORDS];
	u32 absent;
	u64 limit;
	u32 copies;
	const char *wrong;
};

/* As the module does it: a page that is not there makes all of the copy fail. */
static inline bool vec_stack_copy(void *context, void *to, u64 address, u32 bytes)
{
	struct vec_stack *stack = context;
	u64 offset = address - VEC_STACK;
	const char *wrong = NULL;

	stack->copies++;
	if (!bytes || bytes > GAPP_WINDOW_BYTES)
		wrong = "a window's size";
	else if (address / 4096 != (address + bytes - 1) / 4096)
		wrong = "a window crosses a page's end";
	else if (address + bytes > stack->limit)
		wrong = "a window passes the limit";
	if (wrong) {
		stack->wrong = wrong;
		return false;
	}
	if (address < VEC_STACK || offset + bytes > sizeof(stack->words) ||
	    stack->absent >> offset / 4096 & 1)
		return false;
	memcpy(to, (const u8 *)stack->words + offset, bytes);
	return true;
}

#endif /* GAPP_VEC_STACK_H */
