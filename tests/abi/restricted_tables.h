/* SPDX-License-Identifier: GPL-2.0 */
/* What a user without privilege may do with tables and mappings. */
#ifndef GAPP_TESTS_ABI_RESTRICTED_TABLES_H
#define GAPP_TESTS_ABI_RESTRICTED_TABLES_H

#include "t.h"

/* The ids are of processes that may not be followed. */
void restricted_tables(pid_t roots, pid_t others);

#endif /* GAPP_TESTS_ABI_RESTRICTED_TABLES_H */
