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

#include "fault.h"
#include "maps.h"
#include "spaces.h"
#include "tables.h"

/* Maps copied at a time. */
#define BATCH 16

/* Number of the process's address space, or 0; and a reference to it, if @mm is not NULL. */
static u32 image_of(struct gapp_track *track, struct pid *pid, struct mm_struct **mm)
{
	struct task_struct *process, *thread;
	struct gapp_entry *entry;
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
static int take_one(struct gapp_track *track, struct gapp_layer *layer, const struct gapp_map *map)
{
	struct gapp_code *code = &layer->code[layer->count];
	struct gapp_loaded *loaded = NULL;

	if (map->begin >= map->end || map->end > TASK_SIZE_MAX || map->flags ||
	    (layer->count && map->begin < layer->code[layer->count - 1].end))
		return -EINVAL;
	if (map->table) {
		loaded = gapp_tables_hold(track, map->table);
		if (!loaded)
			return -ENOENT;
	}
	*code = (struct gapp_code){
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

static int copy_in(struct gapp_track *track, struct gapp_layer *layer, const struct gapp_maps *maps)
{
	const struct gapp_map __user *from = u64_to_user_ptr(maps->maps);
	struct gapp_map batch[BATCH];
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

static struct gapp_layer *make_layer(struct gapp_track *track, const struct gapp_maps *maps)
{
	struct gapp_layer *layer;
	int ret;

	layer = kvzalloc(struct_size(layer, code, maps->count), GFP_KERNEL_ACCOUNT);
	if (!layer)
		return ERR_PTR(-ENOMEM);
	refcount_set(&layer->refs, 1);
	ret = copy_in(track, layer, maps);
	if (!ret)
		return layer;
	gapp_layer_put(layer);
	return ERR_PTR(ret);
}

/**
 * gapp_maps_set() - what is executable in a process
 * @track: the target; its session is locked
 * @pid: the process
 * @later: its number if no thread of it is followed: GAPP_IMAGE_LATER, or 0
 * @maps: from the reader; the number of the address space is filled in
 *
 * Return: 0 or a negative errno.
 */
int gapp_maps_set(struct gapp_track *track, struct pid *pid, u32 later, struct gapp_maps *maps)
{
	u32 asked = maps->image;
	struct mm_struct *mm = NULL;
	struct gapp_layer *layer;
	int ret;

	if (maps->flags || maps->reserved || maps->count > GAPP_MAX_MAPS || (!asked && maps->count))
		return -EINVAL;
	maps->image = image_of(track, pid, asked ? &mm : NULL) ?: later;
	if (!asked)
		return maps->image ? 0 : -ESRCH;
	ret = -ESRCH;
	if (!maps->image || !mm)
		goto out;
	ret = -ESTALE;
	if (maps->image != asked)
		goto out;
	layer = make_layer(track, maps);
	ret = PTR_ERR_OR_ZERO(layer);
	if (ret)
		goto out;
	ret = gapp_spaces_set(track, mm, layer);
	if (!ret && (image_of(track, pid, NULL) ?: later) != asked) {
		gapp_spaces_forget(track, mm);
		ret = -ESTALE;
	}
out:
	if (mm)
		mmput(mm);
	return ret;
}
