/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Loops whose kind is known by their function's name: spin_ waits; call_ waits, and calls other
 * functions meanwhile; look_ looks like it, and works; of may_ the code alone cannot tell. A
 * function without one of these is a part of others.
 */
#ifndef CORPUS_H
#define CORPUS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LABELLED __attribute__((noinline))

#define relaxed(place) atomic_load_explicit(place, memory_order_relaxed)
#define acquire(place) atomic_load_explicit(place, memory_order_acquire)
#define release(place, value) atomic_store_explicit(place, value, memory_order_release)

static inline void pause_cpu(void)
{
	__builtin_ia32_pause();
}

/* of other libraries: progress engines, by their names, and work */
void opal_progress(void);
unsigned int ucp_worker_progress(void *worker);
int MPI_Test(void *request, int *flag, void *status);
void corpus_work_on(unsigned int piece);
void corpus_work_again(void);

#endif /* CORPUS_H */
