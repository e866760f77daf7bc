// SPDX-License-Identifier: GPL-2.0
#include "made_tables.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void make(struct object_table *table)
{
	int fd = elf_file_open(table->object);

	assert_true(fd >= 0);
	assert_int_equal(unwind_table_compile(&table->layout, fd, NULL), 0);
	close(fd);
	assert_true(gapp_table_open(&table->layout.parts, table->layout.data, table->layout.bytes));
	table->state = TABLE_LOADED;
}

void made_tables_begin(struct made_tables *made, struct objects *objects,
		       const struct mappings *mappings)
{
	const struct mapping *list = mappings_list(mappings);

	*made = (struct made_tables){ .device = { .fd = -1 } };
	made->tables.dev = &made->device;
	made->tables.objects = objects;
	assert_int_equal(object_tables_begin(&made->tables), 0);
	for (size_t i = 0; i < mappings_count(mappings); i++) {
		struct object_table *table;

		if (list[i].object->kind != OBJECT_FILE && list[i].object->kind != OBJECT_VDSO)
			continue;
		table = object_tables_get(&made->tables, list[i].object);
		assert_non_null(table);
		if (table->state == TABLE_NEW)
			make(table);
	}
}

void made_tables_drop(struct made_tables *made, const char *name)
{
	for (u32 i = 0; i < made->tables.by_object.count; i++) {
		struct object_table *table = made->tables.by_object.entries[i].value;

		if (!strcmp(table->object->name, name))
			table->state = TABLE_NONE;
	}
}

void made_tables_end(struct made_tables *made)
{
	object_tables_end(&made->tables);
}
