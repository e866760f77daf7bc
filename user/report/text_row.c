// SPDX-License-Identifier: GPL-2.0
/* A row of a table that has figures and a name only. */
#include "text_private.h"

#define NAME_INDENT 8

/*
 * Ends a line of figures with the code that a row stands for. A name that does not fit beside the
 * figures has lines of its own.
 */
void text_row(struct text *text, const struct ranked *row, enum text_style style)
{
	char code[TEXT_CELL_SIZE], where[TEXT_CELL_SIZE];

	text_code(code, row);
	text_where(where, row);
	if (row->kind == PATH_WAITED)
		cell_add(code, " (waited)");
	if (text_width(text->line) + text_width(code) + (*where ? 2 : 0) + text_width(where) <=
	    text->columns) {
		text_add(text, "%s%s%s", code, *where ? "  " : "", where);
		text_wrap(text, NAME_INDENT, style);
		return;
	}
	text_add(text, "%s", where);
	text_wrap(text, NAME_INDENT, style);
	text_add(text, "%*s%s", NAME_INDENT, "", code);
	text_wrap(text, NAME_INDENT, style);
}
