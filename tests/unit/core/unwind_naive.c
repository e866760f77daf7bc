// SPDX-License-Identifier: GPL-2.0
/* The walk that is trusted: each rule as <gapp_table.h> has it, one row and one word at a time. */
#include "unwind_check.h"

/* What a word will be taken for. */
enum want {
	WANT_STACK,
	WANT_CODE,
};

/**
 * struct frame - all that is known of a frame
 * @regs: registers; an unknown stack pointer is not below what is there
 * @exact: it was not left by a call
 */
struct frame {
	struct gapp_regs regs;
	bool exact;
};

struct numbers {
	u8 ip, sp, fp;
};

static struct numbers numbers(const struct unwind_case *thread)
{
	if (thread->arch == GAPP_ARCH_AARCH64)
		return (struct numbers){ 32, 31, 29 };
	return (struct numbers){ 16, 7, 6 };
}

static u64 choose_code(struct unwind_case *thread)
{
	const struct gapp_unwind_mapping *code;
	u64 address;

	switch (thread->calm ? 3 : unwind_choose(thread, 128)) {
	case 0:
		return unwind_choose(thread, 65536);
	case 1:
		return (u64)unwind_choose(thread, 65536) << unwind_choose(thread, 49);
	case 2:
		return 0;
	}
	if (!thread->code_count)
		return 0x400000;
	code = &thread->code[unwind_choose(thread, thread->code_count)];
	address = code->begin + (code->end - code->begin) * unwind_choose(thread, 4096) / 4095;
	if (thread->arch == GAPP_ARCH_AARCH64)
		address |= (u64)unwind_choose(thread, 128) << 48;
	return address;
}

static u64 choose_stack(struct unwind_case *thread, u64 above)
{
	switch (thread->calm ? 4 : unwind_choose(thread, 64)) {
	case 0:
		return unwind_choose(thread, 65536);
	case 1:
		return (u64)unwind_choose(thread, 65536) << unwind_choose(thread, 49);
	case 2:
		return UNWIND_STACK + unwind_choose(thread, 256);
	case 3:
		return UNWIND_STACK + 8 * unwind_choose(thread, UNWIND_WORDS);
	}
	return above + 8 * unwind_choose(thread, thread->calm ? 16 : 32);
}

/* What the next frames will make of @address, before any of them is there. */
static bool word_at(struct unwind_case *thread, __int128 address, enum want want, u64 *word,
		    enum gapp_unwind_end *end)
{
	__int128 at = (u64)address - (__int128)UNWIND_STACK;

	/* addresses are 64 bits */
	address = (u64)address;
	*end = GAPP_UNWIND_NO_FRAME;
	if (address % 8 || address >= thread->limit)
		return false;
	*end = GAPP_UNWIND_UNREADABLE;
	if (address + 8 > thread->limit)
		return false;
	if (at < 0 || at >= UNWIND_WORDS * 8 || thread->absent >> (u32)(at / 4096) & 1)
		return false;
	if (!thread->chosen[at / 8]) {
		thread->chosen[at / 8] = true;
		thread->words[at / 8] = want == WANT_CODE ? choose_code(thread) :
							    choose_stack(thread, address);
	}
	*word = thread->words[at / 8];
	return true;
}

static const struct gapp_unwind_mapping *code_at(const struct unwind_case *thread, u64 address)
{
	u32 i;

	for (i = 0; i < thread->code_count; i++)
		if (address >= thread->code[i].begin && address < thread->code[i].end)
			return &thread->code[i];
	return NULL;
}

static struct gapp_rule rule_at(const struct unwind_case *thread,
				const struct gapp_unwind_mapping *code, u64 address)
{
	const struct gapp_table *table = code->table;
	struct gapp_rule rule = { 0 };
	u32 page, i;

	address -= code->bias;
	if (!table || table->arch != thread->arch)
		return rule;
	for (page = 0; page < table->pages; page++) {
		if ((address - table->begin) / GAPP_TABLE_PAGE != page)
			continue;
		for (i = table->first[page]; i < table->first[page + 1]; i++)
			if (table->rows[i].low <= (address & 0xffff))
				rule = table->rules[table->rows[i].rule];
	}
	return rule;
}

static bool known(const struct frame *frame, u8 number)
{
	return frame->regs.valid >> number & 1;
}

static enum gapp_unwind_end by_fp(struct unwind_case *thread, const struct frame *frame,
				  struct frame *caller, bool in_gap, struct unwind_found *found)
{
	struct numbers n = numbers(thread);
	u64 fp = frame->regs.value[n.fp];
	enum gapp_unwind_end end;

