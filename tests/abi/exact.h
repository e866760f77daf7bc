/* SPDX-License-Identifier: GPL-2.0 */
/* The loop of exact.c, which the test's processes have, too. */
#ifndef GAPP_TESTS_ABI_EXACT_H
#define GAPP_TESTS_ABI_EXACT_H

#include "t.h"

extern const char t_exact_begin[], t_exact_exit[], t_exact_end[];

/* Tells the module of the loop and its exit, in a process that runs this program. */
void exact_map(int fd, pid_t pid);

#endif /* GAPP_TESTS_ABI_EXACT_H */
