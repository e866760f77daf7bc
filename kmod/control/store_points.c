// SPDX-License-Identifier: GPL-2.0
/*
 * STORE_POINT: breakpoints on instructions that end waits in busy-wait loops. The kernel has the
 * thread make such a store as a single step. An emulator may not be able to tell of a step and of a
 * store into a watched word at once, so nobody watches meanwhile.
 */
#include <linux/capability.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "control.h"
#include "core/store_point.h"
#include "switch/store_points.h"

/**
 * gapp_store_points_end() - no store is told by a breakpoint any more when it returns
 * @session: the session, locked, or nobody else has it
 */
void gapp_store_points_end(struct gapp_session *session)
{
	u32 i;

	for (i = 0; i < GAPP_STORE_POINTS; i++) {
		if (!session->stores[i])
			continue;
		gapp_breakpoints_end(&session->stores[i]->points);
		gapp_watch_let_in();
		kfree(session->stores[i]);
		session->stores[i] = NULL;
	}
}

/* Returns a free place; or ENOSPC, or what is known of the instruction already. */
static int find_place(const struct gapp_session *session, const struct mm_struct *mm, u64 address)
{
	int free = -ENOSPC;
	u32 i;

	for (i = 0; i < GAPP_STORE_POINTS; i++) {
		const struct gapp_store_place *place = session->stores[i];

		if (!place)
			free = i;
		else if (place->points.mm == mm && place->asked.address == address)
			return READ_ONCE(place->points.given_up) ? -EDQUOT : -EEXIST;
	}
	return free;
}

/* Takes over the reference to @mm, also with an error. */
static int begin(struct gapp_session *session, struct mm_struct *mm,
		 const struct gapp_store_point *asked, struct gapp_store_place **begun)
{
	struct gapp_store_place *place = kzalloc(sizeof(*place), GFP_KERNEL_ACCOUNT);
	int ret = place ? gapp_watch_keep_out() : -ENOMEM;

	if (ret) {
		kfree(place);
		mmdrop(mm);
		return ret;
	}
	place->asked = *asked;
	place->points.session = session;
	place->points.mm = mm;
	place->points.most_passes = asked->passes;
	place->points.window_ns = GAPP_STORE_POINT_PASSES_NS;
	place->points.count = 1;
	place->points.points[0].address = asked->address;
	ret = gapp_breakpoints_begin(&place->points, gapp_store_point_hit);
	if (!ret) {
		*begun = place;
		return 0;
	}
	gapp_watch_let_in();
	kfree(place);
	return ret;
}

/**
 * gapp_session_store_point() - STORE_POINT
 * @session: the session, locked
 * @asked: what the reader asks for
 *
 * Return: 0, or a negative errno.
 */
int gapp_session_store_point(struct gapp_session *session, const struct gapp_store_point *asked)
{
	struct mm_struct *mm;
	int ret, place;

	if (asked->pid ? !gapp_store_point_is_valid(asked) : !!memchr_inv(asked, 0, sizeof(*asked)))
		return -EINVAL;
	ret = gapp_may_look_into_code(session);
	if (ret)
		return ret;
	if (!asked->pid) {
		gapp_store_points_end(session);
		return 0;
	}
	mm = gapp_session_memory(session, asked->pid, NULL);
	if (!mm)
		return -ESRCH;
	place = find_place(session, mm, asked->address);
	if (place < 0) {
		mmdrop(mm);
		return place;
	}
	return begin(session, mm, asked, &session->stores[place]);
}
