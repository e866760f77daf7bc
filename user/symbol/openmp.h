/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What compilers and runtimes of OpenMP call their functions. A compiler moves the body of a
 * parallel region, or of a task, into a function of its own: that is outlined.
 */
#ifndef GAPP_READ_OPENMP_H
#define GAPP_READ_OPENMP_H

#include "symbols.h"

enum openmp_code {
	OPENMP_NONE, /* any other code */
	OPENMP_OUTLINED, /* the body of a parallel region or of a task */
	OPENMP_INNER, /* such a body too, whose caller is the outlined function that stands for it
		       */
	OPENMP_HELPER, /* what a compiler makes beside it: copies arguments, adds up */
	OPENMP_RUNTIME, /* libgomp's or libomp's */
	OPENMP_ASKED, /* omp_get_wtime() and the like: a runtime's, which a program calls itself */
};

/* What the function of a frame is, by its name and its module's. */
enum openmp_code openmp_code_of(const struct frame *function);

/*
 * Bytes of an outlined function's name, or of its symbol, before the mark of the compiler: the name
 * of the function that has the region. 0: the name does not say. @length: there is no mark.
 */
size_t openmp_mark(const char *name, size_t length);

#endif /* GAPP_READ_OPENMP_H */
