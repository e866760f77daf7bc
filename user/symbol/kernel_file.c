// SPDX-License-Identifier: GPL-2.0
/* Finds the running kernel's vmlinux. */
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>

#include "symbol_file.h"

/* Bytes of a kernel's notes that are read; it has some hundred. */
#define NOTES_MAX 4096

static bool read_id(const char *path, struct build_id *id)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	u8 notes[NOTES_MAX];
	ssize_t size = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return size > 0 && build_id_in_notes(notes, size, id);
}

static bool has_id(const char *path, const struct build_id *id)
{
	_cleanup_close_ int fd = elf_file_open_path(0, path);

	return fd >= 0 && debug_file_has_id(fd, id->bytes, id->size);
}

char *kernel_file_path(const struct kernel_files *files)
{
	static const char *const places[][2] = {
		{ "/usr/lib/debug/boot/vmlinux-", "" },
		{ "/usr/lib/debug/lib/modules/", "/vmlinux" },
		{ "/usr/lib/debug/usr/lib/modules/", "/vmlinux" },
		{ "/boot/vmlinux-", "" },
		{ "/lib/modules/", "/vmlinux" },
		{ "/lib/modules/", "/build/vmlinux" },
	};
	struct build_id id;
	struct utsname name;

	if (uname(&name) || !read_id(files->notes, &id))
		return NULL;
	for (size_t i = 0; i < ARRAY_SIZE(places); i++) {
		char *path;

		if (asprintf(&path, "%s%s%s%s", files->root, places[i][0], name.release,
			     places[i][1]) < 0)
			return NULL;
		if (has_id(path, &id))
			return path;
		free(path);
	}
	return NULL;
}

bool kernel_file_shift(const struct symtab *symtab, const struct kallsyms *kallsyms, u64 *shift)
{
	/* far apart in every kernel; each is the only one of its name */
	static const char *const names[] = { "schedule", "vfs_read" };

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		const struct function *in_file = symtab_named(symtab, names[i]);
		const struct kernel_symbol *here = kallsyms_named(kallsyms, names[i]);

		if (!in_file || !here || (i && here->address - in_file->begin != *shift))
			return false;
		*shift = here->address - in_file->begin;
	}
	return true;
}
