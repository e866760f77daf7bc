// SPDX-License-Identifier: GPL-2.0
/*
 * EXACT: breakpoints at the exits of busy-wait loops. They are in the code of one process each, and
 * in no code once they are removed.
 */
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/mm.h>
#include <linux/path.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "callpath/address_spaces.h"
#include "compat/workqueue.h"
#include "control.h"
#include "switch/exact.h"

/* A loop has this many exits at most: the finder knows no loop with more. */
#define EXITS_MAX 16

/**
 * struct change - breakpoints of a loop that are added or removed
 * @work: does it
 * @loop: the loop
 * @begun: how many of its exits have a breakpoint
 * @ret: 0, or the negative errno of the exit that has none
 */
struct change {
	struct work_struct work;
	struct gapp_exact_loop *loop;
	u32 begun;
	int ret;
};

static void add_breakpoints(struct work_struct *work)
{
	struct change *change = container_of(work, struct change, work);
	struct gapp_exact_loop *loop = change->loop;

	while (change->begun < loop->count && !change->ret) {
		change->ret = gapp_uprobe_begin(&loop->exits[change->begun].uprobe);
		change->begun += !change->ret;
	}
}

static void remove_breakpoints(struct work_struct *work)
{
	struct change *change = container_of(work, struct change, work);
	u32 i;

	for (i = 0; i < change->begun; i++)
		gapp_uprobe_remove(&change->loop->exits[i].uprobe);
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

/* Removes the first @count breakpoints of a loop, and frees it. */
static void end_loop(struct gapp_exact_loop *loop, u32 count)
{
	struct change change = { .loop = loop, .begun = count };
	u32 i;

	if (count)
		make(&change, remove_breakpoints);
	for (i = 0; i < loop->count; i++) {
		iput(loop->exits[i].uprobe.inode);
		path_put(&loop->exits[i].path);
	}
	mmdrop(loop->mm);
	kfree(loop);
}

/**
 * gapp_exact_end() - no loop of the session is timed exactly any more when it returns
 * @session: the session, locked, or nobody else has it
 */
void gapp_exact_end(struct gapp_session *session)
{
	u32 i;

	for (i = 0; i < GAPP_EXACT_LOOPS; i++) {
		if (session->exact[i])
			end_loop(session->exact[i], session->exact[i]->count);
		session->exact[i] = NULL;
	}
}

/*
 * Finds the exits of the loop at an address of the process. Returns their number, or a negative
 * errno.
 */
static int find_exits(struct gapp_session *session, const struct mm_struct *mm, u64 address,
		      struct gapp_spin_exit *exits)
{
	const struct gapp_unwind_mapping *mapping = NULL;
	const struct gapp_mapping_list *list;
	u32 i, first, count = 0;

	rcu_read_lock();
	list = gapp_address_spaces_find(&session->spaces, mm);
	if (list)
		mapping = gapp_mapping_find(list->mappings, list->count, address);
	if (mapping && mapping->spins) {
		first = gapp_spin_table_exits(mapping->spins, address - mapping->bias, &count);
		for (i = 0; i < count && i < EXITS_MAX; i++) {
			exits[i] = mapping->spins->exits[first + i];
			exits[i].address += mapping->bias;
		}
	}
	rcu_read_unlock();
	return count && count <= EXITS_MAX ? count : -ENOENT;
}

/*
 * Sets where an exit is in its file, which is held by a reference, and so is its mount: without
 * that the file system could be unmounted once the process has ended, while the file is in use.
 */
static int find_file(struct mm_struct *mm, struct gapp_exact_exit *exit)
{
	const u64 address = exit->exit.address;
	struct vm_area_struct *vma = find_vma(mm, address);

	if (!vma || vma->vm_start > address || !vma->vm_file || !(vma->vm_flags & VM_EXEC))
		return -ENOENT;
	exit->path = vma->vm_file->f_path;
	path_get(&exit->path);
	exit->uprobe.inode = igrab(file_inode(vma->vm_file));
	exit->uprobe.offset = address - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
	return exit->uprobe.inode ? 0 : -ENOENT;
}

static int find_files(struct gapp_exact_loop *loop)
{
	int ret = 0;
	u32 i;

	/* its mappings must not go while they are looked at */
	if (!mmget_not_zero(loop->mm))
		return -ESRCH;
	mmap_read_lock(loop->mm);
	for (i = 0; i < loop->count && !ret; i++)
		ret = find_file(loop->mm, &loop->exits[i]);
	mmap_read_unlock(loop->mm);
	mmput(loop->mm);
	return ret;
}

/* Takes over the reference to @mm, also with an error. */
static struct gapp_exact_loop *begin_loop(struct gapp_session *session, struct mm_struct *mm,
					  const struct gapp_spin_exit *exits, u32 count, u32 passes)
{
	struct gapp_exact_loop *loop = kzalloc(struct_size(loop, exits, count), GFP_KERNEL_ACCOUNT);
	struct change change = { 0 };
	u32 i;

	if (!loop) {
		mmdrop(mm);
		return ERR_PTR(-ENOMEM);
	}
	loop->session = session;
	loop->mm = mm;
	loop->most_passes = passes;
	loop->window = jiffies;
	loop->count = count;
	for (i = 0; i < count; i++) {
		loop->exits[i].loop = loop;
		loop->exits[i].exit = exits[i];
		loop->exits[i].uprobe.hit = gapp_exact_hit;
		loop->exits[i].uprobe.wants = gapp_exact_wants;
	}
	change.loop = loop;
	change.ret = find_files(loop);
	if (!change.ret)
		make(&change, add_breakpoints);
	if (!change.ret)
		return loop;
	end_loop(loop, change.begun);
	return ERR_PTR(change.ret);
}

/* Returns a free place; or ENOSPC, or what is known of the loop already. */
static int find_place(const struct gapp_session *session, const struct mm_struct *mm,
		      const struct gapp_spin_exit *exit)
{
	int place = -ENOSPC;
	u32 i;

	for (i = 0; i < GAPP_EXACT_LOOPS; i++) {
		const struct gapp_exact_loop *loop = session->exact[i];

		if (!loop)
			place = i;
		else if (loop->mm == mm && loop->exits[0].exit.address == exit->address)
			return READ_ONCE(loop->given_up) ? -EDQUOT : -EEXIST;
	}
	return place;
}

static int may_time(const struct gapp_session *session)
{
	if (session->state != GAPP_SESSION_RUNNING)
		return -ENOTCONN;
	if (!session->settings.spins)
		return -EINVAL;
	return session->settings.restricted || !perfmon_capable() ? -EPERM : 0;
}

static bool is_valid(const struct gapp_exact *exact)
{
	if (!exact->pid)
		return !memchr_inv(exact, 0, sizeof(*exact));
	return exact->pid > 0 && exact->passes && exact->passes <= GAPP_EXACT_MAX_PASSES;
}

/**
 * gapp_session_exact() - EXACT
 * @session: the session, locked
 * @exact: what the reader asks for
 *
 * Return: 0, or a negative errno.
 */
int gapp_session_exact(struct gapp_session *session, const struct gapp_exact *exact)
{
	struct gapp_spin_exit exits[EXITS_MAX];
	struct gapp_exact_loop *loop;
	struct mm_struct *mm;
	int ret, place;

	if (!is_valid(exact))
		return -EINVAL;
	ret = may_time(session);
	if (ret)
		return ret;
	if (!exact->pid) {
		gapp_exact_end(session);
		return 0;
	}
	mm = gapp_session_memory(session, exact->pid);
	if (!mm)
		return -ESRCH;
	ret = find_exits(session, mm, exact->address, exits);
	place = ret < 0 ? ret : find_place(session, mm, exits);
	if (place < 0) {
		mmdrop(mm);
		return place;
	}
	loop = begin_loop(session, mm, exits, ret, exact->passes);
	if (IS_ERR(loop))
		return PTR_ERR(loop);
	session->exact[place] = loop;
	return 0;
}
