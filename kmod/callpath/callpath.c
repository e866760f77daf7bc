// SPDX-License-Identifier: GPL-2.0
/*
 * Finds the call path of current: in the path cache, or else by unwinding the
 * user stack by tables or frame pointers.
 */
#include <linux/module.h>
#include <linux/stacktrace.h>
#include <linux/uaccess.h>

#include "callpath.h"
#include "compat/plain_memory.h"
#include "compat/regs.h"
#include "compat/sched.h"
#include "compat/user_word.h"
#include "fault/fault.h"

static_assert(GAPP_READ_WORDS % GAPP_PATH_CACHE_AT_ONCE == 0);

/*
 * Whether the session may read current's memory. A restricted session may not if the process
 * forbids dumps, as a set-id program does between its exec and its leaving the target.
 */
static bool may_unwind(const struct gapp_settings *settings)
{
	return !settings->restricted || gapp_task_is_dumpable(current);
}

static bool tables_lead(const struct gapp_settings *settings)
{
	return GAPP_ARCH_HERE && gapp_unwinds_by_tables(settings);
}

/* Returns 0 if the word in memory still has the value that the unwind has read. */
static __always_inline u64 changed(const struct gapp_read *read, int *error)
{
	return gapp_user_word(read->address, error) ^ read->word;
}

/* Whether each page with a word of the path is plain. */
static noinline bool each_is_plain(const struct gapp_reads *reads)
{
	u64 plain = 0;
	u32 i;

	for (i = 0; i < reads->count; i++) {
		if (plain && !((plain ^ reads->read[i].address) >> PAGE_SHIFT))
			continue;
		plain = reads->read[i].address;
		if (!gapp_is_plain_memory(current->mm, plain))
			return false;
	}
	return true;
}

/* Whether memory that was plain when the unwind read it still is. */
static __always_inline bool is_plain(const struct gapp_cached_path *cached)
{
	const u64 pages = (cached->last >> PAGE_SHIFT) - (cached->first >> PAGE_SHIFT);

	if (unlikely(pages > 1 || !cached->reads.count))
		return each_is_plain(&cached->reads);
	return gapp_is_plain_memory(current->mm, cached->first) &&
	       (!pages || gapp_is_plain_memory(current->mm, cached->last));
}

/*
 * Whether all words that the unwind has read are the same now. The unwind has checked that their
 * addresses are below the limit of user memory. Not inlined: its loop has more registers so.
 */
static noinline bool reads_hold(const struct gapp_cached_path *cached)
{
	const struct gapp_read *read = cached->reads.read, *const end = read + cached->reads.count;
	bool same = false;
	u64 differs;
	int error = 0;

	if (unlikely(!is_plain(cached)))
		return false;
	gapp_pagefault_disable();
	if (!user_read_access_begin((const void __user *)(unsigned long)cached->key.sp, 1))
		goto enable;
	while (!(same = read >= end)) {
		differs = changed(&read[0], &error) | changed(&read[1], &error) |
			  changed(&read[2], &error) | changed(&read[3], &error);
		if (differs | error)
			break;
		read += GAPP_PATH_CACHE_AT_ONCE;
	}
	user_read_access_end();
enable:
	gapp_pagefault_enable();
	return same;
}

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

static bool is_late(void *context)
{
	struct gapp_unwinder *cpu = context;

	cpu->late |= gapp_budget_is_late(cpu->settings->switch_ns);
	return cpu->late;
}

static bool copy_window(void *context, void *to, u64 address, u32 bytes)
{
	return current->mm && !is_late(context) && gapp_is_plain_memory(current->mm, address) &&
	       gapp_copy_user(to, address, bytes);
}

static void window_begin(struct gapp_unwinder *cpu)
{
	struct gapp_window *window = &cpu->unwind.window;

	cpu->late = false;
	window->copy = copy_window;
	window->is_late = is_late;
	window->context = cpu;
	window->limit = TASK_SIZE;
}

/* Puts the frames found into the table of call paths. */
static u32 insert(struct gapp_unwinder *cpu, u32 image, u16 count, enum gapp_unwind_end end,
		  u16 flags)
{
	/* A thread that exits has no memory any more: that is no loss. */
	gapp_count(cpu->unreadable, end == GAPP_UNWIND_UNREADABLE && current->mm);
	gapp_count(cpu->paths_over_budget, end == GAPP_UNWIND_LATE);
	return gapp_path_table_insert(&cpu->writer->buffers->table, image, cpu->frames, count,
				      end | flags);
}

/* Whether another unwind from the same stack would find no further frame. */
static bool is_whole(enum gapp_unwind_end end)
{
	return end == GAPP_UNWIND_COMPLETE || end == GAPP_UNWIND_FULL;
}

