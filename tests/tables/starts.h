/* SPDX-License-Identifier: GPL-2.0 */
/* Where functions begin, by the sorted table of .eh_frame_hdr, else by .eh_frame itself. */
#ifndef GAPP_TESTS_TABLES_STARTS_H
#define GAPP_TESTS_TABLES_STARTS_H

#include <gelf.h>

#include "util/util.h"

/**
 * struct starts - addresses
 * @at: sorted
 * @count: how many
 */
struct starts {
	u64 *at;
	size_t count;
};

/* False: the file says it in no form that is known here. */
bool starts_read(struct starts *starts, Elf *elf);

#endif /* GAPP_TESTS_TABLES_STARTS_H */
