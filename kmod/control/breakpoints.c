// SPDX-License-Identifier: GPL-2.0
/*
 * Adds breakpoints to the code of a process, and removes them. They are in the code of one process
 * each, and in no code once they are removed.
 */
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/sched/mm.h>

#include "compat/workqueue.h"
#include "control.h"
#include "switch/breakpoints.h"

/**
 * struct change - breakpoints that are added or removed
 * @work: does it
 * @points: the breakpoints
 * @begun: how many of them there are
 * @ret: 0, or the negative errno of the one that could not be added
 */
struct change {
	struct work_struct work;
	struct gapp_breakpoints *points;
	u32 begun;
	int ret;
};

static void add(struct work_struct *work)
{
	struct change *change = container_of(work, struct change, work);
	struct gapp_breakpoints *points = change->points;

	while (change->begun < points->count && !change->ret) {
		change->ret = gapp_uprobe_begin(&points->points[change->begun].uprobe);
		change->begun += !change->ret;
	}
}

static void remove(struct work_struct *work)
{
	struct change *change = container_of(work, struct change, work);
	u32 i;

	for (i = 0; i < change->begun; i++)
		gapp_uprobe_remove(&change->points->points[i].uprobe);
	gapp_uprobes_wait();
}

/*
 * Waits until a kernel thread has made the change. A task that is being killed must not: the kernel
 * gives it no pages of other processes, and so leaves breakpoints where they are.
 */
static void make(struct change *change, work_func_t func)
{
	INIT_WORK_ONSTACK(&change->work, func);
	queue_work(gapp_any_cpu_wq, &change->work);
	flush_work(&change->work);
	destroy_work_on_stack(&change->work);
}

/* Removes the first @begun breakpoints, and lets go of the files and the memory. */
static void end(struct gapp_breakpoints *points, u32 begun)
{
	struct change change = { .points = points, .begun = begun };
	u32 i;

	if (begun)
		make(&change, remove);
	for (i = 0; i < points->count; i++) {
		iput(points->points[i].uprobe.inode);
		path_put(&points->points[i].path);
	}
	mmdrop(points->mm);
}

/*
 * Sets where an instruction is in its file, which is held by a reference, and so is its mount:
 * without that the file system could be unmounted once the process has ended, while the file is in
 * use.
 */
static int find_file(struct mm_struct *mm, struct gapp_breakpoint *point)
{
	struct vm_area_struct *vma = find_vma(mm, point->address);

	if (!vma || vma->vm_start > point->address || !vma->vm_file || !(vma->vm_flags & VM_EXEC))
		return -ENOENT;
	point->path = vma->vm_file->f_path;
	path_get(&point->path);
	point->uprobe.inode = igrab(file_inode(vma->vm_file));
	point->uprobe.offset =
		point->address - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
	return point->uprobe.inode ? 0 : -ENOENT;
}

static int find_files(struct gapp_breakpoints *points)
{
	int ret = 0;
	u32 i;

	/* its mappings must not go while they are looked at */
	if (!mmget_not_zero(points->mm))
		return -ESRCH;
	mmap_read_lock(points->mm);
	for (i = 0; i < points->count && !ret; i++)
		ret = find_file(points->mm, &points->points[i]);
	mmap_read_unlock(points->mm);
	mmput(points->mm);
	return ret;
}

/**
 * gapp_breakpoints_begin() - add breakpoints
 * @points: with the session, the memory, the bounds, the number, and the address of each
 * @hit: what a thread does that comes to one
 *
 * Takes over the reference to the memory, also with an error.
 *
 * Return: 0, or a negative errno with none added.
 */
int gapp_breakpoints_begin(struct gapp_breakpoints *points,
			   bool (*hit)(struct gapp_uprobe *uprobe, struct pt_regs *regs))
{
	struct change change = { .points = points };
	u32 i;

	points->window = jiffies;
	for (i = 0; i < points->count; i++) {
		points->points[i].of = points;
		points->points[i].uprobe.hit = hit;
		points->points[i].uprobe.wants = gapp_breakpoint_is_for;
	}
	change.ret = find_files(points);
	if (!change.ret)
		make(&change, add);
	if (!change.ret)
		return 0;
	end(points, change.begun);
	/* uprobes say so in a word that programs do not know */
	return change.ret == -ENOTSUPP ? -EOPNOTSUPP : change.ret;
}

/**
 * gapp_breakpoints_end() - there are no breakpoints any more when it returns
 * @points: what gapp_breakpoints_begin() has begun
 */
void gapp_breakpoints_end(struct gapp_breakpoints *points)
{
	end(points, points->count);
}
