/* SPDX-License-Identifier: GPL-2.0 */
/* Who woke a thread: told to those who may know. */
#ifndef GAPP_TESTS_ABI_WAKERS_H
#define GAPP_TESTS_ABI_WAKERS_H

#include <stdbool.h>

/* A child that this process wakes, which is no part of the target: @told: its identity must be. */
void wakers_check(bool told);

#endif /* GAPP_TESTS_ABI_WAKERS_H */
