// SPDX-License-Identifier: GPL-2.0
/* Makes ELF files that hold checked call frame information and nothing else. */
#include "unwind_table.h"

#include <dwarf.h>
#include <sys/mman.h>

#include "cfi.h"

#define PAGE_BYTES 4096
#define ALIGN 8
/* Bytes of the entry of length 0 that ends .eh_frame. */
#define TERMINATOR 4
/* .eh_frame_hdr: a version and three encodings; then address and count, in words of 8 bytes. */
#define HDR_BYTES 4
#define HDR_WORDS 2
/* Upper bound on the bytes of headers and names with their padding. */
#define OTHER_BYTES 1024

static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
enum { NAME_EH = 1, NAME_DEBUG = 11, NAME_NAMES = 24 };
enum { SECTION_EH = 1, SECTION_DEBUG, SECTION_NAMES, SECTIONS };

/**
 * struct image - an image in the making
 * @bytes: the image, with memory for all of it
 * @at: bytes that are there so far
 * @eh_hdr: program header of .eh_frame_hdr, if there is one
 * @sections: section headers
 */
struct image {
	u8 *bytes;
	u64 at;
	Elf64_Phdr eh_hdr;
	Elf64_Shdr sections[SECTIONS];
};

/* Appends aligned data. Returns its offset in the image. */
static u64 append(struct image *image, const void *data, size_t size)
{
	u64 at = (image->at + ALIGN - 1) & ~(u64)(ALIGN - 1);

	memcpy(image->bytes + at, data, size);
	image->at = at + size;
	return at;
}

static void put_word(struct image *image, u64 word)
{
	memcpy(image->bytes + image->at, &word, sizeof(word));
	image->at += sizeof(word);
}

/* Writes .eh_frame_hdr; without it libdw would search all descriptions for each address. */
static void put_table(struct image *image, const struct cfi_file *file, u64 frames_at)
{
	static const u8 encodings[HDR_BYTES] = { 1, DW_EH_PE_absptr, DW_EH_PE_absptr,
						 DW_EH_PE_absptr };
	u64 address = file->frames_address, count = 0;
	u64 at = append(image, encodings, sizeof(encodings));

	for (u32 i = 0; i < file->range_count; i++)
		count += !file->ranges[i].refused;
	put_word(image, address);
	put_word(image, count);
	for (u32 i = 0; i < file->range_count; i++) {
		if (file->ranges[i].refused)
			continue;
		put_word(image, file->ranges[i].begin);
		put_word(image, address + file->ranges[i].offset);
	}
	/* libdw expects the table as far from the frames in memory as in the file */
	image->eh_hdr = (Elf64_Phdr){
		.p_type = PT_GNU_EH_FRAME,
		.p_flags = PF_R,
		.p_offset = at,
		.p_vaddr = address + at - frames_at,
		.p_filesz = image->at - at,
		.p_memsz = image->at - at,
		.p_align = 1,
	};
}

static void put_frames(struct image *image, const struct cfi_file *file, bool with_code)
{
	Elf64_Shdr section = {
		.sh_name = file->is_eh ? NAME_EH : NAME_DEBUG,
		.sh_type = SHT_PROGBITS,
		.sh_flags = file->is_eh ? SHF_ALLOC : 0,
		.sh_addr = file->frames_address,
		.sh_size = file->frames_size,
		.sh_addralign = ALIGN,
	};

	if (!file->range_count)
		return;
	section.sh_offset = append(image, file->frames, file->frames_size);
	image->at += TERMINATOR;
	image->sections[file->is_eh ? SECTION_EH : SECTION_DEBUG] = section;
	if (with_code && file->is_eh)
		put_table(image, file, section.sh_offset);
}

/* Executable segments are enough, because libdwfl looks up only code. */
static void put_segments(struct image *image, const struct cfi_file *file, Elf64_Ehdr *head)
{
	head->e_phoff = append(image, "", 0);
	for (size_t i = 0; i < file->segment_count; i++) {
		const struct code_segment *segment = &file->segments[i];

		append(image,
		       &(Elf64_Phdr){
			       .p_type = PT_LOAD,
			       .p_flags = PF_R | PF_X,
			       .p_offset = segment->offset,
			       .p_vaddr = segment->address,
			       .p_filesz = segment->size,
			       .p_memsz = segment->size,
			       .p_align = PAGE_BYTES,
		       },
		       sizeof(Elf64_Phdr));
	}
	head->e_phnum = file->segment_count;
	if (!image->eh_hdr.p_type)
		return;
	append(image, &image->eh_hdr, sizeof(image->eh_hdr));
	head->e_phnum++;
}

u8 *cfi_image_make(const struct cfi_file *files, size_t count, bool with_code, size_t *bytes)
{
	size_t room = OTHER_BYTES + files->segment_count * sizeof(Elf64_Phdr);
	struct image image = { .at = sizeof(Elf64_Ehdr) };
	Elf64_Ehdr head = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = files->machine,
		.e_version = EV_CURRENT,
		.e_entry = files->entry,
		.e_ehsize = sizeof(head),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	Elf64_Shdr section = {
		.sh_name = NAME_NAMES,
		.sh_type = SHT_STRTAB,
		.sh_size = sizeof(names),
		.sh_addralign = 1,
	};

	for (size_t i = 0; i < count; i++)
		room += files[i].frames_size +
			2 * sizeof(u64) * (HDR_WORDS + (size_t)files[i].range_count);
	image.bytes = calloc(1, room);
	if (!image.bytes)
		return NULL;
	for (size_t i = 0; i < count; i++)
		put_frames(&image, &files[i], with_code);
	section.sh_offset = append(&image, names, sizeof(names));
	image.sections[SECTION_NAMES] = section;
	if (with_code)
		put_segments(&image, files, &head);
	head.e_shoff = append(&image, image.sections, sizeof(image.sections));
	memcpy(image.bytes, &head, sizeof(head));
	*bytes = image.at;
	return image.bytes;
}

