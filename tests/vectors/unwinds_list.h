/* SPDX-License-Identifier: GPL-2.0 */
/* The vectors of unwinds.h, which includes this. */
#ifndef GAPP_VEC_UNWINDS_LIST_H
#define GAPP_VEC_UNWINDS_LIST_H

#define AT(at) (VEC_STACK + (at))
#define F(i, offset) VEC_FUNCTION(i, offset)
#define WORDS (const struct vec_word[])
#define LAST               \
	{                  \
		0xffffffff \
	}
#define NOTHING (WORDS{ LAST })
#define RULES (const struct gapp_rule[])
#define NO_MORE                       \
	{                             \
		.cfa = GAPP_CFA_KINDS \
	}
#define ON(base, offset, ...)                                                                  \
	{                                                                                      \
		.cfa = GAPP_CFA_##base, .cfa_offset = (offset), .ra_offset = -8, ##__VA_ARGS__ \
	}
#define DEREF(base, pre, post, ...)                                                        \
	{                                                                                  \
		.cfa = GAPP_CFA_DEREF_##base,                                              \
		.cfa_offset = (s32)((u32)(u16)(pre) << 16 | (u16)(post)), .ra_offset = -8, \
		##__VA_ARGS__                                                              \
	}
#define PUSHED .fp = GAPP_FP_CFA, .fp_offset = -16
#define LOST .fp = GAPP_FP_LOST
#define IN_REGISTER(n) .ra = GAPP_RA_REGISTER, .number = (n)
#define ONLY(kind)                     \
	{                              \
		.cfa = GAPP_CFA_##kind \
	}
#define END ONLY(END)

/* A program with frames of all usual kinds: main() has one by fp, others by sp. */
#define USUAL                                                                                  \
	(RULES{ ON(SP, 8), ON(SP, 32), ON(FP, 16, PUSHED), END, ON(SP, 24, PUSHED), ONLY(GAP), \
		ONLY(NONE), ONLY(SIGNAL) })

