/* SPDX-License-Identifier: GPL-2.0 */
/* What the kernel has behind this process's memory. */
#ifndef GAPP_TESTS_ABI_MEMORY_H
#define GAPP_TESTS_ABI_MEMORY_H

#include "t.h"

/* Whether the page is in the page table. */
bool m_is_present(const u8 *memory);
/* Whether the mapping that begins there has a huge page. */
bool m_is_huge(const u8 *memory);
/* A file of memory. */
int m_file(size_t bytes);

#endif /* GAPP_TESTS_ABI_MEMORY_H */
