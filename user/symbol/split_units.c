// SPDX-License-Identifier: GPL-2.0
#include "split_units.h"

#include <dwarf.h>
#include <stdio.h>
#include <sys/stat.h>

#define OLD_RANGES ".debug_ranges"
#define RANGES ".debug_rnglists"
#define ADDRESSES ".debug_addr"
/* Units that are kept, because addresses that follow each other are often in few units. */
#define UNITS_KEPT 8
/*
 * Bytes that the image of a unit may have: so many, but no more than these and the file's on its
 * disk, which may be compressed, times that. A hole costs whoever made the file nothing.
 */
#define IMAGE_BYTES_MAX (512ULL << 20)
#define IMAGE_BYTES_FREE (16ULL << 20)
#define IMAGE_OF_BYTE 8
/* Bytes of all images that are kept, beside that of the unit that is looked at. */
#define KEPT_BYTES_MAX (256ULL << 20)
#define ADDR_HEAD 8
#define RNGLISTS_HEAD 12

/**
 * struct split_units - units of one file
 * @next: of another file
 * @units: the last ones, each with its own debug information
 * @count: units so far
 */
struct split_units {
	struct split_units *next;
	struct split_unit units[UNITS_KEPT];
	u64 count;
};

/* Of all files, for the thread that looks names up; the bytes of their images; look-ups so far. */
static struct split_units *all_units;
static u64 kept_bytes;
static u64 calls;

static void free_unit(struct split_unit *unit)
{
	kept_bytes -= unit->bytes;
	dwarf_end(unit->dwarf);
	elf_end(unit->elf);
	free(unit->image);
	*unit = (struct split_unit){ 0 };
}

void split_units_free(struct split_units *units)
{
	if (!units)
		return;
	for (struct split_units **link = &all_units; *link; link = &(*link)->next) {
		if (*link != units)
			continue;
		*link = units->next;
		break;
	}
	for (size_t i = 0; i < UNITS_KEPT; i++)
		free_unit(&units->units[i]);
	free(units);
}

static struct split_units *split_units_new(void)
{
	struct split_units *units = calloc(1, sizeof(*units));

	if (!units)
		return NULL;
	units->next = all_units;
	all_units = units;
	return units;
}

u64 split_units_kept(void)
{
	return kept_bytes;
}

/* Frees the units that were not used for longest, of any file, but not @stays. */
static void drop_units(const struct split_unit *stays)
{
	while (kept_bytes - stays->bytes > KEPT_BYTES_MAX) {
		struct split_unit *oldest = NULL;

		for (struct split_units *units = all_units; units; units = units->next) {
			for (size_t i = 0; i < UNITS_KEPT; i++) {
				struct split_unit *unit = &units->units[i];

				if (unit != stays && unit->bytes &&
				    (!oldest || unit->used < oldest->used))
					oldest = unit;
			}
		}
		free_unit(oldest);
	}
}

/**
 * struct skeleton - what the object says of a unit that is elsewhere
 * @die: the DIE
 * @elf: the file that has it
 * @id: id of the unit
 * @name: path of the .dwo file
 * @folder: folder that @name counts from
 */
struct skeleton {
	Dwarf_Die *die;
	Elf *elf;
	uint64_t id;
	const char *name;
	const char *folder;
};

static const char *text_of(Dwarf_Die *die, unsigned int attribute)
{
	Dwarf_Attribute found;

	return dwarf_formstring(dwarf_attr(die, attribute, &found));
}

static bool number_of(Dwarf_Die *die, unsigned int attribute, Dwarf_Word *number)
{
	Dwarf_Attribute found;

	return !dwarf_formudata(dwarf_attr(die, attribute, &found), number);
}

/* Sets the id of a unit, skeleton or not. */
static bool id_of(Dwarf_Die *die, uint64_t *id)
{
	uint8_t type = 0;
	Dwarf_Half version = 0;
	Dwarf_Word number;

	if (dwarf_cu_info(die->cu, &version, &type, NULL, NULL, id, NULL, NULL))
		return false;
	if (version >= 5)
		return type == DW_UT_skeleton || type == DW_UT_split_compile;
	if (!number_of(die, DW_AT_GNU_dwo_id, &number))
		return false;
	*id = number;
	return true;
}

