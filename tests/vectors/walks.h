/* SPDX-License-Identifier: GPL-2.0 */
/* User stacks of three pages, and the frames that are in them. */
#ifndef GAPP_VEC_WALKS_H
#define GAPP_VEC_WALKS_H

#include "unwind.h"
#include "same.h"
#include "stack.h"

#define VEC_WALK_FRAMES 6

/**
 * struct vec_frame - what a function leaves on the stack
 * @at: where, from the stack's lowest address
 * @bp: its caller's frame pointer
 * @back: its return address
 */
struct vec_frame {
	u32 at;
	u64 bp;
	u64 back;
};

/**
 * struct vec_walk - one stack
 * @name: what it shows
 * @stack: what is on it; the rest is zero
 * @absent: pages that are not there, a bit each
 * @sp: stack pointer
 * @bp: frame pointer
 * @max: room for frames
 * @limit: if not VEC_LIMIT
 * @end: how the walk must end
 * @count: how many frames it must find
 * @frames: those after the first, which is the instruction pointer
 * @copies: if not 0: windows that it takes
 * @arch: if not x86-64
 */
struct vec_walk {
	const char *name;
	const struct vec_frame *stack;
	u32 absent;
	u64 sp, bp;
	u16 max;
	u64 limit;
	enum gapp_unwind_end end;
	u16 count;
	u64 frames[VEC_WALK_FRAMES - 1];
	u32 copies;
	u32 arch;
};

#define AT(at) (VEC_STACK + (at))
#define STACK (const struct vec_frame[])
#define LAST               \
	{                  \
		0xffffffff \
	}
#define STACK_16M (16ULL << 20)

