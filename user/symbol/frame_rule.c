// SPDX-License-Identifier: GPL-2.0
#include "frame_rule.h"

#include <dwarf.h>

/* x86-64, as DWARF numbers them. */
#define REGISTER_BP 6
/* From the CFA, after push %rbp; mov %rsp, %rbp. */
#define FRAME_CFA 16
#define FRAME_BP (-16)
#define FRAME_RETURN (-8)

/* Register @number plus @offset. */
static bool is_register(const Dwarf_Op *ops, size_t count, int number, s64 offset)
{
	if (count != 1)
		return false;
	if (ops->atom == DW_OP_bregx)
		return ops->number == (Dwarf_Word)number && (s64)ops->number2 == offset;
	return ops->atom == DW_OP_breg0 + number && (s64)ops->number == offset;
}

static bool is_saved_at(Dwarf_Frame *frame, int number, s64 offset)
{
	Dwarf_Op space[3], *ops;
	size_t count;

	return !dwarf_frame_register(frame, number, space, &ops, &count) && count == 2 &&
	       ops[0].atom == DW_OP_call_frame_cfa && ops[1].atom == DW_OP_plus_uconst &&
	       (s64)ops[1].number == offset;
}

/* How libdw says it: no operations, but a place for them. */
static bool is_undefined(Dwarf_Frame *frame, int number)
{
	Dwarf_Op space[3], *ops;
	size_t count;

	return !dwarf_frame_register(frame, number, space, &ops, &count) && !count && ops == space;
}

static enum frame_rule rule_of(Dwarf_Frame *frame)
{
	int return_register = dwarf_frame_info(frame, NULL, NULL, NULL);
	Dwarf_Op *ops;
	size_t count;

	if (return_register < 0)
		return FRAME_UNKNOWN;
	if (is_undefined(frame, return_register))
		return FRAME_OUTERMOST;
	if (dwarf_frame_cfa(frame, &ops, &count))
		return FRAME_UNKNOWN;
	if (!count)
		return FRAME_OUTERMOST;
	if (is_register(ops, count, REGISTER_BP, FRAME_CFA) &&
	    is_saved_at(frame, REGISTER_BP, FRAME_BP) &&
	    is_saved_at(frame, return_register, FRAME_RETURN))
		return FRAME_POINTER;
	return FRAME_OTHER;
}

enum frame_rule frame_rule_find(struct symbol_file *file, u64 address)
{
	Dwarf_CFI *(*const sources[])(Dwfl_Module *, Dwarf_Addr *) = { dwfl_module_eh_cfi,
								       dwfl_module_dwarf_cfi };
	enum frame_rule rule = FRAME_UNKNOWN;
	Dwfl_Module *frames = file->x86_64 ? symbol_file_frames(file) : NULL;

	if (!frames)
		return FRAME_UNKNOWN;
	for (size_t i = 0; rule == FRAME_UNKNOWN && i < ARRAY_SIZE(sources); i++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Addr bias;
		Dwarf_CFI *cfi = sources[i](frames, &bias);

		if (!cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame))
			continue;
		rule = rule_of(frame);
		free(frame);
	}
	return rule;
}
