// SPDX-License-Identifier: GPL-2.0
#include "eh_range.h"

/*
 * .eh_frame_hdr, in the one form that linkers write: version and three encodings, where .eh_frame
 * is, the number of rows; then, sorted, the begin of each function and of its frame description.
 * All but the number are signed, and from the begin of it all.
 */
#define EH_COUNT 8
#define EH_ROWS 12
#define EH_ROW_SIZE 8
/* A frame description's members, by their offsets. */
#define FDE_BEGIN 8
#define FDE_SIZE 12
#define FDE_BYTES 16

static const u8 eh_usual[] = { 1, 0x1b, 0x03, 0x3b };

static u64 eh_table_address(const struct symbol_file *file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(file->module, &bias);
	GElf_Phdr segment;
	size_t count;

	if (!elf || elf_getphdrnum(elf, &count))
		return 0;
	for (size_t i = 0; i < count; i++) {
		if (gelf_getphdr(elf, i, &segment) && segment.p_type == PT_GNU_EH_FRAME)
			return segment.p_vaddr + bias;
	}
	return 0;
}

/* The rows of the table at @base, or NULL. */
static const u8 *eh_rows(const struct symbol_file *file, u64 base, u32 *count)
{
	const u8 *table = symbol_file_bytes(file, base, EH_ROWS);

	if (!base || !table || memcmp(table, eh_usual, sizeof(eh_usual)))
		return NULL;
	memcpy(count, table + EH_COUNT, sizeof(*count));
	table = symbol_file_bytes(file, base, EH_ROWS + (u64)*count * EH_ROW_SIZE);
	return table ? table + EH_ROWS : NULL;
}

static u64 row_begin(const u8 *rows, u64 base, size_t i)
{
	s32 distance;

	memcpy(&distance, rows + i * EH_ROW_SIZE, sizeof(distance));
	return base + distance;
}

/* Likewise of its frame description. */
static u64 row_description(const u8 *rows, u64 base, size_t i)
{
	return row_begin(rows + sizeof(s32), base, i);
}

/*
 * The number of bytes of the function at @begin, as its description has it in the one encoding
 * that compilers use: length, distance of its CIE, begin from here, size. 0: it does not.
 */
static u32 described_size(const struct symbol_file *file, u64 description, u64 begin)
{
	const u8 *words = symbol_file_bytes(file, description, FDE_BYTES);
	s32 distance;
	u32 size;

	if (!words)
		return 0;
	memcpy(&distance, words + FDE_BEGIN, sizeof(distance));
	memcpy(&size, words + FDE_SIZE, sizeof(size));
	return description + FDE_BEGIN + distance == begin ? size : 0;
}

bool eh_range_find(const struct symbol_file *file, u64 address, struct eh_range *range)
{
	u64 base = eh_table_address(file);
	size_t low = 0, high;
	const u8 *rows;
	u32 count, size;

	rows = eh_rows(file, base, &count);
	if (!rows)
		return false;
	for (high = count; low < high;) {
		size_t middle = low + (high - low) / 2;

		if (row_begin(rows, base, middle) <= address)
			low = middle + 1;
		else
			high = middle;
	}
	if (!low)
		return false;
	range->begin = row_begin(rows, base, low - 1);
	size = described_size(file, row_description(rows, base, low - 1), range->begin);
	range->end = low < count ? row_begin(rows, base, low) : range->begin + size;
	/* behind its code there may be some that has no description */
	return !size || address < range->begin + size;
}
