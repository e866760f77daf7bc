/* SPDX-License-Identifier: GPL-2.0 */
/*
 * JIT dumps: files in which V8, LLVM, agents of the JVM and others write what code they put into
 * memory, with its name and often its source lines, in the format that perf inject --jit reads.
 */
#ifndef GAPP_READ_JIT_DUMP_H
#define GAPP_READ_JIT_DUMP_H

#include "perf_map.h"

/*
 * Reads a JIT dump as far as it is whole, for its program may still be writing it. What is no JIT
 * dump, or has another byte order, has no functions. Returns 0, or -1 without memory.
 */
int jit_dump_read(struct perf_map *map, int fd);

#endif /* GAPP_READ_JIT_DUMP_H */
