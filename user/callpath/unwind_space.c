// SPDX-License-Identifier: GPL-2.0
#include "unwinder.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include "input/object.h"
#include "machine.h"
#include "symbol/symbol_file.h"
#include "unwind-table/unwind_table.h"
#include "util/hash_index.h"

/* Spaces that are kept, and files that are open in all of them together. */
#define SPACES_MAX 8
#define FILES_MAX 256
/* Bytes of the images of open files. */
#define OPEN_BYTES_MAX (128ULL << 20)
/* Images that are kept, open or not, and their bytes. */
#define IMAGES_MAX 64
#define IMAGE_BYTES_MAX (2ULL * CFI_IMAGE_BYTES_MAX)

/**
 * struct image - call frame information of a file (see cfi_image_open()); many processes map it
 * @object: the file's object, held; NULL: the image is free
 * @size: bytes of the file when the image was made
 * @changed: time of the file's last change then
 * @fd: the image, or -1 if making it failed
 * @bytes: bytes of the image
 * @code: executable segments of the file
 * @used: number of the call that used it last
 */
struct image {
	struct object *object;
	off_t size;
	struct timespec changed;
	int fd;
	u64 bytes;
	struct unwind_table code;
	u64 used;
};

struct images {
	struct objects *objects;
	u64 calls;
	u64 bytes;
	struct image list[IMAGES_MAX];
};

/**
 * struct unwind_file - a mapping of a file or of the vdso
 * @mapping: the mapping, whose object is held
 * @failed: the file cannot be opened
 */
struct unwind_file {
	struct mapping mapping;
	bool failed;
};

/**
 * struct unwind_space - an address space
 * @spaces: all spaces
 * @files: what is mapped, by address
 * @dwfl: has a module for each file that was needed
 * @opened: modules of @dwfl
 * @bytes: bytes of their images
 * @attached: the callbacks of threads are set
 * @used: number of the call that used it last; 0: the space is free
 */
struct unwind_space {
	struct unwind_spaces *spaces;
	struct unwind_file *files;
	size_t count;
	Dwfl *dwfl;
	size_t opened;
	u64 bytes;
	bool attached;
	u64 used;
};

/**
 * struct unwind_spaces - all address spaces
 * @images: call frame information of files; libdwfl reads nothing else
 * @machine: @header, an ELF file without content, which tells libdwfl the kind of the machine
 * @calls: calls of unwind_space_get() so far
 * @list: the spaces
 */
struct unwind_spaces {
	struct images images;
	Elf *machine;
	Elf64_Ehdr header;
	u64 calls;
	struct unwind_space list[SPACES_MAX];
};

static void forget_image(struct images *images, struct image *image)
{
	if (!image->object)
		return;
	objects_release(images->objects, image->object);
	images->bytes -= image->bytes;
	if (image->fd >= 0)
		close(image->fd);
	unwind_table_free(&image->code);
	*image = (struct image){ 0 };
}

/* The object's image, or else a free one, or else the least recently used image. */
static struct image *find_image(struct images *images, const struct object *object)
{
	struct image *oldest = &images->list[0];

	for (size_t i = 0; i < IMAGES_MAX; i++) {
		struct image *image = &images->list[i];

		if (image->object == object)
			return image;
		if (image->used < oldest->used)
			oldest = image;
	}
	return oldest;
}

/* Whether the file is unchanged since the image was made. The vdso never changes. */
static bool is_current(const struct image *image, const struct object *object,
		       const struct stat *stat)
{
	return image->object == object &&
	       (object->kind == OBJECT_VDSO ||
		(image->size == stat->st_size &&
		 !memcmp(&image->changed, &stat->st_ctim, sizeof(image->changed))));
}

/* The image of @object, whose file @fd is. NULL: it could not be made. */
static const struct image *image_of(struct images *images, struct object *object, int fd)
{
	struct image *image = find_image(images, object);
	struct stat stat, made;

	if (fstat(fd, &stat))
		return NULL;
	if (!is_current(image, object, &stat)) {
		forget_image(images, image);
		object_hold_again(object);
		*image = (struct image){
			.object = object,
			.size = stat.st_size,
			.changed = stat.st_ctim,
		};
		image->fd = cfi_image_open(fd, &image->code);
		if (image->fd >= 0 && !fstat(image->fd, &made))
			image->bytes = made.st_size;
		images->bytes += image->bytes;
	}
	image->used = ++images->calls;
	for (size_t i = 0; images->bytes > IMAGE_BYTES_MAX && i < IMAGES_MAX; i++) {
		if (&images->list[i] != image)
			forget_image(images, &images->list[i]);
	}
	return image->fd < 0 ? NULL : image;
}

/* A callback of libdwfl that finds nothing: libdwfl's own would ask servers. */
static int no_debug_file(Dwfl_Module *module, _unused_ void **userdata, _unused_ const char *name,
			 _unused_ Dwarf_Addr base, _unused_ const char *file_name,
			 _unused_ const char *link, _unused_ GElf_Word crc,
			 _unused_ char **debug_name)
{
	(void)module;
	return -1;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = symbol_file_no_elf,
	.find_debuginfo = no_debug_file,
};

