// SPDX-License-Identifier: GPL-2.0
#include "cfi_headers.h"

#include <errno.h>
#include <sys/stat.h>

#define NAMES_MAX 0x100000

ssize_t cfi_read(int fd, void *to, size_t size, u64 offset)
{
	size_t done = 0;
	ssize_t bytes;

	while (done < size) {
		if (offset + done > INT64_MAX)
			break;
		bytes = pread(fd, (char *)to + done, size - done, offset + done);
		if (bytes < 0 && errno == EINTR)
			continue;
		if (bytes < 0)
			return -1;
		if (!bytes)
			break;
		done += bytes;
	}
	return done;
}

void *cfi_read_new(int fd, u64 size, u64 offset, size_t *got)
{
	_cleanup_free_ u8 *memory = NULL;
	struct stat stat;
	ssize_t bytes;
	void *result;

	/* a header may ask for more memory than its file could ever fill */
	if (fstat(fd, &stat))
		return NULL;
	if (stat.st_size < 0 || offset >= (u64)stat.st_size) {
		errno = ENOEXEC;
		return NULL;
	}
	if (size > (u64)stat.st_size - offset)
		size = stat.st_size - offset;
	if (size > CFI_SECTION_MAX) {
		errno = EFBIG;
		return NULL;
	}
	memory = malloc(size + 1);
	if (!memory)
		return NULL;
	bytes = cfi_read(fd, memory, size, offset);
	if (bytes < 0)
		return NULL;
	memory[bytes] = 0;
	*got = bytes;
	result = memory;
	memory = NULL;
	return result;
}

bool cfi_is_missing(void)
{
	return errno == ENOEXEC || errno == EFBIG;
}

static bool is_ours(const Elf64_Ehdr *elf)
{
	return !memcmp(elf->e_ident, ELFMAG, SELFMAG) && elf->e_ident[EI_CLASS] == ELFCLASS64 &&
	       elf->e_ident[EI_DATA] == ELFDATA2LSB && elf->e_ident[EI_VERSION] == EV_CURRENT &&
	       (elf->e_machine == EM_X86_64 || elf->e_machine == EM_AARCH64) &&
	       (elf->e_type == ET_EXEC || elf->e_type == ET_DYN) &&
	       elf->e_phentsize == sizeof(Elf64_Phdr) && elf->e_phnum && elf->e_phnum != PN_XNUM;
}

/* A file may do without sections, and often does without the names of some. */
static int read_sections(struct cfi_headers *headers)
{
	const Elf64_Ehdr *elf = &headers->elf;
	const Elf64_Shdr *names;
	size_t got;

	if (!elf->e_shoff || !elf->e_shnum || elf->e_shentsize != sizeof(Elf64_Shdr))
		return 0;
	headers->sections =
		cfi_read_new(headers->fd, elf->e_shnum * sizeof(Elf64_Shdr), elf->e_shoff, &got);
	if (!headers->sections)
		return cfi_is_missing() ? 0 : -1;
	headers->section_count = got / sizeof(Elf64_Shdr);
	if (elf->e_shstrndx >= headers->section_count)
		return 0;
	names = &headers->sections[elf->e_shstrndx];
	if (names->sh_type != SHT_STRTAB || names->sh_size > NAMES_MAX)
		return 0;
	headers->names =
		cfi_read_new(headers->fd, names->sh_size, names->sh_offset, &headers->names_size);
	return headers->names || cfi_is_missing() ? 0 : -1;
}

static int not_an_elf_file(void)
{
	errno = ENOEXEC;
	return -1;
}

int cfi_headers_read_segments(struct cfi_headers *headers, int fd)
{
	Elf64_Ehdr *elf = &headers->elf;
	ssize_t bytes;
	size_t got;

	*headers = (struct cfi_headers){ .fd = fd };
	bytes = cfi_read(fd, elf, sizeof(*elf), 0);
	if (bytes < 0)
		return -1;
	if (bytes != sizeof(*elf) || !is_ours(elf))
		return not_an_elf_file();
	headers->segments = cfi_read_new(fd, elf->e_phnum * sizeof(Elf64_Phdr), elf->e_phoff, &got);
	if (!headers->segments)
		return -1;
	if (got != elf->e_phnum * sizeof(Elf64_Phdr))
		return not_an_elf_file();
	return 0;
}

int cfi_headers_read(struct cfi_headers *headers, int fd)
{
	return cfi_headers_read_segments(headers, fd) ? -1 : read_sections(headers);
}

void cfi_headers_free(struct cfi_headers *headers)
{
	free(headers->segments);
	free(headers->sections);
	free(headers->names);
	*headers = (struct cfi_headers){ .fd = -1 };
}

const Elf64_Phdr *cfi_segment(const struct cfi_headers *headers, u32 type)
{
	for (size_t i = 0; i < headers->elf.e_phnum; i++) {
		if (headers->segments[i].p_type == type)
			return &headers->segments[i];
	}
	return NULL;
}

const Elf64_Shdr *cfi_section(const struct cfi_headers *headers, const char *name)
{
	for (size_t i = 0; headers->names && i < headers->section_count; i++) {
		const Elf64_Shdr *section = &headers->sections[i];

		if (section->sh_name < headers->names_size && section->sh_type != SHT_NOBITS &&
		    section->sh_size && !strcmp(headers->names + section->sh_name, name))
			return section;
	}
	return NULL;
}
