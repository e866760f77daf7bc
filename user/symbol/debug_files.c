// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the separate debug file of an object for libdwfl. Whoever made the object can name anything
 * there. libdwfl's own search opens whatever a file names, and a pipe left beside a program would
 * stop the reader for ever: only regular files are opened, and each must prove to be the wanted
 * one. They are looked up below the folder of --symfs first, then below the root of the process,
 * which may be a container's, then below ours.
 */
#include "symbol_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <elfutils/libdwelf.h>
#include <zlib.h>

#define CHUNK 65536
/* Bytes of the largest file whose CRC is computed; a larger file would take too long. */
#define LINKED_BYTES_MAX (2LL << 30)
#define DEBUG_ROOT "/usr/lib/debug"
/* "ab/cdef....debug" */
#define ID_PATH_SIZE (2 * BUILD_ID_MAX + sizeof("/.debug"))

/**
 * struct wanted - how the wanted debug file is recognized
 * @crc: CRC of the whole file, if @build_id is NULL
 * @build_id: build-id, or NULL
 */
struct wanted {
	u32 crc;
	const void *build_id;
	size_t build_id_size;
};

/* Whether the file has the CRC @wanted. */
static bool has_crc(const struct symbol_file *file, int fd, u32 wanted)
{
	_cleanup_free_ Bytef *chunk = malloc(CHUNK);
	uLong crc = crc32(0, NULL, 0);
	ssize_t bytes = 1;
	off_t at = 0;

	if (!chunk)
		return false;
	/* the limit counts here too, because the file may grow */
	while (bytes > 0 && at <= LINKED_BYTES_MAX && !symbol_file_cancelled(file)) {
		bytes = pread(fd, chunk, CHUNK, at);
		if (bytes <= 0)
			break;
		crc = crc32(crc, chunk, bytes);
		at += bytes;
	}
	return !bytes && crc == wanted;
}

static bool is_too_large(int fd)
{
	struct stat stat;

	return fstat(fd, &stat) || stat.st_size > LINKED_BYTES_MAX;
}

bool debug_file_has_id(int fd, const void *id, size_t size)
{
	const void *build_id;
	bool same;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return false;
	same = dwelf_elf_gnu_build_id(elf, &build_id) == (ssize_t)size &&
	       !memcmp(build_id, id, size);
	elf_end(elf);
	return same;
}

static bool is_wanted(const struct symbol_file *file, int fd, const struct wanted *wanted)
{
	if (wanted->build_id)
		return debug_file_has_id(fd, wanted->build_id, wanted->build_id_size);
	return !is_too_large(fd) && has_crc(file, fd, wanted->crc);
}

bool debug_file_is_bounded(int fd, const char *path, const char *lost)
{
	const char *why = inflated_refused(fd);

	if (why && *why)
		complain("%s: no %s: %s", path, lost, why);
	return !why;
}

size_t debug_file_roots(const struct symbol_file *file, char roots[][ROOT_SIZE])
{
	const pid_t pids[] = { file->object->pid, file->object->first_pid };
	char path[PATH_MAX];
	size_t count = 0;

	if (file->sources && file->sources->symfs && strlen(file->sources->symfs) < ROOT_SIZE)
		strcpy(roots[count++], file->sources->symfs);
	for (size_t i = 0; i < ARRAY_SIZE(pids); i++) {
		if (pids[i] > 0 && (!i || pids[i] != pids[0]))
			snprintf(roots[count++], ROOT_SIZE, "/proc/%d/root", pids[i]);
	}
	if (file->object->root) {
		kept_root_path(file->object->root, path);
		if (strlen(path) < ROOT_SIZE)
			strcpy(roots[count++], path);
	}
	*roots[count++] = '\0';
	return count;
}

/* Opens the wanted file at a path below the first root that has it. -1: none has. */
static int open_wanted(const struct symbol_file *file, const char *path,
		       const struct wanted *wanted, char **found_name)
{
	char roots[ROOTS_MAX][ROOT_SIZE];
	size_t count = debug_file_roots(file, roots);

	for (size_t i = 0; i < count; i++) {
		int fd = elf_file_open_below(roots[i], path);

		if (fd < 0)
			continue;
		if (is_wanted(file, fd, wanted) &&
		    debug_file_is_bounded(fd, path, "debug information is read")) {
			*found_name = strdup(path);
			return fd;
		}
		close(fd);
	}
	return -1;
}

/* Looks for a linked file beside the file, and below the system's folder of debug files. */
static int follow_link(const struct symbol_file *file, const char *beside, const char *link,
		       const struct wanted *wanted, char **found_name)
{
	static const char *const patterns[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s" };
	const char *slash = strrchr(beside, '/');
	_cleanup_free_ char *path = NULL;
	int fd = -1;

	if (link[0] == '/')
		return open_wanted(file, link, wanted, found_name);
	if (!slash || beside[0] != '/')
		return -1;
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(patterns); i++) {
		free(path);
		if (asprintf(&path, patterns[i], (int)(slash - beside), beside, link) < 0) {
			path = NULL;
			return -1;
		}
		fd = open_wanted(file, path, wanted, found_name);
	}
	return fd;
}

