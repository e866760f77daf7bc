// SPDX-License-Identifier: GPL-2.0
/*
 * WATCH: for a tenth of a second at most the processor tells who stores into a word. It has four
 * breakpoints, which debuggers want too: all sessions together use one.
 */
#include <linux/capability.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/rcupdate.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "compat/watch.h"
#include "compat/workqueue.h"
#include "control.h"
#include "core/spin_location.h"

/*
 * Protects which session watches, what it watches, and how many have asked that nobody does. Taken
 * under a session's lock, and without one at the deadline; the locks of perf and of CPU hotplug are
 * taken under it.
 */
static DEFINE_MUTEX(watch_lock);
static struct gapp_session *watcher;
static u32 kept_out;

/**
 * gapp_watch_keep_out() - have nobody watch until gapp_watch_let_in()
 *
 * Return: 0, or -EBUSY: a session watches.
 */
int gapp_watch_keep_out(void)
{
	int ret = 0;

	mutex_lock(&watch_lock);
	if (watcher)
		ret = -EBUSY;
	else
		kept_out++;
	mutex_unlock(&watch_lock);
	return ret;
}

void gapp_watch_let_in(void)
{
	mutex_lock(&watch_lock);
	kept_out--;
	mutex_unlock(&watch_lock);
}

/* Under watch_lock. */
static void disarm(struct gapp_session *session)
{
	struct gapp_watched *watched = &session->watched;
	unsigned int cpu;

	if (watcher != session)
		return;
	for_each_possible_cpu(cpu)
		if (watched->events[cpu])
			gapp_watch_end_on(watched->events[cpu]);
	/* gapp_store_seen() runs with interrupts off */
	synchronize_rcu();
	kvfree(watched->events);
	watched->events = NULL;
	mmdrop(watched->mm);
	watched->mm = NULL;
	watcher = NULL;
}

static void end_at_deadline(struct work_struct *work)
{
	struct gapp_session *session =
		container_of(to_delayed_work(work), struct gapp_session, watched.deadline);

	mutex_lock(&watch_lock);
	disarm(session);
	mutex_unlock(&watch_lock);
}

void gapp_watch_prepare(struct gapp_session *session)
{
	INIT_DELAYED_WORK(&session->watched.deadline, end_at_deadline);
}

/**
 * gapp_watch_end() - nothing of the session is watched any more when it returns
 * @session: the session; nobody else begins a watch of it
 */
void gapp_watch_end(struct gapp_session *session)
{
	cancel_delayed_work_sync(&session->watched.deadline);
	mutex_lock(&watch_lock);
	disarm(session);
	mutex_unlock(&watch_lock);
}

/* Whether a thread of the session has run there: other CPUs may be set aside for others. */
static bool is_used(const struct gapp_session *session, unsigned int cpu)
{
	return READ_ONCE(session->cpus[cpu]->slices) || READ_ONCE(session->cpus[cpu]->open_of);
}

/* Under watch_lock. Returns 0, or an error with nothing armed. */
static int arm(struct gapp_session *session)
{
	const struct gapp_watch *asked = &session->watched.asked;
	struct perf_event *event;
	unsigned int cpu;
	int ret = 0;

	watcher = session;
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		if (!is_used(session, cpu))
			continue;
		event = gapp_watch_begin_on(cpu, asked->address, asked->bytes, asked->stores,
					    gapp_store_seen, session);
		if (IS_ERR(event)) {
			ret = PTR_ERR(event);
			break;
		}
		session->watched.events[cpu] = event;
	}
	cpus_read_unlock();
	if (ret)
		disarm(session);
	return ret;
}

/**
 * gapp_session_memory() - memory of a process of which a thread is followed
 * @session: the session
 * @nr: id of the process
 * @image: set to the number of that address space, if there is one; or NULL
 *
 * Return: the memory, held by mmgrab(); NULL: there is none.
 */
struct mm_struct *gapp_session_memory(struct gapp_session *session, pid_t nr, u32 *image)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *process, *thread;
	struct gapp_thread *followed;
	struct mm_struct *mm = NULL;

	rcu_read_lock();
	process = pid_task(pid, PIDTYPE_TGID);
	if (process) {
		for_each_thread(process, thread) {
			followed = gapp_lookup(&session->threads, thread);
			if (!followed)
				continue;
			if (image)
				*image = READ_ONCE(followed->image);
			task_lock(thread);
			mm = thread->flags & PF_KTHREAD ? NULL : thread->mm;
			if (mm)
				mmgrab(mm);
			task_unlock(thread);
			if (mm)
				break;
		}
	}
	rcu_read_unlock();
	put_pid(pid);
	return mm;
}

static bool is_valid(const struct gapp_watch *watch)
{
	if (watch->reserved || watch->pid < 0)
		return false;
	if (!watch->pid)
		return !memchr_inv(watch, 0, sizeof(*watch));
	return gapp_spin_bytes_are_valid(watch->bytes) && !(watch->address % watch->bytes) &&
	       watch->address < TASK_SIZE_MAX - watch->bytes && watch->time_ns &&
	       watch->time_ns <= GAPP_WATCH_MAX_NS && watch->stores &&
	       watch->stores <= GAPP_WATCH_MAX_STORES && watch->goes_on < GAPP_SPIN_WHILES &&
	       (watch->goes_on || !watch->number);
}

/**
 * gapp_may_look_into_code() - whether the session may stop threads at what their code does
 * @session: the session, locked
 *
 * Return: 0, or a negative errno.
 */
int gapp_may_look_into_code(const struct gapp_session *session)
{
	if (session->state != GAPP_SESSION_RUNNING)
		return -ENOTCONN;
	if (!session->settings.spins)
		return -EINVAL;
	return session->settings.restricted || !perfmon_capable() ? -EPERM : 0;
}

/* Takes over the reference to @mm. */
static int begin(struct gapp_session *session, const struct gapp_watch *watch, struct mm_struct *mm,
		 u32 image)
{
	struct gapp_watched *watched = &session->watched;
	int ret = -EBUSY;

	mutex_lock(&watch_lock);
	if (watcher || kept_out)
		goto unlock;
	ret = -ENOMEM;
	watched->events = kvcalloc(nr_cpu_ids, sizeof(struct perf_event *), GFP_KERNEL_ACCOUNT);
	if (!watched->events)
		goto unlock;
	watched->asked = *watch;
	watched->mm = mm;
	watched->image = image;
	mm = NULL;
	ret = arm(session);
	if (!ret)
		queue_delayed_work(gapp_any_cpu_wq, &watched->deadline,
				   nsecs_to_jiffies(watch->time_ns) + 1);
unlock:
	mutex_unlock(&watch_lock);
	if (mm)
		mmdrop(mm);
	return ret;
}

/**
 * gapp_session_watch() - WATCH
 * @session: the session, locked
 * @watch: what the reader asks for
 *
 * Return: 0, or a negative errno.
 */
int gapp_session_watch(struct gapp_session *session, const struct gapp_watch *watch)
{
	struct mm_struct *mm;
	u32 image;
	int ret;

	if (!is_valid(watch))
		return -EINVAL;
	ret = gapp_may_look_into_code(session);
	if (ret)
		return ret;
	gapp_watch_end(session);
	if (!watch->pid)
		return 0;
	mm = gapp_session_memory(session, watch->pid, &image);
	return mm ? begin(session, watch, mm, image) : -ESRCH;
}
