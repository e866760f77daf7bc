// SPDX-License-Identifier: GPL-2.0
/*
 * Opens an object's file for libdwfl. libelf inflates everything compressed whatever size that
 * comes to, and the owner of the process can put anything there: files that would grow too much are
 * refused.
 */
#include "symbol_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "input/object.h"
#include "split_units.h"
#include "unwind-table/unwind_table.h"

/* Bytes that .gnu_debugdata may inflate to; the largest known program needs a tenth of that. */
#define XZ_BYTES_MAX (256ULL << 20)
/*
 * Compressed sections may inflate to SMALL_BYTES plus FACTOR_MAX times the file's size on disk.
 * Compilers compress debug information to a third, some sections to a tenth.
 */
#define FACTOR_MAX 16
#define SMALL_BYTES (64ULL << 20)

/*
 * The sizes in an xz stream's headers and index may be false. But LZMA2 comes in chunks, and a
 * decoder writes no more bytes than each chunk's own header says.
 */
#define XZ_MAGIC \
	"\xfd"   \
	"7zXZ"
#define XZ_HEAD 12
#define XZ_BLOCK_MIN 8
/* Values of a chunk's first byte. */
#define LZMA_END 0
#define LZMA_COPY_LAST 2
#define LZMA_PACKED 0x80
#define LZMA_PROPERTIES 0xc0

/* Sections compressed in the old way begin with "ZLIB" and the size, highest byte first. */
#define OLD_NAME ".zdebug"
#define OLD_HEAD 12

static u64 big_endian(const u8 *at, size_t size)
{
	u64 value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | at[i];
	return value;
}

/* Adds the sizes of a block's chunks, and sets *@at behind them. False: damaged, or no end mark. */
static bool add_chunks(const u8 **at, const u8 *end, u64 *total)
{
	while (*at < end) {
		u8 control = *(*at)++;
		u64 bytes, packed;

		if (control == LZMA_END)
			return true;
		if (control > LZMA_COPY_LAST && control < LZMA_PACKED)
			return false;
		if (end - *at < 5)
			return false;
		bytes = big_endian(*at, 2) + 1;
		packed = bytes;
		*at += 2;
		if (control >= LZMA_PACKED) {
			bytes += (u64)(control & 0x1f) << 16;
			packed = big_endian(*at, 2) + 1;
			*at += 2 + (control >= LZMA_PROPERTIES);
		}
		if (packed > (u64)(end - *at))
			return false;
		*total += bytes;
		*at += packed;
	}
	return false;
}

/* Bytes of the checksum behind a block; @kind: from the stream's header. */
static size_t check_size(u8 kind)
{
	static const u8 sizes[] = { 0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64 };

	return sizes[kind & 0x0f];
}

u64 inflated_xz_size(const u8 *data, size_t size)
{
	const u8 *at = data + XZ_HEAD, *end = data + size;
	size_t check, after;
	u64 total = 0;

	if (size < XZ_HEAD || memcmp(data, XZ_MAGIC, sizeof(XZ_MAGIC)))
		return UINT64_MAX;
	check = check_size(data[sizeof(XZ_MAGIC) + 1]);
	/* the index, which follows the blocks, begins with a zero */
	while (at < end && *at) {
		size_t head = (*at + 1) * 4;

		/* libdwfl reads LZMA2 only, and filters before it do not change the size */
		if (head < XZ_BLOCK_MIN || head > (size_t)(end - at))
			return UINT64_MAX;
		at += head;
		if (!add_chunks(&at, end, &total))
			return UINT64_MAX;
		after = -(size_t)(at - data) % 4 + check;
		if (after > (size_t)(end - at))
			return UINT64_MAX;
		at += after;
	}
	return total;
}

/* Bytes that a section compressed in the old way inflates to. */
static u64 old_size(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);

	if (!data || !data->d_buf || data->d_size < OLD_HEAD || memcmp(data->d_buf, "ZLIB", 4))
		return 0;
	return big_endian((const u8 *)data->d_buf + 4, 8);
}