/* Writes the path of a file below a folder of files by build-id. */
static void put_id_path(char *path, const struct wanted *wanted)
{
	const u8 *bytes = wanted->build_id;

	path += sprintf(path, "%02x/", bytes[0]);
	for (size_t i = 1; i < wanted->build_id_size; i++)
		path += sprintf(path, "%02x", bytes[i]);
	strcpy(path, ".debug");
}

/* Looks for a file below the system's folder of files by build-id, and in --symfs at its top. */
static int follow_id(const struct symbol_file *file, const struct wanted *wanted, char **found_name)
{
	static const char *const folders[] = { DEBUG_ROOT "/.build-id/", "/.build-id/" };
	char name[ID_PATH_SIZE], path[sizeof(DEBUG_ROOT "/.build-id/") + ID_PATH_SIZE];
	int fd = -1;

	if (!wanted->build_id || wanted->build_id_size < 2 || wanted->build_id_size > BUILD_ID_MAX)
		return -1;
	put_id_path(name, wanted);
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(folders); i++) {
		snprintf(path, sizeof(path), "%s%s", folders[i], name);
		fd = open_wanted(file, path, wanted, found_name);
	}
	return fd;
}

/*
 * Whether libdwfl is looking for the file that debug information of several objects shares (dwz);
 * sets that file's build-id. If @module has no debug information yet, asking for it calls
 * debug_file_find() again, which then finds nothing because of @asking.
 */
static bool wants_shared(Dwfl_Module *module, struct symbol_file *file, struct wanted *wanted)
{
	const char *name;
	GElf_Addr bias;
	Dwarf *dwarf;
	ssize_t size;

	file->asking = true;
	dwarf = dwfl_module_getdwarf(module, &bias);
	file->asking = false;
	if (!dwarf)
		return false;
	size = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &wanted->build_id);
	wanted->build_id_size = size > 0 ? size : 0;
	return size > 0;
}

/* The file that a server has sent, or -1. */
static int open_fetched(const struct symbol_file *file, const struct wanted *wanted,
			char **found_name)
{
	const char *path = wanted->build_id ? debuginfod_fetched(file->debuginfod, wanted->build_id,
								 wanted->build_id_size) :
					      NULL;

	return path ? open_wanted(file, path, wanted, found_name) : -1;
}

int debug_file_find(Dwfl_Module *module, void **userdata, _unused_ const char *name,
		    _unused_ Dwarf_Addr base, const char *file_name, const char *link,
		    GElf_Word crc, char **found_name)
{
	struct symbol_file *file = *userdata;
	struct wanted linked = { .crc = crc }, by_id = { 0 };
	const unsigned char *id;
	GElf_Addr address;
	const char *beside;
	int fd = -1, size;

	errno = 0;
	if (!file || file->asking || symbol_file_cancelled(file))
		return -1;
	beside = file_name ? file_name : file->object->path;
	if (link && !crc && wants_shared(module, file, &by_id)) {
		fd = follow_link(file, beside, link, &by_id, found_name);
	} else {
		size = dwfl_module_build_id(module, &id, &address);
		if (size > 0)
			by_id = (struct wanted){ .build_id = id, .build_id_size = size };
	}
	if (fd < 0)
		fd = follow_id(file, &by_id, found_name);
	if (fd < 0 && link && crc && !file->link_failed) {
		fd = follow_link(file, beside, link, &linked, found_name);
		file->link_failed = fd < 0;
	}
	if (fd < 0)
		fd = open_fetched(file, &by_id, found_name);
	errno = 0;
	return fd;
}

/* Asks for the file that debug information of several objects shares, which a sent file may need.
 */
static void ask_shared(struct debuginfod *debuginfod, const char *path, const char *name)
{
	_cleanup_close_ int fd = elf_file_open_path(0, path);
	const char *link;
	const void *id;
	Dwarf *dwarf;
	ssize_t size;

	if (fd < 0 || !debug_file_is_bounded(fd, path, "debug information is read"))
		return;
	dwarf = dwarf_begin(fd, DWARF_C_READ);
	size = dwarf ? dwelf_dwarf_gnu_debugaltlink(dwarf, &link, &id) : 0;
	if (size > 0)
		debuginfod_ask(debuginfod, id, size, name);
	dwarf_end(dwarf);
}

bool debug_file_ask(struct symbol_file *file, struct debuginfod *debuginfod)
{
	const char *name = file->object->name;
	const unsigned char *id;
	GElf_Addr address, bias;
	int size;

	if (dwfl_module_getdwarf(file->module, &bias))
		return false;
	size = dwfl_module_build_id(file->module, &id, &address);
	if (size <= 0 || !debuginfod_ask(debuginfod, id, size, name))
		return false;
	ask_shared(debuginfod, debuginfod_fetched(debuginfod, id, size), name);
	return true;
}

int symbol_file_no_elf(_unused_ Dwfl_Module *module, _unused_ void **userdata,
		       _unused_ const char *name, _unused_ Dwarf_Addr base,
		       _unused_ char **file_name, _unused_ Elf **elf)
{
	return -1;
}