/* clang-format off */
static const struct vec_unwind vec_unwinds[] = {
	/* the usual */
	{ "a leaf, a frame by sp, one by fp, the end", USUAL,
	  WORDS{ { 0x00, F(1, 8) }, { 0x20, F(2, 8) }, { 0x40, 0x1111 }, { 0x48, F(3, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 4,
	  .frames = { F(1, 8), F(2, 8), F(3, 8) }, .last_sp = AT(0x50), .last_fp = 0x1111 },
	{ "a call that is its function's last instruction", USUAL,
	  WORDS{ { 0x00, F(2, 0) }, { 0x20, F(3, 1) }, LAST },
	  .ip = F(0, 0), .sp = AT(0), .fp = 0x10, .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(2, 0), F(3, 1) }, .last_sp = AT(0x28), .last_fp = 0x10 },
	{ "another one farther up", USUAL,
	  WORDS{ { 0x00, F(1, 8) }, { 0x20, F(2, 0) }, { 0x40, F(3, 1) }, LAST },
	  .ip = F(0, 0), .sp = AT(0), .fp = 0x10, .end = GAPP_UNWIND_COMPLETE, .count = 4,
	  .frames = { F(1, 8), F(2, 0), F(3, 1) }, .last_sp = AT(0x48), .last_fp = 0x10 },
	{ "two words in two windows, after a larger one",
	  RULES{ ON(SP, 8), ON(SP, 0x710, PUSHED), ON(FP, 16, PUSHED), END, NO_MORE },
	  WORDS{ { 0x800, F(1, 8) }, { 0x8f8, F(0, 8) }, { 0xf08, AT(0xff8) }, { 0xf10, F(2, 8) },
		 { 0xff8, 0x1111 }, { 0x1000, F(3, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0x800), .fp = 0x10, .end = GAPP_UNWIND_COMPLETE, .count = 4,
	  .frames = { F(1, 8), F(2, 8), F(3, 8) }, .last_sp = AT(0x1008), .last_fp = 0x1111 },
	{ "an offset that is not of whole words",
	  RULES{ ON(SP, 8), ON(SP, 32, .fp = GAPP_FP_CFA, .fp_offset = -12), END, NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x20, F(2, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = 0x10, .end = GAPP_UNWIND_NO_FRAME, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(8), .last_fp = 0x10 },
	{ "a pushed frame pointer", USUAL,
	  WORDS{ { 0x08, AT(0x100) }, { 0x10, F(2, 8) }, { 0x100, 0 }, { 0x108, F(3, 8) }, LAST },
	  .ip = F(4, 8), .sp = AT(0), .fp = 0xbad, .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(2, 8), F(3, 8) }, .last_sp = AT(0x110) },
	{ "a return address of 0", USUAL, WORDS{ { 0x00, F(1, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(8), .last_fp = 0 },
	{ "the end from the first", USUAL, NOTHING,
	  .ip = F(3, 4), .sp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 1 },
	{ "code that no rule can be for", USUAL, WORDS{ { 0x00, F(6, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_NO_RULE, .count = 2,
	  .frames = { F(6, 8) }, .last_sp = AT(8), .last_fp = AT(0x40) },

	/* room */
	{ "more than there is room for", USUAL,
	  WORDS{ { 0x00, F(1, 8) }, { 0x20, F(2, 8) }, { 0x48, F(3, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .max = 2, .end = GAPP_UNWIND_FULL, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(8), .last_fp = AT(0x40) },
	{ "as many as there is room for", USUAL, WORDS{ { 0x00, F(3, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .max = 2, .end = GAPP_UNWIND_COMPLETE,
	  .count = 2, .frames = { F(3, 8) }, .last_sp = AT(8), .last_fp = AT(0x40) },
	{ "no room", USUAL, NOTHING, .ip = F(0, 4), .sp = AT(0), .max = -1,
	  .end = GAPP_UNWIND_FULL, .count = 0 },

	/* what is mapped */
	{ "an instruction pointer that is nowhere", USUAL, NOTHING,
	  .ip = 0x700000, .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = 0x700000 },
	{ "just before what is mapped", USUAL, NOTHING,
	  .ip = VEC_CODE - 1, .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = VEC_CODE - 1 },
	{ "just behind what is mapped", USUAL, NOTHING,
	  .ip = VEC_OTHER + 0x1000, .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = VEC_OTHER + 0x1000 },
	{ "between what is mapped", USUAL, NOTHING,
	  .ip = VEC_JIT - 1, .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = VEC_JIT - 1 },
	{ "an instruction pointer of 0", USUAL, NOTHING,
	  .ip = 0, .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "an instruction pointer in the kernel", USUAL, NOTHING,
	  .ip = 0xffffffff81000000ULL, .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "back to nowhere", USUAL, WORDS{ { 0x00, 0x700000 }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = 0x6fffff },
	{ "back to the end of what is mapped",  USUAL, WORDS{ { 0x00, VEC_JIT + 0x1000 }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { VEC_JIT + 0x1000 }, .last_sp = AT(8) },
	{ "back to the begin of what is mapped",  USUAL, WORDS{ { 0x00, VEC_JIT }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = VEC_JIT - 1 },
	{ "back to the first page", USUAL, WORDS{ { 0x00, 4095 }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "back to the limit", USUAL, WORDS{ { 0x00, VEC_LIMIT }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "back to just below the limit", USUAL, WORDS{ { 0x00, VEC_LIMIT - 1 }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .unmapped = VEC_LIMIT - 2 },
	{ "back to the kernel", USUAL, WORDS{ { 0x00, 0xffffffff81000000ULL }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },

	/* by the frame pointer, where there is no table */
	{ "a gap in the file", USUAL,
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(1, 8) }, { 0x68, F(3, 8) }, LAST },
	  .ip = F(5, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 8), F(3, 8) }, .by_fp = true, .last_sp = AT(0x70), .last_fp = AT(0x80) },
	{ "behind the last page of the table", USUAL,
	  WORDS{ { 0x00, VEC_JIT + 8 }, { 0x40, AT(0x80) }, { 0x48, F(3, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { VEC_JIT + 8, F(3, 8) }, .by_fp = true, .last_sp = AT(0x50),
	  .last_fp = AT(0x80) },
	{ "a table of another machine", USUAL,
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(3, 8) }, LAST },
	  .ip = VEC_OTHER + 4, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(3, 8) }, .by_fp = true, .last_sp = AT(0x50), .last_fp = AT(0x80) },
	{ "a frame pointer of 0", USUAL, NOTHING, .ip = VEC_JIT, .sp = AT(0), .fp = 0,
	  .end = GAPP_UNWIND_COMPLETE, .count = 1 },
	{ "a frame pointer of 0 where the file says nothing", USUAL, NOTHING, .ip = F(5, 4),
	  .sp = AT(0), .fp = 0, .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "beside the frame pointer a return address of 0", USUAL,
	  WORDS{ { 0x40, AT(0x80) }, LAST },
	  .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 1,
	  .by_fp = true },
	{ "beside the frame pointer back to nowhere", USUAL,
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, 0x700001 }, LAST },
	  .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_UNMAPPED, .count = 1,
	  .by_fp = true, .unmapped = 0x700000 },
	{ "the frame pointer is not aligned", USUAL, NOTHING, .ip = VEC_JIT, .sp = AT(0),
	  .fp = AT(0x44), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "the frame pointer is below the stack pointer", USUAL, WORDS{ { 0x48, F(3, 8) }, LAST },
	  .ip = VEC_JIT, .sp = AT(0x48), .fp = AT(0x40), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "the frame pointer is the stack pointer", USUAL, WORDS{ { 0x48, F(3, 8) }, LAST },
	  .ip = VEC_JIT, .sp = AT(0x40), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(3, 8) }, .by_fp = true, .last_sp = AT(0x50), .last_fp = 0 },
	{ "the frame pointer is 16 MB up", USUAL, NOTHING, .ip = VEC_JIT, .sp = AT(0),
	  .fp = AT(16ULL << 20), .end = GAPP_UNWIND_UNREADABLE, .count = 1 },
	{ "the frame pointer is farther up", USUAL, NOTHING, .ip = VEC_JIT, .sp = AT(0),
	  .fp = AT((16ULL << 20) + 8), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "the frame pointer is half below the limit", USUAL, NOTHING, .ip = VEC_JIT,
	  .sp = VEC_LIMIT - 0x40, .fp = VEC_LIMIT - 8, .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "the frame pointer is not known", USUAL, WORDS{ { 0x48, F(3, 8) }, LAST },
	  .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .unknown = 1 << 6,
	  .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "a lost frame pointer", RULES{ ON(SP, 8, LOST), ONLY(GAP), NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x48, F(1, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_NO_FRAME, .count = 2,
	  .frames = { F(1, 8) }, .lost_fp = true, .last_sp = AT(8) },
	{ "a lost frame pointer that is found again",
	  RULES{ ON(SP, 8, LOST), ON(SP, 16, PUSHED), END, NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x08, AT(0x80) }, { 0x10, F(2, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 8), F(2, 8) }, .last_sp = AT(0x18), .last_fp = AT(0x80) },

	/* every kind of rule */
	{ "a lost frame pointer that a CFA begins with",
	  RULES{ ON(SP, 8, LOST), ON(FP, 16), NO_MORE }, WORDS{ { 0x00, F(1, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_NO_RULE, .count = 2,
	  .frames = { F(1, 8) }, .lost_fp = true, .last_sp = AT(8) },
	{ "a lost frame pointer at which the caller's is",
	  RULES{ ON(SP, 8, LOST), ON(SP, 8, .fp = GAPP_FP_DEREF_FP), END, NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x08, F(2, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 8), F(2, 8) }, .lost_fp = true, .last_sp = AT(0x10) },
	{ "the frame pointer at the frame pointer",
	  RULES{ ON(SP, 8, .fp = GAPP_FP_DEREF_FP, .fp_offset = 8), END, NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x48, 0x4242 }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(8), .last_fp = 0x4242 },
	{ "a slot of the PLT, before it pushes", RULES{ ON(PLT, 11), END, NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x08, F(1, 16) }, LAST },
	  .ip = F(0, 0x1a), .sp = AT(0), .fp = 1, .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(8), .last_fp = 1 },
	{ "a slot of the PLT, when it has pushed", RULES{ ON(PLT, 11), END, NO_MORE },
	  WORDS{ { 0x00, F(1, 8) }, { 0x08, F(1, 16) }, LAST },
	  .ip = F(0, 0x1b), .sp = AT(0), .fp = 1, .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 16) }, .last_sp = AT(0x10), .last_fp = 1 },
	{ "a CFA at the stack pointer", RULES{ DEREF(SP, 0x18, -16), END, NO_MORE },
	  WORDS{ { 0x18, AT(0x110) }, { 0xf8, F(1, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = 1, .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(0x100), .last_fp = 1 },
	{ "a CFA below the frame pointer",
	  RULES{ DEREF(FP, -8, 0, .fp = GAPP_FP_DEREF_FP), END, NO_MORE },
	  WORDS{ { 0x38, AT(0x100) }, { 0x40, 0x7777 }, { 0xf8, F(1, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(0x100), .last_fp = 0x7777 },
	{ "a CFA at a frame pointer that points nowhere",
	  RULES{ DEREF(FP, -8, 0), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0x41), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "a CFA at a frame pointer in the kernel", RULES{ DEREF(FP, -8, 0), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = AT(0), .fp = 0xffff888000000000ULL, .end = GAPP_UNWIND_NO_FRAME,
	  .count = 1 },
	{ "a CFA in a register", RULES{ ON(REGISTER, 0x20, .number = 10), END, NO_MORE },
	  WORDS{ { 0x98, F(1, 8) }, LAST }, .number = 10, .value = AT(0x80),
	  .ip = F(0, 4), .sp = AT(0), .fp = 1, .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(0xa0), .last_fp = 1 },
	{ "a CFA in a register that is not known",
	  RULES{ ON(REGISTER, 0x20, .number = 10), NO_MORE }, NOTHING,
	  .number = 10, .value = AT(0x80), .unknown = 1 << 10,
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_RULE, .count = 1 },
	{ "a CFA in a register of another machine", RULES{ ON(REGISTER, 0, .number = 30), NO_MORE },
	  NOTHING, .number = 30, .value = AT(0x80),
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_RULE, .count = 1 },
	{ "a CFA in a register of a caller",
	  RULES{ ON(SP, 8), ON(REGISTER, 0x20, .number = 10), NO_MORE },
	  WORDS{ { 0, F(1, 8) }, LAST },
	  .number = 10, .value = AT(0x80), .ip = F(0, 4), .sp = AT(0), .fp = 1,
	  .end = GAPP_UNWIND_NO_RULE, .count = 2, .frames = { F(1, 8) }, .last_sp = AT(8),
	  .last_fp = 1 },
	{ "a CFA in a register that a walk follows",
	  RULES{ ON(SP, 8), ON(REGISTER, 0x20, .number = 7), END, NO_MORE },
	  WORDS{ { 0, F(1, 8) }, { 0x20, F(2, 8) }, LAST }, .ip = F(0, 4), .sp = AT(0), .fp = 1,
	  .end = GAPP_UNWIND_COMPLETE, .count = 3, .frames = { F(1, 8), F(2, 8) },
	  .last_sp = AT(0x28), .last_fp = 1 },
	{ "a way back in a register, and no frame",
	  RULES{ ON(SP, 0, IN_REGISTER(5)), END, NO_MORE }, NOTHING, .number = 5, .value = F(1, 8),
	  .ip = F(0, 4), .sp = AT(0), .fp = 1, .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(0), .last_fp = 1 },
	{ "a way back in a register that is not known",
	  RULES{ ON(SP, 0, IN_REGISTER(5)), END, NO_MORE }, NOTHING, .number = 5, .value = F(1, 8),
	  .unknown = 1 << 5, .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_RULE, .count = 1 },
	{ "a caller with its way back in a register",
	  RULES{ ON(SP, 8), ON(SP, 8, IN_REGISTER(5)), END, NO_MORE },
	  WORDS{ { 0, F(1, 8) }, LAST },
	  .number = 5, .value = F(2, 8), .ip = F(0, 4), .sp = AT(0), .fp = 1,
	  .end = GAPP_UNWIND_NO_RULE, .count = 2, .frames = { F(1, 8) }, .last_sp = AT(8),
	  .last_fp = 1 },

	/* stack pointers that lead nowhere */
	{ "a frame without a way back on the stack", RULES{ ON(SP, 0), NO_MORE },
	  WORDS{ { 0, F(1, 8) }, LAST }, .ip = F(0, 4), .sp = AT(8), .end = GAPP_UNWIND_LOOP,
	  .count = 1 },
	{ "down the stack", RULES{ ON(SP, -8), NO_MORE }, WORDS{ { 0, F(1, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0x40), .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "down the stack with a way back in a register",
	  RULES{ ON(SP, -8, IN_REGISTER(5)), NO_MORE }, NOTHING,
	  .number = 5, .value = F(0, 8), .ip = F(0, 4), .sp = AT(0x40),
	  .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a frame pointer that was passed", USUAL,
	  WORDS{ { 0x40, 0 }, { 0x48, F(2, 8) }, LAST }, .ip = F(2, 8), .sp = AT(0x50),
	  .fp = AT(0x40), .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "the same frame again", USUAL,
	  WORDS{ { 0x40, AT(0x40) }, { 0x48, F(2, 8) }, LAST }, .ip = F(2, 8), .sp = AT(0),
	  .fp = AT(0x40), .end = GAPP_UNWIND_LOOP, .count = 2, .frames = { F(2, 8) },
	  .last_sp = AT(0x50), .last_fp = AT(0x40) },
	{ "a CFA that is not aligned", RULES{ ON(SP, 12), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a stack pointer that is not aligned", RULES{ ON(SP, 8), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = AT(4), .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a frame of 64 MB", RULES{ ON(SP, 64 << 20), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_UNREADABLE, .count = 1 },
	{ "a larger frame", RULES{ ON(SP, (64 << 20) + 8), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a CFA at the limit", RULES{ ON(SP, 0x40), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = VEC_LIMIT - 0x40, .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a CFA behind the last address", RULES{ ON(SP, 0x40), NO_MORE }, NOTHING,
	  .ip = F(0, 4), .sp = ~0ULL - 7, .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a CFA of 0, behind the last address",
	  RULES{ ON(SP, 1, IN_REGISTER(10)), NO_MORE }, NOTHING,
	  .number = 10, .value = F(0, 8), .ip = F(0, 4), .sp = ~0ULL, .end = GAPP_UNWIND_LOOP,
	  .count = 1 },
	{ "a CFA of 0, with a way back on the stack", RULES{ ON(SP, 1, .fp_offset = 8), NO_MORE },
	  NOTHING, .ip = F(0, 4), .sp = ~0ULL, .end = GAPP_UNWIND_LOOP, .count = 1 },
	{ "a way back that is not aligned", RULES{ { .cfa = GAPP_CFA_SP, .cfa_offset = 16,
	  .ra_offset = -9 }, NO_MORE }, NOTHING, .ip = F(0, 4), .sp = AT(0),
	  .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "a way back at the limit", RULES{ { .cfa = GAPP_CFA_SP, .cfa_offset = 16,
	  .ra_offset = 0x20 }, NO_MORE }, NOTHING, .ip = F(0, 4), .sp = VEC_LIMIT - 0x30,
	  .end = GAPP_UNWIND_NO_FRAME, .count = 1 },

	/* pages */
	{ "a way back on a page that is not there", RULES{ ON(SP, 0x1000), NO_MORE }, NOTHING,
	  .absent = 2, .ip = F(0, 4), .sp = AT(8), .end = GAPP_UNWIND_UNREADABLE, .count = 1 },
	{ "a pushed frame pointer on the page before",
	  RULES{ ON(SP, 0x1008, PUSHED), END, NO_MORE },
	  WORDS{ { 0xff8, 0x99 }, { 0x1000, F(1, 8) }, LAST }, .ip = F(0, 4), .sp = AT(0),
	  .end = GAPP_UNWIND_COMPLETE, .count = 2, .frames = { F(1, 8) }, .last_sp = AT(0x1008),
	  .last_fp = 0x99 },
	{ "a pushed frame pointer on a page that is not there",
	  RULES{ ON(SP, 0x1008, PUSHED), END, NO_MORE },
	  WORDS{ { 0x1000, F(1, 8) }, LAST }, .absent = 1, .ip = F(0, 4), .sp = AT(0),
	  .end = GAPP_UNWIND_UNREADABLE, .count = 1 },
	{ "on to a page that is not there", RULES{ ON(SP, 0x800), NO_MORE },
	  WORDS{ { 0x7f8, F(0, 8) }, { 0xff8, F(0, 9) }, LAST }, .absent = 2,
	  .ip = F(0, 4), .sp = AT(0), .fp = 5, .end = GAPP_UNWIND_UNREADABLE, .count = 3,
	  .frames = { F(0, 8), F(0, 9) }, .last_sp = AT(0x1000), .last_fp = 5 },

	/* signals: what they interrupt is looked up exactly, with all its registers */
	{ "a signal", RULES{ ON(SP, 8), ONLY(SIGNAL), ON(REGISTER, 8, .number = 3), END, NO_MORE },
	  WORDS{ { 0, F(1, 8) }, { 0x08 + 40 + 8 * 11, AT(0x200) }, { 0x08 + 40 + 8 * 10, 0x66 },
		 { 0x08 + 40 + 8 * 15, AT(0x1f8) }, { 0x08 + 40 + 8 * 16, F(2, 0) },
		 { 0x200, F(3, 8) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 4,
	  .frames = { F(1, 8), F(2, 0), F(3, 8) }, .last_sp = AT(0x208), .last_fp = 0x66 },
	{ "a signal on a stack of its own", RULES{ ONLY(SIGNAL), ON(SP, 8), END, NO_MORE },
	  WORDS{ { 0x1000 + 40 + 8 * 15, AT(0x20) }, { 0x1000 + 40 + 8 * 16, F(1, 4) },
		 { 0x20, F(2, 4) }, LAST },
	  .ip = F(0, 4), .sp = AT(0x1000), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 4), F(2, 4) }, .last_sp = AT(0x28), .last_fp = 0 },
	{ "a signal is the last of the path", RULES{ ONLY(SIGNAL), ONLY(NONE), NO_MORE },
	  WORDS{ { 40 + 8 * 10, 0x66 }, { 40 + 8 * 15, AT(0x300) }, { 40 + 8 * 16, F(1, 4) },
		 LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_RULE, .count = 2, .frames = { F(1, 4) },
	  .last_sp = AT(0x300), .last_fp = 0x66, .saved = true },
	{ "a signal that interrupted a leaf",
	  RULES{ ONLY(SIGNAL), ON(SP, 0, IN_REGISTER(5)), END, NO_MORE },
	  WORDS{ { 40 + 8 * 8, F(2, 4) }, { 40 + 8 * 15, AT(0x300) }, { 40 + 8 * 16, F(1, 4) },
		 LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 4), F(2, 4) }, .last_sp = AT(0x300) },
	{ "a signal at address 0", RULES{ ONLY(SIGNAL), NO_MORE },
	  WORDS{ { 40 + 8 * 15, AT(0x300) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "half a signal", RULES{ ONLY(SIGNAL), NO_MORE },
	  WORDS{ { 40 + 8 * 16, F(1, 4) }, LAST }, .absent = 2,
	  .ip = F(0, 4), .sp = AT(0xf80), .end = GAPP_UNWIND_UNREADABLE, .count = 1 },
	{ "a signal without room", RULES{ ONLY(SIGNAL), END, NO_MORE },
	  WORDS{ { 40 + 8 * 15, AT(0x300) }, { 40 + 8 * 16, F(1, 4) }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .max = 1, .end = GAPP_UNWIND_FULL, .count = 1 },

#define ARM .aarch64 = true, .limit = 1ULL << 48
#define BY_LR(offset, ...)                                                                   \
	{ .cfa = GAPP_CFA_SP, .cfa_offset = (offset), IN_REGISTER(30), ##__VA_ARGS__ }
#define RECORD(size)                                                                         \
	{ .cfa = GAPP_CFA_SP, .cfa_offset = (size), .fp = GAPP_FP_CFA, .fp_offset = -(size), \
	  .ra_offset = 8 - (size) }
	/* the other machine */
	{ "aarch64: a leaf, a frame, the end", RULES{ BY_LR(0), RECORD(0x30), END, NO_MORE },
	  WORDS{ { 0x00, AT(0x90) }, { 0x08, F(2, 8) }, LAST }, ARM, .number = 30, .value = F(1, 8),
	  .ip = F(0, 4), .sp = AT(0), .fp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 8), F(2, 8) }, .last_sp = AT(0x30), .last_fp = AT(0x90) },
	{ "aarch64: lr of a caller", RULES{ BY_LR(0), BY_LR(0x10), NO_MORE }, NOTHING, ARM,
	  .number = 30, .value = F(1, 8), .ip = F(0, 4), .sp = AT(0), .fp = AT(0x40),
	  .end = GAPP_UNWIND_NO_RULE, .count = 2, .frames = { F(1, 8) }, .last_sp = AT(0),
	  .last_fp = AT(0x40) },
	{ "aarch64: signed return addresses", RULES{ BY_LR(0), RECORD(0x30), END, NO_MORE },
	  WORDS{ { 0x08, F(2, 8) | 0x2aULL << 48 }, LAST }, ARM,
	  .number = 30, .value = F(1, 8) | 0xffULL << 48, .ip = F(0, 4), .sp = AT(0),
	  .fp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 3, .frames = { F(1, 8), F(2, 8) },
	  .last_sp = AT(0x30) },
	{ "aarch64: nothing but a signature", RULES{ BY_LR(0), NO_MORE }, NOTHING, ARM,
	  .number = 30, .value = 0xffULL << 48, .ip = F(0, 4), .sp = AT(0),
	  .end = GAPP_UNWIND_COMPLETE, .count = 1 },
	{ "x86-64: return addresses are not signed", USUAL,
	  WORDS{ { 0, F(1, 8) | 1ULL << 48 }, LAST },
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_FRAME, .count = 1 },
	{ "aarch64: a frame of 16 bytes is where its fp is", RULES{ RECORD(0x10), END, NO_MORE },
	  WORDS{ { 0x00, AT(0x90) }, { 0x08, F(1, 8) }, LAST }, ARM,
	  .ip = F(0, 8), .sp = AT(0), .fp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 2,
	  .frames = { F(1, 8) }, .last_sp = AT(0x10), .last_fp = AT(0x90) },
	{ "aarch64: by fp, which does not tell sp, and then by where fp is in the frame",
	  RULES{ RECORD(0x30), END, NO_MORE },
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(0, 8) }, { 0x80, AT(0xb0) }, { 0x88, F(0, 12) },
		 { 0xb0, 0 }, { 0xb8, F(1, 8) }, LAST }, ARM,
	  .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 4,
	  .frames = { F(0, 8), F(0, 12), F(1, 8) }, .by_fp = true, .last_sp = AT(0xe0),
	  .last_fp = 0 },
	{ "aarch64: by fp to a frame that has not saved it",
	  RULES{ ON(SP, 0x10), END, NO_MORE },
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(0, 8) }, { 0x80, 0 }, { 0x88, F(1, 8) }, LAST },
	  ARM, .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_NO_RULE, .count = 2,
	  .frames = { F(0, 8) }, .by_fp = true, .last_fp = AT(0x80) },
	{ "aarch64: by fp to a frame that has saved the return address elsewhere",
	  RULES{ { .cfa = GAPP_CFA_SP, .cfa_offset = 0x30, .fp = GAPP_FP_CFA, .fp_offset = -0x30,
		   .ra_offset = -0x10 }, END, NO_MORE },
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(0, 8) }, { 0x80, 0 }, { 0x88, F(1, 8) },
		 { 0xa0, F(1, 8) }, LAST },
	  ARM, .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_NO_RULE, .count = 2,
	  .frames = { F(0, 8) }, .by_fp = true, .last_fp = AT(0x80) },
	{ "aarch64: by fp, until a rule begins with it",
	  RULES{ ON(FP, 0x20, .fp = GAPP_FP_DEREF_FP), RECORD(0x30), END, NO_MORE },
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(0, 8) }, { 0x80, AT(0xa0) }, { 0x98, F(1, 8) },
		 { 0xa0, 0x33 }, { 0xa8, F(2, 8) }, LAST }, ARM,
	  .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_COMPLETE, .count = 4,
	  .frames = { F(0, 8), F(1, 8), F(2, 8) }, .by_fp = true, .last_sp = AT(0xd0),
	  .last_fp = 0x33 },
	{ "aarch64: by fp to a signal", RULES{ ONLY(SIGNAL), NO_MORE },
	  WORDS{ { 0x40, AT(0x80) }, { 0x48, F(0, 8) }, LAST }, ARM,
	  .ip = VEC_JIT, .sp = AT(0), .fp = AT(0x40), .end = GAPP_UNWIND_NO_RULE, .count = 2,
	  .frames = { F(0, 8) }, .by_fp = true, .last_fp = AT(0x80) },
	{ "aarch64: a signal, and lr behind it", RULES{ ONLY(SIGNAL), BY_LR(0x10), END, NO_MORE },
	  WORDS{ { 312 + 8 * 29, 0x29 }, { 312 + 8 * 30, F(2, 8) }, { 312 + 8 * 31, AT(0x800) },
		 { 312 + 8 * 32, F(1, 0) }, LAST }, ARM,
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_COMPLETE, .count = 3,
	  .frames = { F(1, 0), F(2, 8) }, .last_sp = AT(0x810), .last_fp = 0x29 },
	{ "aarch64: a signal is the last of the path", RULES{ ONLY(SIGNAL), ONLY(NONE), NO_MORE },
	  WORDS{ { 312 + 8 * 29, 0x29 }, { 312 + 8 * 31, AT(0x800) }, { 312 + 8 * 32, F(1, 0) },
		 LAST }, ARM,
	  .ip = F(0, 4), .sp = AT(0), .end = GAPP_UNWIND_NO_RULE, .count = 2, .frames = { F(1, 0) },
	  .last_sp = AT(0x800), .last_fp = 0x29, .saved = true },
};

/* clang-format on */

#undef AT
#undef F
#undef WORDS
#undef LAST
#undef NOTHING
#undef RULES
#undef NO_MORE
#undef ON
#undef DEREF
#undef PUSHED
#undef LOST
#undef IN_REGISTER
#undef ONLY
#undef END
#undef USUAL
#undef ARM
#undef BY_LR
#undef RECORD

#endif /* GAPP_VEC_UNWINDS_LIST_H */