static bool is_skeleton(struct skeleton *skeleton, Dwarf_Die *die)
{
	*skeleton = (struct skeleton){ .die = die,
				       .elf = dwarf_getelf(dwarf_cu_getdwarf(die->cu)),
				       .name = text_of(die, DW_AT_dwo_name),
				       .folder = text_of(die, DW_AT_comp_dir) };
	if (!skeleton->name)
		skeleton->name = text_of(die, DW_AT_GNU_dwo_name);
	return skeleton->name && skeleton->elf && id_of(die, &skeleton->id);
}

/* Sets the addresses that the unit refers to by number. */
static void find_addresses(const struct skeleton *skeleton, struct split_section *section)
{
	Dwarf_Word base = 0;
	u32 length;

	*section = split_section_find(skeleton->elf, ADDRESSES);
	if (!number_of(skeleton->die, DW_AT_addr_base, &base))
		number_of(skeleton->die, DW_AT_GNU_addr_base, &base);
	if (base > section->size)
		base = section->size;
	section->data = (const u8 *)section->data + base;
	section->size -= base;
	/* from version 5 on a head says how many bytes follow its first four */
	if (base < ADDR_HEAD || !dwarf_hasattr(skeleton->die, DW_AT_addr_base))
		return;
	memcpy(&length, (const u8 *)section->data - ADDR_HEAD, sizeof(length));
	if (length >= sizeof(length) && length - sizeof(length) < section->size)
		section->size = length - sizeof(length);
}

/* Sets the lists of ranges, which an object before version 5 has itself. */
static void find_ranges(const struct skeleton *skeleton, struct split_section *section)
{
	Dwarf_Word base = 0;

	*section = split_section_find(skeleton->elf, OLD_RANGES);
	number_of(skeleton->die, DW_AT_GNU_ranges_base, &base);
	if (base > section->size)
		base = section->size;
	section->data = (const u8 *)section->data + base;
	section->size -= base;
}

/* Sets the unit's DIE: the file may have units of types, too. */
static bool find_die(struct split_unit *unit, uint64_t wanted)
{
	Dwarf_Off next, at = 0;
	size_t head;
	uint64_t id;

	while (!dwarf_nextcu(unit->dwarf, at, &next, &head, NULL, NULL, NULL) && next > at) {
		if (dwarf_offdie(unit->dwarf, at + head, &unit->die) &&
		    dwarf_tag(&unit->die) == DW_TAG_compile_unit && id_of(&unit->die, &id) &&
		    id == wanted)
			return true;
		at = next;
	}
	return false;
}

/* Bytes that an image of a file's sections may have. */
static u64 image_bytes_max(int fd)
{
	struct stat status;
	u64 most;

	if (fstat(fd, &status))
		return 0;
	most = IMAGE_BYTES_FREE + IMAGE_OF_BYTE * 512 * (u64)status.st_blocks;
	return most < IMAGE_BYTES_MAX ? most : IMAGE_BYTES_MAX;
}

/*
 * Makes the unit of what @elf has of it. Of a .dwp file all units have one .debug_str.dwo, but the
 * image of each gets a copy: libdw reads every section of a unit from one handle of libelf, which
 * is of one piece of memory here, and neither has a call that takes a section from elsewhere. The
 * bounds on images count the copies. Who wants them smaller picks the strings that the unit's part
 * of .debug_str_offsets.dwo refers to, and writes that part anew.
 */
