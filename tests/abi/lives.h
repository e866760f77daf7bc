/* SPDX-License-Identifier: GPL-2.0 */
/* Who preempted a thread: told to those who may know. */
#ifndef GAPP_TESTS_ABI_LIVES_H
#define GAPP_TESTS_ABI_LIVES_H

#include <stdbool.h>

/*
 * A child that this process preempts, which is no part of the target: @told: its identity must be.
 */
void lives_check_preempter(bool told);

#endif /* GAPP_TESTS_ABI_LIVES_H */
