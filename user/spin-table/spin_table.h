/* SPDX-License-Identifier: GPL-2.0 */
/* Spin tables (see gapp_table.h): the code of a file's busy-wait loops, for the module. */
#ifndef GAPP_READ_SPIN_TABLE_H
#define GAPP_READ_SPIN_TABLE_H

#include <gapp_table.h>

#include "spin/spins.h"

/**
 * struct spin_table - the spin table of one file
 * @data: the table as the module takes it; NULL: no loop of the file surely waits
 * @bytes: bytes at @data
 * @cached: @data lies in a file of the cache, which is mapped; else in memory of its own
 */
struct spin_table {
	struct gapp_spin_head *data;
	size_t bytes;
	bool cached;
};

/*
 * Makes the table of those loops that surely wait. Where there would be too many ranges, the last
 * ones are left out. Returns 0, or -1 without memory.
 */
int spin_table_make(struct spin_table *table, const struct spins *spins, enum gapp_arch arch);

/*
 * Takes the table of an open ELF file from the cache on disk, if that takes some milliseconds at
 * most. False: it is not there, or would take longer to look for.
 */
bool spin_table_recall(struct spin_table *table, int fd);

/*
 * Takes the table from the cache, or has the loops found and keeps the table if it can: that takes
 * a second for each MB of code. Returns 0, or -1 with @table empty and errno set as
 * spins_find_until().
 */
int spin_table_get(struct spin_table *table, int fd, bool complains, const volatile bool *cancel);

/*
 * As spins_find(), and keeps the table in the cache if it can, for whoever asks for it later.
 */
int spin_table_find(struct spins *spins, int fd);

void spin_table_free(struct spin_table *table);
#define _cleanup_spin_table_ _cleanup_(spin_table_free)

#endif /* GAPP_READ_SPIN_TABLE_H */
