// SPDX-License-Identifier: GPL-2.0
#include "unwind_space.h"

#include <gelf.h>
#include <sys/stat.h>

#include "symbol/debug_file.h"
#include "input/elf_file.h"
#include "unwind_images.h"
#include "input/elf_file.h"

/* Spaces kept, and files open in all of them together. */
#define SPACES_MAX 8
#define FILES_MAX 256
#define SEGMENTS_MAX 4096
/* Of images of files that are open. */
#define BYTES_MAX (128ULL << 20)
#define PAGE_BYTES 4096ULL

/**
 * struct unwind_space - one of them
 * @spaces: all
 * @files: mappings of files and of the vdso, held
 * @tried: of each, that opening it failed
 * @count: how many
 * @dwfl: with the modules of those that were needed
 * @opened: modules since the last time that all were let go
 * @bytes: of these
 * @attached: threads' callbacks are set
 * @used: when it was last, in calls; 0: never
 */
struct unwind_space {
	struct unwind_spaces *spaces;
	struct mapping *files;
	bool *tried;
	size_t count;
	Dwfl *dwfl;
	size_t opened;
	u64 bytes;
	bool attached;
	u64 used;
};

/**
 * struct unwind_spaces - all of them
 * @objects: what is mapped
 * @images: of their files, which are all that libdwfl gets to see
 * @machine: an empty ELF file, from which libdwfl takes the kind of the machine
 * @header: its bytes
 * @unwind_by: for which was used last
 * @list: the spaces
 */
struct unwind_spaces {
	struct objects *objects;
	struct unwind_images *images;
	Elf *machine;
	Elf64_Ehdr header;
	u64 calls;
	struct unwind_space list[SPACES_MAX];
};

/* libdwfl's own search would open whatever a file names, and ask servers. */
static int no_debug_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			 const char *file_name, const char *link, GElf_Word crc, char **debug_name)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file_name;
	(void)link;
	(void)crc;
	(void)debug_name;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = debug_file_no_elf,
	.find_debuginfo = no_debug_file,
};

struct unwind_spaces *unwind_spaces_new(struct objects *objects)
{
	struct unwind_spaces *spaces = calloc(1, sizeof(*spaces));

	if (!spaces)
		return NULL;
	spaces->objects = objects;
	spaces->images = unwind_images_new(objects);
	spaces->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
	};
	elf_version(EV_CURRENT);
	spaces->machine = elf_memory((char *)&spaces->header, sizeof(spaces->header));
	if (!spaces->images || !spaces->machine) {
		unwind_spaces_free(spaces);
		return NULL;
	}
	return spaces;
}

static void forget(struct unwind_space *space)
{
	if (space->dwfl)
		dwfl_end(space->dwfl);
	for (size_t i = 0; i < space->count; i++)
		objects_release(space->spaces->objects, space->files[i].object);
	free(space->files);
	free(space->tried);
	*space = (struct unwind_space){ 0 };
}

void unwind_spaces_free(struct unwind_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < SPACES_MAX; i++)
		forget(&spaces->list[i]);
	unwind_images_free(spaces->images);
	elf_end(spaces->machine);
	free(spaces);
}

static bool is_file(const struct mapping *mapping)
{
	return mapping->object->kind == OBJECT_FILE || mapping->object->kind == OBJECT_VDSO;
}

/* Generated code comes and goes, and no file tells of it: it makes no other space. */
static bool is_of(const struct unwind_space *space, const struct mappings *mappings)
{
	const struct mapping *list = mappings_list(mappings);
	size_t known = 0;

	if (!space->used)
		return false;
	for (size_t i = 0; i < mappings_count(mappings); i++) {
		const struct mapping *file = &space->files[known];

		if (!is_file(&list[i]))
			continue;
		if (known == space->count || file->start != list[i].start ||
		    file->end != list[i].end || file->offset != list[i].offset ||
		    file->object != list[i].object)
			return false;
		known++;
	}
	return known == space->count;
}

static int begin(struct unwind_spaces *spaces, struct unwind_space *space,
		 const struct mappings *mappings)
{
	const struct mapping *list = mappings_list(mappings);
	size_t count = mappings_count(mappings);

	*space = (struct unwind_space){
		.spaces = spaces,
		.files = calloc(count + 1, sizeof(*space->files)),
		.tried = calloc(count + 1, sizeof(*space->tried)),
		.dwfl = dwfl_begin(&callbacks),
	};
	if (!space->files || !space->tried || !space->dwfl) {
		forget(space);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_file(&list[i]))
			continue;
		object_hold_again(list[i].object);
		space->files[space->count++] = list[i];
	}
	return 0;
}

static bool is_full(const struct unwind_spaces *spaces)
{
	size_t opened = 0;
	u64 bytes = 0;

	for (size_t i = 0; i < SPACES_MAX; i++) {
		opened += spaces->list[i].opened;
		bytes += spaces->list[i].bytes;
	}
	return opened >= FILES_MAX || bytes >= BYTES_MAX;
}

/* The one that was not used for longest, or never; @open: that has files open, and not @but. */
static struct unwind_space *oldest(struct unwind_spaces *spaces, bool open,
				   const struct unwind_space *but)
{
	struct unwind_space *found = NULL;

	for (size_t i = 0; i < SPACES_MAX; i++) {
		struct unwind_space *space = &spaces->list[i];

		if (open && (space == but || !space->opened))
			continue;
		if (!found || space->used < found->used)
			found = space;
	}
	return found;
}

