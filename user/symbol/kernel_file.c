// SPDX-License-Identifier: GPL-2.0
/* Finds the running kernel's vmlinux. */
#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/utsname.h>

#include <elfutils/libdwelf.h>

#include "symbol_file.h"

/* Bytes of a kernel's notes that are read; it has some hundred. */
#define NOTES_MAX 4096

struct build_id {
	u8 bytes[BUILD_ID_MAX];
	size_t size;
};

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* Sets the build id among @size bytes of notes. False: there is none. */
static bool id_in_notes(const u8 *notes, size_t size, struct build_id *id)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		const Elf64_Nhdr *note = (const Elf64_Nhdr *)(notes + at);
		size_t name = at + sizeof(*note), bytes, next;

		/* the numbers of a note have 32 bits, so no sum can overflow */
		bytes = name + aligned(note->n_namesz);
		if (bytes > size || note->n_descsz > size - bytes)
			return false;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof("GNU") &&
		    !memcmp(notes + name, "GNU", sizeof("GNU")) && note->n_descsz &&
		    note->n_descsz <= sizeof(id->bytes)) {
			id->size = note->n_descsz;
			memcpy(id->bytes, notes + bytes, id->size);
			return true;
		}
		next = bytes + aligned(note->n_descsz);
		if (next >= size)
			return false;
		at = next;
	}
	return false;
}

static bool read_id(const char *path, struct build_id *id)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	u8 notes[NOTES_MAX];
	ssize_t size = fd < 0 ? -1 : read(fd, notes, sizeof(notes));

	return size > 0 && id_in_notes(notes, size, id);
}

static bool has_id(const char *path, const struct build_id *id)
{
	_cleanup_close_ int fd = elf_file_open_path(0, path);
	const void *bytes;
	bool same;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = fd < 0 ? NULL : elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (!elf)
		return false;
	same = dwelf_elf_gnu_build_id(elf, &bytes) == (ssize_t)id->size &&
	       !memcmp(bytes, id->bytes, id->size);
	elf_end(elf);
	return same;
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
