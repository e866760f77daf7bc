/* SPDX-License-Identifier: GPL-2.0 */
/* What a thread is doing, read from the task itself while events may come. */
#ifndef GAPP_OBSERVE_H
#define GAPP_OBSERVE_H

#include "compat/sched.h"
#include "core/taskstate.h"

/**
 * gapp_observe() - the state of a task as the event that would tell it
 * @task: the task
 *
 * Whether it is on a CPU comes first: a thread sets its state word some time before it is switched
 * out, and may change its mind. A thread that was preempted meanwhile is still queued. One that is
 * being woken is asleep until its wake-up event.
 *
 * Return: GAPP_EV_SEED_* or GAPP_EV_OUT_DEAD.
 */
static inline enum gapp_event gapp_observe(const struct task_struct *task)
{
	unsigned int state;

	if (gapp_task_on_cpu(task))
		return GAPP_EV_SEED_RUNNING;
	/* Pairs with the switch-out, which sets the state word and then on_cpu. */
	smp_rmb();
	state = gapp_task_state_word(task);
	if (state == TASK_RUNNING)
		return GAPP_EV_SEED_RUNNABLE;
	if (state & TASK_DEAD)
		return GAPP_EV_OUT_DEAD;
	if (state & (TASK_NEW | TASK_WAKING))
		return GAPP_EV_SEED_BLOCKED;
	return gapp_task_queued(task) ? GAPP_EV_SEED_RUNNABLE : GAPP_EV_SEED_BLOCKED;
}

#endif /* GAPP_OBSERVE_H */
