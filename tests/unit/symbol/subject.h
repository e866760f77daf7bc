/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Programs to look symbols up in: compiled by the system's compiler when the
 * test runs, in a folder of their own, where other tools judge them.
 */
#ifndef GAPP_TESTS_SUBJECT_H
#define GAPP_TESTS_SUBJECT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "symbol/symbols.h"

#define JUDGED_FRAMES 16

/**
 * struct judged - what addr2line says of an address
 * @count: frames
 * @names: innermost first, as the linker has them
 * @files: likewise; "??" if it knows none
 * @lines: likewise; 0: not known
 */
struct judged {
	size_t count;
	char *names[JUDGED_FRAMES];
	char *files[JUDGED_FRAMES];
	u32 lines[JUDGED_FRAMES];
};

/* Makes a folder with a copy of subjects/, and goes there; and back. */
int subject_begin(void **state);
int subject_end(void **state);

/* Runs a command of the shell, which must succeed. */
_attribute_(format(printf, 1, 2)) void run(const char *format, ...);
/* Whether it does. */
bool runs(const char *command);
/* The first line that a command prints, to be freed. */
_attribute_(format(printf, 1, 2)) char *line_of(const char *format, ...);

/* The object that a file of the folder is when it is mapped; freed by object_drop(). */
struct object *object_of(const char *name);
void object_drop(struct object *object);

/* By nm and readelf: where a symbol begins, its size, and the offset of an address in the file. */
u64 symbol_address(const char *file, const char *symbol);
u64 symbol_size(const char *file, const char *symbol);
u64 offset_of(const char *file, u64 address);

/* By addr2line, of @size addresses from @address on; freed by judged_drop(). */
struct judged *judge(const char *file, u64 address, u64 size);
void judged_drop(struct judged *judged, u64 size);

#endif /* GAPP_TESTS_SUBJECT_H */
