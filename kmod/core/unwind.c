// SPDX-License-Identifier: GPL-2.0
/*
 * Frame by frame up a user stack, each step by the rule that holds where the
 * frame is, or by the frame pointer where there is none.
 *
 * The loop has the three registers it follows in locals; those of @walk are
 * written when they are the last frame's.
 */
#include "known.h"
#include "machine.h"
#include "unwind.h"

#define WORD GAPP_WINDOW_WORD
/* What a frame has at its frame pointer: the caller's frame pointer, the return address. */
#define FP_FRAME (2 * WORD)
/* By its frame pointer a frame is not farther up; by a rule it is not larger. */
#define FP_SPAN (16U << 20)
#define FRAME_SPAN (64U << 20)
#define LOWEST_CODE 4096 /* nothing is mapped below */
/* A walk is made with a run queue locked: not more windows than the longest path has frames. */
#define MAX_FILLS 128

#define FOUND GAPP_UNWIND_ENDS /* a step found the caller */

/**
 * struct place - a frame
 * @ip: instruction pointer
 * @sp: stack pointer; without @has_sp it is not below this
 * @fp: frame pointer
 * @has_sp: @sp is known
 * @has_fp: @fp is known
 * @exact: @ip is what it does next, not where a call returns to; all registers are known, those of
 *	the innermost frame in walk->regs
 */
struct place {
	u64 ip, sp, fp;
	bool has_sp, has_fp;
	bool exact;
};

static __always_inline enum gapp_unwind_end unreadable(const struct gapp_unwind *walk, u64 address)
{
	if (address % WORD || address >= walk->window.limit)
		return GAPP_UNWIND_NO_FRAME;
	return GAPP_UNWIND_UNREADABLE;
}

/* Where a frame is looked up: a call may be the last thing its function does. */
static __always_inline u64 address_in(const struct place *at)
{
	return at->ip - !at->exact;
}

static __always_inline bool is_gap(const struct gapp_rule *rule)
{
	return rule->cfa == GAPP_CFA_GAP && !rule->number;
}

static __always_inline enum gapp_unwind_end step_by_fp(struct gapp_unwind *walk,
						       const struct machine *machine,
						       const struct gapp_rule *rule,
						       const struct place *at, struct place *caller)
{
	u64 fp = at->fp;

	if (!at->has_fp)
		return GAPP_UNWIND_NO_FRAME;
	/* Who has frame pointers ends them so; in a file's gap it may be any number. */
	if (!fp)
		return is_gap(rule) ? GAPP_UNWIND_NO_FRAME : GAPP_UNWIND_COMPLETE;
	if (fp % WORD || fp < at->sp || fp - at->sp > FP_SPAN || fp >= walk->window.limit ||
	    walk->window.limit - fp < FP_FRAME)
		return GAPP_UNWIND_NO_FRAME;
	if (!gapp_window_read(&walk->window, fp, &caller->fp) ||
	    !gapp_window_read(&walk->window, fp + WORD, &caller->ip))
		return GAPP_UNWIND_UNREADABLE;
	walk->by_fp = true;
	caller->sp = fp + FP_FRAME;
	caller->has_sp = machine->sp_behind_fp;
	caller->has_fp = true;
	caller->exact = false;
	return FOUND;
}

static __always_inline enum gapp_unwind_end step_by_signal(struct gapp_unwind *walk,
							   const struct machine *machine,
							   const struct place *at,
							   struct place *caller)
{
	u64 from = at->sp + machine->signal_offset, value;
	u32 i;

	walk->by_more = true;
	if (!at->has_sp)
		return GAPP_UNWIND_NO_RULE;
	for (i = 0; i < machine->registers; i++) {
		if (!gapp_window_read(&walk->window, from + i * WORD, &value))
			return unreadable(walk, from + i * WORD);
		walk->saved[machine->signal_order ? machine->signal_order[i] : i] = value;
	}
	caller->ip = walk->saved[machine->ip];
	caller->sp = walk->saved[machine->sp];
	caller->fp = walk->saved[machine->fp];
	caller->has_sp = true;
	caller->has_fp = true;
	caller->exact = true;
	return FOUND;
}

