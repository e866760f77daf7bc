/* SPDX-License-Identifier: GPL-2.0 */
/* Prints names of threads and files, which may hold any bytes. */
#ifndef GAPP_READ_NAMES_H
#define GAPP_READ_NAMES_H

#include <limits.h>
#include <stdio.h>

#include <gapp.h>

#include "core/port.h"

/* Size of @bytes bytes if each is escaped, with the NUL. */
#define NAME_SAFE_SIZE(bytes) (4 * (bytes) + 1)
#define NAME_WHOLE UINT_MAX

/**
 * name_safe() - makes a name safe for a terminal
 * @safe: the result, NAME_SAFE_SIZE(@len) bytes, NUL terminated
 * @name: any bytes
 * @len: bytes of @name
 * @columns: a longer name is cut and ends in ~; NAME_WHOLE: it is not cut
 *
 * Characters that the locale does not call printable, or that take no column of their own
 * (controls, escape sequences, marks that turn the writing direction), become \xNN, byte by byte.
 *
 * Return: columns of the result.
 */
unsigned int name_safe(char *safe, const void *name, size_t len, unsigned int columns);

/**
 * name_json() - prints a name as a JSON string with its quotes
 * @out: the stream
 * @name: any bytes
 * @len: bytes of @name
 *
 * Controls become \u00NN, and bytes that are no UTF-8 become U+FFFD.
 */
void name_json(FILE *out, const void *name, size_t len);

/**
 * name_text() - makes a name text that any program can read
 * @name: any bytes
 * @len: bytes of @name
 *
 * Controls become \xNN, byte by byte, and bytes that are no UTF-8 become U+FFFD. The locale does
 * not matter.
 *
 * Return: UTF-8 to be freed; NULL: no memory.
 */
char *name_text(const void *name, size_t len);

/* An object's name without the brackets that a name such as "[vdso]" has: begin and length. */
const char *module_begin(const char *module);
size_t module_len(const char *module);

/* Likewise the length without a library's suffix: of "libc.so.6" that of "libc". */
size_t library_len(const char *module);

/* Length of a thread name, which has no NUL if it is GAPP_COMM_LEN bytes long. */
static inline size_t comm_len(const u8 *comm)
{
	return strnlen((const char *)comm, GAPP_COMM_LEN);
}

#endif /* GAPP_READ_NAMES_H */
