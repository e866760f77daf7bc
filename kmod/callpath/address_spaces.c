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

/* Locks and lists: a session can be closed before CONFIGURE. */
void gapp_address_spaces_prepare(struct gapp_address_spaces *spaces,
				 const struct gapp_settings *settings, struct gapp_worker *worker)
{
	spaces->settings = settings;
	spaces->worker = worker;
	raw_spin_lock_init(&spaces->lock);
	INIT_HLIST_HEAD(&spaces->free);
	init_llist_head(&spaces->lists_gone);
	xa_init_flags(&spaces->tables, XA_FLAGS_ALLOC1);
}

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
	atomic_sub(list->room, &list->spaces->mappings_held);
	kvfree(list);
	cond_resched();
}

static struct hlist_head *bucket_of(struct gapp_address_spaces *spaces, const struct mm_struct *mm)
{
	return &spaces->by_mm[hash_ptr(mm, GAPP_SPACE_HASH_BITS)];
}

/* Under RCU or the lock of the address spaces. */
static struct gapp_address_space *find(struct gapp_address_spaces *spaces,
				       const struct mm_struct *mm)
{
	struct gapp_address_space *space;

	hlist_for_each_entry_rcu(space, bucket_of(spaces, mm), hash, lockdep_is_held(&spaces->lock))
		if (space->mm == mm)
			return space;
	return NULL;
}

/**
 * gapp_address_spaces_find() - what is executable in an address space
 * @spaces: of the session
 * @mm: the address space, in use
 *
 * Under rcu_read_lock().
 *
 * Return: NULL if nobody has told.
 */
struct gapp_mapping_list *gapp_address_spaces_find(struct gapp_address_spaces *spaces,
						   const struct mm_struct *mm)
{
	struct gapp_address_space *space = find(spaces, mm);

	return space ? rcu_dereference_check(space->mappings, rcu_read_lock_any_held()) : NULL;
}

/*
 * Under the lock of the address spaces. What was there is freed by the worker, after a grace
 * period.
 *
 * Return: whether the worker is to be called for that.
 */
static bool put_in_place(struct gapp_address_spaces *spaces, struct gapp_address_space *space,
			 struct gapp_mapping_list *list)
{
	struct gapp_mapping_list *old =
		rcu_dereference_protected(space->mappings, lockdep_is_held(&spaces->lock));

	rcu_assign_pointer(space->mappings, list);
	if (!old || refcount_dec_not_one(&old->refs))
		return false;
	/* The last reference is the worker's now. */
	return llist_add(&old->gone, &spaces->lists_gone);
}

/* Under the lock of the address spaces. */
static void set_list(struct gapp_address_spaces *spaces, struct gapp_address_space *space,
		     struct gapp_mapping_list *list)
{
	if (put_in_place(spaces, space, list))
		irq_work_queue(&spaces->worker->irq_work);
}

/* Under the lock of the address spaces. NULL: there is none in stock. */
static struct gapp_address_space *take_free(struct gapp_address_spaces *spaces,
					    struct mm_struct *mm)
{
	struct gapp_address_space *space;

	if (hlist_empty(&spaces->free))
		return NULL;
	space = hlist_entry(spaces->free.first, struct gapp_address_space, hash);
	__hlist_del(&space->hash);
	spaces->free_count--;
	spaces->count++;
	mmgrab(mm);
	space->mm = mm;
	hlist_add_head_rcu(&space->hash, bucket_of(spaces, mm));
	return space;
}

/**
 * gapp_address_spaces_set() - from now on this is what is executable in an address space
 * @spaces: of the session
 * @mm: the address space; the caller is a user of it
 * @list: a reference, given up
 *
 * Return: 0, -ENOMEM or -ENOSPC.
 */
int gapp_address_spaces_set(struct gapp_address_spaces *spaces, struct mm_struct *mm,
			    struct gapp_mapping_list *list)
{
	struct gapp_address_space *space;
	unsigned long flags;
	int ret;

	/* Somebody may take what was in stock: the next try makes more. */
	do {
		raw_spin_lock_irqsave(&spaces->lock, flags);
		space = find(spaces, mm) ?: take_free(spaces, mm);
		if (space)
			set_list(spaces, space, list);
		raw_spin_unlock_irqrestore(&spaces->lock, flags);
		ret = space ? 0 : gapp_address_spaces_stock(spaces, 1);
	} while (!space && !ret);
	if (ret)
		gapp_mapping_list_put(list);
	return ret;
}

/* What was told of an address space does not hold any more. Any context. */
void gapp_address_spaces_forget(struct gapp_address_spaces *spaces, const struct mm_struct *mm)
{
	struct gapp_address_space *space;
	unsigned long flags;

	raw_spin_lock_irqsave(&spaces->lock, flags);
	space = find(spaces, mm);
	if (space)
		set_list(spaces, space, NULL);
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
}

/* What was told while @mm was not yet complete does not hold; and the one before it may be dead. */
void gapp_address_spaces_executed(struct gapp_address_spaces *spaces, const struct mm_struct *mm)
{
	gapp_address_spaces_forget(spaces, mm);
	if (READ_ONCE(spaces->count))
		irq_work_queue(&spaces->worker->irq_work);
}

/* A child's memory is its parent's for the time being. Any context. */
void gapp_address_spaces_forked(struct gapp_address_spaces *spaces, struct mm_struct *parent,
				struct mm_struct *child)
{
	struct gapp_mapping_list *list = NULL;
	struct gapp_address_space *space;
	unsigned long flags;

