/* SPDX-License-Identifier: GPL-2.0 */
/* What is executable in the address spaces of the target, as the reader has told. */
#ifndef GAPP_SPACES_H
#define GAPP_SPACES_H

#include <linux/refcount.h>
#include <linux/xarray.h>

#include "core/unwind.h"
#include "threads/table.h"

/* Address spaces in a session; the module does not unwind more than that by tables. */
#define GAPP_MAX_ADDRESS_SPACES 4096
/* Made at a time, and kept in stock for processes that fork. */
#define GAPP_STOCK_ADDRESS_SPACES 64
#define GAPP_SPACE_HASH_BITS 11

struct gapp_address_space;

/*
 * struct gapp_address_spaces - the address spaces and unwind tables of a session
 * @worker: reaps @lists_gone and address spaces without a user, refills @free
 * @lock: protects the members up to @chunk_count; interrupts off
 * @by_mm: address spaces in use, read under RCU
 * @chunks: all address spaces ever made, GAPP_STOCK_ADDRESS_SPACES each
 * @lists_gone: mapping lists that no address space has any more
 * @mappings_held: mappings in use, and those replaced that are not yet freed
 * @tables: struct gapp_loaded_table by number; under the session's lock
 * @table_bytes: size of @tables; under the session's lock
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
 * struct gapp_mapping_list - executable memory of an address space; never changed
 * @refs: of address spaces, for a child begins with its parent's
 * @gone: in the list of those that no space has any more
 * @id: its number, which no other ever has
 * @spaces: of the session
 * @room: mappings that it counts as in the target's bound
 * @count: of @code
 * @code: by address; tables are members of struct gapp_loaded_table, references
 */
struct gapp_mapping_list {
	refcount_t refs;
	struct llist_node gone;
	u64 id;
	struct gapp_address_spaces *spaces;
	u32 room;
	u32 count;
	struct gapp_unwind_mapping code[];
};

/**
 * struct gapp_address_space - an address space
 * @hash: in a bucket, found under RCU, or in the free list; under the lock of the address spaces
 * @dead: in the worker's own list
 * @mm: held by mmgrab(), so its address is not used for another; NULL: free
 * @mappings: what is executable there; NULL: nobody has told since its exec
 */
struct gapp_address_space {
	struct hlist_node hash;
	struct hlist_node dead;
	struct mm_struct *mm;
	struct gapp_mapping_list __rcu *mappings;
};

void gapp_address_spaces_prepare(struct gapp_address_spaces *spaces,
				 const struct gapp_settings *settings, struct gapp_worker *worker);
int gapp_address_spaces_stock(struct gapp_address_spaces *spaces, u32 count);
void gapp_address_spaces_reap(struct gapp_address_spaces *spaces);
void gapp_address_spaces_destroy(struct gapp_address_spaces *spaces);
struct gapp_mapping_list *gapp_address_spaces_find(struct gapp_address_spaces *spaces,
						   const struct mm_struct *mm);
int gapp_address_spaces_set(struct gapp_address_spaces *spaces, struct mm_struct *mm,
			    struct gapp_mapping_list *list);
void gapp_address_spaces_forget(struct gapp_address_spaces *spaces, const struct mm_struct *mm);
void gapp_address_spaces_executed(struct gapp_address_spaces *spaces, const struct mm_struct *mm);
void gapp_address_spaces_forked(struct gapp_address_spaces *spaces, struct mm_struct *parent,
				struct mm_struct *child);
void gapp_mapping_list_put(struct gapp_mapping_list *list);

#endif /* GAPP_SPACES_H */
