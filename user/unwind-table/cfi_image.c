// SPDX-License-Identifier: GPL-2.0
/* Writes an ELF file that holds checked call frame information and nothing else. */
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

static const char names[] = "\0.eh_frame\0.debug_frame\0.shstrtab";
enum { NAME_EH = 1, NAME_DEBUG = 11, NAME_NAMES = 24 };
enum { SECTION_EH = 1, SECTION_DEBUG, SECTION_NAMES, SECTIONS };

/* One section of call frame information. */
struct part {
	struct cfi_file file;
	struct cfi_entries entries;
};

/**
 * struct image - an image in the making
 * @fd: the image's file
 * @at: bytes written so far
 * @eh: .eh_frame
 * @debug: .debug_frame
 * @head: ELF header
 * @segments: program headers: executable segments, and .eh_frame_hdr
 * @sections: section headers
 */
struct image {
	int fd;
	u64 at;
	struct part eh;
	struct part debug;
	Elf64_Ehdr head;
	Elf64_Phdr *segments;
	size_t segment_count;
	Elf64_Shdr sections[SECTIONS];
};

/* Writes at @offset. Returns 0 or -1. */
static int put(struct image *image, const void *data, size_t size, u64 offset)
{
	while (size) {
		ssize_t bytes = pwrite(image->fd, data, size, offset);

		if (bytes <= 0)
			return -1;
		data = (const char *)data + bytes;
		offset += bytes;
		size -= bytes;
	}
	return 0;
}

/* Writes behind everything that was written so far; sets @offset to where. */
static int append(struct image *image, const void *data, size_t size, Elf64_Off *offset)
{
	*offset = (image->at + ALIGN - 1) & ~(u64)(ALIGN - 1);
	image->at = *offset + size;
	return put(image, data, size, *offset);
}

static int read_part(struct part *part, int fd, bool is_eh)
{
	if (cfi_file_read_frames(&part->file, fd, is_eh))
		return -1;
	if (part->file.frames_size > CFI_IMAGE_BYTES_MAX) {
		free(part->file.frames);
		part->file.frames = NULL;
	}
	return cfi_entries_read(&part->entries, &part->file, NULL);
}

static void free_part(struct part *part)
{
	cfi_entries_free(&part->entries);
	cfi_file_free(&part->file);
}

/* Executable segments are enough, because libdwfl looks up only code. */
static int set_segments(struct image *image)
{
	const struct cfi_file *file = &image->eh.file;

	image->segments = calloc(file->segment_count + 1, sizeof(*image->segments));
	if (!image->segments)
		return -1;
	for (size_t i = 0; i < file->segment_count; i++)
		image->segments[image->segment_count++] = (Elf64_Phdr){
			.p_type = PT_LOAD,
			.p_flags = PF_R | PF_X,
			.p_offset = file->segments[i].offset,
			.p_vaddr = file->segments[i].address,
			.p_filesz = file->segments[i].size,
			.p_memsz = file->segments[i].size,
			.p_align = PAGE_BYTES,
		};
	return 0;
}

/* The words of .eh_frame_hdr: its head, then an address and its description's for each range. */
static u64 *make_table(const struct image *image, size_t *count)
{
	const struct cfi_entries *entries = &image->eh.entries;
	u64 *words = calloc(HDR_WORDS + 2 * (size_t)entries->count, sizeof(*words));

	*count = HDR_WORDS;
	if (!words)
		return NULL;
	words[0] = image->eh.file.frames_address;
	for (u32 i = 0; i < entries->count; i++) {
		if (entries->ranges[i].refused)
			continue;
		words[(*count)++] = entries->ranges[i].begin;
		words[(*count)++] = image->eh.file.frames_address + entries->ranges[i].offset;
	}
	words[1] = (*count - HDR_WORDS) / 2;
	return words;
}