static u32 by_frame_pointers(const struct gapp_lookup *lookup, bool *whole)
{
	struct gapp_unwinder *cpu = lookup->cpu;
	struct gapp_window *window = &cpu->unwind.window;
	struct pt_regs *regs = lookup->regs;
	enum gapp_unwind_end end;
	u16 count;

	window_begin(cpu);
	count = gapp_unwind_fp(GAPP_ARCH_HERE, window, instruction_pointer(regs),
			       user_stack_pointer(regs), frame_pointer(regs), cpu->frames,
			       cpu->settings->max_stack, &end);
	end = cpu->late ? GAPP_UNWIND_LATE : end;
	*whole = is_whole(end);
	return insert(cpu, lookup->image, count, end, 0);
}

/* Whether the reader may find more frames in a stack copy. */
static bool reader_may_go_on(enum gapp_unwind_end end)
{
	return end == GAPP_UNWIND_NO_RULE || end == GAPP_UNWIND_NO_FRAME ||
	       end == GAPP_UNWIND_LOOP || end == GAPP_UNWIND_UNMAPPED;
}

static u16 unwind_by_tables(const struct gapp_lookup *lookup, u16 max, enum gapp_unwind_end *end)
{
	const struct gapp_mapping_list *list = lookup->list;
	struct gapp_unwinder *cpu = lookup->cpu;
	struct gapp_unwind *unwind = &cpu->unwind;
	u16 count;

	gapp_regs_take(lookup->regs, &unwind->regs);
	window_begin(cpu);
	unwind->arch = GAPP_ARCH_HERE;
	unwind->mappings = list ? list->mappings : NULL;
	unwind->mapping_count = list ? list->count : 0;
	unwind->list_id = list ? list->id : 0;
	count = gapp_unwind(unwind, cpu->frames, max, end);
	gapp_fault_slow_walk(list ? &list->refs : NULL);
	if (cpu->late)
		*end = GAPP_UNWIND_LATE;
	return count;
}

/*
 * Whether the reader should unwind from the innermost frame. Code whose rule a table cannot express
 * needs registers that the module does not follow. The reader follows them from the innermost frame
 * on, if the stack copy reaches the last frame.
 */
static bool begins_anew(const struct gapp_lookup *lookup, enum gapp_unwind_end end)
{
	const struct gapp_regs *last = &lookup->cpu->unwind.regs;

	return end == GAPP_UNWIND_NO_RULE && last->valid & BIT_ULL(GAPP_SP_HERE) &&
	       last->value[GAPP_SP_HERE] - user_stack_pointer(lookup->regs) <
		       lookup->cpu->settings->stack_copy_bytes / 2;
}

/* Sends a stack copy from the last frame on; with @anew, from the innermost frame on. */
static u32 send_rest(const struct gapp_lookup *lookup, u32 path, bool anew)
{
	u32 copy;

	if (!anew)
		return gapp_stack_copy_send(lookup, path, 0);
	gapp_regs_take(lookup->regs, &lookup->cpu->unwind.regs);
	copy = gapp_stack_copy_send(lookup, GAPP_PATH_NONE, 0);
	return copy == GAPP_PATH_NONE ? path : copy;
}

/* Unwinds by tables. Where they end, sends the reader a stack copy to go on from. */
static u32 by_tables(const struct gapp_lookup *lookup, bool *whole)
{
	struct gapp_unwinder *cpu = lookup->cpu;
	struct gapp_unwind *unwind = &cpu->unwind;
	bool goes_on = false, unused;
	enum gapp_unwind_end end;
	u32 path;
	u16 count;

	count = unwind_by_tables(lookup, cpu->settings->max_stack, &end);
	*whole = is_whole(end) && !unwind->by_more;
	if (end == GAPP_UNWIND_UNMAPPED)
		gapp_stack_copy_need(lookup, unwind->unmapped);
	if (cpu->settings->unwind_by == GAPP_UNWIND_BY_AUTO && reader_may_go_on(end)) {
		goes_on = gapp_stack_copy_allowed(cpu);
		if (!goes_on && end == GAPP_UNWIND_UNMAPPED && count == 1)
			return by_frame_pointers(lookup, &unused);
	}
	path = insert(cpu, lookup->image, count, end,
		      GAPP_PATH_BY_TABLE | (unwind->by_fp ? GAPP_PATH_BY_FP : 0));
	if (goes_on && path != GAPP_PATH_LOST)
		path = send_rest(lookup, path, begins_anew(lookup, end));
	return path;
}

static void charge(struct gapp_unwinder *cpu, u64 began)
{
	gapp_callpath_note_time(cpu, gapp_budget_charge(cpu->settings, began));
}

