/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Unwind tables that readers have table. The same bytes are there once: what
 * is shared is equal, so nobody can give another a table that is not his own.
 * A user without privilege shares with himself only, or he could find out what
 * others profile.
 */
#ifndef GAPP_TABLES_H
#define GAPP_TABLES_H

#include <linux/list.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>

#include "core/table.h"

struct gapp_table_drop;
struct gapp_table_load;
struct gapp_address_spaces;

/**
 * struct gapp_loaded_table - a table
 * @node: in the hash of all tables; under their lock
 * @refs: of sessions, for each number they gave it, and of mappings
 * @hash: of its bytes, and of @owner
 * @owner: whose sessions share it; invalid: those that may see all anyway
 * @bytes: its size
 * @data: its bytes, never changed
 * @table: its parts
 */
struct gapp_loaded_table {
	struct hlist_node node;
	refcount_t refs;
	kuid_t owner;
	u64 hash;
	u64 bytes;
	void *data;
	struct gapp_table table;
};

void gapp_tables_destroy(struct gapp_address_spaces *spaces);
int gapp_tables_load(struct gapp_address_spaces *spaces, struct gapp_table_load *load);
int gapp_tables_drop(struct gapp_address_spaces *spaces, const struct gapp_table_drop *drop);
struct gapp_loaded_table *gapp_tables_hold(struct gapp_address_spaces *spaces, u32 number);
void gapp_tables_put(struct gapp_loaded_table *table);
void gapp_tables_for_each(void (*show)(const struct gapp_loaded_table *table, void *data),
			  void *data);
u64 gapp_tables_limit(void);

#endif /* GAPP_TABLES_H */
