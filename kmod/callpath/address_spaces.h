/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The executable mappings of the target's processes and their unwind tables and
 * spin tables, which the reader gives by SET_MAPPINGS and LOAD_TABLE. A CPU finds
 * them by the mm of current.
 */
#ifndef GAPP_ADDRESS_SPACES_H
#define GAPP_ADDRESS_SPACES_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/refcount.h>
#include <linux/uidgid.h>
#include <linux/xarray.h>

#include "core/spin_table.h"
#include "core/unwind.h"
#include "threads/table.h"

/* Address spaces whose mappings a session can have. */
#define GAPP_MAX_ADDRESS_SPACES 4096
/* Address spaces that a session allocates at a time; forks find half as many in stock. */
#define GAPP_STOCK_ADDRESS_SPACES 64
#define GAPP_SPACE_HASH_BITS 11

struct gapp_address_space;

/**
 * struct gapp_address_spaces - the address spaces and unwind tables of a session
 * @settings: settings of the session
 * @worker: worker of the session: it frees @lists_gone and address spaces without a user, and
 *	refills @free
 * @lock: protects the members up to @chunk_count; interrupts off
 * @free_count: number of address spaces in @free
 * @count: number of address spaces in use
 * @free: address spaces that are not in use
 * @by_mm: address spaces in use by the hash of their mm, read under RCU
 * @chunks: all address spaces ever made, GAPP_STOCK_ADDRESS_SPACES in each chunk
 * @chunk_count: number of chunks
 * @lists_gone: mapping lists that no address space uses any more
 * @mappings_held: number of mappings in use, and of those replaced but not yet freed
 * @tables: struct gapp_loaded_table by number; under the session's lock
 * @table_bytes: bytes of all @tables; under the session's lock
 * @table_count: number of @tables; under the session's lock
 */
struct gapp_address_spaces {
	const struct gapp_settings *settings;
	struct gapp_worker *worker;
	raw_spinlock_t lock;
	u32 free_count;
	u32 count;
	struct hlist_head free;
	struct hlist_head by_mm[1 << GAPP_SPACE_HASH_BITS];
	struct gapp_address_space *chunks[GAPP_MAX_ADDRESS_SPACES / GAPP_STOCK_ADDRESS_SPACES];
	u32 chunk_count;
	struct llist_head lists_gone;
	atomic_t mappings_held;
	struct xarray tables;
	u64 table_bytes;
	u32 table_count;
};

/**
 * struct gapp_mapping_list - executable mappings of an address space; nobody changes a list
 * @refs: references by address spaces; a child shares the list of its parent
 * @gone: in gapp_address_spaces.lists_gone
 * @id: number that no other list ever has
 * @spaces: address spaces of the session
 * @room: number of mappings by which the list counts in mappings_held
 * @count: number of @mappings
 * @spins: some of @mappings has a spin table
 * @deep: some of these has a range with GAPP_SPIN_DEEP
 * @mappings: mappings sorted by address; each table is a member of a struct gapp_loaded_table, to
 *	which the list has a reference
 */
struct gapp_mapping_list {
	refcount_t refs;
	struct llist_node gone;
	u64 id;
	struct gapp_address_spaces *spaces;
	u32 room;
	u32 count;
	bool spins;
	bool deep;
	struct gapp_unwind_mapping mappings[];
};

/* What a loaded table is. */
enum gapp_table_kind {
	GAPP_TABLE_UNWIND,
	GAPP_TABLE_SPIN,
};

/**
 * struct gapp_loaded_table - a table, shared by all sessions that load the same bytes
 * @node: in the hash of all tables; under their lock
 * @refs: references by sessions, one for each number, and by mapping lists
 * @owner: user whose sessions may share it; invalid: sessions with privilege share it
 * @hash: hash of the bytes and of @owner
 * @bytes: size of @data in bytes
 * @charge: what the session that loaded it first pays, until it is freed
 * @data: the bytes, which nobody changes
 * @kind: enum gapp_table_kind
 * @table: with GAPP_TABLE_UNWIND: parts of the table
 * @spins: with GAPP_TABLE_SPIN: parts of the table
 * @deep: with GAPP_TABLE_SPIN: a range has GAPP_SPIN_DEEP
 */
struct gapp_loaded_table {
	struct hlist_node node;
	refcount_t refs;
	kuid_t owner;
	u64 hash;
	u64 bytes;
	struct gapp_charge charge;
	void *data;
	u8 kind;
	union {
		struct gapp_table table;
		struct gapp_spin_table spins;
	};
	bool deep;
};

/* address_spaces.c */
void gapp_address_spaces_prepare(struct gapp_address_spaces *spaces,
				 const struct gapp_settings *settings, struct gapp_worker *worker);
int gapp_address_spaces_stock(struct gapp_address_spaces *spaces, u32 count);
void gapp_address_spaces_reap(struct gapp_address_spaces *spaces);
void gapp_address_spaces_destroy(struct gapp_address_spaces *spaces);
struct gapp_mapping_list *gapp_address_spaces_find(struct gapp_address_spaces *spaces,
						   const struct mm_struct *mm);
void gapp_address_spaces_executed(struct gapp_address_spaces *spaces, const struct mm_struct *mm);
void gapp_address_spaces_forked(struct gapp_address_spaces *spaces, struct mm_struct *parent,
				struct mm_struct *child);
int gapp_mappings_set(struct gapp_address_spaces *spaces, const struct gapp_thread_table *threads,
		      struct pid *pid, struct mm_struct **asked_mm, struct gapp_mappings *maps);

/* tables.c; process context */
void gapp_tables_destroy(struct gapp_address_spaces *spaces);
int gapp_tables_load(struct gapp_address_spaces *spaces, struct gapp_table_load *load);
int gapp_tables_drop(struct gapp_address_spaces *spaces, const struct gapp_table_drop *drop);
struct gapp_loaded_table *gapp_tables_hold(struct gapp_address_spaces *spaces, u32 number,
					   enum gapp_table_kind kind);
void gapp_tables_put(struct gapp_loaded_table *table);
void gapp_tables_for_each(void (*show)(const struct gapp_loaded_table *table, void *data),
			  void *data);
u64 gapp_tables_limit(void);

#endif /* GAPP_ADDRESS_SPACES_H */
