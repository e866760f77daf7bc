// SPDX-License-Identifier: GPL-2.0
/*
 * Takes the call path of current, with interrupts off and possibly the
 * run-queue lock held: user memory is only copied, never faulted in.
 */
#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "callpath.h"
#include "compat/regs.h"
#include "compat/sched.h"
#include "core/unwind.h"
#include "fault/fault.h"
#include "path_cache.h"
#include "stack_copy.h"

/* A walk that takes longer is followed by a rest of so many times as long. */
#define WALK_LONG_NS (200 * NSEC_PER_USEC)
#define WALK_REST 8

/*
 * Memory that lets itself not be dumped is not for a user without privilege to know of; so is that
 * of a set-id program, in the moment between its exec and its leaving the target.
 */
static bool may_walk(const struct gapp_settings *settings)
{
	return !settings->restricted || (current->mm && gapp_mm_is_dumpable(current->mm));
}

static bool copy_stack(void *context, void *to, u64 address, u32 bytes)
{
	return current->mm &&
	       !copy_from_user_nofault(to, (const void __user *)(unsigned long)address, bytes);
}

/* What was found goes into the table of paths. */
static u32 keep(struct gapp_unwinder *cpu, u32 image, u16 count, enum gapp_unwind_end end,
		u16 flags)
{
	/* a thread that exits has no memory any more */
	cpu->unreadable += end == GAPP_UNWIND_UNREADABLE && current->mm;
	return gapp_path_table_insert(&cpu->writer->buffers->table, image, cpu->frames, count,
				      end | flags);
}

/* Where a walk begins. */
static struct gapp_path_key key_of(struct pt_regs *regs, u32 image,
				   const struct gapp_mapping_list *list)
{
	return (struct gapp_path_key){
		.ip = instruction_pointer(regs),
		.sp = user_stack_pointer(regs),
		.fp = frame_pointer(regs),
		.list_id = list ? list->id : 0,
		.image = image,
	};
}

/* It is as good the next time: nothing was missing, and nothing is sent along. */
static bool is_whole(enum gapp_unwind_end end)
{
	return end == GAPP_UNWIND_COMPLETE || end == GAPP_UNWIND_FULL;
}

static u32 by_frame_pointers(struct gapp_unwinder *cpu, u32 image, struct pt_regs *regs,
			     bool *whole)
{
	struct gapp_window *window = &cpu->unwind.window;
	enum gapp_unwind_end end;
	u16 count;

	window->copy = copy_stack;
	window->limit = TASK_SIZE;
	count = gapp_unwind_fp(window, instruction_pointer(regs), user_stack_pointer(regs),
			       frame_pointer(regs), cpu->frames, cpu->settings->max_stack, &end);
	*whole = is_whole(end);
	return keep(cpu, image, count, end, 0);
}

/* The reader may find more than was found here. */
static bool may_go_on(enum gapp_unwind_end end)
{
	return end == GAPP_UNWIND_NO_RULE || end == GAPP_UNWIND_NO_FRAME ||
	       end == GAPP_UNWIND_LOOP || end == GAPP_UNWIND_UNMAPPED;
}

/*
 * Walks of a user without privilege: tables and a stack made for it can have a walk miss the cache
 * at every look, with a run queue locked.
 */
static bool rests(struct gapp_unwinder *cpu)
{
	if (!cpu->settings->restricted || ktime_get_mono_fast_ns() >= cpu->rests_until_ns)
		return false;
	cpu->unreadable++;
	return true;
}

static void rest_after(struct gapp_unwinder *cpu, u64 began)
{
	u64 now = ktime_get_mono_fast_ns(), took = now - began;

	if (took > WALK_LONG_NS)
		cpu->rests_until_ns = now + took * WALK_REST;
}

static u16 walk(struct gapp_unwinder *cpu, struct pt_regs *regs,
		const struct gapp_mapping_list *list, enum gapp_unwind_end *end)
{
	u64 began = cpu->settings->restricted ? ktime_get_mono_fast_ns() : 0;
	struct gapp_unwind *unwind = &cpu->unwind;
	u16 count;

	gapp_regs_take(regs, &unwind->regs);
	unwind->window.copy = copy_stack;
	unwind->window.limit = TASK_SIZE;
	unwind->arch = GAPP_ARCH_HERE;
	unwind->mappings = list ? list->code : NULL;
	unwind->mapping_count = list ? list->count : 0;
	unwind->list_id = list ? list->id : 0;
	count = gapp_unwind(unwind, cpu->frames, cpu->settings->max_stack, end);
	gapp_fault_slow_walk(list ? &list->refs : NULL);
	if (began)
		rest_after(cpu, began);
	return count;
}

