// SPDX-License-Identifier: GPL-2.0
/* Queues work that computes, for as long as it is loaded: what a test has kworkers do. */
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

#define CRUNCH_NS (5 * NSEC_PER_MSEC)

static void work(struct work_struct *item);
static DECLARE_WORK(item, work);
static struct workqueue_struct *queue;
static bool over;

static noinline void gapp_work_crunch(void)
{
	const u64 end = ktime_get_ns() + CRUNCH_NS;

	while (ktime_get_ns() < end)
		cpu_relax();
}

static void work(struct work_struct *unused)
{
	gapp_work_crunch();
	if (!READ_ONCE(over))
		queue_work(queue, &item);
}

static int __init gapp_work_init(void)
{
	queue = alloc_workqueue("gapp_work", 0, 1);
	if (!queue)
		return -ENOMEM;
	queue_work(queue, &item);
	return 0;
}

static void __exit gapp_work_exit(void)
{
	WRITE_ONCE(over, true);
	cancel_work_sync(&item);
	destroy_workqueue(queue);
}

module_init(gapp_work_init);
module_exit(gapp_work_exit);
MODULE_DESCRIPTION("work for kworkers, to test gapp");
MODULE_LICENSE("GPL");
