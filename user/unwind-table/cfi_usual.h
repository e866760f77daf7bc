/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The rules of a function, found in one go over its call frame information, as
 * long as there is nothing in it but what compilers use for nearly all code.
 * libdw begins anew for each rule; it does the rest.
 */
#ifndef GAPP_READ_CFI_USUAL_H
#define GAPP_READ_CFI_USUAL_H

#include "cfi_rows.h"

/**
 * enum cfi_kept - where the caller's value of a register is
 * @CFI_SAME: in it
 * @CFI_SAVED: at the CFA plus an offset
 * @CFI_LOST: nowhere
 */
enum cfi_kept { CFI_SAME, CFI_SAVED, CFI_LOST };

struct cfi_register {
	enum cfi_kept kept;
	s32 offset;
};

/**
 * struct cfi_state - what has been said of a frame
 * @cfa: enum gapp_cfa: by the stack or the frame pointer, as in linkage tables, or GAPP_CFA_GAP:
 *	nothing was said
 * @cfa_offset: as in struct gapp_rule
 * @fp: the frame pointer
 * @ra: the return address; CFI_SAME: nothing was said
 */
struct cfi_state {
	u8 cfa;
	s32 cfa_offset;
	struct cfi_register fp;
	struct cfi_register ra;
};

/**
 * struct cfi_usual - what the descriptions of some functions have in common
 * @is_usual: and nothing else
 * @code_unit: by which addresses go forward
 * @data_unit: of offsets from the CFA
 * @initial: how each begins
 */
struct cfi_usual {
	bool is_usual;
	u32 code_unit;
	s32 data_unit;
	struct cfi_state initial;
};

/* Takes what a CIE of x86-64 says, which is harmless. */
void cfi_usual_set(struct cfi_usual *usual, u64 code_unit, s64 data_unit, const u8 *program,
		   const u8 *end);

/*
 * Adds the rules of the code from *@begin to @end, of which @program tells. *@begin becomes where
 * something else begins; @end if nothing does. Returns 0, or -1 without memory.
 */
int cfi_usual_rows(const struct cfi_usual *usual, const u8 *program, const u8 *program_end,
		   u64 *begin, u64 end, struct cfi_rows *rows);

#endif /* GAPP_READ_CFI_USUAL_H */
