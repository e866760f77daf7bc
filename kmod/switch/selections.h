/* SPDX-License-Identifier: GPL-2.0 */
/* Processes that a session follows because of their name or control group. */
#ifndef GAPP_SELECTIONS_H
#define GAPP_SELECTIONS_H

#include <linux/types.h>

#include <gapp.h>

struct cgroup;
struct task_struct;

/**
 * struct gapp_selection - what a process must have to be followed
 * @comm: pattern of its name; empty: any name
 * @cgroup: control group that it is in, a reference; NULL: any
 * @inherit: its children are followed too
 */
struct gapp_selection {
	char comm[GAPP_SELECTION_COMM];
	struct cgroup *cgroup;
	bool inherit;
};

/**
 * struct gapp_selections - all of a session
 * @list: the selections
 * @count: length of @list; only grows while there are probes, that of exec reads it without a lock
 *
 * The session's lock protects what is added.
 */
struct gapp_selections {
	struct gapp_selection list[GAPP_MAX_SELECTIONS];
	u32 count;
};

int gapp_selections_add(struct gapp_selections *selections,
			const struct gapp_add_selection *selection);
void gapp_selections_free(struct gapp_selections *selections);
const struct gapp_selection *gapp_selections_find(const struct gapp_selections *selections,
						  struct task_struct *task);

#endif /* GAPP_SELECTIONS_H */
