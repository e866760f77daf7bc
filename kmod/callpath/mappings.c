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

static atomic64_t last_layer = ATOMIC64_INIT(0);

/* Maps copied at a time. */
#define BATCH 16

/* Number of the process's address space, or 0; and a reference to it, if @mm is not NULL. */
static u32 image_of(struct gapp_track *track, struct pid *pid, struct mm_struct **mm)
{
	struct task_struct *process, *thread;
	struct gapp_thread *entry;
	u32 image = 0;

	rcu_read_lock();
	process = pid_task(pid, PIDTYPE_PID);
	if (process) {
		for_each_thread(process, thread) {
			entry = gapp_lookup(track, thread);
			if (entry && !image)
				image = READ_ONCE(entry->image);
			if (mm && !*mm)
				*mm = get_task_mm(thread);
			if (image && (!mm || *mm))
				break;
		}
	}
	rcu_read_unlock();
	return image;
}

/* Does not take what lies beyond the last one, or overlaps it. */
static int take_one(struct gapp_track *track, struct gapp_mapping_list *layer,
		    const struct gapp_mapping *map)
{
	struct gapp_unwind_mapping *code = &layer->code[layer->count];
	struct gapp_loaded_table *loaded = NULL;

	if (map->begin >= map->end || map->end > TASK_SIZE_MAX || map->flags ||
	    (layer->count && map->begin < layer->code[layer->count - 1].end))
		return -EINVAL;
	if (map->table) {
		loaded = gapp_tables_hold(track, map->table);
		if (!loaded)
			return -ENOENT;
	}
	*code = (struct gapp_unwind_mapping){
		.begin = map->begin,
		.end = map->end,
		.bias = map->bias,
		.table = loaded ? &loaded->table : NULL,
	};
	/* Rules of other places then: paths that look as good as any, and are wrong. */
	code->bias += gapp_fault_always("wrong_bias") ? 16 : 0;
	layer->count++;
	return 0;
}

static int copy_in(struct gapp_track *track, struct gapp_mapping_list *layer,
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
			ret = take_one(track, layer, &batch[i]);
		done += count;
		cond_resched();
	}
	return ret;
}

/* Whoever replaces mappings faster than they can be freed waits until they are. */
static bool take_room(struct gapp_track *track, u32 count)
{
	int most = track->restricted ? GAPP_MAX_MAPPINGS_HELD_RESTRICTED : GAPP_MAX_MAPPINGS_HELD;

	if (atomic_add_return(count, &track->maps_held) <= most)
		return true;
	irq_work_sync(&track->irq_work);
	flush_work(&track->work);
	if (atomic_read(&track->maps_held) <= most)
		return true;
	atomic_sub(count, &track->maps_held);
	return false;
}

static struct gapp_mapping_list *make_layer(struct gapp_track *track,
					    const struct gapp_mappings *maps)
{
	struct gapp_mapping_list *layer;
	int ret;

	if (!take_room(track, maps->count))
		return ERR_PTR(-ENOSPC);
	layer = kvzalloc(struct_size(layer, code, maps->count), GFP_KERNEL_ACCOUNT);
	if (!layer) {
		atomic_sub(maps->count, &track->maps_held);
		return ERR_PTR(-ENOMEM);
	}
	refcount_set(&layer->refs, 1);
	layer->id = atomic64_inc_return(&last_layer);
	layer->track = track;
	layer->room = maps->count;
	ret = copy_in(track, layer, maps);
	if (!ret)
		return layer;
	gapp_mapping_list_put(layer);
	return ERR_PTR(ret);
}

/* Another program may come before START, and nothing tells: so what was asked about is kept. */
static int ask_later(struct gapp_request *request, struct mm_struct *mm)
{
	if (!mm)
		return -ESRCH;
	if (request->mm)
		mmdrop(request->mm);
	mmgrab(mm);
	request->mm = mm;
	return 0;
}

static int set(struct gapp_track *track, struct pid *pid, struct gapp_request *request,
	       const struct gapp_mappings *maps, struct mm_struct *mm, u32 asked)
{
	struct gapp_mapping_list *layer;
	int ret;

	if (!mm)
		return -ESRCH;
	if (maps->image != asked || (asked == GAPP_IMAGE_LATER && mm != request->mm))
		return -ESTALE;
	layer = make_layer(track, maps);
	if (IS_ERR(layer))
		return PTR_ERR(layer);
	ret = gapp_address_spaces_set(track, mm, layer);
	if (ret || asked == GAPP_IMAGE_LATER || image_of(track, pid, NULL) == asked)
		return ret;
	gapp_address_spaces_forget(track, mm);
	return -ESTALE;
}

/**
 * gapp_mappings_set() - what is executable in a process
 * @track: the target; its session is locked
 * @pid: the process
 * @request: if no thread of it is followed yet, but it will be, else NULL
 * @maps: from the reader; the number of the address space is filled in
 *
 * Return: 0 or a negative errno.
 */
int gapp_mappings_set(struct gapp_track *track, struct pid *pid, struct gapp_request *request,
		      struct gapp_mappings *maps)
{
	u32 asked = maps->image;
	struct mm_struct *mm = NULL;
	int ret;

	if (maps->flags || maps->reserved || (!asked && maps->count) ||
	    maps->count > (track->restricted ? GAPP_MAX_MAPPINGS_RESTRICTED : GAPP_MAX_MAPPINGS))
		return -EINVAL;
	maps->image = image_of(track, pid, &mm);
	if (!maps->image && request)
		maps->image = GAPP_IMAGE_LATER;
	if (!maps->image)
		ret = -ESRCH;
	else if (asked)
		ret = set(track, pid, request, maps, mm, asked);
	else
		ret = maps->image == GAPP_IMAGE_LATER ? ask_later(request, mm) : 0;
	if (mm) {
		mmput(mm);
		/* If that was the last user, the worker that its exit woke has looked too early. */
		irq_work_queue(&track->irq_work);
	}
	return ret;
}