/* Bytes that a section inflates to; 0: it is not compressed. */
static u64 section_size(Elf_Scn *section, const GElf_Shdr *header, const char *name)
{
	GElf_Chdr compressed;

	if (header->sh_flags & SHF_COMPRESSED)
		return gelf_getchdr(section, &compressed) ? compressed.ch_size : 0;
	return strncmp(name, OLD_NAME, strlen(OLD_NAME)) ? 0 : old_size(section);
}

/* Why .gnu_debugdata is refused, or NULL. */
static const char *refuse_xz(Elf_Scn *section)
{
	Elf_Data *data = elf_rawdata(section, NULL);
	u64 size = 0;

	if (data && data->d_buf && data->d_size)
		size = inflated_xz_size(data->d_buf, data->d_size);
	if (size == UINT64_MAX)
		return "its .gnu_debugdata is damaged";
	return size > XZ_BYTES_MAX ? "its .gnu_debugdata would be too large in memory" : NULL;
}

/* Why the sections are refused, or NULL; @most: bytes that they may inflate to. */
static const char *refuse_sections(Elf *elf, u64 most)
{
	Elf_Scn *section = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf, &names))
		return NULL;
	while ((section = elf_nextscn(elf, section))) {
		const char *name, *why;
		GElf_Shdr header;
		u64 size;

		if (!gelf_getshdr(section, &header) || header.sh_type == SHT_NOBITS)
			continue;
		name = elf_strptr(elf, names, header.sh_name);
		if (!name)
			name = "";
		why = strcmp(name, ".gnu_debugdata") ? NULL : refuse_xz(section);
		if (why)
			return why;
		size = section_size(section, &header, name);
		if (size > most)
			return "its compressed debug information would be too large in memory";
		most -= size;
	}
	return NULL;
}

/* Bytes of the file without its holes, because holes cost the file's owner nothing. */
static u64 size_on_disk(const struct stat *stat)
{
	u64 size = stat->st_size, blocks = stat->st_blocks * 512ULL;

	return size < blocks ? size : blocks;
}

const char *inflated_refused(int fd)
{
	const char *why;
	struct stat stat;
	Elf *elf;

	elf_version(EV_CURRENT);
	if (fstat(fd, &stat))
		return NULL;
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	/* libdwfl would inflate a whole file that is no ELF file, but no such file can run */
	if (!elf || elf_kind(elf) != ELF_K_ELF)
		why = "";
	else
		why = refuse_sections(elf, SMALL_BYTES + FACTOR_MAX * size_on_disk(&stat));
	elf_end(elf);
	return why;
}

#define SEGMENTS_MAX 4096
#define DYNAMIC_BYTES_MAX 0x100000

static const Dwfl_Callbacks callbacks = {
	.find_elf = symbol_file_no_elf,
	.find_debuginfo = debug_file_find,
};

void symbol_file_unload(struct symbol_file *file)
{
	symtab_free(&file->symtab);
	free(file->segments);
	free(file->units);
	split_units_free(file->split);
	free(file->start_code);
	free(file->musl);
	free(file->variables);
	if (file->frames_dwfl)
		dwfl_end(file->frames_dwfl);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	memset(&file->dwfl, 0, sizeof(*file) - offsetof(struct symbol_file, dwfl));
	file->state = SYMBOL_FILE_UNLOADED;
}

Dwfl_Module *symbol_file_report(Dwfl *dwfl, const struct object *object, int fd, u64 bias,
				void *context)
{
	Dwfl_Module *module = NULL;
	void **userdata;

	if (dwfl) {
		dwfl_report_begin_add(dwfl);
		module = dwfl_report_elf(dwfl, object->name, object->path, fd, bias, true);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	if (!module) {
		close(fd);
		return NULL;
	}
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = context;
	return module;
}

/* Whether a file with a dynamic section says by DF_1_PIE that it is a program, not a library. */
static bool is_program(Elf *elf, const GElf_Phdr *dynamic)
{
	Elf_Data *data;
	GElf_Dyn entry;

	if (dynamic->p_filesz > DYNAMIC_BYTES_MAX)
		return false;
	data = elf_getdata_rawchunk(elf, dynamic->p_offset, dynamic->p_filesz, ELF_T_DYN);
	for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++) {
		if (entry.d_tag == DT_FLAGS_1)
			return entry.d_un.d_val & DF_1_PIE;
	}
	return false;
}

