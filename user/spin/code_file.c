// SPDX-License-Identifier: GPL-2.0
#include "code_file.h"

#include <dwarf.h>
#include <elf.h>
#include <sys/stat.h>

/* Most bytes of one section that is read, segments, and section headers. */
#define PART_BYTES_MAX (256U << 20)
#define SEGMENTS_MAX 64
/* What is read comes to at most so many times the file: parts may overlap, and share string tables.
 */
#define READ_TIMES 16
/* .eh_frame_hdr begins with a version and three encodings; the address of .eh_frame follows. */
#define HDR_BYTES 8
#define HDR_ADDRESS 4
/* Bytes that tell a stub of an imported function. */
#define STUB_BYTES 16

/**
 * struct headers - the file's headers
 * @elf: ELF header
 * @segments: program headers
 * @segment_count: program headers
 * @sections: section headers, or NULL
 * @section_count: section headers
 */
struct headers {
	Elf64_Ehdr elf;
	Elf64_Phdr *segments;
	u32 segment_count;
	Elf64_Shdr *sections;
	u32 section_count;
};

static void free_headers(struct headers *headers)
{
	free(headers->segments);
	free(headers->sections);
}

static bool read_at(int fd, void *to, size_t size, u64 offset)
{
	size_t done = 0;

	while (done < size && offset + done <= INT64_MAX) {
		ssize_t bytes = pread(fd, (char *)to + done, size - done, offset + done);

		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes <= 0)
			break;
		done += bytes;
	}
	return done == size;
}

/*
 * Reads a part of the file and adds a zero. NULL with errno ENOMEM: no memory; with another errno:
 * the file does not have that part, or it is too large.
 */
static void *read_part(struct code_file *code, u64 offset, u64 size, u64 most)
{
	u8 *part;

	errno = ENOEXEC;
	if (!size || size > most || offset > code->file_bytes || size > code->file_bytes - offset ||
	    size > READ_TIMES * code->file_bytes - code->read_bytes)
		return NULL;
	part = malloc(size + 1);
	if (!part)
		return NULL;
	code->read_bytes += size;
	part[size] = 0;
	if (read_at(code->fd, part, size, offset))
		return part;
	free(part);
	errno = ENOEXEC;
	return NULL;
}

/* Whether reading a part that may be missing ran out of memory. */
static bool is_out_of_memory(const void *part)
{
	return !part && errno == ENOMEM;
}

static bool is_ours(const Elf64_Ehdr *elf)
{
	return !memcmp(elf->e_ident, ELFMAG, SELFMAG) && elf->e_ident[EI_CLASS] == ELFCLASS64 &&
	       elf->e_ident[EI_DATA] == ELFDATA2LSB &&
	       (elf->e_type == ET_EXEC || elf->e_type == ET_DYN) &&
	       elf->e_phentsize == sizeof(Elf64_Phdr) && elf->e_phnum && elf->e_phnum != PN_XNUM;
}

static int read_headers(struct code_file *code, struct headers *headers)
{
	Elf64_Ehdr *elf = &headers->elf;

	errno = ENOEXEC;
	if (!read_at(code->fd, elf, sizeof(*elf), 0) || !is_ours(elf))
		return -1;
	code->machine = machine_find(elf->e_machine);
	if (!code->machine)
		return -1;
	headers->segment_count = elf->e_phnum < SEGMENTS_MAX ? elf->e_phnum : SEGMENTS_MAX;
	headers->segments = read_part(code, elf->e_phoff,
				      headers->segment_count * sizeof(Elf64_Phdr), PART_BYTES_MAX);
	if (!headers->segments)
		return -1;
	if (!elf->e_shnum || elf->e_shentsize != sizeof(Elf64_Shdr))
		return 0;
	headers->sections =
		read_part(code, elf->e_shoff, elf->e_shnum * sizeof(Elf64_Shdr), PART_BYTES_MAX);
	if (headers->sections)
		headers->section_count = elf->e_shnum;
	return is_out_of_memory(headers->sections) ? -1 : 0;
}

