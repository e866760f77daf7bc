// SPDX-License-Identifier: GPL-2.0
#include "cfi_entries.h"

#include <dwarf.h>
#include <errno.h>

#include "cfi_program.h"
#include "util/hash_index.h"

/* musl's restorer is nine bytes; who returns to it is looked for one byte before. */
#define RETURN_BYTES 9
#define RETURN_BEFORE 1
#define CANCEL_EVERY 1024
/* The return address, as DWARF numbers it. */
#define X86_64_RETURN 16

/* What descriptions have in common (CIE). */
struct cfi_common {
	u64 offset;
	u8 encoding; /* of addresses */
	bool sized; /* the description says how much else it has before its instructions */
	bool refused;
	struct cfi_usual usual;
};

/**
 * struct walk - over the frames of a file
 * @entries: the result
 * @file: the file
 * @bytes: the frames, which are changed so that libdw does not come upon what was refused
 * @size: how many
 * @common_count: how many of the result's there are, by offset
 * @common_room: for how many there is memory
 */
struct walk {
	struct cfi_entries *entries;
	const struct cfi_file *file;
	u8 *bytes;
	size_t size;
	u32 common_count;
	u32 common_room;
};

typedef int (*visit_fn)(struct walk *walk, u64 offset, const Dwarf_CFI_Entry *entry);

static const unsigned char ident[EI_NIDENT] = {
	[EI_MAG0] = ELFMAG0,	   [EI_MAG1] = ELFMAG1,	    [EI_MAG2] = ELFMAG2,
	[EI_MAG3] = ELFMAG3,	   [EI_CLASS] = ELFCLASS64, [EI_DATA] = ELFDATA2LSB,
	[EI_VERSION] = EV_CURRENT,
};

/* Calls @visit for each entry; @end: where the last one that can be read ends. */
static int visit_all(struct walk *walk, visit_fn visit, u64 *end, const volatile bool *cancel)
{
	Elf_Data data = { .d_buf = walk->bytes,
			  .d_type = ELF_T_BYTE,
			  .d_version = EV_CURRENT,
			  .d_size = walk->size };
	Dwarf_Off offset = 0, next;
	Dwarf_CFI_Entry entry;

	for (u32 i = 1; offset < walk->size; i++, offset = next) {
		if (i % CANCEL_EVERY == 0 && cfi_cancelled(cancel)) {
			errno = ECANCELED;
			return -1;
		}
		if (dwarf_next_cfi(ident, &data, walk->file->is_eh, offset, &next, &entry) ||
		    next <= offset || next > walk->size)
			break;
		if (visit(walk, offset, &entry))
			return -1;
	}
	*end = offset;
	return 0;
}

static void erase(const u8 *begin, const u8 *end)
{
	memset((u8 *)begin, 0, end - begin);
}

/* Reads the augmentation. False: it is not known. */
static bool read_augmentation(struct cfi_common *common, const Dwarf_CIE *cie)
{
	const char *letter = cie->augmentation;
	const u8 *at = cie->augmentation_data;
	const u8 *end = cie->initial_instructions_end;

	common->encoding = DW_EH_PE_absptr;
	if (*letter != 'z')
		return !*letter;
	common->sized = true;
	while (*++letter) {
		switch (*letter) {
		case 'R':
			if (!at || at >= end)
				return false;
			common->encoding = *at++;
			break;
		case 'L':
			at++;
			break;
		case 'P':
			if (!at || at >= end || !cfi_encoded_size(*at))
				return false;
			at += 1 + cfi_encoded_size(*at);
			break;
		case 'S': /* a signal's frame */
		case 'B': /* of aarch64: which key */
			break;
		default:
			return false;
		}
	}
	return true;
}

/* Nothing of its own but where its addresses and its tables of exceptions are. */
static bool is_plain(const struct cfi_file *file, const Dwarf_CIE *cie)
{
	return file->arch == GAPP_ARCH_X86_64 && cie->return_address_register == X86_64_RETURN &&
	       strspn(cie->augmentation, "zRLP") == strlen(cie->augmentation);
}

