/* SPDX-License-Identifier: GPL-2.0 */
/* Compares what a table says with what libdw says, address by address. */
#ifndef GAPP_TESTS_TABLES_JUDGE_H
#define GAPP_TESTS_TABLES_JUDGE_H

#include <stdio.h>

#include "core/table.h"
#include "values.h"

/* How the two compare. From CLASS_CFA_EXPRESSION to CLASS_OTHER the table has GAPP_CFA_NONE. */
enum verdict {
	CLASS_SAME,
	CLASS_END,
	CLASS_SIGNAL,
	CLASS_GAP, /* neither says anything */
	CLASS_MERGED, /* a hole between two functions, too small for a row */
	CLASS_BY_CODE, /* returns from a signal's handler, and no more is said of it */
	CLASS_FP_LOST, /* all but the frame pointer */
	CLASS_CFA_EXPRESSION,
	CLASS_CFA_REGISTER,
	CLASS_CFA_UNDEFINED,
	CLASS_RA,
	CLASS_OTHER, /* libdw cannot say it either */
	CLASS_DIFFERENT,
	CLASSES,
};

/**
 * struct verdicts - so far
 * @count: addresses, by class
 * @bytes: likewise, of code
 * @shown: differences that were printed
 * @shown_max: not more of them
 * @name: of the file
 */
struct verdicts {
	u64 count[CLASSES];
	u64 bytes[CLASSES];
	unsigned int shown;
	unsigned int shown_max;
	const char *name;
};

const char *class_name(enum verdict verdict);

/* Compares at an address for which libdw has a frame. */
enum verdict judge_frame(struct verdicts *verdicts, const struct gapp_table *table,
			 Dwarf_Frame *frame, u64 address);
/* Where there is none for @hole bytes, behind a function or, with @before NULL, behind nothing. */
enum verdict judge_hole(struct verdicts *verdicts, const struct gapp_table *table, u64 address,
			u64 hole, const struct gapp_rule *before);

#endif /* GAPP_TESTS_TABLES_JUDGE_H */
