/* SPDX-License-Identifier: GPL-2.0 */
/* What an ELF file asks ld.so for: its interpreter and its libraries. */
#ifndef GAPP_READ_ELF_NEEDS_H
#define GAPP_READ_ELF_NEEDS_H

#include "util/util.h"

/* Names and paths that are longer, with their NUL, count as missing. */
#define ELF_NEEDS_TEXT 1024
#define ELF_NEEDS_LIBRARIES 128

/**
 * struct elf_needs - what one file asks for
 * @machine: EM_*
 * @interpreter: path of ld.so; "": none
 * @folders: where its libraries are looked for first: its RUNPATH, or else its RPATH; "": nowhere
 * @libraries: names of its libraries (DT_NEEDED), each allocated
 * @library_count: libraries
 */
struct elf_needs {
	u16 machine;
	char interpreter[ELF_NEEDS_TEXT];
	char folders[ELF_NEEDS_TEXT];
	char *libraries[ELF_NEEDS_LIBRARIES];
	u32 library_count;
};

/*
 * Reads the needs of an open file, whose content may be anything. Returns 0, or -1 with nothing
 * allocated: it is no ELF file of 64 bits and little endian.
 */
int elf_needs_read(struct elf_needs *needs, int fd);
void elf_needs_free(struct elf_needs *needs);

#endif /* GAPP_READ_ELF_NEEDS_H */
