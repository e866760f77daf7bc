/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How large an ELF file becomes when libelf and libdwfl inflate what is
 * compressed in it: which they do at once, whatever it comes to.
 */
#ifndef GAPP_READ_INFLATED_H
#define GAPP_READ_INFLATED_H

#include "util/util.h"

/* Why the file @fd may not be read by them, as text; empty: it is no ELF file. NULL: it may. */
const char *inflated_refused(int fd);

/* Bytes that the first xz stream of @data comes to; UINT64_MAX: it is none, or goes on elsewhere.
 */
u64 inflated_xz_size(const u8 *data, size_t size);

#endif /* GAPP_READ_INFLATED_H */
