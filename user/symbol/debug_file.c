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

#include "input/elf_file.h"
#include "inflated.h"
#include "symbol_file.h"

#define CHUNK 65536
/* All of a file is read to know its CRC: that of a larger one would take too long. */
#define LINKED_BYTES_MAX (2LL << 30)
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

static bool has_crc(const struct symbol_file *file, int fd, u32 wanted)
{
	_cleanup_free_ Bytef *chunk = malloc(CHUNK);
	uLong crc = crc32(0, NULL, 0);
	ssize_t bytes = 1;
	off_t at = 0;

	if (!chunk)
		return false;
	/* not by its size alone, for it may grow */
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

static bool is_wanted(const struct symbol_file *file, int fd, const struct wanted *wanted)
{
	if (wanted->build_id)
		return has_build_id(fd, wanted);
	return !is_too_large(fd) && has_crc(file, fd, wanted->crc);
}

static bool is_bounded(int fd, const char *path)
{
	const char *why = inflated_refused(fd);

	if (why && *why)
		complain("%s: no debug information is read: %s", path, why);
	return !why;
}

/* The right file at a path, as its process or we see it. */
static int open_wanted(const struct symbol_file *file, const char *path,
		       const struct wanted *wanted, char **found_name)
{
	pid_t roots[] = { file->object->pid, 0 };
	int fd;

	for (size_t i = roots[0] > 0 ? 0 : 1; i < ARRAY_SIZE(roots); i++) {
		fd = elf_file_open_path(roots[i], path);
		if (fd < 0)
			continue;
		if (is_wanted(file, fd, wanted) && is_bounded(fd, path)) {
			*found_name = strdup(path);
			return fd;
		}
		close(fd);
	}
	return -1;
}

/* The places where a debug link may lead: beside the file, and below the system's folder. */
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
	const char *beside;
	int fd;

	errno = 0;
	if (!file || file->asking || symbol_file_cancelled(file))
		return -1;
	beside = file_name ? file_name : file->object->path;
	fd = dwfl_build_id_find_debuginfo(module, NULL, NULL, 0, NULL, NULL, 0, found_name);
	if (fd >= 0)
		return fd;
	if (link && crc && !file->link_failed) {
		fd = follow_link(file, beside, link, &wanted, found_name);
		file->link_failed = fd < 0;
	} else if (link && !crc && wants_shared(module, file, &wanted)) {
		fd = follow_link(file, beside, link, &wanted, found_name);
	}
	/* a server is asked as its user said, but root's machine tells nobody what it runs */
	if (fd < 0 && geteuid())
		fd = dwfl_standard_find_debuginfo(module, userdata, name, base, NULL, NULL, 0,
						  found_name);
	errno = 0;
	return fd;
}

int debug_file_no_elf(struct Dwfl_Module *module, void **userdata, const char *name,
		      Dwarf_Addr base, char **file_name, Elf **elf)
{
	(void)module;
	(void)userdata;
	(void)name;
	(void)base;
	(void)file_name;
	(void)elf;
	return -1;
}
