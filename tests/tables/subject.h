/* SPDX-License-Identifier: GPL-2.0 */
/* ELF files for tests, assembled when they run, in a folder that is removed at their end. */
#ifndef GAPP_TESTS_TABLES_SUBJECT_H
#define GAPP_TESTS_TABLES_SUBJECT_H

#include <elf.h>

#include "unwind-table/unwind_table.h"
#include "core/table.h"

/* Where all code begins. */
#define SUBJECT_CODE 0x10000

/* Makes the folder; root becomes nobody, so that the system's cache stays as it is. */
void subject_begin(void);
void subject_end(void);
const char *subject_folder(void);

/* A descriptor of a file made of @text by the compiler, with these options beside the usual. */
int subject_assemble(const char *text, const char *options);
/* Likewise of a copy with other bytes: @size of them, in the folder. */
int subject_copy(const void *bytes, size_t size);
/* All of a file, to be freed. */
u8 *subject_read(int fd, size_t *size);

/* Compiles it and checks that it is valid; ends the program if not. */
struct unwind_table subject_table(int fd, struct gapp_table *table);

/* Text for a function: @directives between its begin and its end, of @bytes, the next 64 away. */
#define FUNCTION(directives, bytes)                                  \
	".balign 64, 0x90\n"                                         \
	".cfi_startproc\n" directives "\n.fill " bytes ", 1, 0x90\n" \
	".cfi_endproc\n"

#endif /* GAPP_TESTS_TABLES_SUBJECT_H */