/* For GAPP_CONFIG_VERIFY: sends a stack copy from which the reader unwinds the whole path. */
static void send_to_verify(const struct gapp_lookup *lookup, u32 path)
{
	u64 began = gapp_clock();

	if (!gapp_stack_copy_allowed(lookup->cpu))
		return;
	gapp_regs_take(lookup->regs, &lookup->cpu->unwind.regs);
	gapp_stack_copy_send(lookup, path, GAPP_STACK_COPY_VERIFY);
	charge(lookup->cpu, began);
}

/* A thread that exits has no memory any more, only an instruction pointer. */
static noinline u32 without_memory(struct gapp_unwinder *cpu, u32 image, struct pt_regs *regs)
{
	cpu->frames[0] = instruction_pointer(regs);
	return insert(cpu, image, 1, GAPP_UNWIND_UNREADABLE,
		      gapp_unwinds_by_tables(cpu->settings) ? GAPP_PATH_BY_TABLE : 0);
}

/* Finds a path that @home does not hold, or no longer proves: searches the set, or unwinds. */
static u32 not_at_home(const struct gapp_lookup *lookup, const struct gapp_cached_path *home)
{
	const struct gapp_path_key key = key_of(lookup->regs, lookup->image, lookup->list);
	struct gapp_unwinder *cpu = lookup->cpu;
	const u64 began = gapp_clock_of(cpu->writer->threads, lookup->now);
	const struct gapp_cached_path *found = gapp_path_cache_find(cpu->path_cache, home, &key);
	struct gapp_cached_path *cached;
	bool whole = false;
	u32 path;

	if (found && found != home && reads_hold(found))
		return found->path;
	if (!gapp_budget_allows_path(cpu->settings, began)) {
		gapp_count(cpu->paths_over_budget, 1);
		return GAPP_PATH_NONE;
	}
	cached = gapp_path_cache_begin(cpu->path_cache, home, &key);
	cpu->unwind.window.reads = &cached->reads;
	path = tables_lead(cpu->settings) ? by_tables(lookup, &whole) :
					    by_frame_pointers(lookup, &whole);
	gapp_path_cache_end(cached, whole ? path : GAPP_PATH_NONE);
	charge(cpu, began);
	return path;
}

/* @path: the path that @home holds and proves; GAPP_PATH_NONE: @home has no valid path. */
static noinline u32 look_further(const struct gapp_lookup *lookup,
				 const struct gapp_cached_path *home, u32 path)
{
	if (path == GAPP_PATH_NONE)
		path = not_at_home(lookup, home);
	if (lookup->cpu->settings->verify)
		send_to_verify(lookup, path);
	return path;
}

static u32 look_up_path(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			u64 now, struct pt_regs *regs)
{
	const struct gapp_settings *settings = cpu->settings;
	const struct gapp_mapping_list *list = NULL;
	const struct gapp_cached_path *home;
	struct gapp_path_key key;
	u32 path = GAPP_PATH_NONE;

	if (!current->mm)
		return without_memory(cpu, image, regs);
	if (tables_lead(settings))
		list = gapp_address_spaces_find(cpu->spaces, current->mm);
	/* not_at_home() makes a key of its own, so that this one stays in registers */
	key = key_of(regs, image, list);
	home = gapp_path_cache_home(cpu->path_cache, &key);
	if (gapp_path_cache_is_of(home, &key) && reads_hold(home)) {
		path = home->path;
		if (likely(!settings->verify))
			return path;
	}
	cpu->lookup = (struct gapp_lookup){
		.cpu = cpu,
		.thread = thread,
		.now = now,
		.regs = regs,
		.list = list,
		.image = image,
	};
	return look_further(&cpu->lookup, home, path);
}

/**
 * gapp_callpath_frames() - find the innermost frames of current
 * @cpu: unwinder of this CPU; its @frames get them
 * @list: mappings of current's address space
 * @regs: user registers with which current entered the kernel
 * @max: most frames, at most GAPP_MAX_STACK
 * @end: how the unwind ended; GAPP_UNWIND_LATE: there was no time for all frames, or for any
 *
 * Neither the table of paths nor the path cache gets them. Interrupts are off; under
 * rcu_read_lock(), or in another RCU reader. The session may look at current's memory, and unwinds
 * by tables.
 *
 * Return: number of frames.
 */
u16 gapp_callpath_frames(struct gapp_unwinder *cpu, const struct gapp_mapping_list *list,
			 struct pt_regs *regs, u16 max, enum gapp_unwind_end *end)
{
	const u64 began = gapp_clock();
	u16 count;

