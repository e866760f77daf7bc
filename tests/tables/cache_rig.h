/* SPDX-License-Identifier: GPL-2.0 */
/* The folder of tables, for tests of it. */
#ifndef GAPP_TESTS_TABLES_CACHE_RIG_H
#define GAPP_TESTS_TABLES_CACHE_RIG_H

#include "unwind-table/table_cache.h"

/* The folder that the reader itself uses. */
int open_cache(void);
struct table_key key_of(int fd);
/* Unfinished ones too. */
unsigned int count_files(int folder);
/* A cmocka setup: the folder is empty. */
int no_files(void **state);
void write_file(int folder, const char *name, const void *bytes, size_t size);

#endif /* GAPP_TESTS_TABLES_CACHE_RIG_H */
