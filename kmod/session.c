// SPDX-License-Identifier: GPL-2.0
/*
 * A session's life: NEW -> READY (configured) -> RUNNING -> STOPPED, once.
 * Every step is undone in reverse, at the latest when the file is closed.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/pid_namespace.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "probes.h"
#include "session.h"

/* Each one is called at every context switch of the machine. */
#define MAX_SESSIONS 64

/* Protects the list of sessions, their number, and the id of the last one. */
static DEFINE_MUTEX(all_lock);
static LIST_HEAD(all_sessions);
static u32 session_count;
static u32 last_id;

static bool enlist(struct gapp_session *session)
{
	bool room;

	mutex_lock(&all_lock);
	room = session_count < MAX_SESSIONS;
	if (room) {
		session_count++;
		session->id = ++last_id;
		list_add_tail(&session->all, &all_sessions);
	}
	mutex_unlock(&all_lock);
	return room;
}

static void delist(struct gapp_session *session)
{
	mutex_lock(&all_lock);
	list_del(&session->all);
	session_count--;
	mutex_unlock(&all_lock);
}

static void release(struct gapp_session *session)
{
	gapp_threads_destroy(&session->track);
	while (session->request_count)
		put_pid(session->requests[--session->request_count].tgid);
	kvfree(session->requests);
	put_cred(session->track.opener);
	put_pid(session->track.self);
	put_pid_ns(session->ns);
	kvfree(session);
}

/**
 * gapp_session_create() - a new session of the caller
 *
 * Return: the session, or ERR_PTR of -ENOMEM, or of -EUSERS if there are too many.
 */
struct gapp_session *gapp_session_create(void)
{
	struct gapp_session *session = kvzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return ERR_PTR(-ENOMEM);
	mutex_init(&session->lock);
	gapp_threads_prepare(&session->track);
	session->ns = get_pid_ns(task_active_pid_ns(current));
	session->track.self = get_pid(task_tgid(current));
	session->track.opener = get_current_cred();
	session->track.restricted = !perfmon_capable();
	if (!enlist(session)) {
		release(session);
		return ERR_PTR(-EUSERS);
	}
	return session;
}

static void stop_events(struct gapp_session *session)
{
	gapp_probes_unregister(&session->track);
	gapp_threads_quiesce(&session->track);
	gapp_reap_tasks(&session->track);
}

/**
 * gapp_session_destroy() - ends a session in any state
 * @session: the session; nobody else has it
 */
void gapp_session_destroy(struct gapp_session *session)
{
	delist(session);
	if (session->state == GAPP_SESSION_RUNNING)
		stop_events(session);
	release(session);
}

static int config_is_valid(const struct gapp_config *config)
{
	if (config->abi_major != GAPP_ABI_MAJOR)
		return -EPROTONOSUPPORT;
	if (config->flags || memchr_inv(config->reserved, 0, sizeof(config->reserved)))
		return -EINVAL;
	if (config->n_min_mode > GAPP_N_MIN_FIXED)
		return -EINVAL;
	if (config->n_min_mode == GAPP_N_MIN_FIXED) {
		if (config->n_min < 1 || config->n_min > GAPP_MAX_THREADS)
			return -EINVAL;
	} else if (config->n_min) {
		return -EINVAL;
	}
	if (config->max_threads > GAPP_MAX_THREADS)
		return -EINVAL;
	if (config->max_exited > GAPP_MAX_EXITED && config->max_exited != GAPP_EXITED_DEFAULT)
		return -EINVAL;
	return 0;
}

static int configure(struct gapp_session *session, const struct gapp_config *config)
{
	struct gapp_track *track = &session->track;
	int ret = config_is_valid(config);

	if (ret)
		return ret;
	if (session->state != GAPP_SESSION_NEW)
		return -EBUSY;

	track->max_threads = config->max_threads ?: GAPP_DEFAULT_THREADS;
	track->max_exited = config->max_exited == GAPP_EXITED_DEFAULT ? GAPP_DEFAULT_EXITED :
									config->max_exited;
	track->crowd.mode = config->n_min_mode;
	track->crowd.fixed = config->n_min;
	session->requests =
		kvcalloc(GAPP_MAX_TARGETS, sizeof(*session->requests), GFP_KERNEL_ACCOUNT);
	if (!session->requests)
		return -ENOMEM;
	ret = gapp_threads_init(track);
	if (ret) {
		kvfree(session->requests);
		session->requests = NULL;
		return ret;
	}
	session->state = GAPP_SESSION_READY;
	return 0;
}

