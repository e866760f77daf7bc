// SPDX-License-Identifier: GPL-2.0
/* The layout of unwind tables and spin tables. */
#include <gapp_table.h>

#include "layout.h"

static void structures(void)
{
	STRUCT(gapp_table_head);
	MEMBER(gapp_table_head, magic);
	MEMBER(gapp_table_head, version);
	MEMBER(gapp_table_head, arch);
	MEMBER(gapp_table_head, rules);
	MEMBER(gapp_table_head, pages);
	MEMBER(gapp_table_head, rows);
	MEMBER(gapp_table_head, reserved0);
	MEMBER(gapp_table_head, begin);
	MEMBER(gapp_table_head, reserved);

	STRUCT(gapp_row);
	MEMBER(gapp_row, low);
	MEMBER(gapp_row, rule);

	STRUCT(gapp_rule);
	MEMBER(gapp_rule, cfa_offset);
	MEMBER(gapp_rule, fp_offset);
	MEMBER(gapp_rule, ra_offset);
	MEMBER(gapp_rule, cfa);
	MEMBER(gapp_rule, fp);
	MEMBER(gapp_rule, ra);
	MEMBER(gapp_rule, number);

	STRUCT(gapp_spin_head);
	MEMBER(gapp_spin_head, magic);
	MEMBER(gapp_spin_head, version);
	MEMBER(gapp_spin_head, arch);
	MEMBER(gapp_spin_head, ranges);
	MEMBER(gapp_spin_head, locations);
	MEMBER(gapp_spin_head, exits);
	MEMBER(gapp_spin_head, zero);
	MEMBER(gapp_spin_head, reserved);

	STRUCT(gapp_spin_range);
	MEMBER(gapp_spin_range, begin);
	MEMBER(gapp_spin_range, bytes);
	MEMBER(gapp_spin_range, flags);
	MEMBER(gapp_spin_range, location);

	STRUCT(gapp_spin_term);
	MEMBER(gapp_spin_term, base);
	MEMBER(gapp_spin_term, index);
	MEMBER(gapp_spin_term, scale);
	MEMBER(gapp_spin_term, reserved);
	MEMBER(gapp_spin_term, offset);

	STRUCT(gapp_spin_location);
	MEMBER(gapp_spin_location, terms);
	MEMBER(gapp_spin_location, goes_on);
	MEMBER(gapp_spin_location, bytes);
	MEMBER(gapp_spin_location, with);
	MEMBER(gapp_spin_location, number);
	MEMBER(gapp_spin_location, term);

	STRUCT(gapp_spin_exit);
	MEMBER(gapp_spin_exit, address);
	MEMBER(gapp_spin_exit, loop);
	MEMBER(gapp_spin_exit, condition);
	MEMBER(gapp_spin_exit, stays);
	MEMBER(gapp_spin_exit, reserved);
}

void layout_tables(void)
{
	structures();
	NUMBER(GAPP_TABLE_MAGIC);
	NUMBER(GAPP_TABLE_VERSION);
	NUMBER(GAPP_TABLE_PAGE);
	NUMBER(GAPP_TABLE_MAX_PAGES);
	NUMBER(GAPP_TABLE_MAX_RULES);
	NUMBER(GAPP_TABLE_MAX_ROWS);
	NUMBER(GAPP_ARCH_X86_64);
	NUMBER(GAPP_ARCH_AARCH64);
	NUMBER(GAPP_CFA_GAP);
	NUMBER(GAPP_CFA_NONE);
	NUMBER(GAPP_CFA_END);
	NUMBER(GAPP_CFA_SIGNAL);
	NUMBER(GAPP_CFA_SP);
	NUMBER(GAPP_CFA_FP);
	NUMBER(GAPP_CFA_PLT);
	NUMBER(GAPP_CFA_DEREF_SP);
	NUMBER(GAPP_CFA_DEREF_FP);
	NUMBER(GAPP_CFA_REGISTER);
	NUMBER(GAPP_CFA_KINDS);
	NUMBER(GAPP_FP_SAME);
	NUMBER(GAPP_FP_CFA);
	NUMBER(GAPP_FP_DEREF_FP);
	NUMBER(GAPP_FP_LOST);
	NUMBER(GAPP_FP_KINDS);
	NUMBER(GAPP_SPIN_MAGIC);
	NUMBER(GAPP_SPIN_VERSION);
	NUMBER(GAPP_SPIN_MAX_RANGES);
	NUMBER(GAPP_SPIN_MAX_LOCATIONS);
	NUMBER(GAPP_SPIN_MAX_EXITS);
	NUMBER(GAPP_SPIN_STAYS);
	NUMBER(GAPP_SPIN_STAYS_JUMPING);
	NUMBER(GAPP_SPIN_NO_REGISTER);
	NUMBER(GAPP_SPIN_TERMS);
	NUMBER(GAPP_SPIN_CALLS);
	NUMBER(GAPP_SPIN_DEEP);
	NUMBER(GAPP_SPIN_WHILE_UNKNOWN);
	NUMBER(GAPP_SPIN_WHILE_EQUAL);
	NUMBER(GAPP_SPIN_WHILE_NOT_EQUAL);
	NUMBER(GAPP_SPIN_WHILE_BELOW);
	NUMBER(GAPP_SPIN_WHILE_NOT_BELOW);
	NUMBER(GAPP_SPIN_WHILE_NOT_ABOVE);
	NUMBER(GAPP_SPIN_WHILE_ABOVE);
	NUMBER(GAPP_SPIN_WHILE_LESS);
	NUMBER(GAPP_SPIN_WHILE_NOT_LESS);
	NUMBER(GAPP_SPIN_WHILE_NOT_GREATER);
	NUMBER(GAPP_SPIN_WHILE_GREATER);
	NUMBER(GAPP_SPIN_WHILES);
	NUMBER(GAPP_RA_CFA);
	NUMBER(GAPP_RA_REGISTER);
	NUMBER(GAPP_RA_KINDS);
}
