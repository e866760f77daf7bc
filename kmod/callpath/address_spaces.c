// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces by their mm. They are found and inherited from the
 * scheduler's context; made, swept and freed in process context only, where
 * one whose last user has gone is let go by the worker.
 */
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "address_spaces.h"
#include "tables.h"

/* No reader can have it any more. Process context. */
void gapp_mapping_list_put(struct gapp_mapping_list *list)
{
	const struct gapp_table *table;
	u32 i;

	if (!refcount_dec_and_test(&list->refs))
		return;
	for (i = 0; i < list->count; i++) {
		table = list->code[i].table;
		if (table)
			gapp_tables_put(container_of(table, struct gapp_loaded_table, table));
	}
	atomic_sub(list->room, &list->session->mappings_held);
	kvfree(list);
	cond_resched();
}

static struct hlist_head *bucket_of(struct gapp_session *session, const struct mm_struct *mm)
{
	return &session->spaces[hash_ptr(mm, GAPP_SPACE_HASH_BITS)];
}

/* Under RCU or table_lock. */
static struct gapp_address_space *find(struct gapp_session *session, const struct mm_struct *mm)
{
	struct gapp_address_space *space;

	hlist_for_each_entry_rcu(space, bucket_of(session, mm), hash,
				 lockdep_is_held(&session->table_lock))
		if (space->mm == mm)
			return space;
	return NULL;
}

/**
 * gapp_address_spaces_find() - what is executable in an address space
 * @session: the session
 * @mm: the address space, in use
 *
 * Under rcu_read_lock().
 *
 * Return: NULL if nobody has told.
 */
struct gapp_mapping_list *gapp_address_spaces_find(struct gapp_session *session,
						   const struct mm_struct *mm)
{
	struct gapp_address_space *space = find(session, mm);

	return space ? rcu_dereference_check(space->mappings, rcu_read_lock_any_held()) : NULL;
}

/*
 * Under table_lock. What was there is freed by the worker, after a grace period.
 *
 * Return: whether the worker is to be called for that.
 */
static bool put_in_place(struct gapp_session *session, struct gapp_address_space *space,
			 struct gapp_mapping_list *list)
{
	struct gapp_mapping_list *old =
		rcu_dereference_protected(space->mappings, lockdep_is_held(&session->table_lock));

	rcu_assign_pointer(space->mappings, list);
	if (!old || refcount_dec_not_one(&old->refs))
		return false;
	/* The last reference is the worker's now. */
	return llist_add(&old->gone, &session->lists_gone);
}

/* Under table_lock. */
static void set_list(struct gapp_session *session, struct gapp_address_space *space,
		     struct gapp_mapping_list *list)
{
	if (put_in_place(session, space, list))
		irq_work_queue(&session->irq_work);
}

/* Under table_lock. NULL: there is none in stock. */
static struct gapp_address_space *take_free(struct gapp_session *session, struct mm_struct *mm)
{
	struct gapp_address_space *space;

	if (hlist_empty(&session->spaces_free))
		return NULL;
	space = hlist_entry(session->spaces_free.first, struct gapp_address_space, hash);
	__hlist_del(&space->hash);
	session->space_free_count--;
	session->space_count++;
	mmgrab(mm);
	space->mm = mm;
	hlist_add_head_rcu(&space->hash, bucket_of(session, mm));
	return space;
}

/**
 * gapp_address_spaces_set() - from now on this is what is executable in an address space
 * @session: the session
 * @mm: the address space; the caller is a user of it
 * @list: a reference, given up
 *
 * Return: 0, -ENOMEM or -ENOSPC.
 */
int gapp_address_spaces_set(struct gapp_session *session, struct mm_struct *mm,
			    struct gapp_mapping_list *list)
{
	struct gapp_address_space *space;
	unsigned long flags;
	int ret;

	/* Somebody may take what was in stock: the next try makes more. */
	do {
		raw_spin_lock_irqsave(&session->table_lock, flags);
		space = find(session, mm) ?: take_free(session, mm);
		if (space)
			set_list(session, space, list);
		raw_spin_unlock_irqrestore(&session->table_lock, flags);
		ret = space ? 0 : gapp_address_spaces_stock(session, 1);
	} while (!space && !ret);
	if (ret)
		gapp_mapping_list_put(list);
	return ret;
}

/* What was told of an address space does not hold any more. Any context. */
void gapp_address_spaces_forget(struct gapp_session *session, const struct mm_struct *mm)
{
	struct gapp_address_space *space;
	unsigned long flags;

	raw_spin_lock_irqsave(&session->table_lock, flags);
	space = find(session, mm);
	if (space)
		set_list(session, space, NULL);
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}

/* What was told while @mm was not yet complete does not hold; and the one before it may be dead. */
void gapp_address_spaces_executed(struct gapp_session *session, const struct mm_struct *mm)
{
	gapp_address_spaces_forget(session, mm);
	if (READ_ONCE(session->space_count))
		irq_work_queue(&session->irq_work);
}

/* A child's memory is its parent's for the time being. Any context. */
void gapp_address_spaces_forked(struct gapp_session *session, struct mm_struct *parent,
				struct mm_struct *child)
{
	struct gapp_mapping_list *list = NULL;
	struct gapp_address_space *space;
	unsigned long flags;

