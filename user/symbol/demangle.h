/* SPDX-License-Identifier: GPL-2.0 */
/* Names of functions as their programmer wrote them, without parameters. */
#ifndef GAPP_READ_DEMANGLE_H
#define GAPP_READ_DEMANGLE_H

#include "util/util.h"

/* Enough for a demangled name; longer ones stay as the linker has them. */
#define DEMANGLE_SIZE 16384

/*
 * Writes the name of symbol @symbol: C++ and Rust (both manglings) demangled, parameters and the
 * marks of a compiler's copies (".cold", ".constprop.0", "@@VERSION") dropped. What is no mangled
 * name stays. @name has DEMANGLE_SIZE bytes.
 */
void demangle(char *name, const char *symbol);

/* Bytes of @symbol before those marks. */
size_t demangle_base_length(const char *symbol);

/* It is the part of a function that the compiler put elsewhere, for it is rarely run. */
bool demangle_is_cold(const char *symbol);

#endif /* GAPP_READ_DEMANGLE_H */
