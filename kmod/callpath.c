// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the call path of current, with interrupts off and possibly the
 * run-queue lock held: user memory is only copied, never faulted in.
 */
#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "buffers.h"
#include "callpath.h"
#include "compat/regs.h"
#include "compat/sched.h"

/*
 * Memory that lets itself not be dumped is not for a user without privilege to know of; so is that
 * of a set-id program, in the moment between its exec and its leaving the target.
 */
static bool may_walk(const struct gapp_track *track)
{
	return !track->restricted || (current->mm && gapp_mm_is_dumpable(current->mm));
}

static bool copy_stack(void *context, void *to, u64 address, u32 bytes)
{
	return current->mm &&
	       !copy_from_user_nofault(to, (const void __user *)(unsigned long)address, bytes);
}

/**
 * gapp_callpath_user() - the path by which current entered the kernel
 * @cpu: this CPU's
 * @image: number of current's address space
 *
 * Return: its number in the table of paths, GAPP_PATH_NONE or GAPP_PATH_LOST.
 */
u32 gapp_callpath_user(struct gapp_cpu *cpu, u32 image)
{
	struct gapp_track *track = cpu->track;
	struct pt_regs *regs = gapp_user_regs(current);
	enum gapp_walk_end end;
	u16 count;

	if (!regs || !may_walk(track))
		return GAPP_PATH_NONE;
	cpu->walk.copy = copy_stack;
	cpu->walk.limit = TASK_SIZE_MAX;
	cpu->walk.window_bytes = 0;
	count = gapp_fpwalk(&cpu->walk, instruction_pointer(regs), user_stack_pointer(regs),
			    frame_pointer(regs), cpu->frames, track->max_stack, &end);
	/* a thread that exits has no memory any more */
	cpu->unreadable += end == GAPP_WALK_UNREADABLE && current->mm;
	return gapp_pathtab_insert(&track->buffers->table, image, cpu->frames, count, end);
}

/* Of the frames taken, how many are not of interest: the probe's, or an interrupt's. */
static unsigned int skip(const unsigned long *frames, unsigned int count, unsigned long from)
{
	unsigned int i = 0;

	if (from) {
		while (i < count && frames[i] != from)
			i++;
		return i < count ? i : 0;
	}
	while (i < count && within_module(frames[i], THIS_MODULE))
		i++;
	return i;
}

/**
 * gapp_callpath_kernel() - where current is in the kernel
 * @cpu: this CPU's
 * @from: address at which an interrupt hit it; 0: this is no interrupt
 *
 * Return: as gapp_callpath_user(); GAPP_PATH_NONE too where kernel paths are not taken.
 */
u32 gapp_callpath_kernel(struct gapp_cpu *cpu, unsigned long from)
{
	struct gapp_track *track = cpu->track;
	unsigned int count, first, i;

	if (!track->kernel_paths)
		return GAPP_PATH_NONE;
	count = stack_trace_save(cpu->kernel_frames, ARRAY_SIZE(cpu->kernel_frames), 0);
	first = skip(cpu->kernel_frames, count, from);
	count = min_t(unsigned int, count - first, track->max_stack);
	for (i = 0; i < count; i++)
		cpu->frames[i] = cpu->kernel_frames[first + i];
	return gapp_pathtab_insert(&track->buffers->table, 0, cpu->frames, count,
				   GAPP_WALK_COMPLETE | GAPP_PATH_KERNEL);
}