/* Where the kernel saves register 0 of aarch64 above the stack pointer of a signal frame. */
#define SAVED_AT 312
#define SAVED_SP 31
#define SAVED_PC 32
#define CODE_UNIT 4
#define DATA_UNIT 0x78 /* -8 */

static void put(u8 **at, const void *data, size_t size)
{
	memcpy(*at, data, size);
	*at += size;
}

/* DW_OP_breg31 and a register's distance from the stack pointer, a SLEB128 number of two bytes. */
static void put_saved(u8 **at, unsigned int number)
{
	const unsigned int distance = SAVED_AT + number * sizeof(u64);

	put(at, (const u8[]){ DW_OP_breg31, 0x80 | (distance & 0x7f), distance >> 7 }, 3);
}

/* Writes the length before an entry that begins at @begin, and fills the entry. */
static void put_length(u8 **at, u8 *begin)
{
	u32 length;

	while ((*at - begin) % ALIGN)
		*(*at)++ = DW_CFA_nop;
	length = *at - begin - sizeof(length);
	memcpy(begin, &length, sizeof(length));
}

/* A CIE for code that gives all registers the values that the kernel has saved. */
static void put_signal_common(u8 **at)
{
	static const u8 head[] = { 0,	0, 0,	      0,	 1,	   'z', 'R',
				   'S', 0, CODE_UNIT, DATA_UNIT, SAVED_PC, 1,	DW_EH_PE_absptr };
	u8 *begin = *at;

	*at += sizeof(u32);
	put(at, head, sizeof(head));
	put(at, (const u8[]){ DW_CFA_def_cfa_expression, 4 }, 2);
	put_saved(at, SAVED_SP);
	*(*at)++ = DW_OP_deref;
	for (u8 i = 0; i <= SAVED_PC; i++) {
		if (i == SAVED_SP)
			continue;
		put(at, (const u8[]){ DW_CFA_expression, i, 3 }, 3);
		put_saved(at, i);
	}
	put_length(at, begin);
}

static void put_signal_range(u8 **at, const u8 *common, const struct cfi_range *range)
{
	const u64 bytes = range->end - range->begin;
	u8 *begin = *at;
	u32 back;

	*at += sizeof(u32);
	back = *at - common;
	put(at, &back, sizeof(back));
	put(at, &range->begin, sizeof(range->begin));
	put(at, &bytes, sizeof(bytes));
	put(at, "", 1);
	put_length(at, begin);
}

/* Upper bounds on the bytes of what put_signal_common() and put_signal_range() write. */
#define SIGNAL_COMMON 256
#define SIGNAL_RANGE 48

/*
 * Adds descriptions of code that returns from signals, for libdwfl, to the frames, which may move.
 * Returns 0, or -1 without memory.
 */
static int describe_returns(struct cfi_file *file)
{
	u8 *frames, *at, *common;

	if (file->described == file->range_count)
		return 0;
	frames = realloc(file->frames,
			 file->frames_size + SIGNAL_COMMON +
				 (file->range_count - file->described) * (size_t)SIGNAL_RANGE);
	if (!frames)
		return -1;
	file->frames = frames;
	common = frames + file->frames_size;
	at = frames + file->frames_size;
	put_signal_common(&at);
	for (u32 i = 0; i < file->range_count; i++) {
		struct cfi_range *range = &file->ranges[i];

		if (!range->by_code)
			continue;
		range->offset = at - frames;
		put_signal_range(&at, common, range);
	}
	file->frames_size = at - frames;
	return 0;
}

/* Reads and checks .eh_frame (CFI_EH_FRAME) or .debug_frame (CFI_DEBUG_FRAME). */
static int read_frames(struct cfi_file *file, int fd, enum cfi_parts section)
{
	unsigned int parts = section;

	if (section == CFI_EH_FRAME)
		parts |= CFI_AARCH64_RETURNS;
	if (cfi_file_read(file, fd, parts, NULL))
		return -1;
	if (file->frames_size > CFI_IMAGE_BYTES_MAX) {
		free(file->frames);
		file->frames = NULL;
		file->frames_size = 0;
	}
	return cfi_entries_read(file, NULL) || describe_returns(file) ? -1 : 0;
}

int cfi_image_open(int fd, struct unwind_table *code)
{
	_cleanup_free_ u8 *bytes = NULL;
	struct cfi_file files[2] = { 0 };
	int image = -1;
	size_t size;

	if (!read_frames(&files[0], fd, CFI_EH_FRAME) &&
	    !read_frames(&files[1], fd, CFI_DEBUG_FRAME))
		bytes = cfi_image_make(files, 2, true, &size);
	if (bytes)
		image = memfd_create("gapp-frames", MFD_CLOEXEC);
	if (image >= 0 && !cfi_write(image, bytes, size)) {
		close(image);
		image = -1;
	}
	if (code && image >= 0) {
		*code = (struct unwind_table){ .segments = files[0].segments,
					       .segment_count = files[0].segment_count };
		files[0].segments = NULL;
	}
	cfi_file_free(&files[0]);
	cfi_file_free(&files[1]);
	return image;
}
