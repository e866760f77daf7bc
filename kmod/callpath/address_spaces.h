/* SPDX-License-Identifier: GPL-2.0 */
/* What is executable in the address spaces of the target, as the reader has told. */
#ifndef GAPP_SPACES_H
#define GAPP_SPACES_H

#include "core/unwind.h"
#include "threads/table.h"

/**
 * struct gapp_mapping_list - executable memory of an address space; never changed
 * @refs: of address spaces, for a child begins with its parent's
 * @gone: in the list of those that no space has any more
 * @id: its number, which no other ever has
 * @session: the session
 * @room: mappings that it counts as in the target's bound
 * @count: of @code
 * @code: by address; tables are members of struct gapp_loaded_table, references
 */
struct gapp_mapping_list {
	refcount_t refs;
	struct llist_node gone;
	u64 id;
	struct gapp_session *session;
	u32 room;
	u32 count;
	struct gapp_unwind_mapping code[];
};

/**
 * struct gapp_address_space - an address space
 * @hash: in a bucket, found under RCU, or in the free list; under table_lock
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

int gapp_address_spaces_stock(struct gapp_session *session, u32 spaces);
void gapp_address_spaces_reap(struct gapp_session *session);
void gapp_address_spaces_destroy(struct gapp_session *session);
struct gapp_mapping_list *gapp_address_spaces_find(struct gapp_session *session,
						   const struct mm_struct *mm);
int gapp_address_spaces_set(struct gapp_session *session, struct mm_struct *mm,
			    struct gapp_mapping_list *list);
void gapp_address_spaces_forget(struct gapp_session *session, const struct mm_struct *mm);
void gapp_address_spaces_executed(struct gapp_session *session, const struct mm_struct *mm);
void gapp_address_spaces_forked(struct gapp_session *session, struct mm_struct *parent,
				struct mm_struct *child);
void gapp_mapping_list_put(struct gapp_mapping_list *list);

#endif /* GAPP_SPACES_H */
