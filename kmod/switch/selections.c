// SPDX-License-Identifier: GPL-2.0
#include <linux/err.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "compat/cgroup.h"
#include "core/glob.h"
#include "selections.h"

/**
 * gapp_selections_add() - follow processes of a name or a control group from now on
 * @selections: the session's
 * @selection: hostile, but for the members that are reserved
 *
 * Process context; under the session's lock.
 *
 * Return: 0, or an error of the call.
 */
int gapp_selections_add(struct gapp_selections *selections,
			const struct gapp_add_selection *selection)
{
	struct gapp_selection *next;
	struct cgroup *cgroup = NULL;

	if (selection->flags & ~GAPP_ADD_NO_INHERIT || selection->cgroup_fd < -1 ||
	    strnlen((const char *)selection->comm, sizeof(selection->comm)) ==
		    sizeof(selection->comm) ||
	    (!selection->comm[0] && selection->cgroup_fd < 0))
		return -EINVAL;
	if (selections->count == GAPP_MAX_SELECTIONS)
		return -ENOSPC;
	if (selection->cgroup_fd >= 0)
		cgroup = gapp_cgroup_get(selection->cgroup_fd);
	if (IS_ERR(cgroup))
		return PTR_ERR(cgroup);
	next = &selections->list[selections->count];
	strscpy_pad(next->comm, (const char *)selection->comm, sizeof(next->comm));
	next->cgroup = cgroup;
	next->inherit = !(selection->flags & GAPP_ADD_NO_INHERIT);
	/* Pairs with the acquire in gapp_selections_find(). */
	smp_store_release(&selections->count, selections->count + 1);
	return 0;
}

/* No probe is registered any more. */
void gapp_selections_free(struct gapp_selections *selections)
{
	while (selections->count) {
		selections->count--;
		if (selections->list[selections->count].cgroup)
			gapp_cgroup_put(selections->list[selections->count].cgroup);
	}
}

/* The first selection that the task belongs to, or NULL. Under rcu_read_lock(); does not sleep. */
const struct gapp_selection *gapp_selections_find(const struct gapp_selections *selections,
						  struct task_struct *task)
{
	/* Pairs with the release in gapp_selections_add(). */
	u32 count = smp_load_acquire(&selections->count), i;

	for (i = 0; i < count; i++) {
		const struct gapp_selection *each = &selections->list[i];

		if ((!each->comm[0] || gapp_glob_matches(each->comm, task->comm)) &&
		    (!each->cgroup || gapp_cgroup_has(each->cgroup, task)))
			return each;
	}
	return NULL;
}
