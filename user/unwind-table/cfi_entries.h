/* SPDX-License-Identifier: GPL-2.0 */
/* The functions that call frame information describes. */
#ifndef GAPP_READ_CFI_ENTRIES_H
#define GAPP_READ_CFI_ENTRIES_H

#include <elfutils/libdw.h>

#include "cfi_file.h"
#include "cfi_usual.h"

/**
 * struct cfi_range - code with a description of its own
 * @begin: address
 * @end: behind it
 * @program: instructions that tell its rules
 * @program_bytes: how many
 * @offset: of its description in the frames
 * @usual: what others begin with, too; NULL if @refused or @by_code
 * @refused: libdw may not carry them out
 * @by_code: it has no description, but returns from a signal's handler
 */
struct cfi_range {
	u64 begin;
	u64 end;
	const u8 *program;
	u32 program_bytes;
	u32 offset;
	const struct cfi_usual *usual;
	bool refused;
	bool by_code;
};

/**
 * struct cfi_entries - all of a file
 * @ranges: sorted; they may overlap, but for those by code
 * @count: how many
 * @room: for how many there is memory
 * @commons: what they have in common
 * @frames: what was looked over, without what was refused; in @image
 * @frames_size: bytes
 * @elf: a file of our own making, with nothing but the file's frames
 * @image: it
 * @dwarf: of .debug_frame
 * @cfi: what libdw makes of it
 */
struct cfi_entries {
	struct cfi_range *ranges;
	u32 count;
	u32 room;
	struct cfi_common *commons;
	const u8 *frames;
	size_t frames_size;
	u8 *image;
	Elf *elf;
	Dwarf *dwarf;
	Dwarf_CFI *cfi;
};

/* Gives the frames of @file away. Returns 0 or -1, as code_table_compile(). */
int cfi_entries_read(struct cfi_entries *entries, struct cfi_file *file,
		     const volatile bool *cancel);
void cfi_entries_free(struct cfi_entries *entries);
#define _cleanup_cfi_entries_ _cleanup_(cfi_entries_free)

#endif /* GAPP_READ_CFI_ENTRIES_H */