/* What is in a register, if that is known. */
static __always_inline bool get_register(const struct gapp_unwind *walk,
					 const struct machine *machine, const struct place *at,
					 u8 number, u64 *value)
{
	if (at->exact) {
		*value = walk->regs.value[number];
		return walk->regs.valid >> number & 1;
	}
	if (number == machine->ip) {
		*value = at->ip;
		return true;
	}
	*value = number == machine->sp ? at->sp : at->fp;
	return number == machine->sp ? at->has_sp : number == machine->fp && at->has_fp;
}

/* Where the CFA is, by other rules than the two that nearly all are. */
static __always_inline enum gapp_unwind_end find_odd_cfa(struct gapp_unwind *walk,
							 const struct machine *machine,
							 const struct gapp_rule *rule,
							 const struct place *at, u64 *cfa)
{
	bool known = rule->cfa == GAPP_CFA_DEREF_FP ? at->has_fp : at->has_sp;
	u64 from;

	switch (rule->cfa) {
	case GAPP_CFA_PLT:
		*cfa = at->sp + WORD + ((s32)(at->ip & 15) >= rule->cfa_offset ? WORD : 0);
		break;
	case GAPP_CFA_REGISTER:
		walk->by_more = true;
		known = get_register(walk, machine, at, rule->number, cfa);
		*cfa += (s64)rule->cfa_offset;
		break;
	default:
		if (!known)
			break;
		from = (rule->cfa == GAPP_CFA_DEREF_FP ? at->fp : at->sp) + gapp_rule_pre(rule);
		if (!gapp_window_read(&walk->window, from, cfa))
			return unreadable(walk, from);
		*cfa += (s64)gapp_rule_post(rule);
	}
	return known ? FOUND : GAPP_UNWIND_NO_RULE;
}

/* The caller's frame pointer, and only then the way back, for it is farther up. */
static __always_inline enum gapp_unwind_end restore(struct gapp_unwind *walk,
						    const struct machine *machine,
						    const struct gapp_rule *rule,
						    const struct place *at, struct place *caller)
{
	u64 from = caller->sp + (s64)rule->fp_offset;

	caller->fp = at->fp;
	caller->has_fp = at->has_fp && rule->fp != GAPP_FP_LOST;
	if (rule->fp == GAPP_FP_CFA || (rule->fp == GAPP_FP_DEREF_FP && at->has_fp)) {
		if (rule->fp == GAPP_FP_DEREF_FP)
			from = at->fp + (s64)rule->fp_offset;
		if (!gapp_window_read(&walk->window, from, &caller->fp))
			return unreadable(walk, from);
		caller->has_fp = true;
	}

	if (rule->ra == GAPP_RA_REGISTER) {
		walk->by_more = true;
		return get_register(walk, machine, at, rule->number, &caller->ip) ?
			       FOUND :
			       GAPP_UNWIND_NO_RULE;
	}
	from = caller->sp + (s64)rule->ra_offset;
	if (!gapp_window_read(&walk->window, from, &caller->ip))
		return unreadable(walk, from);
	return FOUND;
}

static __always_inline enum gapp_unwind_end
step_by_rule(struct gapp_unwind *walk, const struct machine *machine, const struct gapp_rule *rule,
	     const struct place *at, struct place *caller)
{
	enum gapp_unwind_end end;
	u64 cfa;

	if (rule->cfa == GAPP_CFA_SP || rule->cfa == GAPP_CFA_FP) {
		if (!(rule->cfa == GAPP_CFA_SP ? at->has_sp : at->has_fp))
			return GAPP_UNWIND_NO_RULE;
		cfa = (rule->cfa == GAPP_CFA_SP ? at->sp : at->fp) + (s64)rule->cfa_offset;
	} else {
		end = find_odd_cfa(walk, machine, rule, at, &cfa);
		if (end != FOUND)
			return end;
	}
	/* While its way back is in a register a function may have nothing on the stack. */
	if (cfa == at->sp && !(at->exact && rule->ra == GAPP_RA_REGISTER))
		return GAPP_UNWIND_LOOP;
	if (cfa % WORD || cfa < at->sp || cfa - at->sp > FRAME_SPAN || cfa >= walk->window.limit)
		return GAPP_UNWIND_LOOP;
	caller->sp = cfa;
	caller->has_sp = true;
	caller->exact = false;
	return restore(walk, machine, rule, at, caller);
}

/*
 * After a step by the frame pointer on a machine where that does not give sp: what begins with sp
 * is of no use until a frame has a rule that begins with fp.
 */
