/* SPDX-License-Identifier: GPL-2.0 */
/* Loops of a function's control flow. */
#ifndef GAPP_READ_LOOPS_H
#define GAPP_READ_LOOPS_H

#include "flow.h"

/* Instructions of the largest loop that is looked at: those that wait are small. */
#define LOOP_INSNS_MAX 200

/**
 * struct body - the blocks of a loop
 * @header: block by which the loop is entered
 * @is_whole: the loop is all that can be repeated; else only the blocks of some of its ways back
 * @insns: instructions
 * @count: blocks
 * @blocks: numbers of blocks, ascending
 */
struct body {
	u32 header;
	bool is_whole;
	u32 insns;
	u32 count;
	u32 blocks[LOOP_INSNS_MAX];
};

/* Takes a loop. Returns 0; else the search ends and returns that. */
typedef int (*body_fn)(void *context, const struct body *body);

/*
 * Gives every loop to @visit: each cycle of blocks, those inside it, and where several ways lead
 * back to one header, the loop of each alone. Returns 0; 1: it gave up, because there were too
 * many; -1: no memory; or what @visit returned.
 */
int loops_find(const struct flow *flow, body_fn visit, void *context);

/*
 * Gives the outermost loops that are left of @body without some blocks to @visit. @left: numbers of
 * the other blocks, ascending.
 */
int loops_find_left(const struct flow *flow, const struct body *body, const u32 *left, u32 count,
		    body_fn visit, void *context);

bool body_has(const struct body *body, u32 block);
/* Whether all blocks of @inner are in @outer. */
bool body_is_in(const struct body *inner, const struct body *outer);
/* Whether a loop is inside the loop besides its own. */
int body_has_inner(const struct flow *flow, const struct body *body);

#endif /* GAPP_READ_LOOPS_H */
