// SPDX-License-Identifier: GPL-2.0
#include "expression.h"

#include <dwarf.h>

#define DEPTH 32

struct stack {
	u64 words[DEPTH];
	size_t count;
};

static bool push(struct stack *stack, u64 word)
{
	if (stack->count == DEPTH)
		return false;
	stack->words[stack->count++] = word;
	return true;
}

static bool pop(struct stack *stack, u64 *word)
{
	*word = stack->count ? stack->words[--stack->count] : 0;
	return stack->count < DEPTH;
}

static bool push_register(const struct expression *expression, struct stack *stack, u64 number,
			  u64 offset)
{
	return number < REGISTERS && push(stack, expression->world->registers[number] + offset);
}

static bool calculate(struct stack *stack, u8 atom)
{
	u64 a, b;

	if (stack->count < 2)
		return false;
	pop(stack, &b);
	pop(stack, &a);
	switch (atom) {
	case DW_OP_plus:
		return push(stack, a + b);
	case DW_OP_minus:
		return push(stack, a - b);
	case DW_OP_mul:
		return push(stack, a * b);
	case DW_OP_and:
		return push(stack, a & b);
	case DW_OP_or:
		return push(stack, a | b);
	case DW_OP_shl:
		return push(stack, b < 64 ? a << b : 0);
	case DW_OP_ge:
		return push(stack, (s64)a >= (s64)b);
	case DW_OP_gt:
		return push(stack, (s64)a > (s64)b);
	case DW_OP_le:
		return push(stack, (s64)a <= (s64)b);
	case DW_OP_lt:
		return push(stack, (s64)a < (s64)b);
	case DW_OP_eq:
		return push(stack, a == b);
	case DW_OP_ne:
		return push(stack, a != b);
	}
	return false;
}

static bool step(const struct expression *expression, struct stack *stack, const Dwarf_Op *op)
{
	u64 word;

	if (op->atom >= DW_OP_lit0 && op->atom <= DW_OP_lit31)
		return push(stack, op->atom - DW_OP_lit0);
	if (op->atom >= DW_OP_breg0 && op->atom <= DW_OP_breg31)
		return push_register(expression, stack, op->atom - DW_OP_breg0, op->number);
	switch (op->atom) {
	case DW_OP_bregx:
		return push_register(expression, stack, op->number, op->number2);
	case DW_OP_call_frame_cfa:
		return push(stack, expression->cfa);
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
		return push(stack, op->number);
	case DW_OP_plus_uconst:
		return stack->count && pop(stack, &word) && push(stack, word + op->number);
	case DW_OP_deref:
		return stack->count && pop(stack, &word) && push(stack, world_memory(word));
	case DW_OP_dup:
		return stack->count && push(stack, stack->words[stack->count - 1]);
	case DW_OP_drop:
		return stack->count && pop(stack, &word);
	case DW_OP_nop:
		return true;
	}
	return calculate(stack, op->atom);
}

bool expression_evaluate(struct expression *expression, const Dwarf_Op *ops, size_t count)
{
	struct stack stack = { .count = 0 };
	u64 number = REGISTERS;

	if (count == 1 && ops->atom >= DW_OP_reg0 && ops->atom <= DW_OP_reg31)
		number = ops->atom - DW_OP_reg0;
	else if (count == 1 && ops->atom == DW_OP_regx)
		number = ops->number;
	if (number < REGISTERS) {
		expression->result = expression->world->registers[number];
		return true;
	}
	expression->in_memory = true;
	for (size_t i = 0; i < count; i++) {
		if (ops[i].atom == DW_OP_stack_value) {
			expression->in_memory = false;
			continue;
		}
		if (!step(expression, &stack, &ops[i]))
			return false;
	}
	return pop(&stack, &expression->result);
}