static int read_headers(struct symbol_file *file)
{
	GElf_Addr bias;
	Elf *elf = dwfl_module_getelf(file->module, &bias);
	GElf_Ehdr header;
	GElf_Phdr segment;
	size_t count;

	if (!elf || !gelf_getehdr(elf, &header) || elf_getphdrnum(elf, &count))
		return -1;
	if ((header.e_type != ET_EXEC && header.e_type != ET_DYN) || count > SEGMENTS_MAX)
		return -1;
	file->x86_64 = header.e_machine == EM_X86_64 && header.e_ident[EI_CLASS] == ELFCLASS64;
	if (header.e_entry)
		file->entry = header.e_entry + bias;
	file->segments = calloc(count + 1, sizeof(*file->segments));
	if (!file->segments)
		return -1;
	file->linked_statically = true;
	for (size_t i = 0; i < count; i++) {
		if (!gelf_getphdr(elf, i, &segment))
			continue;
		if (segment.p_type == PT_INTERP ||
		    (segment.p_type == PT_DYNAMIC && !is_program(elf, &segment)))
			file->linked_statically = false;
		if (segment.p_type != PT_LOAD)
			continue;
		file->segments[file->segment_count++] =
			(struct segment){ .offset = segment.p_offset,
					  .size = segment.p_filesz,
					  .address = segment.p_vaddr + bias,
					  .executable = segment.p_flags & PF_X };
	}
	return 0;
}

/* Whether the file is another than the one that was mapped, as far as that is known. */
static bool build_id_differs(int fd, const struct object *object)
{
	struct build_id id = { .size = 0 };

	if (object->kind != OBJECT_FILE || !object->build_id.size)
		return false;
	return !build_id_read(fd, &id) ||
	       !build_id_is(&id, object->build_id.bytes, object->build_id.size);
}

static void close_again(int *fd)
{
	close(*fd);
	*fd = -1;
}

/* Opens the file that was mapped. If that is gone, notes whether another has its path. */
static int open_file(struct symbol_file *file)
{
	const struct symbol_sources *sources = file->sources;
	struct object *object = file->object;
	int fd = -1;

	if (sources && sources->symfs && object->kind == OBJECT_FILE) {
		fd = elf_file_open_below(sources->symfs, object->path);
		if (fd >= 0 && build_id_differs(fd, object))
			close_again(&fd);
	}
	if (fd >= 0)
		return fd;
	fd = elf_file_open(object);
	if (fd >= 0 && build_id_differs(fd, object))
		close_again(&fd);
	object->replaced = fd < 0 && object->kind == OBJECT_FILE && elf_file_is_there(object);
	return fd;
}

static int read_file(struct symbol_file *file)
{
	int fd = open_file(file);

	if (fd < 0)
		return -1;
	if (!debug_file_is_bounded(fd, file->object->path, "names are read")) {
		close(fd);
		return -1;
	}
	file->dwfl = dwfl_begin(&callbacks);
	file->module = symbol_file_report(file->dwfl, file->object, fd, 0, file);
	if (!file->module || read_headers(file))
		return -1;
	return symtab_read(&file->symtab, file->module);
}

static void write_build_id(struct symbol_file *file, const u8 *bytes, int size)
{
	for (int i = 0; i < size && i < BUILD_ID_MAX; i++)
		sprintf(file->build_id + 2 * i, "%02x", bytes[i]);
}

static void note_build_id(struct symbol_file *file)
{
	const u8 *bytes;
	GElf_Addr address;
	int size = dwfl_module_build_id(file->module, &bytes, &address);

	write_build_id(file, bytes, size);
}

const char *object_build_id(const struct object *object)
{
	return object->symbols ? object->symbols->build_id : "";
}

