// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces by their mm. The probes find one, copy one at a fork and clear
 * one at an exec, in the scheduler's context. Only process context makes and
 * frees them: the worker frees those whose last user has gone.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "address_spaces.h"
#include "fault/fault.h"

/* Mappings copied from the reader at a time. */
#define BATCH 16

static atomic64_t last_list = ATOMIC64_INIT(0);

/**
 * struct gapp_address_space - an address space
 * @hash: in gapp_address_spaces.by_mm or .free; under the lock of the address spaces
 * @dead: in the worker's list of those to free
 * @mm: the mm, held by mmgrab(), so that no other one gets its address; NULL: not in use
 * @mappings: mapping list; NULL: the reader has given none since the last exec
 */
struct gapp_address_space {
	struct hlist_node hash;
	struct hlist_node dead;
	struct mm_struct *mm;
	struct gapp_mapping_list __rcu *mappings;
};

/* Sets up what gapp_address_spaces_destroy() uses, even if CONFIGURE never comes. */
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

/* Gives up a reference to a list that no probe can find any more. Process context. */
static void put_list(struct gapp_mapping_list *list)
{
	const struct gapp_unwind_mapping *map;
	u32 i;

	if (!refcount_dec_and_test(&list->refs))
		return;
	for (i = 0; i < list->count; i++) {
		map = &list->mappings[i];
		if (map->table)
			gapp_tables_put(container_of(map->table, struct gapp_loaded_table, table));
		if (map->spins)
			gapp_tables_put(container_of(map->spins, struct gapp_loaded_table, spins));
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
 * gapp_address_spaces_find() - the mapping list of an address space
 * @spaces: address spaces of the session
 * @mm: mm that a task uses
 *
 * Under rcu_read_lock(), or in another RCU reader.
 *
 * Return: the mapping list; NULL if the reader has given none.
 */
struct gapp_mapping_list *gapp_address_spaces_find(struct gapp_address_spaces *spaces,
						   const struct mm_struct *mm)
{
	struct gapp_address_space *space = find(spaces, mm);

	return space ? rcu_dereference_check(space->mappings, rcu_read_lock_any_held()) : NULL;
}

/*
 * Replaces the mapping list of an address space. Under the lock of the address spaces. Return: true
 * if the caller must call the worker, which frees the old list after a grace period.
 */
static bool put_in_place(struct gapp_address_spaces *spaces, struct gapp_address_space *space,
			 struct gapp_mapping_list *list)
{
	struct gapp_mapping_list *old =
		rcu_dereference_protected(space->mappings, lockdep_is_held(&spaces->lock));

	rcu_assign_pointer(space->mappings, list);
	if (!old || refcount_dec_not_one(&old->refs))
		return false;
	/* The worker has the last reference now. */
	return llist_add(&old->gone, &spaces->lists_gone);
}

/* Replaces the mapping list, and calls the worker. Under the lock of the address spaces. */
static void set_list(struct gapp_address_spaces *spaces, struct gapp_address_space *space,
		     struct gapp_mapping_list *list)
{
	if (put_in_place(spaces, space, list))
		irq_work_queue(&spaces->worker->irq_work);
}

/* Takes an address space from the stock; NULL: there is none. Under their lock. */
static struct gapp_address_space *take_free(struct gapp_address_spaces *spaces,
					    struct mm_struct *mm)
{
	struct gapp_address_space *space;

	if (hlist_empty(&spaces->free))
		return NULL;
	space = hlist_entry(spaces->free.first, struct gapp_address_space, hash);
	__hlist_del(&space->hash);
	WRITE_ONCE(spaces->free_count, spaces->free_count - 1);
	WRITE_ONCE(spaces->count, spaces->count + 1);
	mmgrab(mm);
	space->mm = mm;
	hlist_add_head_rcu(&space->hash, bucket_of(spaces, mm));
	return space;
}

/* Sets the mapping list of @mm; takes over the reference. The caller holds a reference to @mm. */
static int give_list(struct gapp_address_spaces *spaces, struct mm_struct *mm,
		     struct gapp_mapping_list *list)
{
	struct gapp_address_space *space;
	unsigned long flags;
	int ret;

	/* A fork may take the last one from the stock: then try again. */
	do {
		raw_spin_lock_irqsave(&spaces->lock, flags);
		space = find(spaces, mm) ?: take_free(spaces, mm);
		if (space)
			set_list(spaces, space, list);
		raw_spin_unlock_irqrestore(&spaces->lock, flags);
		ret = space ? 0 : gapp_address_spaces_stock(spaces, 1);
	} while (!space && !ret);
	if (ret)
		put_list(list);
	return ret;
}

/* Takes the mapping list away from an address space. Any context. */
static void forget(struct gapp_address_spaces *spaces, const struct mm_struct *mm)
{
	struct gapp_address_space *space;
	unsigned long flags;

	raw_spin_lock_irqsave(&spaces->lock, flags);
	space = find(spaces, mm);
	if (space)
		set_list(spaces, space, NULL);
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
}

/**
 * gapp_address_spaces_executed() - a process has executed another program
 * @spaces: address spaces of the session
 * @mm: the new mm, for which the reader may have given mappings before it was complete
 *
 * Any context.
 */
void gapp_address_spaces_executed(struct gapp_address_spaces *spaces, const struct mm_struct *mm)
{
	forget(spaces, mm);
	/* The mm before the exec may have no user any more. */
	if (READ_ONCE(spaces->count))
		irq_work_queue(&spaces->worker->irq_work);
}

/**
 * gapp_address_spaces_forked() - a child gets the mapping list of its parent
 * @spaces: address spaces of the session
 * @parent: mm of the parent, or NULL
 * @child: mm of the child, or NULL
 *
 * Any context.
 */
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
	/* The reader may have given mappings of the child already. */
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

	chunk = kcalloc(GAPP_STOCK_ADDRESS_SPACES, sizeof(*chunk), GAPP_GFP);
	if (!chunk)
		return -ENOMEM;
	raw_spin_lock_irqsave(&spaces->lock, flags);
	number = spaces->chunk_count;
	if (number < ARRAY_SIZE(spaces->chunks)) {
		spaces->chunks[spaces->chunk_count++] = chunk;
		for (i = 0; i < GAPP_STOCK_ADDRESS_SPACES; i++)
			hlist_add_head(&chunk[i].hash, &spaces->free);
		WRITE_ONCE(spaces->free_count, spaces->free_count + GAPP_STOCK_ADDRESS_SPACES);
	}
	raw_spin_unlock_irqrestore(&spaces->lock, flags);
	if (number < ARRAY_SIZE(spaces->chunks))
		return 0;
	kfree(chunk);
	return -ENOSPC;
}

/**
 * gapp_address_spaces_stock() - make address spaces for later
 * @spaces: address spaces of the session
 * @count: number that must be free at least
 *
 * Process context.
 *
 * Return: 0, -ENOMEM, or -ENOSPC at GAPP_MAX_ADDRESS_SPACES.
 */
int gapp_address_spaces_stock(struct gapp_address_spaces *spaces, u32 count)
{
	int ret = 0;

	while (!ret && READ_ONCE(spaces->free_count) < count)
		ret = make_more(spaces);
	return ret;
}

/*
 * Moves address spaces without a user to @dead. The worker runs this and frees their mapping lists
 * next, so it does not call itself; quiesce_worker() may be waiting for its last run.
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
		WRITE_ONCE(spaces->free_count, spaces->free_count + 1);
		WRITE_ONCE(spaces->count, spaces->count - 1);
		raw_spin_unlock_irqrestore(&spaces->lock, flags);
	}
}

static void put_lists(struct llist_node *gone)
{
	struct gapp_mapping_list *list, *next;

	llist_for_each_entry_safe(list, next, gone, gone)
		put_list(list);
}

/* Frees address spaces and mapping lists that nobody uses any more. Called by the worker. */
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

/* Frees all. No probe runs any more, and the worker has ended. */
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
				put_list(list);
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

/* Number of the process's address space, or 0; sets *@mm to its mm, with a reference. */
static u32 image_of(const struct gapp_thread_table *threads, struct pid *pid, struct mm_struct **mm)
{
	struct task_struct *process, *task;
	struct gapp_thread *thread;
	u32 image = 0;

	rcu_read_lock();
	process = pid_task(pid, PIDTYPE_PID);
	if (process) {
		for_each_thread(process, task) {
			thread = gapp_lookup(threads, task);
			if (thread && !image)
				image = READ_ONCE(thread->image);
			if (mm && !*mm)
				*mm = get_task_mm(task);
			if (image && (!mm || *mm))
				break;
		}
	}
	rcu_read_unlock();
	return image;
}

/* Appends a mapping, which must lie above the last one. */
static int take_one(struct gapp_address_spaces *spaces, struct gapp_mapping_list *list,
		    const struct gapp_mapping *map)
{
	struct gapp_unwind_mapping *mapping = &list->mappings[list->count];
	struct gapp_loaded_table *table = NULL, *spins = NULL;

	if (map->begin >= map->end || map->end > TASK_SIZE_MAX ||
	    (map->spins && !spaces->settings->spins) ||
	    (list->count && map->begin < list->mappings[list->count - 1].end))
		return -EINVAL;
	if (map->table) {
		table = gapp_tables_hold(spaces, map->table, GAPP_TABLE_UNWIND);
		if (!table)
			return -ENOENT;
	}
	if (map->spins) {
		spins = gapp_tables_hold(spaces, map->spins, GAPP_TABLE_SPIN);
		if (!spins) {
			if (table)
				gapp_tables_put(table);
			return -ENOENT;
		}
	}
	*mapping = (struct gapp_unwind_mapping){
		.begin = map->begin,
		.end = map->end,
		.bias = map->bias,
		.table = table ? &table->table : NULL,
		.spins = spins ? &spins->spins : NULL,
	};
	/* The fault finds rules of other addresses: wrong paths that look right. */
	mapping->bias += gapp_fault_always("wrong_bias") ? 16 : 0;
	list->spins |= !!spins;
	list->deep |= spins && spins->deep;
	list->count++;
	return 0;
}

static int copy_in(struct gapp_address_spaces *spaces, struct gapp_mapping_list *list,
		   const struct gapp_mappings *maps)
{
	const struct gapp_mapping __user *from = u64_to_user_ptr(maps->maps);
	struct gapp_mapping batch[BATCH];
	u32 count, i, done = 0;
	int ret = 0;

	while (!ret && done < maps->count) {
		count = min_t(u32, BATCH, maps->count - done);
		if (copy_from_user(batch, from + done, count * sizeof(*batch)))
			return -EFAULT;
		for (i = 0; !ret && i < count; i++)
			ret = take_one(spaces, list, &batch[i]);
		done += count;
		cond_resched();
	}
	return ret;
}

/* Waits for the worker if the reader replaces mappings faster than the worker frees them. */
static bool take_room(struct gapp_address_spaces *spaces, u32 count)
{
	int most = spaces->settings->restricted ? GAPP_MAX_MAPPINGS_HELD_RESTRICTED :
						  GAPP_MAX_MAPPINGS_HELD;

	if (atomic_add_return(count, &spaces->mappings_held) <= most)
		return true;
	irq_work_sync(&spaces->worker->irq_work);
	flush_work(&spaces->worker->work);
	if (atomic_read(&spaces->mappings_held) <= most)
		return true;
	atomic_sub(count, &spaces->mappings_held);
	return false;
}

static struct gapp_mapping_list *make_list(struct gapp_address_spaces *spaces,
					   const struct gapp_mappings *maps)
{
	struct gapp_mapping_list *list;
	int ret;

	if (!take_room(spaces, maps->count))
		return ERR_PTR(-ENOSPC);
	list = kvzalloc(struct_size(list, mappings, maps->count), GAPP_GFP);
	if (!list) {
		atomic_sub(maps->count, &spaces->mappings_held);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&list->refs, 1);
	list->id = atomic64_inc_return(&last_list);
	list->spaces = spaces;
	list->room = maps->count;
	ret = copy_in(spaces, list, maps);
	if (!ret)
		return list;
	put_list(list);
	return ERR_PTR(ret);
}

/* No probe sees an exec before START: keeps the mm for which the reader has asked. */
static int ask_later(struct mm_struct **asked_mm, struct mm_struct *mm)
{
	if (!mm)
		return -ESRCH;
	if (*asked_mm)
		mmdrop(*asked_mm);
	mmgrab(mm);
	*asked_mm = mm;
	return 0;
}

static int set(struct gapp_address_spaces *spaces, const struct gapp_thread_table *threads,
	       struct pid *pid, struct mm_struct *expected, const struct gapp_mappings *maps,
	       struct mm_struct *mm, u32 asked)
{
	struct gapp_mapping_list *list;
	int ret;

	if (!mm)
		return -ESRCH;
	if (maps->image != asked || (asked == GAPP_IMAGE_LATER && mm != expected))
		return -ESTALE;
	list = make_list(spaces, maps);
	if (IS_ERR(list))
		return PTR_ERR(list);
	ret = give_list(spaces, mm, list);
	if (ret || asked == GAPP_IMAGE_LATER || image_of(threads, pid, NULL) == asked)
		return ret;
	/* The process has executed another program meanwhile. */
	forget(spaces, mm);
	return -ESTALE;
}

/**
 * gapp_mappings_set() - SET_MAPPINGS: take over the mappings of a process
 * @spaces: address spaces of the session, which is locked
 * @threads: thread table of the session
 * @pid: the process
 * @asked_mm: where the session keeps the mm of the reader's last question about the process, with
 *	a reference by mmgrab(); NULL: START is not going to follow the process
 * @maps: argument of the reader; gets the number of the address space
 *
 * The reader names a process, but mappings belong to an address space. If the process executes a
 * program meanwhile, its new address space must not get the mappings of the old one. So the number
 * of the address space is compared with the reader's before the mappings are taken and afterwards.
 *
 * Return: 0 or a negative errno.
 */
int gapp_mappings_set(struct gapp_address_spaces *spaces, const struct gapp_thread_table *threads,
		      struct pid *pid, struct mm_struct **asked_mm, struct gapp_mappings *maps)
{
	u32 asked = maps->image;
	struct mm_struct *mm = NULL;
	int ret;

	if (maps->flags || maps->reserved || (!asked && maps->count) ||
	    maps->count > (spaces->settings->restricted ? GAPP_MAX_MAPPINGS_RESTRICTED :
							  GAPP_MAX_MAPPINGS))
		return -EINVAL;
	maps->image = image_of(threads, pid, &mm);
	if (!maps->image && asked_mm)
		maps->image = GAPP_IMAGE_LATER;
	if (!maps->image)
		ret = -ESRCH;
	else if (asked)
		ret = set(spaces, threads, pid, asked_mm ? *asked_mm : NULL, maps, mm, asked);
	else
		ret = maps->image == GAPP_IMAGE_LATER ? ask_later(asked_mm, mm) : 0;
	if (mm) {
		mmput(mm);
		/* If this was the last user, the worker has looked for dead mms too early. */
		irq_work_queue(&spaces->worker->irq_work);
	}
	return ret;
}