/* The caller's own credentials count beside the opener's: the file may have been handed on. */
static int may_add(struct gapp_session *session, struct task_struct *process)
{
	if (process->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	if (task_tgid(process) == session->track.self || same_thread_group(process, current))
		return -ELOOP;
	if (READ_ONCE(process->exit_state))
		return -ESRCH;
	if (!gapp_may_follow(&session->track, process))
		return -EPERM;
	if (!perfmon_capable() && !gapp_cred_may_follow(current_cred(), process))
		return -EPERM;
	return 0;
}

static struct pid *find_process(struct gapp_session *session, pid_t nr, int *error)
{
	struct pid *tgid = NULL, *pid = find_get_pid(nr);
	struct task_struct *task;

	*error = -ESRCH;
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task && thread_group_leader(task) && READ_ONCE(task->exit_state) &&
	    !thread_group_empty(task))
		task = next_thread(task); /* the leader has exited, others go on */
	if (task) {
		*error = may_add(session, task);
		if (!*error)
			tgid = get_pid(task_tgid(task));
	}
	rcu_read_unlock();
	put_pid(pid);
	return tgid;
}

static int add_target(struct gapp_session *session, const struct gapp_target *target)
{
	struct gapp_request *request = &session->requests[session->request_count];
	struct pid *tgid;
	int error;
	u32 i;

	if (target->flags & ~GAPP_TARGET_NO_INHERIT || target->pid <= 0 ||
	    memchr_inv(target->reserved, 0, sizeof(target->reserved)))
		return -EINVAL;
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state == GAPP_SESSION_STOPPED)
		return -EBUSY;
	if (session->request_count == GAPP_MAX_TARGETS)
		return -ENOSPC;
	tgid = find_process(session, target->pid, &error);
	if (!tgid)
		return error ?: -ESRCH;
	for (i = 0; i < session->request_count; i++) {
		if (session->requests[i].tgid == tgid) {
			put_pid(tgid);
			return -EEXIST;
		}
	}

	request->tgid = tgid;
	request->inherit = !(target->flags & GAPP_TARGET_NO_INHERIT);
	session->request_count++;
	if (session->state != GAPP_SESSION_RUNNING)
		return 0;
	return gapp_attach(&session->track, request, 1);
}

static int start(struct gapp_session *session)
{
	struct gapp_track *track = &session->track;
	int ret;

	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state != GAPP_SESSION_READY)
		return -EBUSY;
	if (!session->request_count)
		return -ENODATA;
	ret = gapp_threads_stock(track, min_t(u32, GAPP_STOCK_ENTRIES, track->max_threads));
	if (ret)
		return ret;
	ret = gapp_probes_register(track);
	if (ret)
		return ret;
	ret = gapp_attach(track, session->requests, session->request_count);
	if (!ret && !READ_ONCE(track->entries_live))
		ret = -ESRCH;
	if (ret) {
		/* States and n are half told: there is no second try. */
		stop_events(session);
		session->state = GAPP_SESSION_STOPPED;
		return ret;
	}
	local_irq_disable();
	gapp_acc_start(&track->acc);
	local_irq_enable();
	gapp_track_begin(track);
	session->state = GAPP_SESSION_RUNNING;
	return 0;
}

static int stop(struct gapp_session *session)
{
	struct gapp_track *track = &session->track;
	struct gapp_status *recount = &session->recount;
	struct gapp_at end;
	int ret;

	if (session->state != GAPP_SESSION_RUNNING)
		return -ENOTCONN;
	ret = gapp_recount(track, recount);
	if (ret)
		return ret;
	local_irq_disable();
	gapp_acc_stop(&track->acc, &end);
	local_irq_enable();
	/* At once, for the kernel's own accounts go on. Events still come, and change nothing. */
	recount->n_at_stop = gapp_track_settle(track, &end);
	stop_events(session);
	recount->flags = GAPP_STATUS_RECOUNTED;
	if (!recount->recount_differ && recount->n_at_stop == end.n)
		recount->flags |= GAPP_STATUS_RECOUNT_OK;
	session->state = GAPP_SESSION_STOPPED;
	return 0;
}

int gapp_session_configure(struct gapp_session *session, const struct gapp_config *config)
{
	int ret;

	mutex_lock(&session->lock);
	ret = configure(session, config);
	mutex_unlock(&session->lock);
	return ret;
}

int gapp_session_add_target(struct gapp_session *session, const struct gapp_target *target)
{
	int ret;

	mutex_lock(&session->lock);
	ret = add_target(session, target);
	mutex_unlock(&session->lock);
	return ret;
}

int gapp_session_start(struct gapp_session *session)
{
	int ret;

	mutex_lock(&session->lock);
	ret = start(session);
	mutex_unlock(&session->lock);
	return ret;
}

int gapp_session_stop(struct gapp_session *session)
{
	int ret;

	mutex_lock(&session->lock);
	ret = stop(session);
	mutex_unlock(&session->lock);
	return ret;
}

void gapp_session_for_each(void (*show)(struct gapp_session *session, void *data), void *data)
{
	struct gapp_session *session;

	mutex_lock(&all_lock);
	list_for_each_entry(session, &all_sessions, all)
		show(session, data);
	mutex_unlock(&all_lock);
}
