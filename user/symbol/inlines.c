// SPDX-License-Identifier: GPL-2.0
/*
 * Source lines and inlined functions, by debug information. The compilation units' own ranges are
 * read, not .debug_aranges: clang and rustc do not write it, and libdw before 0.192 finds nothing
 * without it. dwarf_getscopes() would find the functions, but it recurses as deep as the debug
 * information is nested, and anybody may have written that.
 */
#include "symbol_file.h"

#include <dwarf.h>

#include "split_units.h"
#include "util/hash_index.h"

/* Ranges that are looked at, of all units of a file and in each search; DIEs may share them. */
#define RANGES_MAX (8 << 20)
#define DEPTH_MAX 256
/*
 * DIEs that a search looks at; no unit has nearly as many. But in a forged file siblings can lead
 * back to DIEs that were searched, which doubles the work with each level.
 */
#define VISITS_MAX 1000000

/* Adds the ranges of a unit. Returns 0, or -1 without memory, or if @left ranges are not enough. */
static int add_ranges(struct symbol_file *file, u32 *room, Dwarf_Die *die, u32 *left)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0) {
		if (!*left || symbol_file_cancelled(file) ||
		    array_grow(&file->units, room, file->unit_count, sizeof(*file->units)))
			return -1;
		--*left;
		if (begin < end)
			file->units[file->unit_count++] =
				(struct unit_range){ begin, end, dwarf_dieoffset(die) };
	}
	return 0;
}

static int compare(const void *a, const void *b)
{
	const struct unit_range *x = a, *y = b;

	return three_way(x->begin, y->begin) ?: three_way(x->unit, y->unit);
}

static void read_units(struct symbol_file *file, Dwarf *dwarf)
{
	Dwarf_Off next, at = 0;
	u32 room = 0, left = RANGES_MAX;
	size_t header;
	Dwarf_Die die;

	while (!symbol_file_cancelled(file) &&
	       !dwarf_nextcu(dwarf, at, &next, &header, NULL, NULL, NULL)) {
		if (dwarf_offdie(dwarf, at + header, &die) && add_ranges(file, &room, &die, &left))
			break;
		if (next <= at)
			break;
		at = next;
	}
	if (file->unit_count)
		qsort(file->units, file->unit_count, sizeof(*file->units), compare);
}

/**
 * struct search - a search for the functions around an address
 * @unit: DIE of the address's compilation unit
 * @split: the rest of that unit if it is in another file, or NULL
 * @address: the address as the unit has it
 * @visits: DIEs that may still be looked at
 * @ranges: ranges of DIEs that may still be looked at
 * @cancel: as for symbols_new()
 * @dies: the function, then functions inlined into each other, outermost first; room for one more
 *	than is shown: the place where that one was called is the line of the last one shown
 */
struct search {
	Dwarf_Die unit;
	const struct split_unit *split;
	u64 address;
	u32 visits;
	u32 ranges;
	const volatile bool *cancel;
	Dwarf_Die dies[INLINES_MAX + 1];
	size_t count;
};

/* Reads debug information when first asked. False: there is none for @address. */
static bool find_unit(struct symbol_file *file, u64 address, struct search *search)
{
	size_t before;
	Dwarf_Addr bias;
	Dwarf *dwarf = dwfl_module_getdwarf(file->module, &bias);

	if (!dwarf)
		return false;
	if (!file->units_read) {
		read_units(file, dwarf);
		file->units_read = true;
	}
	search->address = address - bias;
	/* ranges of units do not overlap */
	before = count_up_to(file->units, file->unit_count, sizeof(*file->units), search->address);
	return before && search->address < file->units[before - 1].end &&
	       dwarf_offdie(dwarf, file->units[before - 1].unit, &search->unit);
}

/* DIEs that a search looks into. */
enum pass {
	PASS_COVERING, /* those that cover the address, and those without addresses */
	PASS_FUNCTIONS, /* any function, too: functions nested in it may lie elsewhere */
};

static bool is_container(int tag, enum pass pass)
{
	switch (tag) {
	case DW_TAG_namespace:
	case DW_TAG_module:
	case DW_TAG_class_type:
	case DW_TAG_structure_type:
	case DW_TAG_union_type:
	case DW_TAG_enumeration_type:
		return true;
	case DW_TAG_subprogram:
	case DW_TAG_lexical_block:
		return pass == PASS_FUNCTIONS;
	default:
		return false;
	}
}

static bool is_code(int tag)
{
	return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine ||
	       tag == DW_TAG_lexical_block || tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
}

static void add_scope(struct search *search, Dwarf_Die *die, int tag)
{
	if (tag != DW_TAG_subprogram && tag != DW_TAG_inlined_subroutine)
		return;
	/* a function within another is not inlined into it */
	if (tag == DW_TAG_subprogram)
		search->count = 0;
	if (search->count < ARRAY_SIZE(search->dies))
		search->dies[search->count++] = *die;
}