static int read_segment(struct code_file *code, const Elf64_Phdr *segment, u64 *left)
{
	u64 size = segment->p_filesz;
	u8 *bytes;

	if (segment->p_vaddr > UINT64_MAX - size - 1)
		return 0;
	code->loads[code->load_count++] = (struct code_load){
		.address = segment->p_vaddr,
		.offset = segment->p_offset,
		.size = size,
	};
	if (!(segment->p_flags & PF_X))
		return 0;
	bytes = read_part(code, segment->p_offset, size, *left);
	if (is_out_of_memory(bytes))
		return -1;
	if (!bytes)
		return 0;
	*left -= size;
	code->code[code->code_count++] = (struct code_bytes){
		.address = segment->p_vaddr,
		.size = size,
		.bytes = bytes,
	};
	return 0;
}

static int read_segments(struct code_file *code, const struct headers *headers)
{
	u64 left = CODE_BYTES_MAX;

	code->code = calloc(headers->segment_count, sizeof(*code->code));
	code->loads = calloc(headers->segment_count, sizeof(*code->loads));
	if (!code->code || !code->loads)
		return -1;
	for (u32 i = 0; i < headers->segment_count; i++)
		if (headers->segments[i].p_type == PT_LOAD &&
		    read_segment(code, &headers->segments[i], &left))
			return -1;
	return 0;
}

bool code_file_load(const struct code_file *code, u64 address, void *to, size_t size)
{
	for (u32 i = 0; i < code->load_count; i++) {
		const struct code_load *load = &code->loads[i];
		u64 in = address - load->address;

		if (in < load->size && size <= load->size - in)
			return read_at(code->fd, to, size, load->offset + in);
	}
	return false;
}

const u8 *code_file_bytes(const struct code_file *code, u64 address, u64 end, size_t *size)
{
	for (u32 i = 0; i < code->code_count; i++) {
		const struct code_bytes *bytes = &code->code[i];
		u64 in = address - bytes->address;

		if (in >= bytes->size)
			continue;
		*size = bytes->size - in;
		if (end - address < *size)
			*size = end - address;
		return bytes->bytes + in;
	}
	return NULL;
}

int code_file_add_range(struct code_file *code, u64 begin, u64 end)
{
	size_t size;

	if (end <= begin || !code_file_bytes(code, begin, end, &size))
		return 0;
	if (array_grow(&code->ranges, &code->range_room, code->range_count, sizeof(*code->ranges)))
		return -1;
	code->ranges[code->range_count++] = (struct code_range){
		.begin = begin,
		.end = end,
		.next_part = HASH_NONE,
		.returns = true,
	};
	return 0;
}

/* Reads .eh_frame to the segment's end, where the program header of .eh_frame_hdr leads to. */
static int read_frames(struct code_file *code, const struct headers *headers)
{
	_cleanup_free_ u8 *frames = NULL;
	u8 begin[HDR_BYTES];
	u64 address = 0;
	s32 distance;

	for (u32 i = 0; i < headers->segment_count; i++) {
		const Elf64_Phdr *segment = &headers->segments[i];

		if (segment->p_type != PT_GNU_EH_FRAME ||
		    !code_file_load(code, segment->p_vaddr, begin, sizeof(begin)) ||
		    begin[0] != 1 || begin[1] != (DW_EH_PE_pcrel | DW_EH_PE_sdata4))
			continue;
		memcpy(&distance, begin + HDR_ADDRESS, sizeof(distance));
		address = segment->p_vaddr + HDR_ADDRESS + distance;
	}
	for (u32 i = 0; address && i < code->load_count; i++) {
		const struct code_load *load = &code->loads[i];
		u64 in = address - load->address, size = load->size - in;

		if (in >= load->size)
			continue;
		frames = read_part(code, load->offset + in, size, PART_BYTES_MAX);
		if (!frames)
			return is_out_of_memory(frames) ? -1 : 0;
		return frame_ranges_add(code, frames, size, address);
	}
	return 0;
}

