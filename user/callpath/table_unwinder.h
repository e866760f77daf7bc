/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwinds stack copies with the unwind tables that the reader has loaded into the module. That is
 * cheap, but tables do not describe all code that libdwfl can unwind.
 */
#ifndef GAPP_READ_TABLE_UNWINDER_H
#define GAPP_READ_TABLE_UNWINDER_H

#include "table-sync/object_tables.h"
#include "unwinder.h"

/**
 * struct table_unwinder - unwinds one stack copy at a time
 * @tables: the tables
 * @mappings: memory for the mappings of the copy's process
 * @room: mappings that there is memory for
 */
struct table_unwinder {
	const struct object_tables *tables;
	struct gapp_unwind_mapping *mappings;
	u32 room;
};

void table_unwinder_free(struct table_unwinder *unwinder);

/*
 * Returns as unwinder_unwind(), with the same frames. UNWIND_NO_RULE: libdwfl may find more than
 * the frames that are found now; @unmapped is the address of a caller in a file without a table, or
 * 0.
 */
enum unwind_end table_unwinder_unwind(struct table_unwinder *unwinder, struct unwinding *unwinding);

/*
 * Sets @ends to whether the code at @address restores the registers when a signal's handler returns
 * to it. False: that is not known without libdwfl.
 */
bool table_unwinder_ends_signal(const struct table_unwinder *unwinder,
				const struct mappings *mappings, u64 address, bool *ends);

#endif /* GAPP_READ_TABLE_UNWINDER_H */
