/* SPDX-License-Identifier: GPL-2.0 */
/* Where threads were that gave a CPU to each other: told to those who may know. */
#ifndef GAPP_TESTS_ABI_HANDOVERS_H
#define GAPP_TESTS_ABI_HANDOVERS_H

#include <stdbool.h>

/* @hidden: the target's process is not dumpable when it runs, and this process has no privilege. */
void handovers_check_hidden(bool hidden);

#endif /* GAPP_TESTS_ABI_HANDOVERS_H */