struct unwind_spaces *unwind_spaces_new(struct objects *objects)
{
	struct unwind_spaces *spaces = calloc(1, sizeof(*spaces));

	if (!spaces)
		return NULL;
	spaces->images.objects = objects;
	spaces->header = (Elf64_Ehdr){
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			     EV_CURRENT },
		.e_type = ET_EXEC,
		.e_machine = MACHINE_ELF,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(Elf64_Ehdr),
	};
	elf_version(EV_CURRENT);
	spaces->machine = elf_memory((char *)&spaces->header, sizeof(spaces->header));
	if (!spaces->machine) {
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
		objects_release(space->spaces->images.objects, space->files[i].mapping.object);
	free(space->files);
	*space = (struct unwind_space){ 0 };
}

void unwind_spaces_free(struct unwind_spaces *spaces)
{
	if (!spaces)
		return;
	for (size_t i = 0; i < SPACES_MAX; i++)
		forget(&spaces->list[i]);
	for (size_t i = 0; i < IMAGES_MAX; i++)
		forget_image(&spaces->images, &spaces->images.list[i]);
	elf_end(spaces->machine);
	free(spaces);
}

static bool is_file(const struct mapping *mapping)
{
	return mapping->object->kind == OBJECT_FILE || mapping->object->kind == OBJECT_VDSO;
}

/* Whether the space has these mappings. Generated code does not count: it is in no file. */
static bool is_of(const struct unwind_space *space, const struct mappings *mappings)
{
	const struct mapping *list = mappings_list(mappings);
	size_t known = 0;

	if (!space->used)
		return false;
	for (size_t i = 0; i < mappings_count(mappings); i++) {
		if (!is_file(&list[i]))
			continue;
		if (known == space->count ||
		    memcmp(&space->files[known].mapping, &list[i], sizeof(list[i])))
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
		.dwfl = dwfl_begin(&callbacks),
	};
	if (!space->files || !space->dwfl) {
		forget(space);
		return -1;
	}
	for (size_t i = 0; i < count; i++) {
		if (!is_file(&list[i]))
			continue;
		object_hold_again(list[i].object);
		space->files[space->count++].mapping = list[i];
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
	return opened >= FILES_MAX || bytes >= OPEN_BYTES_MAX;
}

/* The least recently used space; @open: of those that have open files. */
static struct unwind_space *oldest(struct unwind_spaces *spaces, bool open)
{
	struct unwind_space *found = NULL;

	for (size_t i = 0; i < SPACES_MAX; i++) {
		struct unwind_space *space = &spaces->list[i];

		if ((!open || space->opened) && (!found || space->used < found->used))
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
		space = oldest(spaces, false);
		forget(space);
		if (begin(spaces, space, mappings))
			return NULL;
	}
	space->used = ++spaces->calls;
	return space;
}

/* Closes all modules of the space; files are opened again when they are needed. */
static void let_go(struct unwind_space *space)
{
	dwfl_report_begin(space->dwfl);
	dwfl_report_end(space->dwfl, NULL, NULL);
	space->opened = 0;
	space->bytes = 0;
}

/* The file that is mapped at an address, or NULL. */
static struct unwind_file *file_at(const struct unwind_space *space, u64 address)
{
	size_t i = count_up_to(space->files, space->count, sizeof(*space->files), address);

	return i && address < space->files[i - 1].mapping.end ? &space->files[i - 1] : NULL;
}

/* Adds a module for the file of a mapping to the space, if the file can be read. */
static void open_module(struct unwind_space *space, const struct mapping *mapping)
{
	_cleanup_close_ int fd = -1;
	const struct image *image;
	int copy;
	u64 bias;

	/* this space was used last, so other spaces lose their modules first */
	while (is_full(space->spaces))
		let_go(oldest(space->spaces, true));
	fd = elf_file_open(mapping->object);
	image = fd < 0 ? NULL : image_of(&space->spaces->images, mapping->object, fd);
	if (!image || !unwind_table_bias(&image->code, mapping->start, mapping->offset, &bias))
		return;
	copy = fcntl(image->fd, F_DUPFD_CLOEXEC, 0);
	if (copy >= 0 &&
	    symbol_file_report(space->dwfl, mapping->object, copy, bias, mapping->object)) {
		space->opened++;
		space->bytes += image->bytes;
	}
}

/* The object of the module at an address; NULL: no module is there. Sets @module. */
static const struct object *object_at(const struct unwind_space *space, u64 address,
				      Dwfl_Module **module)
{
	void **userdata;

	*module = dwfl_addrmodule(space->dwfl, address);
	if (!*module)
		return NULL;
	dwfl_module_info(*module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	return *userdata;
}

Dwfl_Module *unwind_space_module(struct unwind_space *space, u64 address)
{
	struct unwind_file *file = file_at(space, address);
	const struct object *object;
	Dwfl_Module *module;

	if (!file || file->failed)
		return NULL;
	object = object_at(space, address, &module);
	if (object == file->mapping.object)
		return module;
	/* the module of a file that was unmapped may overlap what is mapped there now */
	if (object)
		let_go(space);
	open_module(space, &file->mapping);
	file->failed = object_at(space, address, &module) != file->mapping.object;
	return file->failed ? NULL : module;
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
