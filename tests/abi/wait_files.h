/* SPDX-License-Identifier: GPL-2.0 */
/* Files of waits: of those that the opener may look at. */
#ifndef GAPP_TESTS_ABI_WAIT_FILES_H
#define GAPP_TESTS_ABI_WAIT_FILES_H

#include <stdbool.h>

/* @told: files of a process that is not dumpable must be told; else they must not. */
void wait_files_check(bool told);

#endif /* GAPP_TESTS_ABI_WAIT_FILES_H */
