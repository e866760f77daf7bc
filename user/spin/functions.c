// SPDX-License-Identifier: GPL-2.0
#include "functions.h"

/* Parts that one function may have; more are left apart. */
#define PARTS_MAX 16

/**
 * struct joins - ranges that are parts of one function
 * @of: for each range another one of its function, or itself
 * @parts: parts of the function that it stands for
 */
struct joins {
	u32 *of;
	u8 *parts;
};

static u32 find_joined(const struct joins *joins, u32 range)
{
	while (joins->of[range] != range) {
		joins->of[range] = joins->of[joins->of[range]];
		range = joins->of[range];
	}
	return range;
}

static void join(struct joins *joins, u32 one, u32 other)
{
	one = find_joined(joins, one);
	other = find_joined(joins, other);
	if (one == other || joins->parts[one] + joins->parts[other] > PARTS_MAX)
		return;
	joins->of[other] = one;
	joins->parts[one] += joins->parts[other];
}

/* Notes what a jump in range number @number says of ranges. */
static void note_jump(struct code_file *code, struct joins *joins, u32 number,
		      const struct step *step)
{
	struct code_range *range = &code->ranges[number];
	u32 other;

	if (step->target >= range->begin && step->target < range->end) {
		range->loops |= step->target <= step->address;
		return;
	}
	if (step->flow == FLOW_JUMP)
		range->returns = true;
	other = code_file_find(code, step->target);
	/* A jump to a function is a call that does not come back here. */
	if (other == HASH_NONE || step->target == code->ranges[other].begin ||
	    code_file_callee(code, step->target, 0))
		return;
	join(joins, number, other);
}

static u64 scan_range(struct code_file *code, void *decoder, struct joins *joins, u32 number,
		      u64 *pauses)
{
	struct code_range *range = &code->ranges[number];
	u64 at = range->begin, count = 0;
	struct step step = { 0 };
	const u8 *bytes;
	size_t size;

	range->returns = false;
	for (; (bytes = code_file_bytes(code, at, range->end, &size)); at += step.bytes, count++) {
		if (at >= range->end || !code->machine->step(decoder, bytes, size, at, &step))
			break;
		*pauses += step.pauses;
		if (step.flow == FLOW_BRANCH || step.flow == FLOW_JUMP)
			note_jump(code, joins, number, &step);
		else if (step.flow == FLOW_RETURN || step.flow == FLOW_JUMP_INDIRECT)
			range->returns = true;
	}
	/* it goes on in bytes that cannot be decoded, or in the next function */
	if (at < range->end || step.flow == FLOW_NEXT || step.flow == FLOW_BRANCH)
		range->returns = true;
	return count;
}

/* The function is its largest part, and the others hang on it in the order of their addresses. */
static void chain_parts(struct code_file *code, const struct joins *joins)
{
	for (u32 i = 0; i < code->range_count; i++) {
		struct code_range *range = &code->ranges[i];
		struct code_range *first = &code->ranges[find_joined(joins, i)];
		const struct code_range *largest = &code->ranges[first->whole];

		if (range->end - range->begin > largest->end - largest->begin)
			first->whole = i;
	}
	for (u32 i = 0; i < code->range_count; i++)
		code->ranges[i].whole = code->ranges[find_joined(joins, i)].whole;
	for (u32 i = code->range_count; i--;) {
		struct code_range *range = &code->ranges[i], *whole = &code->ranges[range->whole];

		if (range == whole)
			continue;
		range->next_part = whole->next_part;
		whole->next_part = i;
		whole->loops = true;
		whole->returns |= range->returns;
	}
}

s64 functions_scan(struct code_file *code, void *decoder, u64 *pauses, const volatile bool *cancel)
{
	struct joins joins = {
		.of = malloc((code->range_count + 1) * sizeof(*joins.of)),
		.parts = malloc(code->range_count + 1),
	};
	s64 count = -1;

	if (joins.of && joins.parts) {
		count = 0;
		*pauses = 0;
		for (u32 i = 0; i < code->range_count; i++) {
			joins.of[i] = i;
			joins.parts[i] = 1;
		}
		for (u32 i = 0; i < code->range_count && !is_cancelled(cancel); i++)
			count += scan_range(code, decoder, &joins, i, pauses);
		chain_parts(code, &joins);
		if (is_cancelled(cancel))
			count = -1;
	}
	free(joins.of);
	free(joins.parts);
	return count;
}

bool function_never_returns(const char *name)
{
	static const char *const names[] = {
		"abort",
		"exit",
		"_exit",
		"_Exit",
		"quick_exit",
		"pthread_exit",
		"longjmp",
		"siglongjmp",
		"__longjmp_chk",
		"err",
		"errx",
		"verr",
		"verrx",
		"__stack_chk_fail",
		"__assert",
		"__assert_fail",
		"__assert_perror_fail",
		"__fortify_fail",
		"__chk_fail",
		"__libc_fatal",
		"__cxa_throw",
		"__cxa_rethrow",
		"__cxa_bad_cast",
		"__cxa_bad_typeid",
		"__cxa_throw_bad_array_new_length",
		"_Unwind_Resume",
		"_ZSt9terminatev",
		"__clang_call_terminate",
		"ucs_fatal_error_format",
		"rust_begin_unwind",
	};

	if (!name)
		return false;
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strcmp(name, names[i]))
			return true;
	/* std::__throw_out_of_range() and the like, core::panicking */
	return (!strncmp(name, "_ZSt", 4) && strstr(name, "__throw_")) ||
	       !strncmp(name, "_ZN4core9panicking", 18);
}

bool call_never_returns(const struct code_file *code, u64 target, u64 slot)
{
	u32 range = target ? code_file_find(code, target) : HASH_NONE;

	if (range != HASH_NONE && code->ranges[range].begin == target &&
	    code->ranges[range].whole == range && !code->ranges[range].returns)
		return true;
	return function_never_returns(code_file_callee(code, target, slot));
}
