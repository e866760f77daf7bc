// SPDX-License-Identifier: GPL-2.0
/*
 * Queues work that computes, for as long as it is loaded: what a test has kworkers do. With
 * thread=1 a thread of its own, gapp_later, computes instead.
 */
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#define CRUNCH_NS (5 * NSEC_PER_MSEC)
#define LATER_NS (4 * NSEC_PER_MSEC) /* another: functions that are alike would become one */

static void work(struct work_struct *item);
static DECLARE_WORK(item, work);
static struct workqueue_struct *queue;
static struct task_struct *later;
static bool over;
static bool thread;
module_param(thread, bool, 0);

static __always_inline void crunch(u64 ns)
{
	const u64 end = ktime_get_ns() + ns;

	while (ktime_get_ns() < end)
		cpu_relax();
}

static noinline void gapp_work_crunch(void)
{
	crunch(CRUNCH_NS);
}

static noinline void gapp_later_crunch(void)
{
	crunch(LATER_NS);
}

static int run_later(void *unused)
{
	while (!kthread_should_stop()) {
		gapp_later_crunch();
		usleep_range(500, 1000);
	}
	return 0;
}

static void work(struct work_struct *unused)
{
	gapp_work_crunch();
	if (!READ_ONCE(over))
		queue_work(queue, &item);
}

static int __init gapp_work_init(void)
{
	if (thread) {
		later = kthread_run(run_later, NULL, "gapp_later");
		return PTR_ERR_OR_ZERO(later);
	}
	queue = alloc_workqueue("gapp_work", 0, 1);
	if (!queue)
		return -ENOMEM;
	queue_work(queue, &item);
	return 0;
}

static void __exit gapp_work_exit(void)
{
	if (later) {
		kthread_stop(later);
		return;
	}
	WRITE_ONCE(over, true);
	cancel_work_sync(&item);
	destroy_workqueue(queue);
}

module_init(gapp_work_init);
module_exit(gapp_work_exit);
MODULE_DESCRIPTION("work for kworkers, to test gapp");
MODULE_LICENSE("GPL");
