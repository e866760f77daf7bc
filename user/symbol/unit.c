// SPDX-License-Identifier: GPL-2.0
/*
 * The units' own ranges are read, not .debug_aranges: clang and rustc do not
 * write it, and libdw before 0.192 finds nothing without it.
 */
#include "unit.h"

/* That are looked at in a file, empty ones too, which many units may share. */
#define RANGES_MAX (8 << 20)

/* Returns 0, or -1 without room. */
static int add_range(struct symbol_file *file, size_t *room, u64 begin, u64 end, u64 unit)
{
	if (begin >= end)
		return 0;
	if (file->unit_count == *room) {
		size_t larger = *room ? 2 * *room : 256;
		void *units;

		if (larger > RANGES_MAX)
			return -1;
		units = realloc(file->units, larger * sizeof(*file->units));
		if (!units)
			return -1;
		file->units = units;
		*room = larger;
	}
	file->units[file->unit_count++] = (struct unit_range){ begin, end, unit };
	return 0;
}

/* Takes of @left what it looks at. */
static int add_ranges_of(struct symbol_file *file, size_t *room, Dwarf_Die *die, u32 *left)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0) {
		if (!*left || symbol_file_cancelled(file) ||
		    add_range(file, room, begin, end, dwarf_dieoffset(die)))
			return -1;
		--*left;
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->unit < y->unit ? -1 : x->unit > y->unit;
}

static void read_units(struct symbol_file *file, Dwarf *dwarf)
{
	Dwarf_Off next, at = 0;
	size_t room = 0, header;
	u32 left = RANGES_MAX;
	Dwarf_Die die;

	while (!symbol_file_cancelled(file) &&
	       !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (dwarf_offdie(dwarf, at + header, &die) &&
		    add_ranges_of(file, &room, &die, &left))
			break;
		if (next <= at)
			break;
		at = next;
	}
	if (file->unit_count)
		qsort(file->units, file->unit_count, sizeof(*file->units), compare);
}

/* The last range that begins up to @address; ranges of units do not overlap. */
static const struct unit_range *range_of(const struct symbol_file *file, u64 address)
{
	size_t low = 0, high = file->unit_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (file->units[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low && address < file->units[low - 1].end ? &file->units[low - 1] : NULL;
}

bool unit_find(struct symbol_file *file, u64 address, struct unit *unit)
{
	const struct unit_range *range;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(file->module, &bias);

	if (!dwarf)
		return false;
	if (!file->units_read) {
		read_units(file, dwarf);
		file->units_read = true;
	}
	range = range_of(file, address - bias);
	if (!range)
		return false;
	unit->address = address - bias;
	return dwarf_offdie(dwarf, range->unit, &unit->die);
}
