// SPDX-License-Identifier: GPL-2.0
/* Whose processes a session may follow. */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "compat/sched.h"
#include "settings.h"

static bool same_ids(const struct cred *user, const struct cred *target)
{
	return uid_eq(user->uid, target->uid) && uid_eq(user->uid, target->euid) &&
	       uid_eq(user->uid, target->suid) && gid_eq(user->gid, target->gid) &&
	       gid_eq(user->gid, target->egid) && gid_eq(user->gid, target->sgid);
}

static bool same_user(const struct cred *user, const struct cred *target)
{
	return same_ids(user, target) && user->user_ns == target->user_ns &&
	       cap_issubset(target->cap_permitted, user->cap_permitted);
}

/* A leader that has exited has no mm any more, other threads may have theirs. */
static bool is_dumpable(struct task_struct *process)
{
	struct task_struct *thread;
	bool dumpable = false, found;

	for_each_thread(process, thread) {
		task_lock(thread);
		found = thread->mm;
		if (found)
			dumpable = gapp_task_is_dumpable(thread);
		task_unlock(thread);
		if (found)
			break;
	}
	return dumpable;
}

/**
 * gapp_cred_may_follow() - whether a user without privilege may follow a process
 * @user: the user
 * @process: the process; under rcu_read_lock()
 *
 * Return: true if the process belongs to @user, has no more rights than @user, and is dumpable.
 */
bool gapp_cred_may_follow(const struct cred *user, struct task_struct *process)
{
	if (!same_user(user, __task_cred(process)))
		return false;
	/* The probe of exec, where @process is current, may take no lock that sleeps on RT. */
	if (process == current)
		return gapp_task_is_dumpable(current);
	return is_dumpable(process);
}

/* Whether the session's opener may follow a process. Under rcu_read_lock(). */
bool gapp_may_follow(const struct gapp_settings *settings, struct task_struct *process)
{
	return !settings->restricted || gapp_cred_may_follow(settings->opener, process);
}

/**
 * gapp_may_inherit() - whether a new thread may be followed because another one is
 * @settings: of the session
 * @task: the new thread; under rcu_read_lock()
 *
 * One that has become another user's by exec is followed until it leaves its CPU, and what it makes
 * meanwhile is not to be followed for good. A user's process may have more rights in a namespace of
 * its own, and may not be dumpable.
 *
 * Return: true if the thread has no other ids than the opener, and no more rights in its namespace.
 */
bool gapp_may_inherit(const struct gapp_settings *settings, struct task_struct *task)
{
	const struct cred *user = settings->opener, *target;

	if (!settings->restricted)
		return true;
	target = __task_cred(task);
	return same_ids(user, target) && (user->user_ns != target->user_ns ||
					  cap_issubset(target->cap_permitted, user->cap_permitted));
}