	*end = GAPP_UNWIND_LATE;
	if (!gapp_budget_allows_path(cpu->settings, began))
		return 0;
	cpu->lookup = (struct gapp_lookup){ .cpu = cpu, .regs = regs, .list = list };
	cpu->unwind.window.reads = NULL;
	count = unwind_by_tables(&cpu->lookup, max, end);
	charge(cpu, began);
	return count;
}

static bool has_path(const struct gapp_settings *settings, struct pt_regs *regs)
{
	return regs && may_unwind(settings) && settings->unwind_by != GAPP_UNWIND_BY_NONE;
}

/**
 * gapp_callpath_user() - the call path by which current entered the kernel
 * @cpu: unwinder of this CPU
 * @thread: thread of current
 * @image: number of current's address space
 * @now: session time, in nanoseconds
 *
 * Interrupts are off; under rcu_read_lock(), or in another RCU reader.
 *
 * Return: number of the call path, GAPP_PATH_COPY with the number of a stack copy, GAPP_PATH_NONE
 * or GAPP_PATH_LOST.
 */
u32 gapp_callpath_user(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
		       u64 now)
{
	const struct gapp_settings *settings = cpu->settings;
	struct pt_regs *regs = gapp_user_regs(current);
	u32 path;

	if (!has_path(settings, regs)) {
		if (!regs && settings->unwind_by != GAPP_UNWIND_BY_NONE &&
		    gapp_has_32_bit_regs(current))
			WRITE_ONCE(cpu->met_32_bit, true);
		return GAPP_PATH_NONE;
	}
	if (settings->unwind_by != GAPP_UNWIND_BY_COPY)
		return look_up_path(cpu, thread, image, now, regs);
	if (!gapp_stack_copy_allowed(cpu))
		return GAPP_PATH_NONE;
	gapp_regs_take(regs, &cpu->unwind.regs);
	cpu->lookup =
		(struct gapp_lookup){ .cpu = cpu, .thread = thread, .now = now, .image = image };
	path = gapp_stack_copy_send(&cpu->lookup, GAPP_PATH_NONE, 0);
	charge(cpu, gapp_clock_of(cpu->writer->threads, now));
	return path;
}

/**
 * gapp_callpath_leave_out() - there is no time for the call path of current
 * @cpu: unwinder of this CPU
 *
 * Interrupts are off. A path that would not have been taken anyway does not count as lost.
 */
void gapp_callpath_leave_out(struct gapp_unwinder *cpu)
{
	gapp_count(cpu->paths_over_budget, has_path(cpu->settings, gapp_user_regs(current)));
}

/**
 * gapp_callpath_in_time() - gapp_callpath_user(), unless the time of the interrupt is used up
 * @cpu: unwinder of this CPU
 * @thread: thread of current
 * @image: number of current's address space
 * @now: session time, in nanoseconds
 *
 * Interrupts are off; under rcu_read_lock(), or in another RCU reader.
 *
 * Return: as gapp_callpath_user(); GAPP_PATH_NONE if other sessions have used up the time.
 */
u32 gapp_callpath_in_time(struct gapp_unwinder *cpu, const struct gapp_thread *thread, u32 image,
			  u64 now)
{
	if (!gapp_budget_is_late(cpu->settings->switch_ns))
		return gapp_callpath_user(cpu, thread, image, now);
	gapp_callpath_leave_out(cpu);
	return GAPP_PATH_NONE;
}

/* Number of frames at the begin that are the probe's, or those of the interrupt at @from. */
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
 * gapp_callpath_kernel() - the call path of current in the kernel
 * @cpu: unwinder of this CPU
 * @from: address at which an interrupt hit the kernel; 0: the caller is in no interrupt
 *
 * Interrupts are off.
 *
 * Return: number of the call path, GAPP_PATH_LOST, or GAPP_PATH_NONE if the session records none.
 */
u32 gapp_callpath_kernel(struct gapp_unwinder *cpu, unsigned long from)
{
	const struct gapp_settings *settings = cpu->settings;
	unsigned int count, first, i;

	if (!settings->kernel_paths)
		return GAPP_PATH_NONE;
	/* the kernel's unwinder cannot be interrupted */
	if (gapp_budget_is_late(settings->switch_ns / 2)) {
		gapp_count(cpu->paths_over_budget, 1);
		return GAPP_PATH_NONE;
	}
	count = stack_trace_save(cpu->kernel_frames, ARRAY_SIZE(cpu->kernel_frames), 0);
	first = skip(cpu->kernel_frames, count, from);
	count = min_t(unsigned int, count - first, settings->max_stack);
	for (i = 0; i < count; i++)
		cpu->frames[i] = cpu->kernel_frames[first + i];
	return gapp_path_table_insert(&cpu->writer->buffers->table, 0, cpu->frames, count,
				      GAPP_UNWIND_COMPLETE | GAPP_PATH_KERNEL);
}
