// SPDX-License-Identifier: GPL-2.0
#include "build_id.h"

#include <elf.h>

/* Program headers that are looked at, and bytes of notes; linkers write far less. */
#define SEGMENTS_MAX 64
#define NOTES_MAX 4096

static size_t aligned(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

bool build_id_in_notes(const u8 *notes, size_t size, struct build_id *id)
{
	size_t at = 0;

	while (size - at >= sizeof(Elf64_Nhdr)) {
		size_t name = at + sizeof(Elf64_Nhdr), bytes, next;
		Elf64_Nhdr note;

		memcpy(&note, notes + at, sizeof(note));
		/* the numbers of a note have 32 bits, so no sum can overflow */
		bytes = name + aligned(note.n_namesz);
		if (bytes > size || note.n_descsz > size - bytes)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
		    !memcmp(notes + name, "GNU", sizeof("GNU")) && note.n_descsz &&
		    note.n_descsz <= sizeof(id->bytes)) {
			id->size = note.n_descsz;
			memcpy(id->bytes, notes + bytes, id->size);
			return true;
		}
		next = bytes + aligned(note.n_descsz);
		if (next >= size)
			return false;
		at = next;
	}
	return false;
}

static bool read_all(int fd, void *to, size_t size, u64 offset)
{
	return offset <= INT64_MAX && pread(fd, to, size, offset) == (ssize_t)size;
}

bool build_id_read(int fd, struct build_id *id)
{
	Elf64_Phdr segments[SEGMENTS_MAX];
	Elf64_Ehdr header;
	u8 notes[NOTES_MAX];

	if (!read_all(fd, &header, sizeof(header), 0) || memcmp(header.e_ident, ELFMAG, SELFMAG) ||
	    header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
	    header.e_phentsize != sizeof(*segments) || header.e_phnum > SEGMENTS_MAX ||
	    !read_all(fd, segments, header.e_phnum * sizeof(*segments), header.e_phoff))
		return false;
	for (size_t i = 0; i < header.e_phnum; i++) {
		size_t size = segments[i].p_filesz;

		if (segments[i].p_type == PT_NOTE && size <= sizeof(notes) &&
		    read_all(fd, notes, size, segments[i].p_offset) &&
		    build_id_in_notes(notes, size, id))
			return true;
	}
	return false;
}
