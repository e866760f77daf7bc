/* SPDX-License-Identifier: GPL-2.0 */
/* Stacks as far as they can be believed, as functions. */
#ifndef GAPP_READ_WALK_H
#define GAPP_READ_WALK_H

#include "callpath/call_paths.h"
#include "symbol/symbols.h"

/**
 * struct walk - a stack's functions
 * @stack: the stack; NULL: not walked
 * @functions: innermost first, those that can be believed
 * @count: how many, at least 1
 * @first: the first that is shown: others before it are in libraries
 * @end: enum path_end: why there are no more
 * @complete: nothing is missing behind the last one, but for code that begins programs or threads
 * @hash: of the functions from @first on
 */
struct walk {
	const struct call_path *stack;
	const struct frame **functions;
	u32 count;
	u32 first;
	u8 end;
	bool complete;
	u64 hash;
};

/* Return 0, or -1 without memory. */
int walk_stack(struct walk *walk, const struct call_path *stack, struct symbols *symbols);
void walk_free(struct walk *walk);

struct profile_options;

/*
 * Makes @first of @count walks (some of them perhaps not walked) the first frame in the program:
 * in the file that the options name, or, if they do not, where main() is.
 */
void walks_skip_libraries(struct walk *walks, size_t count, const struct profile_options *options);

void walk_hash(struct walk *walk);

static inline bool walk_is_return(u32 frame)
{
	return frame > 0;
}

/* The place of the first frame that is shown. */
static inline struct code_address walk_place(const struct walk *walk)
{
	return walk->stack->addresses[walk->first];
}

u64 walk_hash_function(const struct walk *walk, u32 frame);
bool walk_same_function(const struct walk *a, u32 a_frame, const struct walk *b, u32 b_frame);

#endif /* GAPP_READ_WALK_H */
