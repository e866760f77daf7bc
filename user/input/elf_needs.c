// SPDX-License-Identifier: GPL-2.0
#include "elf_needs.h"

#include <elf.h>
#include <string.h>

/* Files with more count as damaged. */
#define SEGMENTS_MAX 64
#define DYNAMIC_MAX 4096

/**
 * struct reading - a file that is being read
 * @fd: the file
 * @segments: its program headers
 * @names: offset of the strings that the dynamic section refers to, in the file
 */
struct reading {
	int fd;
	Elf64_Phdr segments[SEGMENTS_MAX];
	u32 segment_count;
	u64 names;
};

static bool read_all(int fd, void *to, size_t size, u64 offset)
{
	return offset <= INT64_MAX && pread(fd, to, size, offset) == (ssize_t)size;
}

/* Reads a text that ends with a NUL. False: it does not, or it is too long or empty. */
static bool read_text(int fd, char text[ELF_NEEDS_TEXT], u64 offset)
{
	ssize_t bytes = offset <= INT64_MAX ? pread(fd, text, ELF_NEEDS_TEXT, offset) : -1;

	if (bytes > 0 && text[0] && memchr(text, '\0', bytes))
		return true;
	text[0] = '\0';
	return false;
}

static bool read_headers(struct reading *reading, u16 *machine)
{
	Elf64_Ehdr head;

	if (!read_all(reading->fd, &head, sizeof(head), 0) ||
	    memcmp(head.e_ident, ELFMAG, SELFMAG) || head.e_ident[EI_CLASS] != ELFCLASS64 ||
	    head.e_ident[EI_DATA] != ELFDATA2LSB || head.e_phnum > SEGMENTS_MAX ||
	    head.e_phentsize != sizeof(reading->segments[0]))
		return false;
	*machine = head.e_machine;
	reading->segment_count = head.e_phnum;
	return read_all(reading->fd, reading->segments, head.e_phnum * sizeof(reading->segments[0]),
			head.e_phoff);
}

static const Elf64_Phdr *find_segment(const struct reading *reading, u32 type)
{
	for (u32 i = 0; i < reading->segment_count; i++)
		if (reading->segments[i].p_type == type)
			return &reading->segments[i];
	return NULL;
}

/* Sets @offset to where the file has the byte at @address. */
static bool find_offset(const struct reading *reading, u64 address, u64 *offset)
{
	for (u32 i = 0; i < reading->segment_count; i++) {
		const Elf64_Phdr *segment = &reading->segments[i];

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    address - segment->p_vaddr >= segment->p_filesz)
			continue;
		*offset = segment->p_offset + (address - segment->p_vaddr);
		return true;
	}
	return false;
}

static bool find_names(struct reading *reading, const Elf64_Dyn *entries, size_t count)
{
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		if (entries[i].d_tag == DT_STRTAB)
			return find_offset(reading, entries[i].d_un.d_ptr, &reading->names);
	return false;
}

static void take_entry(const struct reading *reading, const Elf64_Dyn *entry,
		       struct elf_needs *needs)
{
	char name[ELF_NEEDS_TEXT];

	switch (entry->d_tag) {
	case DT_RPATH:
		/* a RUNPATH counts more */
		if (!needs->folders[0])
			read_text(reading->fd, needs->folders, reading->names + entry->d_un.d_val);
		break;
	case DT_RUNPATH:
		read_text(reading->fd, needs->folders, reading->names + entry->d_un.d_val);
		break;
	case DT_NEEDED:
		if (needs->library_count == ELF_NEEDS_LIBRARIES ||
		    !read_text(reading->fd, name, reading->names + entry->d_un.d_val))
			break;
		needs->libraries[needs->library_count] = strdup(name);
		needs->library_count += !!needs->libraries[needs->library_count];
		break;
	}
}

static void read_dynamic(struct reading *reading, struct elf_needs *needs)
{
	_cleanup_free_ Elf64_Dyn *entries = NULL;
	const Elf64_Phdr *segment = find_segment(reading, PT_DYNAMIC);
	size_t count = segment ? segment->p_filesz / sizeof(Elf64_Dyn) : 0;

	if (!count || count > DYNAMIC_MAX)
		return;
	entries = calloc(count, sizeof(*entries));
	if (!entries ||
	    !read_all(reading->fd, entries, count * sizeof(*entries), segment->p_offset) ||
	    !find_names(reading, entries, count))
		return;
	for (size_t i = 0; i < count && entries[i].d_tag != DT_NULL; i++)
		take_entry(reading, &entries[i], needs);
}

int elf_needs_read(struct elf_needs *needs, int fd)
{
	struct reading reading = { .fd = fd };
	const Elf64_Phdr *segment;

	*needs = (struct elf_needs){ 0 };
	if (!read_headers(&reading, &needs->machine))
		return -1;
	segment = find_segment(&reading, PT_INTERP);
	if (segment)
		read_text(fd, needs->interpreter, segment->p_offset);
	read_dynamic(&reading, needs);
	return 0;
}

void elf_needs_free(struct elf_needs *needs)
{
	for (u32 i = 0; i < needs->library_count; i++)
		free(needs->libraries[i]);
	*needs = (struct elf_needs){ 0 };
}