	if (!known(frame, n.fp))
		return GAPP_UNWIND_NO_FRAME;
	if (!fp)
		return in_gap ? GAPP_UNWIND_NO_FRAME : GAPP_UNWIND_COMPLETE;
	if (fp % 8 || fp < frame->regs.value[n.sp] || (__int128)fp + 16 > thread->limit ||
	    fp - frame->regs.value[n.sp] > 16 << 20)
		return GAPP_UNWIND_NO_FRAME;
	if (!word_at(thread, fp, WANT_STACK, &caller->regs.value[n.fp], &end) ||
	    !word_at(thread, fp + 8, WANT_CODE, &caller->regs.value[n.ip], &end))
		return end;
	found->by_fp = true;
	caller->regs.value[n.sp] = fp + 16;
	caller->regs.valid = 1ULL << n.fp | 1ULL << n.ip;
	if (thread->arch == GAPP_ARCH_X86_64)
		caller->regs.valid |= 1ULL << n.sp;
	return GAPP_UNWIND_ENDS;
}

static enum gapp_unwind_end by_signal(struct unwind_case *thread, const struct frame *frame,
				      struct frame *caller)
{
	/* struct sigcontext */
	static const u8 x86[] = { 8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7, 16 };
	struct numbers n = numbers(thread);
	bool arm = thread->arch == GAPP_ARCH_AARCH64;
	__int128 from = (__int128)frame->regs.value[n.sp] + (arm ? 312 : 40);
	enum gapp_unwind_end end;
	u8 i, number;

	if (!known(frame, n.sp))
		return GAPP_UNWIND_NO_RULE;
	for (i = 0; i < (arm ? 33 : 17); i++) {
		number = arm ? i : x86[i];
		if (!word_at(thread, from + i * 8, number == n.ip ? WANT_CODE : WANT_STACK,
			     &caller->regs.value[number], &end))
			return end;
		caller->regs.valid |= 1ULL << number;
	}
	caller->exact = true;
	return GAPP_UNWIND_ENDS;
}

static enum gapp_unwind_end by_rule(struct unwind_case *thread, const struct frame *frame,
				    const struct gapp_rule *rule, struct frame *caller)
{
	struct numbers n = numbers(thread);
	u64 sp = frame->regs.value[n.sp], fp = frame->regs.value[n.fp], word;
	u8 base = n.sp;
	enum gapp_unwind_end end;
	__int128 cfa;

	if (rule->cfa == GAPP_CFA_FP || rule->cfa == GAPP_CFA_DEREF_FP)
		base = n.fp;
	if (rule->cfa == GAPP_CFA_REGISTER)
		base = rule->number;
	if (!known(frame, base))
		return GAPP_UNWIND_NO_RULE;
	cfa = (__int128)frame->regs.value[base] + rule->cfa_offset;
	if (rule->cfa == GAPP_CFA_PLT)
		cfa = (__int128)sp + 8 +
		      ((s32)(frame->regs.value[n.ip] & 15) >= rule->cfa_offset) * 8;
	if (rule->cfa == GAPP_CFA_DEREF_SP || rule->cfa == GAPP_CFA_DEREF_FP) {
		if (!word_at(thread,
			     (__int128)frame->regs.value[base] + (__s16)(rule->cfa_offset >> 16),
			     WANT_STACK, &word, &end))
			return end;
		cfa = (__int128)word + (__s16)(rule->cfa_offset & 0xffff);
	}
	/* addresses are 64 bits */
	cfa = (u64)cfa;
	if (cfa % 8 || cfa >= thread->limit || cfa < sp || cfa - sp > 64 << 20)
		return GAPP_UNWIND_LOOP;
	if (cfa == sp && !(frame->exact && rule->ra == GAPP_RA_REGISTER))
		return GAPP_UNWIND_LOOP;
	caller->regs.value[n.sp] = cfa;
	caller->regs.valid = 1ULL << n.sp | 1ULL << n.ip;

	if (rule->fp != GAPP_FP_LOST && known(frame, n.fp)) {
		caller->regs.value[n.fp] = fp;
		caller->regs.valid |= 1ULL << n.fp;
	}
	if (rule->fp == GAPP_FP_CFA || (rule->fp == GAPP_FP_DEREF_FP && known(frame, n.fp))) {
		if (!word_at(thread, (rule->fp == GAPP_FP_CFA ? cfa : fp) + rule->fp_offset,
			     WANT_STACK, &caller->regs.value[n.fp], &end))
			return end;
		caller->regs.valid |= 1ULL << n.fp;
	}
	if (rule->ra == GAPP_RA_CFA)
		return word_at(thread, cfa + rule->ra_offset, WANT_CODE, &caller->regs.value[n.ip],
			       &end) ?
			       GAPP_UNWIND_ENDS :
			       end;
	caller->regs.value[n.ip] = frame->regs.value[rule->number];
	return known(frame, rule->number) ? GAPP_UNWIND_ENDS : GAPP_UNWIND_NO_RULE;
}