/* clang-format off */
static const struct vec_walk vec_walks[] = {
	{ "down to a return address of 0",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, AT(0x90), 0x402000 },
		 { 0x90, 0x5a5a, 0 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 1 },
	{ "down to a frame pointer of 0",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, 0, 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 1 },
	{ "no frame pointer from the first",
	  STACK{ LAST }, 7, AT(0), 0, 6, 0, GAPP_UNWIND_COMPLETE, 1 },
	{ "a frame right at the stack pointer",
	  STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, AT(0x20), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 2, { 0x401000 } },
	{ "frames side by side",
	  STACK{ { 0x20, AT(0x30), 0x401000 }, { 0x30, AT(0x40), 0x402000 },
		 { 0x40, 0, 0x403000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 4, { 0x401000, 0x402000, 0x403000 } },

	/* frame pointers that are none */
	{ "not aligned", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, AT(0), AT(0x24), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "not aligned, later", STACK{ { 0x20, AT(0x61), 0x401000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 2, { 0x401000 } },
	{ "below the stack pointer", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, AT(0x28), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "the same again", STACK{ { 0x20, AT(0x20), 0x401000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 2, { 0x401000 } },
	{ "half the same again", STACK{ { 0x20, AT(0x28), 0x401000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 2, { 0x401000 } },
	{ "down and up again",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, AT(0x20), 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 3, { 0x401000, 0x402000 } },
	{ "farther up than a stack is large", STACK{ LAST },
	  0, AT(0), AT(STACK_16M + 8), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "as far up as a stack is large", STACK{ LAST },
	  0, AT(0), AT(STACK_16M), 6, 0, GAPP_UNWIND_UNREADABLE, 1 },
	{ "not of the process", STACK{ LAST },
	  0, VEC_LIMIT - 0x100, VEC_LIMIT, 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "half a frame below the limit", STACK{ LAST },
	  0, VEC_LIMIT - 0x100, VEC_LIMIT - 8, 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "the highest that can be", STACK{ LAST },
	  0, ~0ULL - 0xff, ~0ULL - 7, 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "a stack pointer in the kernel", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, ~0ULL - 0xff, AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "a limit of 0", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, AT(0), AT(0x20), 6, 1, GAPP_UNWIND_NO_FRAME, 1 },

	/* return addresses that are none */
	{ "back to the first page", STACK{ { 0x20, AT(0x60), 4095 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "back to the second page", STACK{ { 0x20, 0, 4096 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 2, { 4096 } },
	{ "back to the limit", STACK{ { 0x20, AT(0x60), VEC_LIMIT }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "back to just below the limit", STACK{ { 0x20, 0, VEC_LIMIT - 1 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 2, { VEC_LIMIT - 1 } },
	{ "back to nowhere", STACK{ { 0x20, AT(0x60), 0x800000000000ULL }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },
	{ "back to the kernel", STACK{ { 0x20, AT(0x60), 0xffffffff81000000ULL }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_NO_FRAME, 1 },

	/* signatures above addresses of 48 bits */
	{ "signed return addresses",
	  STACK{ { 0x20, AT(0x60), 0x7f000000401000ULL },
		 { 0x60, 0, 0xff55000000402000ULL },
		 LAST },
	  0, AT(0), AT(0x20), 6, 1ULL << 48, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 1,
	  GAPP_ARCH_AARCH64 },
	{ "a signed return address of 0",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, AT(0x90), 0x7f000000000000ULL }, LAST },
	  0, AT(0), AT(0x20), 6, 1ULL << 48, GAPP_UNWIND_COMPLETE, 2, { 0x401000 }, 1,
	  GAPP_ARCH_AARCH64 },
	{ "no signatures on x86-64",
	  STACK{ { 0x20, AT(0x60), 0x7f000000401000ULL }, LAST },
	  0, AT(0), AT(0x20), 6, 1ULL << 48, GAPP_UNWIND_NO_FRAME, 1 },

	/* windows and pages */
	{ "across a page's end",
	  STACK{ { 0xff8, AT(0x1020), 0x401000 }, { 0x1020, 0, 0x402000 }, LAST },
	  0, AT(0xff0), AT(0xff8), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 2 },
	{ "across the end of a page with none behind it",
	  STACK{ { 0xff8, AT(0x1020), 0x401000 }, LAST },
	  2, AT(0xff0), AT(0xff8), 6, 0, GAPP_UNWIND_UNREADABLE, 1 },
	{ "up to a page's end with none behind it",
	  STACK{ { 0xfc0, AT(0xff0), 0x401000 }, { 0xff0, 0, 0x402000 }, LAST },
	  2, AT(0xfc0), AT(0xfc0), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 1 },
	{ "on to a page that is not there",
	  STACK{ { 0x20, AT(0x1020), 0x401000 }, LAST },
	  2, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_UNREADABLE, 2, { 0x401000 }, 2 },
	{ "over a page that is not there",
	  STACK{ { 0x20, AT(0x2020), 0x401000 }, { 0x2020, 0, 0x402000 }, LAST },
	  2, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 2 },
	{ "the first page is not there", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  1, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_UNREADABLE, 1 },
	{ "just within the window",
	  STACK{ { 0x20, AT(0x410), 0x401000 }, { 0x410, 0, 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 1 },
	{ "half within the window",
	  STACK{ { 0x20, AT(0x418), 0x401000 }, { 0x418, 0, 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 2 },
	{ "just behind the window",
	  STACK{ { 0x20, AT(0x420), 0x401000 }, { 0x420, 0, 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 6, 0, GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 2 },
	{ "a limit in the middle of the window",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, 0, 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 6, AT(0x70), GAPP_UNWIND_COMPLETE, 3, { 0x401000, 0x402000 }, 1 },

	/* room */
	{ "more than there is room for",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, AT(0x90), 0x402000 }, LAST },
	  0, AT(0), AT(0x20), 2, 0, GAPP_UNWIND_FULL, 2, { 0x401000 } },
	{ "as many as there is room for",
	  STACK{ { 0x20, AT(0x60), 0x401000 }, { 0x60, 0x5a5a, 0 }, LAST },
	  0, AT(0), AT(0x20), 2, 0, GAPP_UNWIND_COMPLETE, 2, { 0x401000 } },
	{ "room for one", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, AT(0), AT(0x20), 1, 0, GAPP_UNWIND_FULL, 1 },
	{ "no room", STACK{ { 0x20, 0, 0x401000 }, LAST },
	  0, AT(0), AT(0x20), 0, 0, GAPP_UNWIND_FULL, 0 },
};

/* clang-format on */

#undef AT
#undef STACK
#undef LAST
#undef STACK_16M

static inline void vec_walk_run(void *rig, const struct vec_walk *vec, struct vec_stack *stack)
{
	struct vec_place p = { .rig = rig, .name = vec->name, .part = "frame" };
	enum gapp_unwind_end end = GAPP_UNWIND_COMPLETE;
	u64 frames[VEC_WALK_FRAMES] = { 0 };
	const struct vec_frame *frame;
	struct gapp_window window;
	u16 count, i;

	memset(stack, 0, sizeof(*stack));
	stack->absent = vec->absent;
	stack->limit = vec->limit ? vec->limit : VEC_LIMIT;
	for (frame = vec->stack; frame->at != 0xffffffff; frame++) {
		stack->words[frame->at / 8] = frame->bp;
		stack->words[frame->at / 8 + 1] = frame->back;
	}

	/* The walk does not look at what an earlier one left. */
	memset(&window, 0xa5, sizeof(window));
	window.at = VEC_STACK;
	window.bytes = GAPP_WINDOW_BYTES;
	window.copy = vec_stack_copy;
	window.is_late = NULL;
	window.context = stack;
	window.limit = stack->limit;
	window.reads = NULL;
	count = gapp_unwind_fp(vec->arch ? vec->arch : GAPP_ARCH_X86_64, &window, 0x400123, vec->sp,
			       vec->bp, frames, vec->max, &end);

	vec_same(&p, "count", count, vec->count);
	vec_same(&p, "end", end, vec->end);
	if (stack->wrong)
		VEC_FAIL(rig, "%s: %s", vec->name, stack->wrong);
	if (vec->copies)
		vec_same(&p, "copies", stack->copies, vec->copies);
	if (vec->count)
		vec_same(&p, "ip", frames[0], 0x400123);
	for (i = 1; i < vec->count; i++) {
		p.index = i;
		vec_same(&p, "address", frames[i], vec->frames[i - 1]);
	}
	for (i = vec->count; i < VEC_WALK_FRAMES; i++)
		vec_same(&p, "address behind the last", frames[i], 0);
}

#endif /* GAPP_VEC_WALKS_H */