int symbol_file_load(struct symbol_file *file)
{
	if (read_file(file)) {
		symbol_file_unload(file);
		file->state = SYMBOL_FILE_FAILED;
		/* the file can still be looked for elsewhere, later */
		write_build_id(file, file->object->build_id.bytes, file->object->build_id.size);
		return -1;
	}
	file->state = SYMBOL_FILE_LOADED;
	note_build_id(file);
	return 0;
}

/* The module with checked call frame information and nothing else; NULL: it cannot be read. */
static Dwfl_Module *frames_of(struct symbol_file *file)
{
	_cleanup_close_ int fd = -1;
	int image;

	if (file->frames_read)
		return file->frames;
	file->frames_read = true;
	fd = elf_file_open(file->object);
	image = fd < 0 ? -1 : cfi_image_open(fd, NULL);
	if (image < 0)
		return NULL;
	file->frames_dwfl = dwfl_begin(&callbacks);
	file->frames = symbol_file_report(file->frames_dwfl, file->object, image, 0, NULL);
	return file->frames;
}

/* After push %rbp; mov %rsp, %rbp: CFA - %rbp; saved %rbp - CFA; return address - CFA. */
#define FRAME_CFA 16
#define FRAME_BP (-16)
#define FRAME_RETURN (-8)

static enum frame_rule rule_of(Dwarf_Frame *frame)
{
	struct gapp_rule rule;
	Dwarf_Op *ops;
	size_t count;

	rule = cfi_rule(frame, GAPP_ARCH_X86_64);
	if (rule.cfa == GAPP_CFA_END)
		return FRAME_OUTERMOST;
	if (dwarf_frame_info(frame, NULL, NULL, NULL) < 0 || dwarf_frame_cfa(frame, &ops, &count))
		return FRAME_UNKNOWN;
	if (!count)
		return FRAME_OUTERMOST;
	if (rule.cfa == GAPP_CFA_FP && rule.cfa_offset == FRAME_CFA && rule.fp == GAPP_FP_CFA &&
	    rule.fp_offset == FRAME_BP && rule.ra == GAPP_RA_CFA && rule.ra_offset == FRAME_RETURN)
		return FRAME_POINTER;
	return FRAME_OTHER;
}

enum frame_rule frame_rule_find(struct symbol_file *file, u64 address)
{
	Dwarf_CFI *(*const sources[])(Dwfl_Module *, Dwarf_Addr *) = { dwfl_module_eh_cfi,
								       dwfl_module_dwarf_cfi };
	enum frame_rule rule = FRAME_UNKNOWN;
	Dwfl_Module *frames = file->x86_64 ? frames_of(file) : NULL;

	for (size_t i = 0; frames && rule == FRAME_UNKNOWN && i < ARRAY_SIZE(sources); i++) {
		Dwarf_Frame *frame = NULL;
		Dwarf_Addr bias;
		Dwarf_CFI *cfi = sources[i](frames, &bias);

		if (!cfi || dwarf_cfi_addrframe(cfi, address - bias, &frame))
			continue;
		rule = rule_of(frame);
		free(frame);
	}
	return rule;
}

bool symbol_file_address(const struct symbol_file *file, u64 offset, u64 *address)
{
	bool found = false;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		/* if two segments have these bytes, the code ran in the executable one */
		if (!found || segment->executable)
			*address = segment->address + (offset - segment->offset);
		if (segment->executable)
			return true;
		found = true;
	}
	return found;
}

const u8 *symbol_file_bytes(const struct symbol_file *file, u64 address, u64 size)
{
	size_t file_size;
	GElf_Addr bias;
	const char *bytes = elf_rawfile(dwfl_module_getelf(file->module, &bias), &file_size);

	for (size_t i = 0; bytes && i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];
		u64 into = address - segment->address;

		if (address < segment->address || into >= segment->size ||
		    size > segment->size - into)
			continue;
		if (segment->offset > file_size || into + size > file_size - segment->offset)
			return NULL;
		return (const u8 *)bytes + segment->offset + into;
	}
	return NULL;
}