static bool read_unit(struct split_unit *unit, const struct skeleton *skeleton, Elf *elf, u64 most)
{
	struct split_section sections[SPLIT_KINDS + 2];
	struct split_parts parts;
	Dwarf_Half version;
	size_t count = 0, size;
	u64 bytes = 0;

	if (!split_parts_find(&parts, elf, skeleton->id) ||
	    dwarf_cu_info(skeleton->die->cu, &version, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	memcpy(sections, parts.sections, sizeof(parts.sections));
	find_addresses(skeleton, &sections[SPLIT_KINDS]);
	find_ranges(skeleton, &sections[SPLIT_KINDS + 1]);
	for (size_t i = 0; i < ARRAY_SIZE(sections); i++) {
		bytes += sections[i].size;
		if (sections[i].size)
			sections[count++] = sections[i];
	}
	if (bytes > most)
		return false;
	size = split_image_make(&unit->image, sections, count);
	unit->bytes = size;
	kept_bytes += size;
	unit->elf = size ? elf_memory(unit->image, size) : NULL;
	unit->dwarf = unit->elf ? dwarf_begin_elf(unit->elf, DWARF_C_READ, NULL) : NULL;
	if (!unit->dwarf || !find_die(unit, skeleton->id))
		return false;
	unit->version = version;
	unit->addresses = split_section_find(unit->elf, ADDRESSES);
	unit->ranges = split_section_find(unit->elf, version < 5 ? OLD_RANGES : RANGES);
	return true;
}

/* Reads the unit of a file of that path, below the first root that has it. */
static bool read_path(const struct symbol_file *file, struct split_unit *unit,
		      const struct skeleton *skeleton, const char *path)
{
	char roots[ROOTS_MAX][ROOT_SIZE];
	size_t count = debug_file_roots(file, roots);
	bool found = false;

	for (size_t i = 0; !found && i < count; i++) {
		_cleanup_close_ int fd = elf_file_open_below(roots[i], path);
		Elf *elf;

		if (fd < 0 || !debug_file_is_bounded(fd, path, "inlined functions are read"))
			continue;
		elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
		found = elf && read_unit(unit, skeleton, elf, image_bytes_max(fd));
		elf_end(elf);
		if (!found)
			free_unit(unit);
	}
	return found;
}

/* Looks for the object's .dwp file, then for the unit's .dwo file. */
static bool find_rest(const struct symbol_file *file, struct split_unit *unit,
		      const struct skeleton *skeleton)
{
	_cleanup_free_ char *path = NULL;
	bool whole = skeleton->name[0] == '/';

	if (asprintf(&path, "%s.dwp", file->object->path) < 0) {
		path = NULL;
		return false;
	}
	if (read_path(file, unit, skeleton, path))
		return true;
	free(path);
	if (asprintf(&path, "%s%s%s", whole || !skeleton->folder ? "" : skeleton->folder,
		     whole ? "" : "/", skeleton->name) < 0) {
		path = NULL;
		return false;
	}
	return read_path(file, unit, skeleton, path);
}

const struct split_unit *split_unit_find(struct symbol_file *file, Dwarf_Die *die)
{
	u64 offset = dwarf_dieoffset(die);
	struct skeleton skeleton;
	struct split_unit *unit;

	if (!is_skeleton(&skeleton, die))
		return NULL;
	if (!file->split)
		file->split = split_units_new();
	if (!file->split)
		return NULL;
	for (size_t i = 0; i < UNITS_KEPT && i < file->split->count; i++) {
		unit = &file->split->units[i];
		if (unit->skeleton != offset)
			continue;
		unit->used = ++calls;
		return unit->dwarf ? unit : NULL;
	}
	unit = &file->split->units[file->split->count++ % UNITS_KEPT];
	free_unit(unit);
	find_rest(file, unit, &skeleton);
	drop_units(unit);
	unit->skeleton = offset;
	unit->used = ++calls;
	if (dwarf_lowpc(die, &unit->base))
		unit->base = 0;
	return unit->dwarf ? unit : NULL;
}

/**
 * struct reader - reads a list of ranges
 * @unit: the unit
 * @at: offset of what is read next
 * @failed: the list ends too early
 */
struct reader {
	const struct split_unit *unit;
	Dwarf_Word at;
	bool failed;
};

static u64 take(struct reader *reader, size_t size)
{
	const struct split_section *ranges = &reader->unit->ranges;
	u64 value = 0;

	if (reader->at > ranges->size || size > ranges->size - reader->at) {
		reader->failed = true;
		return 0;
	}
	memcpy(&value, (const u8 *)ranges->data + reader->at, size);
	reader->at += size;
	return value;
}

/* Reads a number of 7 bits a byte. */
static u64 take_packed(struct reader *reader)
{
	u64 value = 0, byte;
	unsigned int shift = 0;

	do {
		byte = take(reader, 1);
		if (shift < 64)
			value |= (byte & 0x7f) << shift;
		shift += 7;
	} while (byte & 0x80 && !reader->failed);
	return value;
}

/* The address of a number in .debug_addr. */
static u64 take_address(struct reader *reader)
{
	const struct split_section *addresses = &reader->unit->addresses;
	u64 number = take_packed(reader), address = 0;

	if (number >= addresses->size / sizeof(address))
		reader->failed = true;
	else
		memcpy(&address, (const u8 *)addresses->data + number * sizeof(address),
		       sizeof(address));
	return address;
}

/* Reads an entry of version 5. False: the list ends. An entry that is no range is empty. */
static bool next_of_5(struct reader *reader, Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end)
{
	*begin = *end = 0;
	switch (take(reader, 1)) {
	case DW_RLE_base_addressx:
		*base = take_address(reader);
		break;
	case DW_RLE_startx_endx:
		*begin = take_address(reader);
		*end = take_address(reader);
		break;
	case DW_RLE_startx_length:
		*begin = take_address(reader);
		*end = *begin + take_packed(reader);
		break;
	case DW_RLE_offset_pair:
		*begin = *base + take_packed(reader);
		*end = *base + take_packed(reader);
		break;
	case DW_RLE_base_address:
		*base = take(reader, sizeof(u64));
		break;
	case DW_RLE_start_end:
		*begin = take(reader, sizeof(u64));
		*end = take(reader, sizeof(u64));
		break;
	case DW_RLE_start_length:
		*begin = take(reader, sizeof(u64));
		*end = *begin + take_packed(reader);
		break;
	default:
		return false;
	}
	return !reader->failed;
}

/* Likewise of an older version, which has pairs of addresses. */
static bool next_of_4(struct reader *reader, Dwarf_Addr *base, Dwarf_Addr *begin, Dwarf_Addr *end)
{
	*begin = take(reader, sizeof(u64));
	*end = take(reader, sizeof(u64));
	if (*begin == UINT64_MAX) {
		*base = *end;
		*begin = *end = 0;
		return !reader->failed;
	}
	if (!*begin && !*end)
		return false;
	*begin += *base;
	*end += *base;
	return !reader->failed;
}

/* Sets where the list of a DIE begins. False: it has none. */
static bool find_list(struct reader *reader, Dwarf_Die *die)
{
	Dwarf_Attribute attribute;
	Dwarf_Word number;

	if (!dwarf_attr(die, DW_AT_ranges, &attribute))
		return false;
	if (attribute.form != DW_FORM_rnglistx)
		return !dwarf_formudata(&attribute, &reader->at);
	/* libdw would look for the unit's skeleton; the number itself is written as any other */
	attribute.form = DW_FORM_udata;
	if (dwarf_formudata(&attribute, &number) || number > reader->unit->ranges.size)
		return false;
	reader->at = RNGLISTS_HEAD + number * sizeof(u32);
	reader->at = RNGLISTS_HEAD + take(reader, sizeof(u32));
	return !reader->failed;
}

/* Sets the next range of a list, and the base of those after it. False: there are no more. */
typedef bool (*next_range)(struct reader *reader, Dwarf_Addr *base, Dwarf_Addr *begin,
			   Dwarf_Addr *end);

bool split_unit_covers(const struct split_unit *unit, Dwarf_Die *die, u64 address, u32 *left)
{
	next_range next;
	struct reader reader = { .unit = unit };
	Dwarf_Addr begin, end, base = unit->base;

	if (!dwarf_lowpc(die, &begin) && !dwarf_highpc(die, &end))
		return begin <= address && address < end;
	if (!find_list(&reader, die))
		return false;
	next = unit->version < 5 ? next_of_4 : next_of_5;
	while (*left && next(&reader, &base, &begin, &end)) {
		--*left;
		if (begin <= address && address < end)
			return true;
	}
	return false;
}
