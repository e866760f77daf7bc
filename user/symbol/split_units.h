/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Split DWARF: compilation units of which the object has a skeleton, and a .dwo file or the .dwp
 * file of the whole object has the rest. libdw opens .dwo files by itself, whatever a skeleton
 * names, and before 0.192 it knows no .dwp files. So both are read here: of a unit's sections an
 * ELF file is made in memory, which libdw reads as it reads any other.
 */
#ifndef GAPP_READ_SPLIT_UNITS_H
#define GAPP_READ_SPLIT_UNITS_H

#include "symbol_file.h"

/**
 * struct split_section - what an ELF file is to be made of
 * @name: name of the section
 * @data: its bytes
 * @size: how many
 */
struct split_section {
	const char *name;
	const void *data;
	size_t size;
};

/**
 * struct split_unit - the rest of a compilation unit
 * @skeleton: offset of the skeleton's DIE
 * @die: DIE of the unit
 * @version: of DWARF
 * @base: address that offsets in lists of ranges count from
 * @ranges: the lists
 * @addresses: addresses that the lists refer to by number
 * @used: number of the look-up that used it last
 * @bytes: bytes of @image
 * @image: the ELF file made of its sections
 * @elf: handle of @image
 * @dwarf: debug information of @elf; NULL: the rest was not found
 */
struct split_unit {
	u64 skeleton;
	Dwarf_Die die;
	unsigned int version;
	Dwarf_Addr base;
	struct split_section ranges;
	struct split_section addresses;
	u64 used;
	size_t bytes;
	char *image;
	Elf *elf;
	Dwarf *dwarf;
};

struct split_units;

/*
 * The rest of the unit that @skeleton begins. It is valid until the next call. NULL: it is no
 * skeleton, or the rest is nowhere.
 */
const struct split_unit *split_unit_find(struct symbol_file *file, Dwarf_Die *skeleton);

void split_units_free(struct split_units *units);
/* Bytes of all units, of any file, that are kept now. */
u64 split_units_kept(void);

/*
 * Whether a DIE of the unit covers an address. Each range takes one from *@left; false once that is
 * 0.
 */
bool split_unit_covers(const struct split_unit *unit, Dwarf_Die *die, u64 address, u32 *left);

/* Makes an ELF file of sections. Returns its size, with @image set, to be freed; 0: no memory. */
size_t split_image_make(char **image, const struct split_section *sections, size_t count);

/**
 * struct split_parts - the parts of one unit in a .dwo or .dwp file
 * @sections: a member for each kind, in the order of enum split_kind; of size 0 if it is missing
 */
enum split_kind {
	SPLIT_INFO,
	SPLIT_ABBREV,
	SPLIT_LINE,
	SPLIT_STR_OFFSETS,
	SPLIT_STR,
	SPLIT_RNGLISTS,
	SPLIT_KINDS,
};

struct split_parts {
	struct split_section sections[SPLIT_KINDS];
};

/* A section by its name, inflated; of size 0: there is none. */
struct split_section split_section_find(Elf *elf, const char *name);

/*
 * Finds the parts of the unit with that id: of a .dwp file by its index, of a .dwo file all
 * sections. False: the file is damaged, or has not the unit.
 */
bool split_parts_find(struct split_parts *parts, Elf *elf, u64 id);

#endif /* GAPP_READ_SPLIT_UNITS_H */
