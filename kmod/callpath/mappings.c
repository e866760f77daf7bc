// SPDX-License-Identifier: GPL-2.0
/*
 * Takes in the executable mappings of a process. They are told by its id, and
 * belong to its address space: an exec in between must not give them to the
 * next one, so the number of the space is compared before and after.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "fault/fault.h"
#include "mappings.h"
#include "address_spaces.h"
#include "tables.h"

static atomic64_t last_list = ATOMIC64_INIT(0);

/* Maps copied at a time. */
#define BATCH 16

/* Number of the process's address space, or 0; and a reference to it, if @mm is not NULL. */
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

/* Does not take what lies beyond the last one, or overlaps it. */
static int take_one(struct gapp_address_spaces *spaces, struct gapp_mapping_list *list,
		    const struct gapp_mapping *map)
{
	struct gapp_unwind_mapping *code = &list->code[list->count];
	struct gapp_loaded_table *table = NULL;

	if (map->begin >= map->end || map->end > TASK_SIZE_MAX || map->flags ||
	    (list->count && map->begin < list->code[list->count - 1].end))
		return -EINVAL;
	if (map->table) {
		table = gapp_tables_hold(spaces, map->table);
		if (!table)
			return -ENOENT;
	}
	*code = (struct gapp_unwind_mapping){
		.begin = map->begin,
		.end = map->end,
		.bias = map->bias,
		.table = table ? &table->table : NULL,
	};
	/* Rules of other places then: paths that look as good as any, and are wrong. */
	code->bias += gapp_fault_always("wrong_bias") ? 16 : 0;
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

/* Whoever replaces mappings faster than they can be freed waits until they are. */
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
	list = kvzalloc(struct_size(list, code, maps->count), GFP_KERNEL_ACCOUNT);
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
	gapp_mapping_list_put(list);
	return ERR_PTR(ret);
}

/* Another program may come before START, and nothing tells: so what was asked about is kept. */
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
	ret = gapp_address_spaces_set(spaces, mm, list);
	if (ret || asked == GAPP_IMAGE_LATER || image_of(threads, pid, NULL) == asked)
		return ret;
	gapp_address_spaces_forget(spaces, mm);
	return -ESTALE;
}

/**
 * gapp_mappings_set() - what is executable in a process
 * @spaces: of the session, which is locked
 * @threads: of the session
 * @pid: the process
 * @asked_mm: NULL: START will not follow the process; else where its memory is noted, held by
 *	mmgrab(), when the reader asks for the number of its address space
 * @maps: from the reader; the number of the address space is filled in
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
		/* If that was the last user, the worker that its exit woke has looked too early. */
		irq_work_queue(&spaces->worker->irq_work);
	}
	return ret;
}
