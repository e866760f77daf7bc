/* SPDX-License-Identifier: GPL-2.0 */
/* Call paths of wakers: of those that the opener may look at. */
#ifndef GAPP_TESTS_ABI_WAKER_PATHS_H
#define GAPP_TESTS_ABI_WAKER_PATHS_H

#include <stdbool.h>

/* @told: the path of a process that is not dumpable must be told; else it must not. */
void waker_paths_check(bool told);

#endif /* GAPP_TESTS_ABI_WAKER_PATHS_H */