	if (!parent || !child || parent == child)
		return;
	raw_spin_lock_irqsave(&spaces->lock, flags);
	space = find(spaces, parent);
	if (space)
		list = rcu_dereference_protected(space->mappings, lockdep_is_held(&spaces->lock));
	/* Somebody may have been told of the child already, and have told of its memory. */
	if (list && !find(spaces, child)) {
		space = take_free(spaces, child);
		if (space) {
			refcount_inc(&list->refs);
			RCU_INIT_POINTER(space->mappings, list);
		}
		if (spaces->free_count < GAPP_STOCK_ADDRESS_SPACES / 2)
			irq_work_queue(&spaces->worker->irq_work);
	}
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
}

static int make_more(struct gapp_address_spaces *spaces)
{
	struct gapp_address_space *chunk;
	unsigned long flags;
	u32 i, number;

	chunk = kcalloc(GAPP_STOCK_ADDRESS_SPACES, sizeof(*chunk), GFP_KERNEL_ACCOUNT);
	if (!chunk)
		return -ENOMEM;
	raw_spin_lock_irqsave(&spaces->lock, flags);
	number = spaces->chunk_count;
	if (number < ARRAY_SIZE(spaces->chunks)) {
		spaces->chunks[spaces->chunk_count++] = chunk;
		for (i = 0; i < GAPP_STOCK_ADDRESS_SPACES; i++)
			hlist_add_head(&chunk[i].hash, &spaces->free);
		spaces->free_count += GAPP_STOCK_ADDRESS_SPACES;
	}
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
	if (number < ARRAY_SIZE(spaces->chunks))
		return 0;
	kfree(chunk);
	return -ENOSPC;
}

/**
 * gapp_address_spaces_stock() - see to it that address spaces are free
 * @spaces: of the session
 * @count: how many at least
 *
 * Process context.
 *
 * Return: 0, -ENOMEM, or -ENOSPC if there are as many as there may be.
 */
int gapp_address_spaces_stock(struct gapp_address_spaces *spaces, u32 count)
{
	int ret = 0;

	while (!ret && READ_ONCE(spaces->free_count) < count)
		ret = make_more(spaces);
	return ret;
}

/*
 * Takes those out that nobody uses any more, and lists them. It is the worker itself, which looks
 * for what is to be freed right afterwards and must not call for another run: its last one may be
 * waited for.
 */
static void unlist_dead(struct gapp_address_spaces *spaces, struct hlist_head *dead)
{
	struct gapp_address_space *space;
	struct hlist_node *next;
	unsigned long flags;
	u32 i;

	for (i = 0; i < ARRAY_SIZE(spaces->by_mm); i++) {
		if (hlist_empty(&spaces->by_mm[i]))
			continue;
		raw_spin_lock_irqsave(&spaces->lock, flags);
		hlist_for_each_entry_safe(space, next, &spaces->by_mm[i], hash) {
			if (atomic_read(&space->mm->mm_users))
				continue;
			put_in_place(spaces, space, NULL);
			hlist_del_rcu(&space->hash);
			hlist_add_head(&space->dead, dead);
		}
		raw_spin_unlock_irqrestore(&spaces->lock, flags);
	}
}

static void free_dead(struct gapp_address_spaces *spaces, struct hlist_head *dead)
{
	struct gapp_address_space *space;
	struct hlist_node *next;
	unsigned long flags;

	hlist_for_each_entry_safe(space, next, dead, dead) {
		mmdrop(space->mm);
		space->mm = NULL;
		raw_spin_lock_irqsave(&spaces->lock, flags);
		hlist_add_head(&space->hash, &spaces->free);
		spaces->free_count++;
		spaces->count--;
		raw_spin_unlock_irqrestore(&spaces->lock, flags);
	}
}

static void put_lists(struct llist_node *gone)
{
	struct gapp_mapping_list *list, *next;

	llist_for_each_entry_safe(list, next, gone, gone)
		gapp_mapping_list_put(list);
}

/* Lets go what nobody uses any more. The worker. */
void gapp_address_spaces_reap(struct gapp_address_spaces *spaces)
{
	struct llist_node *gone;
	HLIST_HEAD(dead);

	unlist_dead(spaces, &dead);
	gone = llist_del_all(&spaces->lists_gone);
	if (!gone && hlist_empty(&dead))
		return;
	synchronize_rcu();
	free_dead(spaces, &dead);
	put_lists(gone);
}

/* Nobody walks any more, and the worker has ended. */
void gapp_address_spaces_destroy(struct gapp_address_spaces *spaces)
{
	struct gapp_address_space *space;
	struct gapp_mapping_list *list;
	u32 chunk, i;

	for (chunk = 0; chunk < spaces->chunk_count; chunk++) {
		for (i = 0; i < GAPP_STOCK_ADDRESS_SPACES; i++) {
			space = &spaces->chunks[chunk][i];
			if (!space->mm)
				continue;
			list = rcu_dereference_protected(space->mappings, true);
			if (list)
				gapp_mapping_list_put(list);
			mmdrop(space->mm);
		}
		kfree(spaces->chunks[chunk]);
	}
	spaces->chunk_count = 0;
	spaces->free_count = 0;
	spaces->count = 0;
	INIT_HLIST_HEAD(&spaces->free);
	memset(spaces->by_mm, 0, sizeof(spaces->by_mm));
	put_lists(llist_del_all(&spaces->lists_gone));
}