/*
 * A rule that no table can have needs more registers than the walk has followed. They can be found
 * from those of the innermost frame, if what lies in between goes along.
 */
static bool begins_anew(const struct gapp_unwinder *cpu, enum gapp_unwind_end end,
			struct pt_regs *regs)
{
	const struct gapp_regs *last = &cpu->unwind.regs;

	return end == GAPP_UNWIND_NO_RULE && last->valid & BIT_ULL(GAPP_SP_HERE) &&
	       last->value[GAPP_SP_HERE] - user_stack_pointer(regs) <
		       cpu->settings->stack_copy_bytes / 2;
}

/* From where the walk has ended, or from its begin if that is given. */
static u32 send_rest(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		     u64 now, u32 path, struct pt_regs *begin)
{
	u32 copy;

	if (!begin)
		return gapp_stack_copy_send(cpu, thread, image, now, path, &cpu->unwind.regs, 0);
	gapp_regs_take(begin, &cpu->unwind.regs);
	copy = gapp_stack_copy_send(cpu, thread, image, now, GAPP_PATH_NONE, &cpu->unwind.regs, 0);
	return copy == GAPP_PATH_NONE ? path : copy;
}

/* As far as tables lead, and what the reader needs to go on from there. */
static u32 by_tables(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		     u64 now, struct pt_regs *regs, const struct gapp_mapping_list *list,
		     bool *whole)
{
	const struct gapp_settings *settings = cpu->settings;
	struct gapp_unwind *unwind = &cpu->unwind;
	bool goes_on = false, unused;
	enum gapp_unwind_end end;
	u32 path;
	u16 count;

	count = walk(cpu, regs, list, &end);
	*whole = is_whole(end) && !unwind->by_more;
	if (end == GAPP_UNWIND_UNMAPPED)
		gapp_stack_copy_need(cpu, thread, image, now, unwind->unmapped);
	if (settings->unwind_by == GAPP_UNWIND_BY_AUTO && may_go_on(end)) {
		goes_on = gapp_stack_copy_allowed(cpu);
		if (!goes_on && end == GAPP_UNWIND_UNMAPPED && count == 1)
			return by_frame_pointers(cpu, image, regs, &unused);
	}
	path = keep(cpu, image, count, end,
		    GAPP_PATH_BY_TABLE | (unwind->by_fp ? GAPP_PATH_BY_FP : 0));
	if (goes_on && path != GAPP_PATH_LOST)
		path = send_rest(cpu, thread, image, now, path,
				 begins_anew(cpu, end, regs) ? regs : NULL);
	return path;
}

/* The stack of a path goes along, that the reader finds out for itself what it is. */
static noinline void send_all(struct gapp_unwinder *cpu, const struct gapp_thread *thread,
			      u32 image, u64 now, u32 path, struct pt_regs *regs)
{
	if (!gapp_stack_copy_allowed(cpu))
		return;
	gapp_regs_take(regs, &cpu->unwind.regs);
	gapp_stack_copy_send(cpu, thread, image, now, path, &cpu->unwind.regs,
			     GAPP_STACK_COPY_VERIFY);
}

static bool tables_lead(const struct gapp_settings *settings)
{
	return GAPP_ARCH_HERE && gapp_unwinds_by_tables(settings);
}

/* A thread that exits has no memory any more, just a last instruction. */
static noinline u32 without_memory(struct gapp_unwinder *cpu, u32 image, struct pt_regs *regs)
{
	cpu->frames[0] = instruction_pointer(regs);
	return keep(cpu, image, 1, GAPP_UNWIND_UNREADABLE,
		    gapp_unwinds_by_tables(cpu->settings) ? GAPP_PATH_BY_TABLE : 0);
}

