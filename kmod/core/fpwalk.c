// SPDX-License-Identifier: GPL-2.0
/* Frame by frame up a user stack: at the frame pointer the caller's one, behind it the way back. */
#include "fpwalk.h"

#define WORD 8
/* What a frame has at its frame pointer: the caller's frame pointer, the return address. */
#define FRAME (2 * WORD)
/* A stack is not larger: a frame farther up is none of this stack. */
#define STACK_SPAN (16U << 20)
/* Nothing is mapped below. */
#define LOWEST_CODE 4096

/*
 * From the address on, for frames lie upwards. A page is there or not: so a window ends with its
 * page, or one that is not there would hide the one before it.
 */
static bool move_window(struct gapp_walk *walk, u64 address)
{
	u64 bytes = GAPP_WINDOW_PAGE - address % GAPP_WINDOW_PAGE;

	if (bytes > GAPP_WINDOW_BYTES)
		bytes = GAPP_WINDOW_BYTES;
	if (bytes > walk->limit - address)
		bytes = walk->limit - address;
	walk->window_bytes = 0;
	if (!walk->copy(walk->context, walk->window, address, bytes))
		return false;
	walk->window_at = address;
	walk->window_bytes = bytes;
	return true;
}

/* @address is a multiple of 8, and the word lies below the limit. */
static bool read_word(struct gapp_walk *walk, u64 address, u64 *word)
{
	u64 offset = address - walk->window_at;

	if (address < walk->window_at || offset + WORD > walk->window_bytes) {
		if (!move_window(walk, address))
			return false;
		offset = 0;
	}
	memcpy(word, walk->window + offset, WORD);
	return true;
}

static bool is_frame(const struct gapp_walk *walk, u64 bp, u64 lowest, u64 sp)
{
	return bp % WORD == 0 && bp >= lowest && bp - sp <= STACK_SPAN && bp < walk->limit &&
	       walk->limit - bp >= FRAME;
}

/**
 * gapp_fpwalk() - the call path of a thread in user space
 * @walk: its @copy, @context and @limit are set; the window is the walk's own
 * @ip: instruction pointer
 * @sp: stack pointer
 * @bp: frame pointer
 * @frames: the result, innermost first: @ip, then return addresses
 * @max: room in @frames
 * @end: how it ended
 *
 * Return: the number of frames, at least 1 if there is room for it.
 */
u16 gapp_fpwalk(struct gapp_walk *walk, u64 ip, u64 sp, u64 bp, u64 *frames, u16 max,
		enum gapp_walk_end *end)
{
	u64 lowest = sp, caller_bp, back;
	u16 count = 0;

	*end = GAPP_WALK_FULL;
	if (!max)
		return 0;
	walk->window_bytes = 0;
	frames[count++] = ip;

	/* Every round adds a frame or ends the walk. */
	for (;;) {
		*end = GAPP_WALK_COMPLETE;
		if (!bp)
			return count;
		*end = GAPP_WALK_NO_FRAME;
		if (!is_frame(walk, bp, lowest, sp))
			return count;
		*end = GAPP_WALK_UNREADABLE;
		if (!read_word(walk, bp, &caller_bp) || !read_word(walk, bp + WORD, &back))
			return count;
		*end = GAPP_WALK_COMPLETE;
		if (!back)
			return count;
		*end = GAPP_WALK_NO_FRAME;
		if (back < LOWEST_CODE || back >= walk->limit)
			return count;
		*end = GAPP_WALK_FULL;
		if (count == max)
			return count;
		frames[count++] = back;
		lowest = bp + FRAME;
		bp = caller_bp;
	}
}
