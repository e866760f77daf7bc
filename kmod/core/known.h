/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rule for an address: looked up, or remembered from a walk before; for unwind.c alone. A
 * thread waits where it has waited before.
 */
#ifndef GAPP_CORE_KNOWN_H
#define GAPP_CORE_KNOWN_H

#include "unwind.h"

/**
 * struct lookup - what was found for an address
 * @code: the code that it is in, a guess at the next one's; or NULL
 * @known: where its rule is remembered; NULL: nothing is
 * @rule: the rule; NULL: the address is in no code
 */
struct lookup {
	const struct gapp_unwind_mapping *code;
	struct gapp_known_rule *known;
	const struct gapp_rule *rule;
};

/* The code that an address is in, or NULL. */
static const struct gapp_unwind_mapping *find_code(const struct gapp_unwind *walk, u64 address)
{
	const struct gapp_unwind_mapping *code = walk->code;
	u32 count = walk->code_count, part, skip;

	if (!count)
		return NULL;
	/* as gapp_table_find() does it */
	while (count > 3) {
		part = count / 4;
		skip = code[part].begin <= address ? part : 0;
		skip += code[2 * part].begin <= address ? part : 0;
		skip += code[3 * part].begin <= address ? part : 0;
		code += skip;
		count -= 3 * part;
	}
	while (count > 1) {
		code += code[1].begin <= address;
		count--;
	}
	return address >= code->begin && address < code->end ? code : NULL;
}

/* The rule for an address, or NULL: it is in no code. @last is a guess at its code, then that. */
static const struct gapp_rule *find_rule(const struct gapp_unwind *walk, u64 address,
					 const struct gapp_unwind_mapping **last)
{
	const struct gapp_unwind_mapping *code = *last;

	if (!code || address - code->begin >= code->end - code->begin)
		code = find_code(walk, address);
	if (!code)
		return NULL;
	*last = code;
	if (!code->table || code->table->arch != walk->arch)
		return &gapp_rule_undescribed;
	return gapp_table_find(code->table, address - code->bias);
}

/* As nearly all are. */
static inline bool is_plain(const struct gapp_rule *rule)
{
	return (rule->cfa == GAPP_CFA_SP || rule->cfa == GAPP_CFA_FP) && rule->fp <= GAPP_FP_CFA &&
	       rule->ra == GAPP_RA_CFA && !((rule->fp_offset | rule->ra_offset) % GAPP_WINDOW_WORD);
}

static __always_inline bool is_for(const struct gapp_known_rule *known, u64 address, u64 code_id)
{
	return known->address == address && known->code_id == code_id;
}

/*
 * The same, to be remembered in place of the one that was learned longest ago: what a path learns
 * lies side by side. @set no longer says where the older of its two is.
 */
static struct gapp_known_rule *learn(struct gapp_unwind *walk, u64 address,
				     const struct gapp_unwind_mapping **last, u16 *set)
{
	const struct gapp_rule *rule = find_rule(walk, address, last);
	struct gapp_known_rule *known;

	if (!rule)
		return NULL;
	set[1] = set[0];
	set[0] = walk->learned++ % GAPP_KNOWN_RULES;
	known = &walk->known[set[0]];
	*known = (struct gapp_known_rule){
		.address = address, .code_id = walk->code_id, .plain = is_plain(rule), .rule = *rule
	};
	if (rule->fp == GAPP_FP_SAME)
		known->rule.fp_offset = rule->ra_offset;
	return known;
}

/* The same, remembered; or NULL. What was returned before may be another's now. */
static __always_inline struct gapp_known_rule *recall(struct gapp_unwind *walk, u64 address,
						      const struct gapp_unwind_mapping **last)
{
	u16 *set = walk->places[(u32)address * 0x9e3779b1U >> (32 - GAPP_PLACE_SET_BITS)];

	if (is_for(&walk->known[set[0]], address, walk->code_id))
		return &walk->known[set[0]];
	if (is_for(&walk->known[set[1]], address, walk->code_id))
		return &walk->known[set[1]];
	return learn(walk, address, last, set);
}

static __always_inline void rule_for(struct gapp_unwind *walk, u64 address, struct lookup *found)
{
	if (!walk->known || !walk->code_id || walk->code_id >> GAPP_MAPPING_ID_BITS) {
		found->rule = find_rule(walk, address, &found->code);
		return;
	}
	found->known = recall(walk, address, &found->code);
	found->rule = found->known ? &found->known->rule : NULL;
}

#endif /* GAPP_CORE_KNOWN_H */