/* Reads a string table, which then lives as long as @code. Sets *@text to NULL if there is none. */
static int read_text(struct code_file *code, const struct headers *headers, u32 section,
		     const char **text)
{
	const Elf64_Shdr *strings = &headers->sections[section];
	char *part;

	*text = NULL;
	if (section >= headers->section_count || strings->sh_type != SHT_STRTAB)
		return 0;
	if (array_grow(&code->texts, &code->text_room, code->text_count, sizeof(*code->texts)))
		return -1;
	part = read_part(code, strings->sh_offset, strings->sh_size, PART_BYTES_MAX);
	if (!part)
		return is_out_of_memory(part) ? -1 : 0;
	code->texts[code->text_count++] = part;
	*text = part;
	return 0;
}

static int add_symbol(struct code_file *code, const Elf64_Sym *symbol, const char *name)
{
	unsigned int type = ELF64_ST_TYPE(symbol->st_info);

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
	    !symbol->st_value)
		return 0;
	if (array_grow(&code->symbols, &code->symbol_room, code->symbol_count,
		       sizeof(*code->symbols)))
		return -1;
	code->symbols[code->symbol_count++] = (struct code_symbol){
		.address = symbol->st_value,
		.size = symbol->st_size,
		.name = name,
	};
	return 0;
}

static int read_symbols(struct code_file *code, const struct headers *headers,
			const Elf64_Shdr *section)
{
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	u64 text_bytes, count = section->sh_size / sizeof(*symbols);
	const char *text;

	if (section->sh_link >= headers->section_count)
		return 0;
	text_bytes = headers->sections[section->sh_link].sh_size;
	if (read_text(code, headers, section->sh_link, &text))
		return -1;
	symbols = text ? read_part(code, section->sh_offset, count * sizeof(*symbols),
				   PART_BYTES_MAX) :
			 NULL;
	if (!symbols)
		return text && is_out_of_memory(symbols) ? -1 : 0;
	for (u64 i = 0; i < count; i++)
		if (symbols[i].st_name < text_bytes &&
		    add_symbol(code, &symbols[i], text + symbols[i].st_name))
			return -1;
	return 0;
}

/* Notes the imported functions that the relocations of a section name. */
static int read_imports(struct code_file *code, const struct headers *headers,
			const Elf64_Shdr *section)
{
	_cleanup_free_ Elf64_Rela *entries = NULL;
	_cleanup_free_ Elf64_Sym *symbols = NULL;
	u64 count = section->sh_size / sizeof(*entries), symbol_count, text_bytes;
	const Elf64_Shdr *table;
	const char *text;

	if (section->sh_link >= headers->section_count)
		return 0;
	table = &headers->sections[section->sh_link];
	if (table->sh_type != SHT_DYNSYM || table->sh_link >= headers->section_count)
		return 0;
	symbol_count = table->sh_size / sizeof(*symbols);
	text_bytes = headers->sections[table->sh_link].sh_size;
	if (read_text(code, headers, table->sh_link, &text))
		return -1;
	if (!text)
		return 0;
	entries = read_part(code, section->sh_offset, count * sizeof(*entries), PART_BYTES_MAX);
	if (entries)
		symbols = read_part(code, table->sh_offset, symbol_count * sizeof(*symbols),
				    PART_BYTES_MAX);
	if (!symbols)
		return is_out_of_memory(symbols) ? -1 : 0;
	for (u64 i = 0; i < count; i++) {
		u64 symbol = ELF64_R_SYM(entries[i].r_info), slot = entries[i].r_offset;

		if (!symbol || symbol >= symbol_count || symbols[symbol].st_name >= text_bytes ||
		    key_map_find(&code->imports, slot))
			continue;
		if (key_map_add(&code->imports, slot, (void *)(text + symbols[symbol].st_name)))
			return -1;
	}
	return 0;
}

static int read_sections(struct code_file *code, const struct headers *headers)
{
	for (u32 i = 0; i < headers->section_count; i++) {
		const Elf64_Shdr *section = &headers->sections[i];
		int result = 0;

		if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM)
			result = read_symbols(code, headers, section);
		else if (section->sh_type == SHT_RELA)
			result = read_imports(code, headers, section);
		if (result)
			return -1;
	}
	return 0;
}

static int compare_symbols(const void *a, const void *b)
{
	const struct code_symbol *one = a, *other = b;

	return compare_by(three_way(one->address, other->address),
			  -three_way(one->size, other->size), strcmp(one->name, other->name));
}

