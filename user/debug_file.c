// SPDX-License-Identifier: GPL-2.0
/*
 * libdwfl's own search opens whatever a file names, so a pipe left beside a
 * program would stop the reader for ever. Here only regular files are opened,
 * and below the root of the process first.
 */
#include "debug_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include <elfutils/libdwelf.h>
#include <zlib.h>

#include "elf_file.h"
#include "symbol_file.h"

#define CHUNK 65536
#define DEBUG_ROOT "/usr/lib/debug"

/**
 * struct wanted - how the right file is known
 * @crc: of its bytes, where there is a debug link
 * @build_id: of the file that dwz made, or NULL: @crc counts
 * @build_id_size: bytes
 */
struct wanted {
	u32 crc;
	const void *build_id;
	size_t build_id_size;
};

static bool has_crc(int fd, u32 wanted)
{
	_cleanup_free_ Bytef *chunk = malloc(CHUNK);
	uLong crc = crc32(0, NULL, 0);
	off_t at = 0;
	ssize_t bytes;

	if (!chunk)
		return false;
	while ((bytes = pread(fd, chunk, CHUNK, at)) > 0) {
		crc = crc32(crc, chunk, bytes);
		at += bytes;
	}
	return !bytes && crc == wanted;
}

static bool has_build_id(int fd, const struct wanted *wanted)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	const void *build_id;
	ssize_t size;
	bool same;

	if (!elf)
		return false;
	size = dwelf_elf_gnu_build_id(elf, &build_id);
	same = size > 0 && (size_t)size == wanted->build_id_size &&
	       !memcmp(build_id, wanted->build_id, size);
	elf_end(elf);
	return same;
}

static bool is_wanted(int fd, const struct wanted *wanted)
{
	return wanted->build_id ? has_build_id(fd, wanted) : has_crc(fd, wanted->crc);
}

/* The right file at a path, as its process or we see it. */
static int open_wanted(const struct object *object, const char *path, const struct wanted *wanted,
		       char **found_name)
{
	pid_t roots[] = { object->pid, 0 };
	int fd;

	for (size_t i = object->pid > 0 ? 0 : 1; i < ARRAY_SIZE(roots); i++) {
		fd = elf_file_open_path(roots[i], path);
		if (fd < 0)
			continue;
		if (is_wanted(fd, wanted)) {
			*found_name = strdup(path);
			return fd;
		}
		close(fd);
	}
	return -1;
}

/* The places where a debug link may lead: beside the file, and below the system's folder. */
static int follow_link(const struct object *object, const char *beside, const char *link,
		       const struct wanted *wanted, char **found_name)
{
	static const char *const patterns[] = { "%.*s/%s", "%.*s/.debug/%s", DEBUG_ROOT "%.*s/%s" };
	const char *slash = strrchr(beside, '/');
	_cleanup_free_ char *path = NULL;
	int fd = -1;

	if (link[0] == '/')
		return open_wanted(object, link, wanted, found_name);
	if (!slash || beside[0] != '/')
		return -1;
	for (size_t i = 0; fd < 0 && i < ARRAY_SIZE(patterns); i++) {
		free(path);
		if (asprintf(&path, patterns[i], (int)(slash - beside), beside, link) < 0) {
			path = NULL;
			return -1;
		}
		fd = open_wanted(object, path, wanted, found_name);
	}
	return fd;
}

/*
 * The file that debug information of @module shares with others (dwz), if that is what libdwfl is
 * looking for: then there is debug information already. Asking for it leads back to here if not.
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
	wanted->build_id_size = size;
	return size > 0;
}

int debug_file_find(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    const char *file_name, const char *link, GElf_Word crc, char **found_name)
{
	struct symbol_file *file = *userdata;
	struct wanted wanted = { .crc = crc };
	int fd;

	errno = 0;
	if (!file || file->asking)
		return -1;
	fd = dwfl_build_id_find_debuginfo(module, NULL, NULL, 0, NULL, NULL, 0, found_name);
	if (fd >= 0)
		return fd;
	if (link && (crc || wants_shared(module, file, &wanted)))
		fd = follow_link(file->object, file_name ? file_name : file->object->path, link,
				 &wanted, found_name);
	/* a server is asked as its user said, but root's machine tells nobody what it runs */
	if (fd < 0 && geteuid())
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, NULL, NULL, 0,
						  found_name);
	errno = 0;
	return fd;
}
