/* SPDX-License-Identifier: GPL-2.0 */
/* Atomic operations on plain words. */
#ifndef GAPP_COMPAT_ATOMIC_H
#define GAPP_COMPAT_ATOMIC_H

#include <linux/atomic.h>

/* v5.11, 29f006fdefe6: on plain words. Here only on words of 32 bits, as the caller needs. */
#ifndef try_cmpxchg_acquire
#define try_cmpxchg_acquire(word, old, new) \
	atomic_try_cmpxchg_acquire((atomic_t *)(word), (int *)(old), (int)(new))
#endif

#endif /* GAPP_COMPAT_ATOMIC_H */
