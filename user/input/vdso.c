// SPDX-License-Identifier: GPL-2.0
#include "vdso.h"

#include <elf.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "util/util.h"

_Static_assert(sizeof(void *) == 8, "the kernel maps the image for this width");

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

/* The kernel's own, so what it says of itself is believed. */
static size_t image_size(const Elf64_Ehdr *header)
{
	const Elf64_Phdr *segments = (const void *)((const char *)header + header->e_phoff);
	size_t size = header->e_shoff + (size_t)header->e_shnum * header->e_shentsize;

	for (unsigned int i = 0; i < header->e_phnum; i++) {
		if (segments[i].p_type == PT_LOAD)
			size = larger(size, segments[i].p_offset + segments[i].p_filesz);
	}
	return size;
}

int vdso_open(void)
{
	const Elf64_Ehdr *header = (const void *)getauxval(AT_SYSINFO_EHDR);
	size_t size, done = 0;
	ssize_t bytes;
	int fd;

	if (!header || memcmp(header->e_ident, ELFMAG, SELFMAG))
		return -1;
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	for (size = image_size(header); done < size; done += bytes) {
		bytes = write(fd, (const char *)header + done, size - done);
		if (bytes <= 0) {
			close(fd);
			return -1;
		}
	}
	return fd;
}
