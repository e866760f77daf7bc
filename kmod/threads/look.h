/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A look at every task of the machine, under RCU. Now and then it leaves the RCU section, as
 * rcu_lock_break() of kernel/hung_task.c does, so that other threads of the CPU run. A task at
 * which it stands then may exit meanwhile, and nobody knows the next task any more: the look has
 * lost its place, and begins again. After LOOK_TRIES such tries it stays in the section, so that
 * it comes to its end.
 *
 *	struct gapp_look look = {};
 *
 *	do {
 *		gapp_look_begin(&look);
 *		for_each_process(process)
 *			if (!gapp_look_at(&look, process, process))
 *				break;
 *	} while (!gapp_look_end(&look));
 */
#ifndef GAPP_LOOK_H
#define GAPP_LOOK_H

#include <linux/sched.h>
#include <linux/types.h>

/**
 * struct gapp_look - a look under way; all zero before the first try
 * @tasks: tasks that it has been at in the present RCU section
 * @tries: times that it has begun
 * @lost: it has lost its place: the process and the task of the last gapp_look_at() may be gone
 */
struct gapp_look {
	u32 tasks;
	u32 tries;
	bool lost;
};

void gapp_look_begin(struct gapp_look *look) __acquires(RCU);
bool gapp_look_at(struct gapp_look *look, struct task_struct *process, struct task_struct *task);
bool gapp_look_end(struct gapp_look *look) __releases(RCU);

/* Whether the last gapp_look_at() has left the RCU section: what was found before may be gone. */
static inline bool gapp_look_has_left(const struct gapp_look *look)
{
	return !look->tasks;
}

#endif /* GAPP_LOOK_H */