/* Writes .eh_frame_hdr; without it libdw would search all descriptions for each address. */
static int put_table(struct image *image, u64 frames_at)
{
	static const u8 encodings[HDR_BYTES] = { 1, DW_EH_PE_absptr, DW_EH_PE_absptr,
						 DW_EH_PE_absptr };
	_cleanup_free_ u64 *words = NULL;
	Elf64_Off at;
	size_t count;
	u64 bytes;

	words = make_table(image, &count);
	if (!words)
		return -1;
	bytes = HDR_BYTES + count * sizeof(*words);
	if (append(image, encodings, sizeof(encodings), &at) ||
	    put(image, words, count * sizeof(*words), image->at))
		return -1;
	image->at = at + bytes;
	/* libdw expects the table as far from the frames in memory as in the file */
	image->segments[image->segment_count++] = (Elf64_Phdr){
		.p_type = PT_GNU_EH_FRAME,
		.p_flags = PF_R,
		.p_offset = at,
		.p_vaddr = image->eh.file.frames_address + at - frames_at,
		.p_filesz = bytes,
		.p_memsz = bytes,
		.p_align = 1,
	};
	return 0;
}

static int put_frames(struct image *image, const struct part *part, Elf64_Shdr *section)
{
	static const u8 terminator[TERMINATOR];
	Elf64_Off at;

	if (!part->entries.count)
		return 0;
	if (append(image, part->entries.frames, part->entries.frames_size, &at) ||
	    put(image, terminator, sizeof(terminator), image->at))
		return -1;
	image->at += sizeof(terminator);
	*section = (Elf64_Shdr){
		.sh_name = part->file.is_eh ? NAME_EH : NAME_DEBUG,
		.sh_type = SHT_PROGBITS,
		.sh_flags = part->file.is_eh ? SHF_ALLOC : 0,
		.sh_addr = part->file.frames_address,
		.sh_offset = at,
		.sh_size = part->entries.frames_size,
		.sh_addralign = ALIGN,
	};
	return part->file.is_eh ? put_table(image, at) : 0;
}

static int put_headers(struct image *image)
{
	image->sections[SECTION_NAMES] = (Elf64_Shdr){
		.sh_name = NAME_NAMES,
		.sh_type = SHT_STRTAB,
		.sh_size = sizeof(names),
		.sh_addralign = 1,
	};
	image->head = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_DYN,
		.e_machine = image->eh.file.machine,
		.e_version = EV_CURRENT,
		.e_entry = image->eh.file.entry,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = image->segment_count,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = SECTIONS,
		.e_shstrndx = SECTION_NAMES,
	};
	if (append(image, names, sizeof(names), &image->sections[SECTION_NAMES].sh_offset) ||
	    append(image, image->segments, image->segment_count * sizeof(*image->segments),
		   &image->head.e_phoff) ||
	    append(image, image->sections, sizeof(image->sections), &image->head.e_shoff))
		return -1;
	return put(image, &image->head, sizeof(image->head), 0);
}

static int make(struct image *image, int fd)
{
	if (read_part(&image->eh, fd, true) || read_part(&image->debug, fd, false) ||
	    image->eh.file.arch != GAPP_ARCH_X86_64)
		return -1;
	image->fd = memfd_create("gapp-frames", MFD_CLOEXEC);
	image->at = sizeof(image->head);
	if (image->fd < 0 || set_segments(image) ||
	    put_frames(image, &image->eh, &image->sections[SECTION_EH]) ||
	    put_frames(image, &image->debug, &image->sections[SECTION_DEBUG]))
		return -1;
	return put_headers(image);
}

int cfi_image_open(int fd, struct unwind_table *code)
{
	struct image image = { .fd = -1 };

	if (make(&image, fd) && image.fd >= 0) {
		close(image.fd);
		image.fd = -1;
	}
	if (code && image.fd >= 0) {
		*code = (struct unwind_table){ .segments = image.eh.file.segments,
					       .segment_count = image.eh.file.segment_count };
		image.eh.file.segments = NULL;
	}
	free(image.segments);
	free_part(&image.eh);
	free_part(&image.debug);
	return image.fd;
}
