/* SPDX-License-Identifier: GPL-2.0 */
/* Unwind tables of all that a process maps, as if the module had them. */
#ifndef GAPP_TESTS_MADE_TABLES_H
#define GAPP_TESTS_MADE_TABLES_H

#include "input/mappings.h"
#include "table-sync/object_tables.h"

/**
 * struct made_tables - the tables
 * @device: no device
 * @tables: of each object
 */
struct made_tables {
	struct device device;
	struct object_tables tables;
};

void made_tables_begin(struct made_tables *made, struct objects *objects,
		       const struct mappings *mappings);
/* Objects of this name have no table any more. */
void made_tables_drop(struct made_tables *made, const char *name);
void made_tables_end(struct made_tables *made);

#endif /* GAPP_TESTS_MADE_TABLES_H */
