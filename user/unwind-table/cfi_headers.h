/* SPDX-License-Identifier: GPL-2.0 */
/* The headers of an ELF file of 64 bits, little endian, and what they lead to. */
#ifndef GAPP_READ_CFI_HEADERS_H
#define GAPP_READ_CFI_HEADERS_H

#include <elf.h>

#include "util/util.h"

/* Of call frame information; the largest known programs have a tenth of it. */
#define CFI_SECTION_MAX (256U << 20)

/**
 * struct cfi_headers - headers as they are in the file
 * @fd: the file; it stays the caller's
 * @elf: header
 * @segments: program headers
 * @sections: section headers, or NULL
 * @section_count: how many
 * @names: of the sections, and a zero behind; NULL: none
 * @names_size: bytes
 */
struct cfi_headers {
	int fd;
	Elf64_Ehdr elf;
	Elf64_Phdr *segments;
	Elf64_Shdr *sections;
	size_t section_count;
	char *names;
	size_t names_size;
};

/* The first reads no sections. */
int cfi_headers_read_segments(struct cfi_headers *headers, int fd);
int cfi_headers_read(struct cfi_headers *headers, int fd);
void cfi_headers_free(struct cfi_headers *headers);
#define _cleanup_cfi_headers_ _cleanup_(cfi_headers_free)

const Elf64_Phdr *cfi_segment(const struct cfi_headers *headers, u32 type);
const Elf64_Shdr *cfi_section(const struct cfi_headers *headers, const char *name);

/* Reads what there is of @size bytes; how many, or -1. */
ssize_t cfi_read(int fd, void *to, size_t size, u64 offset);
/* Likewise to new memory, and puts a zero behind. NULL: with errno set. */
void *cfi_read_new(int fd, u64 size, u64 offset, size_t *got);
/* Whether errno says that the file has not got it, or too much of it: all else is a failure. */
bool cfi_is_missing(void);

#endif /* GAPP_READ_CFI_HEADERS_H */
