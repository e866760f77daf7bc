// SPDX-License-Identifier: GPL-2.0
#include "unwinder.h"

#include <fcntl.h>
#include <gelf.h>
#include <sys/stat.h>

#include "input/object.h"
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
 * struct unwind_space - an address space
 * @spaces: all spaces
 * @files: mappings of files and of the vdso, held
 * @tried: for each of @files: opening the file failed
 * @dwfl: has a module for each file that was needed
 * @opened: modules of @dwfl
 * @bytes: bytes of their images
 * @attached: the callbacks of threads are set
 * @used: number of the call that used it last; 0: the space is free
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
 * struct unwind_spaces - all address spaces
 * @images: call frame information of files; libdwfl reads nothing else
 * @machine: an ELF file without content, from which libdwfl takes the kind of the machine
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
		(image->size == stat->st_size && image->changed.tv_sec == stat->st_ctim.tv_sec &&
		 image->changed.tv_nsec == stat->st_ctim.tv_nsec));
}

static void make_image(struct images *images, struct image *image, struct object *object, int fd,
		       const struct stat *stat)
{
	struct stat made;

	forget_image(images, image);
	object_hold_again(object);
	*image = (struct image){
		.object = object,
		.size = stat->st_size,
		.changed = stat->st_ctim,
	};
	image->fd = cfi_image_open(fd, &image->code);
	if (image->fd >= 0 && !fstat(image->fd, &made))
		image->bytes = made.st_size;
	images->bytes += image->bytes;
}

/* The image of @object, whose file @fd is. NULL: it could not be made. */
static const struct image *image_of(struct images *images, struct object *object, int fd)
{
	struct image *image = find_image(images, object);
	struct stat stat;

	if (fstat(fd, &stat))
		return NULL;
	if (!is_current(image, object, &stat))
		make_image(images, image, object, fd, &stat);
	image->used = ++images->calls;
	for (size_t i = 0; images->bytes > IMAGE_BYTES_MAX && i < IMAGES_MAX; i++) {
		if (&images->list[i] != image)
			forget_image(images, &images->list[i]);
	}
	return image->fd < 0 ? NULL : image;
}

/* Callbacks that find nothing: libdwfl's own would open any file that is named, and ask servers. */
static int no_elf_file(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		       char **file_name, Elf **elf)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file_name;
	(void)elf;
	return -1;
}

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
	.find_elf = no_elf_file,
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
		.e_machine = EM_X86_64,
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
		objects_release(space->spaces->images.objects, space->files[i].object);
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
	return opened >= FILES_MAX || bytes >= OPEN_BYTES_MAX;
}

/* The least recently used space; @open: only spaces with open files, and not @but. */
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

/* Closes all modules of the space; files are opened again when they are needed. */
static void let_go(struct unwind_space *space)
{
	dwfl_report_begin(space->dwfl);
	dwfl_report_end(space->dwfl, NULL, NULL);
	space->opened = 0;
	space->bytes = 0;
}

/* Closes modules, of other spaces first, until one more may be opened. */
static void make_room(struct unwind_space *space)
{
	struct unwind_spaces *spaces = space->spaces;

	while (is_full(spaces)) {
		struct unwind_space *other = oldest(spaces, true, space);

		let_go(other ? other : space);
	}
}

/* Index in @files of the file that is mapped at an address; @count: no file is. */
static size_t index_at(const struct unwind_space *space, u64 address)
{
	size_t i = count_up_to(space->files, space->count, sizeof(*space->files), address);

	return i && address < space->files[i - 1].end ? i - 1 : space->count;
}

/* Adds a module for the file of a mapping to the space. NULL: the file cannot be read. */
static Dwfl_Module *open_module(struct unwind_space *space, const struct mapping *mapping)
{
	_cleanup_close_ int fd = -1;
	struct object *object = mapping->object;
	const struct image *image;
	Dwfl_Module *module;
	void **userdata;
	int copy;
	u64 bias;

	make_room(space);
	fd = elf_file_open(object);
	image = fd < 0 ? NULL : image_of(&space->spaces->images, object, fd);
	if (!image || !unwind_table_bias(&image->code, mapping->start, mapping->offset, &bias))
		return NULL;
	copy = fcntl(image->fd, F_DUPFD_CLOEXEC, 0);
	if (copy < 0)
		return NULL;
	dwfl_report_begin_add(space->dwfl);
	module = dwfl_report_elf(space->dwfl, object->name, object->path, copy, bias, true);
	dwfl_report_end(space->dwfl, NULL, NULL);
	if (!module) {
		close(copy);
		return NULL;
	}
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = object;
	space->opened++;
	space->bytes += image->bytes;
	return module;
}

/* The mapping's module at an address, or NULL. Sets @other: a module of another file is there. */
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
	/* the module of a file that was unmapped may overlap what is mapped there now */
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