static int compare_ranges(const void *a, const void *b)
{
	const struct code_range *one = a, *other = b;

	return compare_by(three_way(one->begin, other->begin), -three_way(one->end, other->end));
}

static void sort_symbols(struct code_file *code)
{
	u32 kept = 0;

	if (code->symbol_count)
		qsort(code->symbols, code->symbol_count, sizeof(*code->symbols), compare_symbols);
	for (u32 i = 0; i < code->symbol_count; i++)
		if (!kept || code->symbols[i].address != code->symbols[kept - 1].address)
			code->symbols[kept++] = code->symbols[i];
	code->symbol_count = kept;
}

/* Sorts the ranges, and leaves out those that begin in another one. */
static void sort_ranges(struct code_file *code)
{
	u32 kept = 0;

	if (code->range_count)
		qsort(code->ranges, code->range_count, sizeof(*code->ranges), compare_ranges);
	for (u32 i = 0; i < code->range_count; i++) {
		if (kept && code->ranges[i].begin < code->ranges[kept - 1].end)
			continue;
		code->ranges[kept] = code->ranges[i];
		code->ranges[kept].whole = kept;
		kept++;
	}
	code->range_count = kept;
}

/* Hand-written code may have a name, but no frame description. */
static int add_named(struct code_file *code)
{
	u32 described = code->range_count;

	sort_ranges(code);
	described = code->range_count;
	for (u32 i = 0; i < code->symbol_count; i++) {
		const struct code_symbol *symbol = &code->symbols[i];
		size_t before = count_up_to(code->ranges, described, sizeof(*code->ranges),
					    symbol->address);

		if (!symbol->size || symbol->size > CODE_BYTES_MAX ||
		    (before && symbol->address < code->ranges[before - 1].end))
			continue;
		if (code_file_add_range(code, symbol->address, symbol->address + symbol->size))
			return -1;
	}
	sort_ranges(code);
	return 0;
}

static int read_all(struct code_file *code)
{
	_cleanup_(free_headers) struct headers headers = { 0 };

	if (read_headers(code, &headers) || read_segments(code, &headers) ||
	    read_frames(code, &headers) || read_sections(code, &headers))
		return -1;
	sort_symbols(code);
	return add_named(code);
}

int code_file_read(struct code_file *code, int fd)
{
	struct stat stat;
	int error;

	*code = (struct code_file){ .fd = fd };
	if (fstat(fd, &stat))
		return -1;
	code->file_bytes = stat.st_size > 0 ? stat.st_size : 0;
	if (!read_all(code))
		return 0;
	error = errno;
	code_file_free(code);
	errno = error;
	return -1;
}

void code_file_free(struct code_file *code)
{
	for (u32 i = 0; i < code->code_count; i++)
		free(code->code[i].bytes);
	for (u32 i = 0; i < code->text_count; i++)
		free(code->texts[i]);
	free(code->code);
	free(code->loads);
	free(code->ranges);
	free(code->symbols);
	free(code->texts);
	key_map_free(&code->imports);
	*code = (struct code_file){ .fd = -1 };
}

u32 code_file_find(const struct code_file *code, u64 address)
{
	size_t count = count_up_to(code->ranges, code->range_count, sizeof(*code->ranges), address);

	return count && address < code->ranges[count - 1].end ? count - 1 : HASH_NONE;
}

const char *code_file_name(const struct code_file *code, u64 address)
{
	size_t count =
		count_up_to(code->symbols, code->symbol_count, sizeof(*code->symbols), address);

	return count && code->symbols[count - 1].address == address ?
		       code->symbols[count - 1].name :
		       NULL;
}

const char *code_file_callee(const struct code_file *code, u64 target, u64 slot)
{
	const u8 *bytes;
	size_t size;

	if (target) {
		const char *name = code_file_name(code, target);

		if (name)
			return name;
		bytes = code_file_bytes(code, target, target + STUB_BYTES, &size);
		slot = bytes ? code->machine->import(bytes, size, target) : 0;
	}
	return slot ? key_map_find(&code->imports, slot) : NULL;
}
