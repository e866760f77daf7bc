// SPDX-License-Identifier: GPL-2.0
/* Frame by frame up a user stack: at the frame pointer the caller's one, behind it the way back. */
#include "unwind_fp.h"

#define WORD GAPP_WINDOW_WORD
/* What a frame has at its frame pointer: the caller's frame pointer, the return address. */
#define FRAME (2 * WORD)
/* A stack is not larger: a frame farther up is none of this stack. */
#define STACK_SPAN (16U << 20)
/* Nothing is mapped below. */
#define LOWEST_CODE 4096

static bool is_frame(const struct gapp_window *window, u64 bp, u64 lowest, u64 sp)
{
	return bp % WORD == 0 && bp >= lowest && bp - sp <= STACK_SPAN && bp < window->limit &&
	       window->limit - bp >= FRAME;
}

/**
 * gapp_unwind_fp() - the call path of a thread in user space
 * @window: its @copy, @context and @limit are set
 * @ip: instruction pointer
 * @sp: stack pointer
 * @bp: frame pointer
 * @frames: the result, innermost first: @ip, then return addresses
 * @max: room in @frames
 * @end: how it ended
 *
 * Return: the number of frames, at least 1 if there is room for it.
 */
u16 gapp_unwind_fp(struct gapp_window *window, u64 ip, u64 sp, u64 bp, u64 *frames, u16 max,
		   enum gapp_unwind_end *end)
{
	u64 lowest = sp, caller_bp, back;
	u16 count = 0;

	*end = GAPP_UNWIND_FULL;
	if (!max)
		return 0;
	gapp_window_begin(window);
	frames[count++] = ip;

	/* Every round adds a frame or ends the walk. */
	for (;;) {
		*end = GAPP_UNWIND_COMPLETE;
		if (!bp)
			return count;
		*end = GAPP_UNWIND_NO_FRAME;
		if (!is_frame(window, bp, lowest, sp))
			return count;
		*end = GAPP_UNWIND_UNREADABLE;
		if (!gapp_window_read(window, bp, &caller_bp) ||
		    !gapp_window_read(window, bp + WORD, &back))
			return count;
		*end = GAPP_UNWIND_COMPLETE;
		if (!back)
			return count;
		*end = GAPP_UNWIND_NO_FRAME;
		if (back < LOWEST_CODE || back >= window->limit)
			return count;
		*end = GAPP_UNWIND_FULL;
		if (count == max)
			return count;
		frames[count++] = back;
		lowest = bp + FRAME;
		bp = caller_bp;
	}
}