static __always_inline bool needs_sp(const struct gapp_rule *rule)
{
	return rule->cfa == GAPP_CFA_SP || rule->cfa == GAPP_CFA_PLT ||
	       rule->cfa == GAPP_CFA_DEREF_SP;
}

static __always_inline enum gapp_unwind_end step(struct gapp_unwind *walk,
						 const struct machine *machine,
						 const struct gapp_rule *rule,
						 const struct place *at, struct place *caller)
{
	if (rule->cfa > GAPP_CFA_SIGNAL && (at->has_sp || !needs_sp(rule)))
		return step_by_rule(walk, machine, rule, at, caller);
	switch (rule->cfa) {
	case GAPP_CFA_NONE:
		return GAPP_UNWIND_NO_RULE;
	case GAPP_CFA_END:
		return GAPP_UNWIND_COMPLETE;
	case GAPP_CFA_SIGNAL:
		return step_by_signal(walk, machine, at, caller);
	default:
		return step_by_fp(walk, machine, rule, at, caller);
	}
}

/*
 * Return addresses of aarch64 may be signed: what is above all of the process's addresses is the
 * signature. Without it these bits are zero.
 */
static u64 address_bits(const struct gapp_unwind *walk)
{
	if (walk->arch != GAPP_ARCH_AARCH64 || walk->window.limit < 2)
		return ~0ULL;
	return ~0ULL >> __builtin_clzll(walk->window.limit - 1);
}

/* The registers that a signal's frame has become the last frame's. */
static void keep_saved(struct gapp_unwind *walk, const struct machine *machine, u64 ip)
{
	walk->regs.valid = (1ULL << machine->registers) - 1;
	memcpy(walk->regs.value, walk->saved, machine->registers * sizeof(walk->saved[0]));
	walk->regs.value[machine->ip] = ip;
}

/* @at is the last frame found. */
static void keep(struct gapp_unwind *walk, const struct machine *machine, const struct place *at)
{
	if (at->exact)
		return;
	walk->regs.valid = 1ULL << machine->ip | (u64)at->has_sp << machine->sp |
			   (u64)at->has_fp << machine->fp;
	walk->regs.value[machine->ip] = at->ip;
	walk->regs.value[machine->sp] = at->sp;
	walk->regs.value[machine->fp] = at->fp;
}

/* A frame's rule; another result than FOUND: there is no such frame. */
static __always_inline enum gapp_unwind_end enter(struct gapp_unwind *walk, const struct place *at,
						  struct lookup *found)
{
	if (at->ip < LOWEST_CODE || at->ip >= walk->window.limit)
		return GAPP_UNWIND_NO_FRAME;
	rule_for(walk, address_in(at), found);
	if (found->rule)
		return FOUND;
	walk->unmapped = address_in(at);
	return GAPP_UNWIND_UNMAPPED;
}

/* Words of the stack that are not both in the window: in this order, for frames lie upwards. */
static bool fetch_two(struct gapp_window *window, u64 first, u64 second, u64 *one, u64 *two)
{
	return window->fills < MAX_FILLS && gapp_window_read(window, first, one) &&
	       gapp_window_read(window, second, two);
}

/* Two words at multiples of 8. */
static __always_inline bool read_two(struct gapp_window *window, u64 first, u64 second, u64 *one,
				     u64 *two)
{
	const u64 at = window->at, bytes = window->bytes;

	if (first - at >= bytes || second - at >= bytes)
		return fetch_two(window, first, second, one, two);
	*one = gapp_window_word(window, first - at);
	*two = gapp_window_word(window, second - at);
	return true;
}

/*
 * As far up as frames have plain rules that are remembered, with all that changes in registers.
 * Whatever is not as it should be is left to the walk proper, which goes on with the same frame;
 * but not that there is no more room, so that *@end may be GAPP_UNWIND_FULL.
 */