static u32 walk_anew(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		     u64 now, struct pt_regs *regs, const struct gapp_mapping_list *list,
		     const struct gapp_cached_path *home, const struct gapp_path_key *key)
{
	const bool tables = tables_lead(cpu->settings);
	struct gapp_cached_path *cached;
	bool whole = false;
	u32 path;

	if (tables && rests(cpu))
		return GAPP_PATH_NONE;
	cached = gapp_path_cache_begin(cpu->path_cache, home, key);
	cpu->unwind.window.reads = &cached->reads;
	path = tables ? by_tables(cpu, thread, image, now, regs, list, &whole) :
			by_frame_pointers(cpu, image, regs, &whole);
	gapp_path_cache_end(cached, whole ? path : GAPP_PATH_NONE);
	return path;
}

/* It is not at home, or not any more. */
static noinline u32 away_from_home(struct gapp_unwinder *cpu, const struct gapp_thread *thread,
				   u32 image, u64 now, struct pt_regs *regs,
				   const struct gapp_mapping_list *list,
				   const struct gapp_cached_path *home)
{
	const struct gapp_path_key key = key_of(regs, image, list);
	const struct gapp_cached_path *cached = gapp_path_cache_find(cpu->path_cache, home, &key);

	if (cached && cached != home && gapp_path_cache_reads_hold(cached))
		return cached->path;
	return walk_anew(cpu, thread, image, now, regs, list, home, &key);
}

/* The walk that was made before, if nothing has changed; or another one. */
static u32 by_walk(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image, u64 now,
		   struct pt_regs *regs)
{
	const struct gapp_settings *settings = cpu->settings;
	const struct gapp_mapping_list *list = NULL;
	const struct gapp_cached_path *home;
	struct gapp_path_key key;
	u32 path;

	if (!current->mm)
		return without_memory(cpu, image, regs);
	/* Under RCU, as every caller is. */
	if (tables_lead(settings))
		list = gapp_address_spaces_find(cpu->spaces, current->mm);
	/* made anew where it is needed as a whole, so that it stays in registers here */
	key = key_of(regs, image, list);
	home = gapp_path_cache_home(cpu->path_cache, &key);
	path = gapp_path_cache_is_of(home, &key) && gapp_path_cache_reads_hold(home) ?
		       home->path :
		       away_from_home(cpu, thread, image, now, regs, list, home);
	if (unlikely(settings->verify))
		send_all(cpu, thread, image, now, path, regs);
	return path;
}

/**
 * gapp_callpath_user() - the path by which current entered the kernel
 * @cpu: this CPU's
 * @thread: current's
 * @image: number of its address space
 * @now: session time
 *
 * Under rcu_read_lock().
 *
 * Return: what stands for it in records: its number in the table of paths, that of a copy of the
 * stack, GAPP_PATH_NONE or GAPP_PATH_LOST.
 */
u32 gapp_callpath_user(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		       u64 now)
{
	const struct gapp_settings *settings = cpu->settings;
	struct pt_regs *regs = gapp_user_regs(current);

	if (!regs || !may_walk(settings) || settings->unwind_by == GAPP_UNWIND_BY_NONE)
		return GAPP_PATH_NONE;
	if (settings->unwind_by != GAPP_UNWIND_BY_COPY)
		return by_walk(cpu, thread, image, now, regs);
	if (!gapp_stack_copy_allowed(cpu))
		return GAPP_PATH_NONE;
	gapp_regs_take(regs, &cpu->unwind.regs);
	return gapp_stack_copy_send(cpu, thread, image, now, GAPP_PATH_NONE, &cpu->unwind.regs, 0);
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
u32 gapp_callpath_kernel(struct gapp_unwinder *cpu, unsigned long from)
{
	const struct gapp_settings *settings = cpu->settings;
	unsigned int count, first, i;

	if (!settings->kernel_paths)
		return GAPP_PATH_NONE;
	count = stack_trace_save(cpu->kernel_frames, ARRAY_SIZE(cpu->kernel_frames), 0);
	first = skip(cpu->kernel_frames, count, from);
	count = min_t(unsigned int, count - first, settings->max_stack);
	for (i = 0; i < count; i++)
		cpu->frames[i] = cpu->kernel_frames[first + i];
	return gapp_path_table_insert(&cpu->writer->buffers->table, 0, cpu->frames, count,
				      GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL);
}
