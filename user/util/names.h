/* SPDX-License-Identifier: GPL-2.0 */
/* Thread names and arguments hold whatever bytes a program chose: how they are printed. */
#ifndef GAPP_READ_NAMES_H
#define GAPP_READ_NAMES_H

#include <limits.h>
#include <stdio.h>

#include "core/port.h"

/* Room for @bytes bytes, every one escaped. */
#define NAME_SAFE_SIZE(bytes) (4 * (bytes) + 1)
#define NAME_WHOLE UINT_MAX

/**
 * name_safe() - a name as a terminal may see it
 * @safe: the result, NAME_SAFE_SIZE(@len) bytes, NUL terminated
 * @name: any bytes
 * @len: how many
 * @columns: cut, and marked with ~, where it would take more; NAME_WHOLE: never
 *
 * What the locale does not call printable, or what takes no column of its own (controls, escape
 * sequences, marks that turn the writing direction), is shown byte by byte as \xNN.
 *
 * Return: columns taken.
 */
unsigned int name_safe(char *safe, const void *name, size_t len, unsigned int columns);

/**
 * name_json() - a name as a JSON string, quotes included
 * @out: where to
 * @name: any bytes
 * @len: how many
 *
 * Controls become \u00NN. Bytes that are no UTF-8 become U+FFFD, so the text stays valid.
 */
void name_json(FILE *out, const void *name, size_t len);

/* A module's name within other brackets: without its own, as in "[vdso]". */
const char *module_begin(const char *module);
size_t module_len(const char *module);

/* Bytes of a name that the kernel gave: up to its NUL, if it has one. */
size_t comm_len(const u8 *comm);

#endif /* GAPP_READ_NAMES_H */
