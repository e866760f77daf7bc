/* SPDX-License-Identifier: GPL-2.0 */
/* Memory that runs out when a test says so. One file of a test's program includes this. */
#ifndef STARVE_H
#define STARVE_H

#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>

/* Requests until one finds no memory; the one after that does. */
static size_t memory = SIZE_MAX;

/* In place of the sanitizer's, which it calls. */
void *calloc(size_t count, size_t size)
{
	static void *(*next)(size_t count, size_t size);

	if (!next)
		next = dlsym(RTLD_NEXT, "calloc");
	return memory-- ? next(count, size) : NULL;
}

/* In place of libc's. */
void *reallocarray(void *old, size_t count, size_t size)
{
	return memory-- ? realloc(old, count * size) : NULL;
}

#endif /* STARVE_H */
