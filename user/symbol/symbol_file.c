// SPDX-License-Identifier: GPL-2.0
#include "symbol_file.h"

#include "unwind-table/unwind_table.h"
#include "debug_file.h"
#include "input/elf_file.h"
#include "inflated.h"
#include "input/vdso.h"

#define SEGMENTS_MAX 4096
#define DYNAMIC_BYTES_MAX 0x100000

static const Dwfl_Callbacks callbacks = {
	.find_elf = debug_file_no_elf,
	.find_debuginfo = debug_file_find,
};

struct symbol_file *symbol_file_new(struct object *object, const volatile bool *cancel)
{
	struct symbol_file *file = calloc(1, sizeof(*file));

	if (!file)
		return NULL;
	file->object = object;
	file->cancel = cancel;
	return file;
}

static void forget(struct symbol_file *file)
{
	symtab_free(&file->symtab);
	free(file->segments);
	free(file->units);
	free(file->start_code);
	if (file->frames_dwfl)
		dwfl_end(file->frames_dwfl);
	if (file->dwfl)
		dwfl_end(file->dwfl);
	*file = (struct symbol_file){
		.object = file->object,
		.next = file->next,
		.used = file->used,
		.cancel = file->cancel,
		.link_failed = file->link_failed,
		.state = file->state,
	};
}

void symbol_file_free(struct symbol_file *file)
{
	if (file)
		forget(file);
	free(file);
}

static int open_object(const struct object *object)
{
	return object->kind == OBJECT_VDSO ? vdso_open() : elf_file_open(object);
}

/* The only module of @dwfl, which may be NULL. Gives the descriptor away. */
static Dwfl_Module *report_to(Dwfl *dwfl, const struct object *object, int fd)
{
	Dwfl_Module *module = NULL;

	if (dwfl) {
		dwfl_report_begin(dwfl);
		module = dwfl_report_elf(dwfl, object->name, object->path, fd, 0, true);
		dwfl_report_end(dwfl, NULL, NULL);
	}
	if (!module)
		close(fd);
	return module;
}

static int report_file(struct symbol_file *file, int fd)
{
	void **userdata;

	file->dwfl = dwfl_begin(&callbacks);
	file->module = report_to(file->dwfl, file->object, fd);
	if (!file->module)
		return -1;
	dwfl_module_info(file->module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = file;
	return 0;
}

/* A program that is linked statically may still relocate itself: then it says that it is one. */
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

/* Closes it, and says so, if it would take too much memory. */
static int only_bounded(const struct object *object, int fd)
{
	const char *why = fd < 0 ? NULL : inflated_refused(fd);

	if (!why)
		return fd;
	if (*why)
		complain("%s: no names are read: %s", object->path, why);
	close(fd);
	return -1;
}

int symbol_file_load(struct symbol_file *file)
{
	int fd = only_bounded(file->object, open_object(file->object));

	if (fd < 0 || report_file(file, fd) || read_headers(file) ||
	    symtab_read(&file->symtab, file->module)) {
		file->state = SYMBOL_FILE_FAILED;
		forget(file);
		return -1;
	}
	file->state = SYMBOL_FILE_LOADED;
	return 0;
}

void symbol_file_unload(struct symbol_file *file)
{
	file->state = SYMBOL_FILE_UNLOADED;
	forget(file);
}

Dwfl_Module *symbol_file_frames(struct symbol_file *file)
{
	_cleanup_close_ int fd = -1;
	int image;

	if (file->frames_read)
		return file->frames;
	file->frames_read = true;
	fd = open_object(file->object);
	image = fd < 0 ? -1 : cfi_image_open(fd);
	if (image < 0)
		return NULL;
	file->frames_dwfl = dwfl_begin(&callbacks);
	file->frames = report_to(file->frames_dwfl, file->object, image);
	return file->frames;
}

bool symbol_file_address(const struct symbol_file *file, u64 offset, u64 *address)
{
	bool found = false;

	for (size_t i = 0; i < file->segment_count; i++) {
		const struct segment *segment = &file->segments[i];

		if (offset < segment->offset || offset - segment->offset >= segment->size)
			continue;
		/* where segments share bytes, code is what was run */
		if (found && !segment->executable)
			continue;
		*address = segment->address + (offset - segment->offset);
		found = true;
		if (segment->executable)
			break;
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
