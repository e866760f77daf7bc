// SPDX-License-Identifier: GPL-2.0
/* Takes the sections of one unit from .dwo and .dwp files, and makes ELF files of sections. */
#include "split_units.h"

/* Sections of a file that are looked at, and columns of the index of a .dwp file. */
#define SECTIONS_MAX 65536
#define COLUMNS_MAX 16
#define INDEX_V2 2
#define INDEX_V5 5
#define ALIGN 8
#define NAMES_SIZE 512

static const char *const names[SPLIT_KINDS] = {
	[SPLIT_INFO] = ".debug_info.dwo", [SPLIT_ABBREV] = ".debug_abbrev.dwo",
	[SPLIT_LINE] = ".debug_line.dwo", [SPLIT_STR_OFFSETS] = ".debug_str_offsets.dwo",
	[SPLIT_STR] = ".debug_str.dwo",	  [SPLIT_RNGLISTS] = ".debug_rnglists.dwo",
};

struct split_section split_section_find(Elf *elf, const char *name)
{
	struct split_section found = { .name = name };
	Elf_Scn *section = NULL;
	size_t strings, count = 0;
	Elf_Data *data;

	if (elf_getshdrstrndx(elf, &strings))
		return found;
	while ((section = elf_nextscn(elf, section)) && count++ < SECTIONS_MAX) {
		const char *here;
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		here = elf_strptr(elf, strings, header.sh_name);
		if (!here || strcmp(here, name))
			continue;
		if (header.sh_flags & SHF_COMPRESSED && elf_compress(section, 0, 0) < 0)
			return found;
		data = elf_rawdata(section, NULL);
		if (data && data->d_buf) {
			found.data = data->d_buf;
			found.size = data->d_size;
		}
		return found;
	}
	return found;
}

static u32 word_at(const u8 *at)
{
	u32 word;

	memcpy(&word, at, sizeof(word));
	return word;
}

/**
 * struct index - the index of a .dwp file
 * @version: INDEX_V2 or INDEX_V5
 * @columns: sections that each unit has a part of
 * @units: units
 * @slots: slots of the hash table
 * @ids: id of the unit of each slot
 * @rows: number of the unit of each slot, from 1 on
 * @kinds: kind of each column
 * @offsets: for each unit the begin of its part of each column
 * @sizes: likewise, how many bytes
 */
struct index {
	u32 version;
	u32 columns;
	u32 units;
	u32 slots;
	const u8 *ids;
	const u8 *rows;
	const u8 *kinds;
	const u8 *offsets;
	const u8 *sizes;
};

static bool read_index(struct index *index, const struct split_section *section)
{
	const u8 *at = section->data;
	u64 cells, bytes;

	if (section->size < 4 * sizeof(u32))
		return false;
	*index = (struct index){ .version = word_at(at),
				 .columns = word_at(at + 4),
				 .units = word_at(at + 8),
				 .slots = word_at(at + 12) };
	if ((index->version != INDEX_V2 && index->version != INDEX_V5) || !index->columns ||
	    index->columns > COLUMNS_MAX)
		return false;
	cells = (u64)index->columns * index->units;
	bytes = 16 + 12ULL * index->slots + 4ULL * index->columns + 8 * cells;
	if (bytes > section->size)
		return false;
	index->ids = at + 16;
	index->rows = index->ids + 8ULL * index->slots;
	index->kinds = index->rows + 4ULL * index->slots;
	index->offsets = index->kinds + 4ULL * index->columns;
	index->sizes = index->offsets + 4 * cells;
	return true;
}

/* The row of the unit, from 0 on; UINT32_MAX: there is none. */
static u32 row_of(const struct index *index, u64 id)
{
	for (u32 i = 0; i < index->slots; i++) {
		u32 row = word_at(index->rows + 4ULL * i);
		u64 here;

		memcpy(&here, index->ids + 8ULL * i, sizeof(here));
		if (here == id && row && row <= index->units)
			return row - 1;
	}
	return UINT32_MAX;
}

