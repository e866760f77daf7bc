/* SPDX-License-Identifier: GPL-2.0 */
/* Unwind tables (see gapp_table.h), compiled from the call frame information of ELF files. */
#ifndef GAPP_READ_UNWIND_TABLE_H
#define GAPP_READ_UNWIND_TABLE_H

#include <gapp_table.h>

#include "core/table.h"
#include "util/util.h"

/**
 * struct code_segment - an executable segment of an ELF file
 * @offset: offset in the file
 * @size: bytes in the file
 * @address: address that the ELF file gives it
 */
struct code_segment {
	u64 offset;
	u64 size;
	u64 address;
};

/**
 * struct unwind_table - the unwind table of one file
 * @data: the table as the module takes it; NULL: the file has no call frame information
 * @bytes: bytes at @data
 * @cached: @data lies in a file of the cache, which is mapped; else in memory of its own
 * @parts: of @data, for gapp_table_find() once the module has checked the rows and taken the table;
 *	set by unwind_table_get() alone
 * @segments: executable segments of the file
 */
struct unwind_table {
	struct gapp_table_head *data;
	size_t bytes;
	bool cached;
	struct gapp_table parts;
	struct code_segment *segments;
	size_t segment_count;
};

/*
 * Compiles the table of an open ELF file. Returns 0, or -1 with @table empty and errno set:
 * ENOEXEC: it is no ELF file of a machine that tables are for; ECANCELED: another thread has set
 * @cancel (which may be NULL); else the file cannot be read, or there is no memory.
 */
int unwind_table_compile(struct unwind_table *table, int fd, const volatile bool *cancel);

/*
 * Takes the table from the cache on disk, or compiles it and puts it there if it can. Returns as
 * unwind_table_compile().
 */
int unwind_table_get(struct unwind_table *table, int fd, const volatile bool *cancel);

void unwind_table_free(struct unwind_table *table);
/* Frees @data alone. */
void unwind_table_free_data(struct unwind_table *table);

/*
 * Sets @bias to the difference between addresses in memory and those in the file, where offset
 * @offset of the file is mapped at @start. False: no executable segment has that offset.
 */
bool unwind_table_bias(const struct unwind_table *table, u64 start, u64 offset, u64 *bias);

/* Bytes of .eh_frame or .debug_frame; an image leaves out a larger section. */
#define CFI_IMAGE_BYTES_MAX (64U << 20)

/*
 * Makes an ELF file in memory that has only the checked call frame information of the file @fd, for
 * libdwfl to unwind by. The file itself could make libdw take any amount of memory, and can change
 * at any time. Gives its executable segments to @code, unless that is NULL. Returns a descriptor
 * that the caller closes; -1: @fd is no program for x86-64, or there is no memory.
 */
int cfi_image_open(int fd, struct unwind_table *code);

struct Dwarf_Frame_s;
/* The rule for a frame as libdw describes it; cfa GAPP_CFA_NONE: no rule can express it. */
struct gapp_rule cfi_rule(struct Dwarf_Frame_s *frame, enum gapp_arch arch);

#endif /* GAPP_READ_UNWIND_TABLE_H */
