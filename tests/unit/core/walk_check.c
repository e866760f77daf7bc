// SPDX-License-Identifier: GPL-2.0
#include "walk_check.h"

/*
 * Eight bytes for the thread, then three a word: most words are frame pointers or return addresses,
 * or the walk would never get far. Words are put one behind the other, over and over again.
 */
void walk_stack_decode(struct walk_stack *stack, const u8 *bytes, u32 size)
{
	u64 values[256] = { 0 };
	u32 i, count = 0, next = 0, value;

	memset(stack, 0, sizeof(*stack));
	stack->limit = 0x7ffffffff000ULL;
	if (size < 8)
		return;
	stack->max = bytes[0] % (WALK_MAX + 1);
	stack->absent = bytes[1] & bytes[2] & 7;
	stack->sp = WALK_STACK + (bytes[3] << 3);
	stack->bp = WALK_STACK + (bytes[4] | (bytes[5] & 15) << 8);
	if (bytes[6] & 1)
		stack->bp &= ~7ULL;
	if (bytes[6] >> 1 == 127)
		stack->limit = WALK_STACK + bytes[7] * 64;
	if (bytes[6] >> 1 == 126)
		stack->bp = (u64)bytes[7] << 56;
	if (bytes[6] >> 1 >= 125)
		stack->sp = (u64)bytes[7] << 56;

	for (i = 8; i + 3 <= size && count < 256; i += 3) {
		value = bytes[i + 1] | bytes[i + 2] << 8;
		switch (bytes[i] % 8) {
		case 0:
			values[count++] = (u64)value << (bytes[i] >> 3) * 2;
			break;
		case 1:
			values[count++] = WALK_STACK + value;
			break;
		case 2:
		case 3:
		case 4:
			/* so many words above this one, in whichever place it is */
			values[count++] = (u64)1 << 63 | value % 64 * 8;
			break;
		default:
			values[count++] = 0x400000 + value;
		}
	}
	for (i = 0; count && i < WALK_WORDS; i++) {
		stack->words[i] = values[next];
		next = next + 1 < count ? next + 1 : 0;
		if (stack->words[i] >> 62 == 2)
			stack->words[i] = WALK_STACK + i * 8 + (stack->words[i] & 0xffff);
	}
}

static bool copy(void *context, void *to, u64 address, u32 bytes)
{
	struct walk_stack *stack = context;
	u64 offset = address - WALK_STACK;

	stack->copies++;
	if (!bytes || bytes > GAPP_WINDOW_BYTES)
		stack->wrong = "a window's size";
	else if (address / 4096 != (address + bytes - 1) / 4096)
		stack->wrong = "a window crosses a page's end";
	else if (address >= stack->limit || bytes > stack->limit - address)
		stack->wrong = "a window passes the limit";
	if (stack->wrong || address < WALK_STACK || offset >= sizeof(stack->words) ||
	    stack->absent >> offset / 4096 & 1)
		return false;
	memcpy(to, (const u8 *)stack->words + offset, bytes);
	return true;
}

/* The second opinion: one word, wherever it is. */
static bool word_at(const struct walk_stack *stack, u64 address, u64 *word)
{
	u64 offset = address - WALK_STACK;

	if (address < WALK_STACK || offset >= sizeof(stack->words) ||
	    stack->absent >> offset / 4096 & 1)
		return false;
	*word = stack->words[offset / 8];
	return true;
}

static enum gapp_unwind_end walk_naively(const struct walk_stack *stack, struct walk_found *found)
{
	u64 bp = stack->bp, above = stack->sp, next = 0, back = 0;
	__uint128_t top = (__uint128_t)stack->sp + (16 << 20);

	found->count = 0;
	if (!stack->max)
		return GAPP_UNWIND_FULL;
	found->frames[found->count++] = WALK_IP;
	while (bp) {
		if (bp & 7 || bp < above || bp > top || (__uint128_t)bp + 16 > stack->limit)
			return GAPP_UNWIND_NO_FRAME;
		if (!word_at(stack, bp, &next) || !word_at(stack, bp + 8, &back))
			return GAPP_UNWIND_UNREADABLE;
		if (!back)
			return GAPP_UNWIND_COMPLETE;
		if (back < 4096 || back >= stack->limit)
			return GAPP_UNWIND_NO_FRAME;
		if (found->count == stack->max)
			return GAPP_UNWIND_FULL;
		found->frames[found->count++] = back;
		above = bp + 16;
		bp = next;
	}
	return GAPP_UNWIND_COMPLETE;
}

const char *walk_check(struct walk_stack *stack, struct walk_found *found)
{
	struct gapp_window window = { .copy = copy, .context = stack, .limit = stack->limit };
	struct walk_found must;

	memset(found, 0x5a, sizeof(*found));
	memset(&must, 0x5a, sizeof(must));
	found->count = gapp_unwind_fp(GAPP_ARCH_X86_64, &window, WALK_IP, stack->sp, stack->bp,
				      found->frames, stack->max, &found->end);
	must.end = walk_naively(stack, &must);
	if (stack->wrong)
		return stack->wrong;
	if (found->count != must.count)
		return "number of frames";
	if (found->end != must.end)
		return "how it ended";
	if (memcmp(found->frames, must.frames, sizeof(must.frames)))
		return "frames";
	/* Each frame at worst is in two windows of its own. */
	if (stack->copies > 2 * (must.count + 1))
		return "too many windows";
	return NULL;
}
