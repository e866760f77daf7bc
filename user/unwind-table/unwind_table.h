/* SPDX-License-Identifier: GPL-2.0 */
/* The unwind table of an ELF file, from its call frame information (see gapp_table.h). */
#ifndef GAPP_READ_CODE_TABLE_H
#define GAPP_READ_CODE_TABLE_H

#include <gapp_table.h>

#include "util/util.h"

/**
 * struct code_segment - a part of the file that is mapped as code
 * @offset: in the file
 * @size: bytes in the file
 * @address: where the ELF file says it belongs
 */
struct code_segment {
	u64 offset;
	u64 size;
	u64 address;
};

/**
 * struct code_table - one file's
 * @data: the table, as the module takes it; NULL: the file has no call frame information
 * @bytes: its size
 * @segments: code of the file
 * @segment_count: how many
 */
struct code_table {
	struct gapp_table_head *data;
	size_t bytes;
	struct code_segment *segments;
	size_t segment_count;
};

/*
 * Compiles the table of an open ELF file. Returns 0; -1: it is no ELF file of a machine that tables
 * are for, cannot be read, or there is no memory, with errno set. ECANCELED: @cancel (or NULL)
 * became true.
 */
int code_table_compile(struct code_table *table, int fd, const volatile bool *cancel);

/* Likewise, from the cache on disk if it is there; else it is put there if that can be. */
int code_table_get(struct code_table *table, int fd, const volatile bool *cancel);

void code_table_free(struct code_table *table);

/*
 * What addresses in memory are above the file's, where @offset of the file is mapped at @start.
 * False: that is not code.
 */
bool code_table_bias(const struct code_table *table, u64 start, u64 offset, u64 *bias);

#endif /* GAPP_READ_CODE_TABLE_H */