struct unwind_space *unwind_space_get(struct unwind_spaces *spaces, const struct mappings *mappings)
{
	struct unwind_space *space = NULL;

	for (size_t i = 0; i < SPACES_MAX && !space; i++)
		if (is_of(&spaces->list[i], mappings))
			space = &spaces->list[i];
	if (!space) {
		space = oldest(spaces, false, NULL);
		forget(space);
		if (begin(spaces, space, mappings))
			return NULL;
	}
	space->used = ++spaces->calls;
	return space;
}

/* Lets all modules go; the files are opened again where they are needed. */
static void let_go(struct unwind_space *space)
{
	dwfl_report_begin(space->dwfl);
	dwfl_report_end(space->dwfl, NULL, NULL);
	space->opened = 0;
	space->bytes = 0;
}

/* Files, and what is in their images, stay below their limits, whatever spaces have. */
static void make_room(struct unwind_space *space)
{
	struct unwind_spaces *spaces = space->spaces;

	while (is_full(spaces)) {
		struct unwind_space *other = oldest(spaces, true, space);

		let_go(other ? other : space);
	}
}

static size_t index_at(const struct unwind_space *space, u64 address)
{
	size_t low = 0, high = space->count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (space->files[middle].end <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low < space->count && space->files[low].start <= address ? low : space->count;
}

/* What addresses in the process are above the file's. -1: it is no program, or has no such part. */
static int find_bias(int fd, const struct mapping *mapping, u64 *bias)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	int result = -1;
	GElf_Phdr segment;
	GElf_Ehdr header;
	size_t count;

	if (!elf)
		return -1;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &header) ||
	    header.e_machine != EM_X86_64 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
	    (header.e_type != ET_EXEC && header.e_type != ET_DYN) || elf_getphdrnum(elf, &count) ||
	    count > SEGMENTS_MAX)
		count = 0;
	for (size_t i = 0; i < count && result; i++) {
		u64 begin;

		if (!gelf_getphdr(elf, i, &segment) || segment.p_type != PT_LOAD ||
		    !(segment.p_flags & PF_X))
			continue;
		/* what is mapped begins with the page that the segment begins in */
		begin = segment.p_offset & ~(PAGE_BYTES - 1);
		if (mapping->offset < begin ||
		    mapping->offset - begin >= segment.p_filesz + segment.p_offset - begin)
			continue;
		*bias = mapping->start - mapping->offset + segment.p_offset - segment.p_vaddr;
		result = 0;
	}
	elf_end(elf);
	return result;
}

/* Gives @image away. */
static Dwfl_Module *report(struct unwind_space *space, struct object *object, int image, u64 bias)
{
	Dwfl_Module *module;
	struct stat stat;
	void **userdata;

	if (fstat(image, &stat))
		stat.st_size = 0;
	dwfl_report_begin_add(space->dwfl);
	module = dwfl_report_elf(space->dwfl, object->name, object->path, image, bias, true);
	dwfl_report_end(space->dwfl, NULL, NULL);
	if (!module) {
		close(image);
		return NULL;
	}
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = object;
	space->opened++;
	space->bytes += stat.st_size;
	return module;
}

static Dwfl_Module *open_module(struct unwind_space *space, const struct mapping *mapping)
{
	_cleanup_close_ int fd = -1;
	struct object *object = mapping->object;
	u64 bias;
	int image;

	make_room(space);
	fd = elf_file_open(object);
	if (fd < 0 || find_bias(fd, mapping, &bias))
		return NULL;
	image = unwind_images_open(space->spaces->images, object, fd);
	return image < 0 ? NULL : report(space, object, image, bias);
}

/* The module that libdwfl finds at an address, if it is the mapping's. */
static Dwfl_Module *known_module(struct unwind_space *space, const struct mapping *mapping,
				 u64 address, bool *other)
{
	Dwfl_Module *module = dwfl_addrmodule(space->dwfl, address);
	void **userdata;

	*other = false;
	if (!module)
		return NULL;
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*other = *userdata != mapping->object;
	return *other ? NULL : module;
}

Dwfl_Module *unwind_space_module(struct unwind_space *space, u64 address)
{
	size_t i = index_at(space, address);
	const struct mapping *mapping = &space->files[i];
	Dwfl_Module *module;
	bool other;

	if (i == space->count || space->tried[i])
		return NULL;
	module = known_module(space, mapping, address, &other);
	if (module)
		return module;
	/* a file that has been unmapped may lie across what is mapped there now */
	if (other)
		let_go(space);
	if (open_module(space, mapping))
		module = known_module(space, mapping, address, &other);
	space->tried[i] = !module;
	return module;
}

Dwfl *unwind_space_attach(struct unwind_space *space, const Dwfl_Thread_Callbacks *threads,
			  void *context)
{
	if (!space->attached)
		space->attached =
			dwfl_attach_state(space->dwfl, space->spaces->machine, 1, threads, context);
	return space->attached ? space->dwfl : NULL;
}

Dwarf_Frame *unwind_space_frame(struct unwind_space *space, u64 address)
{
	Dwfl_Module *module = unwind_space_module(space, address);
	Dwarf_Frame *frame;
	Dwarf_CFI *cfi;
	Dwarf_Addr bias;

	if (!module)
		return NULL;
	cfi = dwfl_module_eh_cfi(module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, address - bias, &frame))
		return frame;
	cfi = dwfl_module_dwarf_cfi(module, &bias);
	if (cfi && !dwarf_cfi_addrframe(cfi, address - bias, &frame))
		return frame;
	return NULL;
}