	if (!parent || !child || parent == child)
		return;
	raw_spin_lock_irqsave(&session->table_lock, flags);
	space = find(session, parent);
	if (space)
		list = rcu_dereference_protected(space->mappings,
						 lockdep_is_held(&session->table_lock));
	/* Somebody may have been told of the child already, and have told of its memory. */
	if (list && !find(session, child)) {
		space = take_free(session, child);
		if (space) {
			refcount_inc(&list->refs);
			RCU_INIT_POINTER(space->mappings, list);
		}
		if (session->space_free_count < GAPP_STOCK_ADDRESS_SPACES / 2)
			irq_work_queue(&session->irq_work);
	}
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
}

static int make_more(struct gapp_session *session)
{
	struct gapp_address_space *chunk;
	unsigned long flags;
	u32 i, number;

	chunk = kcalloc(GAPP_STOCK_ADDRESS_SPACES, sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	raw_spin_lock_irqsave(&session->table_lock, flags);
	number = session->space_chunk_count;
	if (number < ARRAY_SIZE(session->space_chunks)) {
		session->space_chunks[session->space_chunk_count++] = chunk;
		for (i = 0; i < GAPP_STOCK_ADDRESS_SPACES; i++)
			hlist_add_head(&chunk[i].hash, &session->spaces_free);
		session->space_free_count += GAPP_STOCK_ADDRESS_SPACES;
	}
	raw_spin_unlock_irqrestore(&session->table_lock, flags);
	if (number < ARRAY_SIZE(session->space_chunks))
		return 0;
	kfree(chunk);
	return -ENOSPC;
}

/**
 * gapp_address_spaces_stock() - see to it that address spaces are free
 * @session: the session
 * @spaces: how many at least
 *
 * Process context.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if there are as many as there may be.
 */
int gapp_address_spaces_stock(struct gapp_session *session, u32 spaces)
{
	int ret = 0;

	while (!ret && READ_ONCE(session->space_free_count) < spaces)
		ret = make_more(session);
	return ret;
}

/*
 * Takes those out that nobody uses any more, and lists them. It is the worker itself, which looks
 * for what is to be freed right afterwards and must not call for another run: its last one may be
 * waited for.
 */
static void unlist_dead(struct gapp_session *session, struct hlist_head *dead)
{
	struct gapp_address_space *space;
	struct hlist_node *next;
	unsigned long flags;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(session->spaces); i++) {
		if (hlist_empty(&session->spaces[i]))
			continue;
		raw_spin_lock_irqsave(&session->table_lock, flags);
		hlist_for_each_entry_safe(space, next, &session->spaces[i], hash) {
			if (atomic_read(&space->mm->mm_users))
				continue;
			put_in_place(session, space, NULL);
			hlist_del_rcu(&space->hash);
			hlist_add_head(&space->dead, dead);
		}
		raw_spin_unlock_irqrestore(&session->table_lock, flags);
	}
}

static void free_dead(struct gapp_session *session, struct hlist_head *dead)
{
	struct gapp_address_space *space;
	struct hlist_node *next;
	unsigned long flags;

	hlist_for_each_entry_safe(space, next, dead, dead) {
		mmdrop(space->mm);
		space->mm = NULL;
		raw_spin_lock_irqsave(&session->table_lock, flags);
		hlist_add_head(&space->hash, &session->spaces_free);
		session->space_free_count++;
		session->space_count--;
		raw_spin_unlock_irqrestore(&session->table_lock, flags);
	}
}

static void put_lists(struct llist_node *gone)
{
	struct gapp_mapping_list *list, *next;

	llist_for_each_entry_safe(list, next, gone, gone)
		gapp_mapping_list_put(list);
}

/* Lets go what nobody uses any more. The worker. */
void gapp_address_spaces_reap(struct gapp_session *session)
{
	struct llist_node *gone;
	HLIST_HEAD(dead);

	unlist_dead(session, &dead);
	gone = llist_del_all(&session->lists_gone);
	if (!gone && hlist_empty(&dead))
		return;
	synchronize_rcu();
	free_dead(session, &dead);
	put_lists(gone);
}

/* Nobody walks any more, and the worker has ended. */
void gapp_address_spaces_destroy(struct gapp_session *session)
{
	struct gapp_address_space *space;
	struct gapp_mapping_list *list;
	u32 chunk, i;

	for (chunk = 0; chunk < session->space_chunk_count; chunk++) {
		for (i = 0; i < GAPP_STOCK_ADDRESS_SPACES; i++) {
			space = &session->space_chunks[chunk][i];
			if (!space->mm)
				continue;
			list = rcu_dereference_protected(space->mappings, true);
			if (list)
				gapp_mapping_list_put(list);
			mmdrop(space->mm);
		}
		kfree(session->space_chunks[chunk]);
	}
	session->space_chunk_count = 0;
	session->space_free_count = 0;
	session->space_count = 0;
	INIT_HLIST_HEAD(&session->spaces_free);
	memset(session->spaces, 0, sizeof(session->spaces));
	put_lists(llist_del_all(&session->lists_gone));
}
