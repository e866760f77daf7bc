/* SPDX-License-Identifier: GPL-2.0 */
/* Where functions begin and end by the table of their frame descriptions, which strip(1) leaves. */
#ifndef GAPP_READ_EH_RANGE_H
#define GAPP_READ_EH_RANGE_H

#include "symbol_file.h"

/**
 * struct eh_range - addresses of a function
 * @begin: first
 * @end: where the next function begins; of the last one, behind its code
 */
struct eh_range {
	u64 begin;
	u64 end;
};

/* The function at @address. False: no frame description says. */
bool eh_range_find(const struct symbol_file *file, u64 address, struct eh_range *range);

#endif /* GAPP_READ_EH_RANGE_H */
