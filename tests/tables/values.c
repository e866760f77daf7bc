// SPDX-License-Identifier: GPL-2.0
#include "values.h"

#include <dwarf.h>

#include "expression.h"

#define SPACE 3

int world_fp(const struct world *world)
{
	return world->arch == GAPP_ARCH_X86_64 ? 6 : 29;
}

int world_sp(const struct world *world)
{
	return world->arch == GAPP_ARCH_X86_64 ? 7 : 31;
}

/* DWARF has no number for aarch64's; the link register is where its frames return to. */
int world_ip(const struct world *world)
{
	return world->arch == GAPP_ARCH_X86_64 ? 16 : 30;
}

static u64 scramble(u64 word)
{
	word = (word ^ word >> 31) * 0x7fb5d329728ea185;
	word = (word ^ word >> 27) * 0x81dadef4bc2dd44d;
	return word ^ word >> 33;
}

u64 world_memory(u64 address)
{
	return scramble(address + 0x9e3779b97f4a7c15);
}

void world_begin(struct world *world, enum gapp_arch arch, u64 ip)
{
	world->arch = arch;
	for (u64 i = 0; i < REGISTERS; i++)
		world->registers[i] = scramble(i + 1) >> 16 & ~7ULL;
	if (arch == GAPP_ARCH_X86_64)
		world->registers[16] = ip;
}

static struct value value_at(const struct world *world, Dwarf_Frame *frame, int number,
			     const struct value *cfa)
{
	struct expression expression = { .world = world, .cfa = cfa->value };
	struct value value = { .kind = VALUE_STRANGE };
	Dwarf_Op space[SPACE], *ops;
	size_t count;

	if (dwarf_frame_register(frame, number, space, &ops, &count))
		return (struct value){ .kind = VALUE_ERROR };
	if (!count && ops == space)
		return (struct value){ .kind = VALUE_UNDEFINED };
	if (!count)
		return (struct value){ .value = world->registers[number], .simple = true };
	value.simple = ops[0].atom == DW_OP_call_frame_cfa &&
		       (count == 1 || (count == 2 && ops[1].atom == DW_OP_plus_uconst));
	if (expression_evaluate(&expression, ops, count)) {
		value.kind = VALUE_KNOWN;
		value.value = expression.in_memory ? world_memory(expression.result) :
						     expression.result;
	}
	return value;
}

struct caller caller_by_libdw(const struct world *world, Dwarf_Frame *frame)
{
	struct expression expression = { .world = world };
	struct caller caller = { 0 };
	Dwarf_Op *ops;
	size_t count;
	int ra = dwarf_frame_info(frame, NULL, NULL, &caller.signal);

	caller.cfa.kind = VALUE_ERROR;
	if (ra >= 0 && !dwarf_frame_cfa(frame, &ops, &count)) {
		caller.cfa.kind = count ? VALUE_STRANGE : VALUE_UNDEFINED;
		if (count && expression_evaluate(&expression, ops, count)) {
			caller.cfa.kind = VALUE_KNOWN;
			caller.cfa.value = expression.result;
		}
		caller.cfa.simple = count == 1;
	}
	caller.fp = value_at(world, frame, world_fp(world), &caller.cfa);
	caller.ra = value_at(world, frame, ra, &caller.cfa);
	return caller;
}

static u64 cfa_by_rule(const struct world *world, const struct gapp_rule *rule)
{
	u64 sp = world->registers[world_sp(world)], fp = world->registers[world_fp(world)];

	switch (rule->cfa) {
	case GAPP_CFA_SP:
		return sp + rule->cfa_offset;
	case GAPP_CFA_FP:
		return fp + rule->cfa_offset;
	case GAPP_CFA_PLT:
		return sp + 8 + ((int)(world->registers[16] & 15) >= rule->cfa_offset ? 8 : 0);
	case GAPP_CFA_DEREF_SP:
		return world_memory(sp + gapp_rule_pre(rule)) + gapp_rule_post(rule);
	case GAPP_CFA_DEREF_FP:
		return world_memory(fp + gapp_rule_pre(rule)) + gapp_rule_post(rule);
	case GAPP_CFA_REGISTER:
		return world->registers[rule->number] + rule->cfa_offset;
	}
	return 0;
}

/* The kernel's struct rt_sigframe: where it keeps rbp, rsp and rip. */
static struct caller interrupted(const struct world *world)
{
	u64 sp = world->registers[world_sp(world)];

	return (struct caller){
		.signal = true,
		.fp.value = world_memory(sp + 40 + 8 * 10),
		.cfa.value = world_memory(sp + 40 + 8 * 15),
		.ra.value = world_memory(sp + 40 + 8 * 16),
	};
}

struct caller caller_by_rule(const struct world *world, const struct gapp_rule *rule)
{
	struct caller caller = { 0 };
	u64 fp = world->registers[world_fp(world)];

	if (rule->cfa == GAPP_CFA_SIGNAL)
		return interrupted(world);
	caller.cfa.value = cfa_by_rule(world, rule);
	if (rule->ra == GAPP_RA_CFA)
		caller.ra.value = world_memory(caller.cfa.value + rule->ra_offset);
	else
		caller.ra.value = world->registers[rule->number];
	switch (rule->fp) {
	case GAPP_FP_SAME:
		caller.fp.value = fp;
		break;
	case GAPP_FP_CFA:
		caller.fp.value = world_memory(caller.cfa.value + rule->fp_offset);
		break;
	case GAPP_FP_DEREF_FP:
		caller.fp.value = world_memory(fp + rule->fp_offset);
		break;
	default:
		caller.fp.kind = VALUE_STRANGE;
	}
	return caller;
}
