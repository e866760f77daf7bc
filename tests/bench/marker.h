/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A marker is an instruction that does nothing but tell plugin.c what is counted from here on: a
 * nopl whose displacement has a tag in its upper half and the number of a class in its lower one.
 */
#ifndef GAPP_BENCH_MARKER_H
#define GAPP_BENCH_MARKER_H

#define MARKER_TAG 0x4a9b
/* Of classes; class 0: nothing is counted. */
#define MARKER_CLASSES 64

/* 0f 1f 80 and four bytes: nopl DISPLACEMENT(%rax) */
#define MARKER_BYTES 7

#ifndef __ASSEMBLER__

#include <stddef.h>

extern const char markers[];

/* What is executed from here on is of @number. */
static inline void mark(unsigned int number)
{
	const char *marker = markers + (size_t)number * (MARKER_BYTES + 1);

	((void (*)(void))marker)();
}

#endif

#endif /* GAPP_BENCH_MARKER_H */
