// SPDX-License-Identifier: GPL-2.0
#include "judge.h"

/* Smaller ones belong to the function before. */
#define HOLE_MIN 16

static const char *const names[CLASSES] = {
	[CLASS_SAME] = "same",
	[CLASS_END] = "end of the stack",
	[CLASS_SIGNAL] = "signal's frame",
	[CLASS_GAP] = "no description",
	[CLASS_MERGED] = "small hole, as before it",
	[CLASS_BY_CODE] = "return from a signal, by its code",
	[CLASS_FP_LOST] = "frame pointer not expressible",
	[CLASS_CFA_EXPRESSION] = "CFA by an expression",
	[CLASS_CFA_REGISTER] = "CFA in a register that walks do not know",
	[CLASS_CFA_UNDEFINED] = "no CFA",
	[CLASS_RA] = "return address not expressible",
	[CLASS_OTHER] = "not valid for libdw",
	[CLASS_DIFFERENT] = "different",
};

const char *class_name(enum verdict verdict)
{
	return names[verdict];
}

static enum verdict different(struct verdicts *verdicts, const struct gapp_rule *rule, u64 address,
			      const char *what)
{
	if (verdicts->shown++ < verdicts->shown_max)
		printf("# %s: at %#llx: %s; rule cfa %u %d fp %u %d ra %u %d number %u\n",
		       verdicts->name, (unsigned long long)address, what, rule->cfa,
		       rule->cfa_offset, rule->fp, rule->fp_offset, rule->ra, rule->ra_offset,
		       rule->number);
	return CLASS_DIFFERENT;
}

static bool is_same(const struct value *one, const struct value *other)
{
	return one->kind == VALUE_KNOWN && other->kind == VALUE_KNOWN && one->value == other->value;
}

/* Why there is no rule. */
static enum verdict why_none(struct verdicts *verdicts, const struct gapp_rule *rule, u64 address,
			     const struct caller *said)
{
	switch (said->cfa.kind) {
	case VALUE_ERROR:
		return CLASS_OTHER;
	case VALUE_UNDEFINED:
		return CLASS_CFA_UNDEFINED;
	case VALUE_STRANGE:
		return said->cfa.simple ? CLASS_CFA_REGISTER : CLASS_CFA_EXPRESSION;
	case VALUE_KNOWN:
		break;
	}
	if (!said->cfa.simple)
		return CLASS_CFA_EXPRESSION;
	if (!said->ra.simple || said->ra.kind != VALUE_KNOWN)
		return CLASS_RA;
	return different(verdicts, rule, address, "a rule could say what libdw does");
}

static bool is_same_but_fp(const struct caller *one, const struct caller *other)
{
	return is_same(&one->cfa, &other->cfa) && is_same(&one->ra, &other->ra);
}

enum verdict judge_frame(struct verdicts *verdicts, const struct gapp_table *table,
			 Dwarf_Frame *frame, u64 address)
{
	static const struct gapp_rule signal_rule = { .cfa = GAPP_CFA_SIGNAL };
	const struct gapp_rule *rule = gapp_table_find(table, address);
	struct caller said, ruled;
	struct world world;

	world_begin(&world, table->arch, address);
	said = caller_by_libdw(&world, frame);
	if (said.ra.kind == VALUE_UNDEFINED)
		return rule->cfa == GAPP_CFA_END ?
			       CLASS_END :
			       different(verdicts, rule, address, "libdw: end of the stack");
	if (said.signal && table->arch == GAPP_ARCH_X86_64) {
		ruled = caller_by_rule(&world, &signal_rule);
		if (is_same_but_fp(&said, &ruled) && is_same(&said.fp, &ruled.fp))
			return rule->cfa == GAPP_CFA_SIGNAL ?
				       CLASS_SIGNAL :
				       different(verdicts, rule, address, "libdw: signal's frame");
	}
	if (rule->cfa == GAPP_CFA_NONE)
		return why_none(verdicts, rule, address, &said);
	if (rule->cfa < GAPP_CFA_SP)
		return different(verdicts, rule, address, "libdw: a frame as any other");
	ruled = caller_by_rule(&world, rule);
	if (!is_same_but_fp(&said, &ruled))
		return different(verdicts, rule, address, "libdw: another CFA or return address");
	if (is_same(&said.fp, &ruled.fp))
		return CLASS_SAME;
	if (rule->fp == GAPP_FP_LOST && !(said.fp.simple && said.fp.kind == VALUE_KNOWN))
		return CLASS_FP_LOST;
	return different(verdicts, rule, address, "libdw: another frame pointer");
}

/* What was found by its code has made a hole smaller than it is for libdw. */
static bool is_near_return(const struct gapp_table *table, u64 address)
{
	for (u64 i = 0; i < HOLE_MIN; i++) {
		if (gapp_table_find(table, address + i)->cfa == GAPP_CFA_SIGNAL)
			return true;
	}
	return false;
}

enum verdict judge_hole(struct verdicts *verdicts, const struct gapp_table *table, u64 address,
			u64 hole, const struct gapp_rule *before)
{
	const struct gapp_rule *rule = gapp_table_find(table, address);
	bool as_before = before && !memcmp(rule, before, sizeof(*rule));

	if (as_before && (hole < HOLE_MIN || is_near_return(table, address)))
		return CLASS_MERGED;
	if (rule->cfa == GAPP_CFA_SIGNAL)
		return CLASS_BY_CODE;
	if (hole < HOLE_MIN && before)
		return different(verdicts, rule, address, "not as before a small hole");
	return rule->cfa == GAPP_CFA_GAP ?
		       CLASS_GAP :
		       different(verdicts, rule, address, "libdw: no description");
}
