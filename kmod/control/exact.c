// SPDX-License-Identifier: GPL-2.0
/* EXACT: breakpoints at the exits of busy-wait loops. */
#include <linux/capability.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "callpath/address_spaces.h"
#include "control.h"
#include "switch/exact.h"

/**
 * gapp_exact_end() - no loop of the session is timed exactly any more when it returns
 * @session: the session, locked, or nobody else has it
 */
void gapp_exact_end(struct gapp_session *session)
{
	u32 i;

	for (i = 0; i < GAPP_EXACT_LOOPS; i++) {
		if (!session->exact[i])
			continue;
		gapp_breakpoints_end(&session->exact[i]->points);
		kfree(session->exact[i]);
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
		for (i = 0; i < count && i < GAPP_BREAKPOINTS; i++) {
			exits[i] = mapping->spins->exits[first + i];
			exits[i].address += mapping->bias;
		}
	}
	rcu_read_unlock();
	return count && count <= GAPP_BREAKPOINTS ? count : -ENOENT;
}

/* Takes over the reference to @mm, also with an error. */
static struct gapp_exact_loop *begin_loop(struct gapp_session *session, struct mm_struct *mm,
					  const struct gapp_spin_exit *exits, u32 count, u32 passes)
{
	struct gapp_exact_loop *loop = kzalloc(sizeof(*loop), GFP_KERNEL_ACCOUNT);
	int ret;
	u32 i;

	if (!loop) {
		mmdrop(mm);
		return ERR_PTR(-ENOMEM);
	}
	loop->points.session = session;
	loop->points.mm = mm;
	loop->points.most_passes = passes;
	loop->points.window_ns = GAPP_EXACT_PASSES_NS;
	loop->points.count = count;
	for (i = 0; i < count; i++) {
		loop->exits[i] = exits[i];
		loop->points.points[i].address = exits[i].address;
	}
	ret = gapp_breakpoints_begin(&loop->points, gapp_exact_hit);
	if (!ret)
		return loop;
	kfree(loop);
	return ERR_PTR(ret);
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
		else if (loop->points.mm == mm && loop->exits[0].address == exit->address)
			return READ_ONCE(loop->points.given_up) ? -EDQUOT : -EEXIST;
	}
	return place;
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
	struct gapp_spin_exit exits[GAPP_BREAKPOINTS];
	struct gapp_exact_loop *loop;
	struct mm_struct *mm;
	int ret, place;

	if (!is_valid(exact))
		return -EINVAL;
	ret = gapp_may_look_into_code(session);
	if (ret)
		return ret;
	if (!exact->pid) {
		gapp_exact_end(session);
		return 0;
	}
	mm = gapp_session_memory(session, exact->pid, NULL);
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