static int note_common(struct walk *walk, u64 offset, const Dwarf_CFI_Entry *entry)
{
	const Dwarf_CIE *cie = &entry->cie;
	struct cfi_common common = { .offset = offset };

	if (!dwarf_cfi_cie_p(entry))
		return 0;
	if (array_grow(&walk->entries->commons, &walk->common_room, walk->common_count,
		       sizeof(*walk->entries->commons)))
		return -1;
	common.refused = !read_augmentation(&common, cie) ||
			 !cfi_program_is_harmless(cie->initial_instructions,
						  cie->initial_instructions_end, common.encoding);
	if (common.refused)
		erase(cie->initial_instructions, cie->initial_instructions_end);
	else if (is_plain(walk->file, cie))
		cfi_usual_set(&common.usual, cie->code_alignment_factor, cie->data_alignment_factor,
			      cie->initial_instructions, cie->initial_instructions_end);
	walk->entries->commons[walk->common_count++] = common;
	return 0;
}

static const struct cfi_common *find_common(const struct walk *walk, u64 offset)
{
	const struct cfi_common *commons = walk->entries->commons;
	u32 low = 0, high = walk->common_count;

	while (low < high) {
		u32 middle = low + (high - low) / 2;

		if (commons[middle].offset == offset)
			return &commons[middle];
		if (commons[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static u64 read_little_endian(const u8 *at, size_t size, bool is_signed)
{
	u64 value = 0;

	memcpy(&value, at, size);
	if (is_signed && size < sizeof(value) && at[size - 1] & 0x80)
		value |= ~0ULL << (8 * size);
	return value;
}

/* Reads which code an entry is for, and goes to its instructions. */
static bool read_range(const struct walk *walk, const struct cfi_common *common, const u8 **at,
		       const u8 *end, struct cfi_range *range)
{
	size_t size = cfi_encoded_size(common->encoding);
	u64 where = walk->file->frames_address + (*at - walk->bytes), bytes;
	u8 base = common->encoding & 0xf0;
	bool is_signed = common->encoding & DW_EH_PE_signed;

	if (!size || (size_t)(end - *at) < 2 * size ||
	    (base != DW_EH_PE_absptr && base != DW_EH_PE_pcrel))
		return false;
	range->begin = read_little_endian(*at, size, is_signed);
	if (base == DW_EH_PE_pcrel)
		range->begin += where;
	range->end = range->begin + read_little_endian(*at + size, size, is_signed);
	*at += 2 * size;
	if (!common->sized)
		return true;
	if (!cfi_read_unsigned(at, end, &bytes) || bytes > (u64)(end - *at))
		return false;
	*at += bytes;
	return true;
}

static int add_range(struct cfi_entries *entries, const struct cfi_range *range)
{
	if (array_grow(&entries->ranges, &entries->room, entries->count, sizeof(*range)))
		return -1;
	entries->ranges[entries->count++] = *range;
	return 0;
}

static int note_range(struct walk *walk, u64 offset, const Dwarf_CFI_Entry *entry)
{
	const Dwarf_FDE *fde = &entry->fde;
	struct cfi_range range = { .offset = offset };
	const struct cfi_common *common;
	const u8 *at = fde->start;
	bool readable;

	if (dwarf_cfi_cie_p(entry))
		return 0;
	common = find_common(walk, fde->CIE_pointer);
	readable = common && read_range(walk, common, &at, fde->end, &range);
	range.refused = !readable || common->refused ||
			!cfi_program_is_harmless(at, fde->end, common->encoding);
	if (range.refused)
		erase(fde->start, fde->end);
	else
		range.program_bytes = fde->end - at;
	range.program = at;
	range.usual = range.refused ? NULL : &common->usual;
	if (!readable || range.end <= range.begin || !cfi_file_is_code(walk->file, range.begin))
		return 0;
	return add_range(walk->entries, &range);
}

static int compare_ranges(const void *a, const void *b)
{
	const struct cfi_range *one = a, *other = b;

	if (one->begin != other->begin)
		return one->begin < other->begin ? -1 : 1;
	if (one->end != other->end)
		return one->end < other->end ? -1 : 1;
	return (int)one->refused - (int)other->refused;
}

static bool is_described(const struct cfi_entries *entries, u32 count, u64 address)
{
	for (u32 i = 0; i < count; i++) {
		if (address - entries->ranges[i].begin <
		    entries->ranges[i].end - entries->ranges[i].begin)
			return true;
	}
	return false;
}

static int add_returns(struct cfi_entries *entries, const struct cfi_file *file)
{
	u32 described = entries->count;

	for (u32 i = 0; i < file->return_count; i++) {
		u64 at = file->returns[i];
		struct cfi_range range = { .begin = at, .end = at + RETURN_BYTES, .by_code = true };

		if (is_described(entries, described, at))
			continue;
		if (at && !is_described(entries, described, at - RETURN_BEFORE))
			range.begin -= RETURN_BEFORE;
		if (add_range(entries, &range))
			return -1;
	}
	return 0;
}

/*
 * libdw finds call frame information in ELF files only. It gets one in memory, without the table
 * of .eh_frame_hdr, which may be wrong, and lead to what was not looked over.
 */
static int open_image(struct cfi_entries *entries, const struct cfi_file *file, size_t size)
{
	static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
	enum { NAME_EH = 1, NAME_DEBUG = 11, NAME_NAMES = 24 };
	size_t names_at = sizeof(Elf64_Ehdr) + size;
	size_t sections_at = (names_at + sizeof(names) + 7) & ~(size_t)7;
	Elf64_Ehdr head = {
		.e_type = ET_DYN,
		.e_machine = file->machine,
		.e_version = EV_CURRENT,
		.e_shoff = sections_at,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = 3,
		.e_shstrndx = 2,
	};
	Elf64_Shdr sections[3] = {
		[1] = {
			.sh_name = file->is_eh ? NAME_EH : NAME_DEBUG,
			.sh_type = SHT_PROGBITS,
			.sh_flags = file->is_eh ? SHF_ALLOC : 0,
			.sh_addr = file->frames_address,
			.sh_offset = sizeof(head),
			.sh_size = size,
			.sh_addralign = 8,
		},
		[2] = {
			.sh_name = NAME_NAMES,
			.sh_type = SHT_STRTAB,
			.sh_offset = names_at,
			.sh_size = sizeof(names),
			.sh_addralign = 1,
		},
	};

	memcpy(head.e_ident, ident, sizeof(ident));
	memcpy(entries->image, &head, sizeof(head));
	memcpy(entries->image + names_at, names, sizeof(names));
	memcpy(entries->image + sections_at, sections, sizeof(sections));
	elf_version(EV_CURRENT);
	entries->elf = elf_memory((char *)entries->image, sections_at + sizeof(sections));
	if (entries->elf && file->is_eh) {
		entries->cfi = dwarf_getcfi_elf(entries->elf);
	} else if (entries->elf) {
		entries->dwarf = dwarf_begin_elf(entries->elf, DWARF_C_READ, NULL);
		entries->cfi = entries->dwarf ? dwarf_getcfi(entries->dwarf) : NULL;
	}
	if (entries->cfi)
		return 0;
	errno = ENOMEM;
	return -1;
}

/* Of the image beside the frames: less than this. */
#define IMAGE_OTHER 512

static int read_frames(struct cfi_entries *entries, struct cfi_file *file,
		       const volatile bool *cancel)
{
	struct walk walk = { .entries = entries, .file = file, .size = file->frames_size };
	u64 size, ignored;
	int error;

	entries->image = calloc(1, file->frames_size + IMAGE_OTHER);
	if (!entries->image)
		return -1;
	walk.bytes = entries->image + sizeof(Elf64_Ehdr);
	memcpy(walk.bytes, file->frames, file->frames_size);
	free(file->frames);
	file->frames = NULL;

	error = visit_all(&walk, note_common, &size, cancel);
	walk.size = size;
	if (!error)
		error = visit_all(&walk, note_range, &ignored, cancel);
	entries->frames = walk.bytes;
	entries->frames_size = size;
	if (error || !entries->count)
		return error;
	return open_image(entries, file, size);
}

int cfi_entries_read(struct cfi_entries *entries, struct cfi_file *file,
		     const volatile bool *cancel)
{
	*entries = (struct cfi_entries){ 0 };
	if ((file->frames && read_frames(entries, file, cancel)) || add_returns(entries, file))
		return -1;
	if (entries->count)
		qsort(entries->ranges, entries->count, sizeof(*entries->ranges), compare_ranges);
	return 0;
}

void cfi_entries_free(struct cfi_entries *entries)
{
	/* that of .debug_frame is the other's */
	if (entries->dwarf)
		dwarf_end(entries->dwarf);
	else if (entries->cfi)
		dwarf_cfi_end(entries->cfi);
	if (entries->elf)
		elf_end(entries->elf);
	free(entries->commons);
	free(entries->image);
	free(entries->ranges);
	*entries = (struct cfi_entries){ 0 };
}