static bool may_go_on(struct search *search)
{
	if (!search->visits || !search->ranges || (search->cancel && *search->cancel))
		return false;
	search->visits--;
	return true;
}

/* Like dwarf_haspc(), but looks at no more than @search->ranges ranges. */
static bool covers(struct search *search, Dwarf_Die *die)
{
	Dwarf_Addr base, begin, end;
	ptrdiff_t next = 0;

	if (search->split)
		return split_unit_covers(search->split, die, search->address, &search->ranges);
	while ((next = dwarf_ranges(die, next, &base, &begin, &end)) > 0) {
		if (begin <= search->address && search->address < end)
			return true;
		if (!search->ranges || (search->cancel && *search->cancel))
			return false;
		search->ranges--;
	}
	return false;
}

/* Looks below @die until a function covers the address. True: one does. */
static bool descend(struct search *search, Dwarf_Die *die, enum pass pass, unsigned int depth)
{
	Dwarf_Die child;

	if (depth > DEPTH_MAX || dwarf_child(die, &child))
		return false;
	do {
		int tag = dwarf_tag(&child);

		if (!may_go_on(search))
			return false;
		if (is_code(tag) && covers(search, &child)) {
			add_scope(search, &child, tag);
			descend(search, &child, PASS_COVERING, depth + 1);
			if (search->count)
				return true;
		} else if (is_container(tag, pass) && descend(search, &child, pass, depth + 1)) {
			return true;
		}
	} while (!dwarf_siblingof(&child, &child));
	return false;
}

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr_integrate(die, attribute, &found));
}

static const char *symbol_of(Dwarf_Die *die)
{
	const char *symbol = text_of(die, DW_AT_linkage_name);

	if (!symbol)
		symbol = text_of(die, DW_AT_MIPS_linkage_name);
	return symbol ? symbol : text_of(die, DW_AT_name);
}

static Dwarf_Word number_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;
	Dwarf_Word number;

	return dwarf_formudata(dwarf_attr(die, attribute, &found), &number) ? 0 : number;
}

static u32 line_of(Dwarf_Word line)
{
	return line <= UINT32_MAX ? line : 0;
}

/* Sets the line of @caller to where the inlined function @die was called. */
static void set_call_site(struct source *caller, struct search *search, Dwarf_Die *die)
{
	Dwarf_Word file = number_of(die, DW_AT_call_file);
	Dwarf_Die unit = search->split ? search->split->die : search->unit;
	Dwarf_Files *files;
	size_t count;

	caller->line = line_of(number_of(die, DW_AT_call_line));
	/* where split DWARF has no table of files, the skeleton has it */
	if (dwarf_getsrcfiles(&unit, &files, &count) &&
	    dwarf_getsrcfiles(&search->unit, &files, &count))
		return;
	if (file < count)
		caller->file = dwarf_filesrc(files, file, NULL, NULL);
}

static void set_line(struct source *source, struct search *search)
{
	Dwarf_Line *line = dwarf_getsrc_die(&search->unit, search->address);
	int number;

	if (!line)
		return;
	source->file = dwarf_linesrc(line, NULL, NULL);
	if (!dwarf_lineno(line, &number) && number > 0)
		source->line = number;
}

size_t inlines_find(struct symbol_file *file, u64 address, struct source *sources)
{
	struct search search = { .visits = VISITS_MAX,
				 .ranges = RANGES_MAX,
				 .cancel = file->cancel };
	const char *folder;
	Dwarf_Die unit;
	size_t count;

	if (!find_unit(file, address, &search))
		return 0;
	search.split = split_unit_find(file, &search.unit);
	unit = search.split ? search.split->die : search.unit;
	if (!descend(&search, &unit, PASS_COVERING, 0))
		descend(&search, &unit, PASS_FUNCTIONS, 0);

	count = search.count ? search.count : 1;
	if (count > INLINES_MAX)
		count = INLINES_MAX;
	memset(sources, 0, count * sizeof(*sources));
	if (search.count > count)
		set_call_site(&sources[0], &search, &search.dies[count]);
	else
		set_line(&sources[0], &search);
	for (size_t i = 0; i + 1 < count; i++) {
		Dwarf_Die *die = &search.dies[count - 1 - i];

		sources[i].symbol = symbol_of(die);
		set_call_site(&sources[i + 1], &search, die);
	}
	folder = text_of(&search.unit, DW_AT_comp_dir);
	for (size_t i = 0; i < count; i++) {
		if (sources[i].file && sources[i].file[0] != '/')
			sources[i].folder = folder;
	}
	return count;
}
