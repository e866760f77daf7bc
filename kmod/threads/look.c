// SPDX-License-Identifier: GPL-2.0
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "fault/fault.h"
#include "look.h"

/* Tasks in one RCU section. */
#define LOOK_TASKS 1024
#define LOOK_TASKS_SHORT 32
#define LOOK_TRIES 8

/**
 * gapp_look_begin() - enter the RCU section
 * @look: the look
 *
 * Process context; may sleep.
 */
void gapp_look_begin(struct gapp_look *look) __acquires(RCU)
{
	look->tasks = 0;
	look->tries++;
	look->lost = false;
	rcu_read_lock();
}

/* A process whose leader has exited stays listed as long as the leader has its id. */
static bool is_listed(struct task_struct *process, struct task_struct *task)
{
	/* a thread that executes a program takes the leader's place in the list of processes */
	return pid_alive(process) && thread_group_leader(process) && pid_alive(task);
}

static bool leave(struct task_struct *process, struct task_struct *task)
{
	bool listed;

	get_task_struct(process);
	get_task_struct(task);
	rcu_read_unlock();
	gapp_fault_pause("short_looks");
	cond_resched();
	rcu_read_lock();
	listed = is_listed(process, task) && !gapp_fault_at_random("lost_looks");
	put_task_struct(task);
	put_task_struct(process);
	return listed;
}

static u32 tasks_at_a_time(void)
{
	if (gapp_fault_always("lost_looks"))
		return 1;
	return gapp_fault_always("short_looks") ? LOOK_TASKS_SHORT : LOOK_TASKS;
}

/**
 * gapp_look_at() - go on to a task; leaves the RCU section now and then
 * @look: the look
 * @process: leader of the process in the list at which the look is
 * @task: thread of @process at which it is, or @process
 *
 * Return: false if the look has lost its place: then @process and @task may be gone, and nothing is
 * left to be done before gapp_look_end().
 */
bool gapp_look_at(struct gapp_look *look, struct task_struct *process, struct task_struct *task)
{
	if (++look->tasks < tasks_at_a_time() || look->tries > LOOK_TRIES)
		return true;
	look->tasks = 0;
	look->lost = !leave(process, task);
	return !look->lost;
}

/**
 * gapp_look_end() - leave the RCU section
 * @look: the look
 *
 * Return: whether the look was at every task; if not, it must begin again.
 */
bool gapp_look_end(struct gapp_look *look) __releases(RCU)
{
	rcu_read_unlock();
	cond_resched();
	return !look->lost;
}