static __always_inline u16 climb(struct gapp_unwind *walk, struct place *at, u64 *frames, u16 count,
				 u16 max, struct lookup *found, u64 bits, enum gapp_unwind_end *end)
{
	const u64 limit = walk->window.limit, code_id = walk->code_id;
	struct gapp_known_rule *const all = walk->known, *known = found->known, *above;
	u64 ip = at->ip, sp = at->sp, fp = at->fp, cfa, for_fp, for_ip, caller_fp, caller_ip;
	const struct gapp_rule *rule = &known->rule;
	const u16 before = count;

	while (known->plain) {
		cfa = (rule->cfa == GAPP_CFA_FP ? fp : sp) + (s64)rule->cfa_offset;
		if (cfa % WORD || cfa - sp - 1 >= FRAME_SPAN || cfa >= limit)
			break;
		for_fp = cfa + (s64)rule->fp_offset;
		for_ip = cfa + (s64)rule->ra_offset;
		if (!read_two(&walk->window, for_fp, for_ip, &caller_fp, &caller_ip))
			break;
		caller_fp = rule->fp == GAPP_FP_CFA ? caller_fp : fp;
		caller_ip &= bits;
		/* below the limit, or the walk would not have begun */
		if (caller_ip - LOWEST_CODE >= limit - LOWEST_CODE)
			break;
		above = &all[known->above];
		if (!is_for(above, caller_ip - 1, code_id)) {
			above = recall(walk, caller_ip - 1, &found->code);
			if (!above)
				break;
			known->above = above - all;
		}
		if (count == max) {
			*end = GAPP_UNWIND_FULL;
			break;
		}
		known = above;
		rule = &known->rule;
		ip = caller_ip;
		sp = cfa;
		fp = caller_fp;
		frames[count++] = ip;
	}
	/* Without a step all registers of the frame may still be known. */
	if (count > before)
		*at = (struct place){
			.ip = ip, .sp = sp, .fp = fp, .has_sp = true, .has_fp = true
		};
	found->known = known;
	found->rule = &known->rule;
	return count;
}

static __always_inline u16 walk_up(struct gapp_unwind *walk, const struct machine *machine,
				   struct place at, u64 *frames, u16 max, enum gapp_unwind_end *end)
{
	const u64 bits = address_bits(walk);
	struct lookup found = { 0 };
	struct place caller;
	u16 count = 0;

	frames[count++] = at.ip;
	*end = enter(walk, &at, &found);
	/* Every round adds a frame or ends the walk. */
	while (*end == FOUND) {
		if (found.known && at.has_sp && at.has_fp) {
			count = climb(walk, &at, frames, count, max, &found, bits, end);
			if (*end != FOUND)
				break;
		}
		*end = step(walk, machine, found.rule, &at, &caller);
		if (*end != FOUND)
			break;
		caller.ip &= bits;
		*end = GAPP_UNWIND_COMPLETE;
		if (!caller.ip && !caller.exact)
			break;
		*end = enter(walk, &caller, &found);
		if (*end != FOUND)
			break;
		*end = GAPP_UNWIND_FULL;
		if (count == max || walk->window.fills >= MAX_FILLS)
			break;
		*end = FOUND;
		frames[count++] = caller.ip;
		at = caller;
		if (at.exact)
			keep_saved(walk, machine, at.ip);
	}
	keep(walk, machine, &at);
	return count;
}

/**
 * gapp_unwind() - the call path of a thread in user space
 * @walk: @copy, @context and @limit of its window, @arch, @code, @code_count and @regs are set, of
 *	@regs at least the instruction pointer and the stack pointer
 * @frames: the result, innermost first: the instruction pointer, then return addresses
 * @max: room in @frames
 * @end: how it ended
 *
 * On aarch64 return addresses are without their signatures.
 *
 * Return: the number of frames, at least 1 if there is room for it.
 */
u16 gapp_unwind(struct gapp_unwind *walk, u64 *frames, u16 max, enum gapp_unwind_end *end)
{
	const struct machine *machine = walk->arch == GAPP_ARCH_AARCH64 ? &aarch64 : &x86_64;
	struct place innermost = {
		.ip = walk->regs.value[machine->ip],
		.sp = walk->regs.value[machine->sp],
		.fp = walk->regs.value[machine->fp],
		.has_sp = walk->regs.valid >> machine->sp & 1,
		.has_fp = walk->regs.valid >> machine->fp & 1,
		.exact = true,
	};

	walk->by_fp = false;
	walk->by_more = false;
	walk->unmapped = 0;
	gapp_window_begin(&walk->window);
	*end = GAPP_UNWIND_FULL;
	return max ? walk_up(walk, machine, innermost, frames, max, end) : 0;
}