/* By the frame's place in memory: the frame pointer has it where the stack pointer is not known. */
static enum gapp_unwind_end by_record(struct unwind_case *thread, const struct frame *frame,
				      const struct gapp_rule *rule, struct frame *caller)
{
	struct numbers n = numbers(thread);
	u64 lowest = frame->regs.value[n.sp], fp = frame->regs.value[n.fp];
	u64 cfa = fp - rule->fp_offset;
	enum gapp_unwind_end end;

	if (rule->cfa != GAPP_CFA_SP || rule->fp != GAPP_FP_CFA || rule->ra != GAPP_RA_CFA ||
	    rule->ra_offset - rule->fp_offset != 8 || !known(frame, n.fp))
		return GAPP_UNWIND_NO_RULE;
	if (fp < lowest || cfa < lowest || cfa % 8 || cfa >= thread->limit ||
	    cfa - lowest > 64 << 20)
		return GAPP_UNWIND_LOOP;
	if (!word_at(thread, fp, WANT_STACK, &caller->regs.value[n.fp], &end) ||
	    !word_at(thread, fp + 8, WANT_CODE, &caller->regs.value[n.ip], &end))
		return end;
	caller->regs.value[n.sp] = cfa;
	caller->regs.valid = 1ULL << n.sp | 1ULL << n.ip | 1ULL << n.fp;
	return GAPP_UNWIND_ENDS;
}

static enum gapp_unwind_end step(struct unwind_case *thread, const struct frame *frame,
				 struct frame *caller, struct unwind_found *found)
{
	struct numbers n = numbers(thread);
	u64 address = frame->regs.value[n.ip] - (frame->exact ? 0 : 1);
	const struct gapp_unwind_mapping *code = code_at(thread, address);
	struct gapp_rule rule = rule_at(thread, code, address);
	bool has_table = code->table && code->table->arch == thread->arch;

	memset(caller, 0, sizeof(*caller));
	switch (rule.cfa) {
	case GAPP_CFA_NONE:
		return GAPP_UNWIND_NO_RULE;
	case GAPP_CFA_END:
		return GAPP_UNWIND_COMPLETE;
	case GAPP_CFA_SIGNAL:
		return by_signal(thread, frame, caller);
	case GAPP_CFA_SP:
	case GAPP_CFA_PLT:
	case GAPP_CFA_DEREF_SP:
		if (!known(frame, n.sp))
			return by_record(thread, frame, &rule, caller);
		break;
	case GAPP_CFA_GAP:
		return by_fp(thread, frame, caller, has_table, found);
	}
	return by_rule(thread, frame, &rule, caller);
}

/* Whether there can be such a frame. */
static enum gapp_unwind_end look(const struct unwind_case *thread, const struct frame *frame,
				 struct unwind_found *found)
{
	u64 ip = frame->regs.value[numbers(thread).ip];
	u64 address = ip - (frame->exact ? 0 : 1);

	if (ip < 4096 || ip >= thread->limit)
		return GAPP_UNWIND_NO_FRAME;
	if (code_at(thread, address))
		return GAPP_UNWIND_ENDS;
	found->unmapped = address;
	return GAPP_UNWIND_UNMAPPED;
}

/* Those of a return address that are not its signature. */
static u64 unsigned_bits(const struct unwind_case *thread)
{
	u64 bits = 1;

	if (thread->arch != GAPP_ARCH_AARCH64)
		return ~0ULL;
	while (bits < thread->limit - 1)
		bits = bits << 1 | 1;
	return bits;
}

void unwind_naively(struct unwind_case *thread, struct unwind_found *found)
{
	struct frame frame = { .regs = thread->regs, .exact = true }, caller;
	struct numbers n = numbers(thread);

	found->count = 0;
	found->by_fp = false;
	found->unmapped = 0;
	found->regs = thread->regs;
	found->end = GAPP_UNWIND_FULL;
	if (!thread->max)
		return;
	found->frames[found->count++] = frame.regs.value[n.ip];
	found->end = look(thread, &frame, found);
	while (found->end == GAPP_UNWIND_ENDS) {
		found->end = step(thread, &frame, &caller, found);
		if (found->end != GAPP_UNWIND_ENDS)
			break;
		caller.regs.value[n.ip] &= unsigned_bits(thread);
		found->end = GAPP_UNWIND_COMPLETE;
		if (!caller.regs.value[n.ip] && !caller.exact)
			break;
		found->end = look(thread, &caller, found);
		if (found->end != GAPP_UNWIND_ENDS)
			break;
		found->end = GAPP_UNWIND_FULL;
		if (found->count == thread->max)
			break;
		found->end = GAPP_UNWIND_ENDS;
		found->frames[found->count++] = caller.regs.value[n.ip];
		frame = caller;
		found->regs = frame.regs;
	}
}