/* What a column of the index has, by DWARF's numbers; SPLIT_KINDS: nothing of use here. */
static enum split_kind kind_of(const struct index *index, u32 column)
{
	switch (word_at(index->kinds + 4ULL * column)) {
	case 1:
		return SPLIT_INFO;
	case 3:
		return SPLIT_ABBREV;
	case 4:
		return SPLIT_LINE;
	case 6:
		return SPLIT_STR_OFFSETS;
	case 8:
		return index->version == INDEX_V5 ? SPLIT_RNGLISTS : SPLIT_KINDS;
	default:
		return SPLIT_KINDS;
	}
}

/* Cuts the unit's parts out of the sections that all units share. */
static bool cut_parts(struct split_parts *parts, const struct index *index, u32 row)
{
	bool has[SPLIT_KINDS] = { [SPLIT_STR] = true };

	for (u32 i = 0; i < index->columns; i++) {
		enum split_kind kind = kind_of(index, i);
		u64 cell = 4 * ((u64)row * index->columns + i);
		u32 offset = word_at(index->offsets + cell), size = word_at(index->sizes + cell);
		struct split_section *section;

		if (kind == SPLIT_KINDS)
			continue;
		section = &parts->sections[kind];
		if (offset > section->size || size > section->size - offset)
			return false;
		section->data = (const u8 *)section->data + offset;
		section->size = size;
		has[kind] = true;
	}
	for (enum split_kind kind = 0; kind < SPLIT_KINDS; kind++) {
		if (!has[kind])
			parts->sections[kind].size = 0;
	}
	return true;
}

bool split_parts_find(struct split_parts *parts, Elf *elf, u64 id)
{
	struct split_section section = split_section_find(elf, ".debug_cu_index");
	struct index index;
	u32 row;

	for (enum split_kind kind = 0; kind < SPLIT_KINDS; kind++)
		parts->sections[kind] = split_section_find(elf, names[kind]);
	if (section.size) {
		if (!read_index(&index, &section))
			return false;
		row = row_of(&index, id);
		if (row == UINT32_MAX || !cut_parts(parts, &index, row))
			return false;
	}
	return parts->sections[SPLIT_INFO].size && parts->sections[SPLIT_ABBREV].size;
}

/* Length of a section's name without the suffix of split DWARF. */
static size_t plain_length(const char *name)
{
	const char *suffix = strstr(name, ".dwo");

	return suffix ? (size_t)(suffix - name) : strlen(name);
}

static size_t aligned(size_t size)
{
	return (size + ALIGN - 1) & ~(size_t)(ALIGN - 1);
}

size_t split_image_make(char **image, const struct split_section *sections, size_t count)
{
	size_t size = aligned(sizeof(Elf64_Ehdr)) + NAMES_SIZE, at, names_at, used = 1;
	Elf64_Ehdr *header;
	Elf64_Shdr *headers;

	for (size_t i = 0; i < count; i++)
		size += aligned(sections[i].size);
	*image = calloc(1, size + (count + 2) * sizeof(*headers));
	if (!*image)
		return 0;
	header = (Elf64_Ehdr *)*image;
	headers = (Elf64_Shdr *)(*image + size);
	*header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_REL,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(*header),
		.e_shoff = size,
		.e_shentsize = sizeof(*headers),
		.e_shnum = count + 2,
		.e_shstrndx = count + 1,
	};
	names_at = aligned(sizeof(*header));
	at = names_at + NAMES_SIZE;
	for (size_t i = 0; i < count; i++) {
		headers[i + 1] = (Elf64_Shdr){ .sh_name = used,
					       .sh_type = SHT_PROGBITS,
					       .sh_offset = at,
					       .sh_size = sections[i].size,
					       .sh_addralign = 1 };
		/* libdw takes either sections with the suffix or others, not both */
		used += snprintf(*image + names_at + used, NAMES_SIZE - used, "%.*s",
				 (int)plain_length(sections[i].name), sections[i].name) +
			1;
		memcpy(*image + at, sections[i].data, sections[i].size);
		at += aligned(sections[i].size);
	}
	headers[count + 1] = (Elf64_Shdr){ .sh_type = SHT_STRTAB,
					   .sh_offset = names_at,
					   .sh_size = NAMES_SIZE,
					   .sh_addralign = 1 };
	return size + (count + 2) * sizeof(*headers);
}
