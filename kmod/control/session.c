// SPDX-License-Identifier: GPL-2.0
/*
 * A session's life: NEW -> READY (configured) -> RUNNING -> STOPPED, once.
 * Every step is undone in reverse, at the latest when the file is closed.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>

#include "switch/between.h"
#include "ring/buffers.h"
#include "switch/cpu.h"
#include "callpath/mappings.h"
#include "switch/probes.h"
#include "switch/sampler.h"
#include "session.h"
#include "callpath/address_spaces.h"
#include "callpath/tables.h"

/* Each one is called at every context switch of the machine. */
#define MAX_SESSIONS 64
/* Of one user without privilege: others shall find room, and nobody accounts for the memory. */
#define MAX_RESTRICTED 8

/* Protects the list of sessions, their number, and the id of the last one. */
static DEFINE_MUTEX(all_lock);
static LIST_HEAD(all_sessions);
static u32 session_count;
static u32 last_id;

/* Under all_lock. */
static u32 restricted_sessions_of(kuid_t user)
{
	struct gapp_session *session;
	u32 count = 0;

	list_for_each_entry(session, &all_sessions, all)
		count += session->track.restricted && uid_eq(session->track.opener->uid, user);
	return count;
}

static bool enlist(struct gapp_session *session)
{
	const struct gapp_track *track = &session->track;
	bool room;

	mutex_lock(&all_lock);
	room = session_count < MAX_SESSIONS &&
	       (!track->restricted || restricted_sessions_of(track->opener->uid) < MAX_RESTRICTED);
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
	struct gapp_track *track = &session->track;
	struct gapp_request *request;

	gapp_address_spaces_destroy(track);
	gapp_tables_destroy(track);
	gapp_threads_destroy(track);
	gapp_buffers_destroy(track);
	gapp_cpus_destroy(track);
	while (session->request_count) {
		request = &session->requests[--session->request_count];
		if (request->mm)
			mmdrop(request->mm);
		put_pid(request->tgid);
	}
	kvfree(session->requests);
	while (track->exe_count)
		fput(track->exes[--track->exe_count]);
	put_cred(track->opener);
	put_pid(track->self);
	put_pid_ns(track->ns);
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
	gapp_tables_init(&session->track);
	session->track.ns = get_pid_ns(task_active_pid_ns(current));
	session->track.ns_level = session->track.ns->level;
	session->track.self = get_pid(task_tgid(current));
	session->track.opener = get_current_cred();
	session->track.restricted = !perfmon_capable();
	if (!enlist(session)) {
		release(session);
		return ERR_PTR(-EUSERS);
	}
	return session;
}

/* After the probes are gone. */
static void quiesce(struct gapp_session *session)
{
	gapp_cpus_quiesce(&session->track);
	gapp_threads_quiesce(&session->track);
	gapp_reap_tasks(&session->track);
	gapp_address_spaces_destroy(&session->track);
}

static void stop_events(struct gapp_session *session)
{
	gapp_probes_unregister(&session->track);
	quiesce(session);
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
	/* Without a probe too: mappings that were set anew are left to the worker. */
	gapp_threads_quiesce(&session->track);
	release(session);
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

/* Threads that run already may not be switched in for long. */
static void sample_from_now(struct gapp_track *track)
{
	if (track->period_ns)
		on_each_cpu(gapp_sampler_arm_here, track, true);
}

static int add_target(struct gapp_session *session, const struct gapp_add_process *target)
{
	struct gapp_request *request = &session->requests[session->request_count];
	struct pid *tgid;
	int error;
	u32 i;

	if (target->flags & ~GAPP_ADD_NO_INHERIT || target->pid <= 0 ||
	    memchr_inv(target->reserved, 0, sizeof(target->reserved)))
		return -EINVAL;
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state == GAPP_SESSION_STOPPED)
		return -EBUSY;
	if (session->request_count == GAPP_MAX_ADDED_PROCESSES)
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
	request->inherit = !(target->flags & GAPP_ADD_NO_INHERIT);
	session->request_count++;
	if (session->state != GAPP_SESSION_RUNNING)
		return 0;
	error = gapp_attach(&session->track, request, 1);
	sample_from_now(&session->track);
	return error;
}

/* The file must be one that the caller may read: what executes it is told apart by its inode. */
static int add_exe(struct gapp_session *session, const struct gapp_add_executable *exe)
{
	struct gapp_track *track = &session->track;
	struct file *file;

	if (exe->flags & ~GAPP_ADD_NO_INHERIT || exe->fd < 0 ||
	    memchr_inv(exe->reserved, 0, sizeof(exe->reserved)))
		return -EINVAL;
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state == GAPP_SESSION_STOPPED)
		return -EBUSY;
	/* Of whom it will be executed is not known yet: as in may_add(), by the strictest. */
	if (!track->restricted && !perfmon_capable())
		return -EPERM;
	if (track->exe_count == GAPP_MAX_EXECUTABLES)
		return -ENOSPC;
	file = fget(exe->fd);
	if (!file)
		return -EBADF;
	if (!S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return -EINVAL;
	}
	track->exes[track->exe_count] = file;
	if (!(exe->flags & GAPP_ADD_NO_INHERIT))
		track->exe_inherit |= BIT(track->exe_count);
	/* Nobody knows yet which CPUs its processes may use. */
	gapp_targets_add_cpus(track, num_online_cpus());
	/* Pairs with the acquire in the probe of exec. */
	smp_store_release(&track->exe_count, track->exe_count + 1);
	return 0;
}

/* It may be empty for a while: what is meant has not begun. */
static bool may_come_later(const struct gapp_track *track)
{
	return track->all || track->exe_count;
}

/* States and n are half told: there is no second try. No probe is registered. */
static void give_up(struct gapp_session *session)
{
	quiesce(session);
	gapp_buffers_end(&session->track);
	session->state = GAPP_SESSION_STOPPED;
}

static int start(struct gapp_session *session)
{
	struct gapp_track *track = &session->track;
	int ret;

	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state != GAPP_SESSION_READY)
		return -EBUSY;
	if (!session->request_count && !may_come_later(track))
		return -ENODATA;
	ret = gapp_threads_stock(track, min_t(u32, GAPP_STOCK_THREADS, track->max_threads));
	if (ret)
		return ret;
	ret = gapp_probes_register(track);
	if (ret) {
		/* Those that were there for a moment may have seen threads already. */
		give_up(session);
		return ret;
	}
	ret = gapp_attach(track, session->requests, session->request_count);
	if (!ret && !READ_ONCE(track->entries_live) && !may_come_later(track))
		ret = -ESRCH;
	if (ret) {
		gapp_probes_unregister(track);
		give_up(session);
		return ret;
	}
	gapp_targets_start(track);
	gapp_threads_begin(track);
	sample_from_now(track);
	session->state = GAPP_SESSION_RUNNING;
	return 0;
}

static int stop(struct gapp_session *session)
{
	struct gapp_track *track = &session->track;
	struct gapp_status *recount = &session->recount;
	int ret;
	u32 n;

	if (session->state != GAPP_SESSION_RUNNING)
		return -ENOTCONN;
	ret = gapp_recount(track, recount);
	if (ret)
		return ret;
	n = gapp_targets_stop(track);
	/*
	 * At once, for the kernel's own accounts go on. Events still come, but change nothing more
	 * than that a slice which is open ends with what it had when session time did.
	 */
	on_each_cpu(gapp_between_stop, track, true);
	recount->n_at_stop = gapp_threads_settle(track);
	stop_events(session);
	gapp_buffers_end(track);
	recount->flags = GAPP_STATUS_RECOUNTED;
	if (!recount->recount_differ && recount->n_at_stop == n)
		recount->flags |= GAPP_STATUS_RECOUNT_OK;
	session->state = GAPP_SESSION_STOPPED;
	return 0;
}

int gapp_session_add_process(struct gapp_session *session, const struct gapp_add_process *target)
{
	int ret;

	mutex_lock(&session->lock);
	ret = add_target(session, target);
	mutex_unlock(&session->lock);
	return ret;
}

int gapp_session_add_executable(struct gapp_session *session, const struct gapp_add_executable *exe)
{
	int ret;

	mutex_lock(&session->lock);
	ret = add_exe(session, exe);
	mutex_unlock(&session->lock);
	return ret;
}

static int load_table(struct gapp_session *session, struct gapp_table_load *load)
{
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state == GAPP_SESSION_STOPPED)
		return -EBUSY;
	if (!gapp_unwinds_by_tables(&session->track))
		return -EOPNOTSUPP;
	return gapp_tables_load(&session->track, load);
}

int gapp_session_load_table(struct gapp_session *session, struct gapp_table_load *load)
{
	int ret;

	mutex_lock(&session->lock);
	ret = load_table(session, load);
	mutex_unlock(&session->lock);
	return ret;
}

int gapp_session_drop_table(struct gapp_session *session, const struct gapp_table_drop *drop)
{
	int ret;

	mutex_lock(&session->lock);
	ret = gapp_tables_drop(&session->track, drop);
	mutex_unlock(&session->lock);
	return ret;
}

/* Before START there is no entry of it yet. */
static struct gapp_request *find_request(const struct gapp_session *session, struct pid *pid)
{
	u32 i;

	if (session->state == GAPP_SESSION_READY)
		for (i = 0; i < session->request_count; i++)
			if (session->requests[i].tgid == pid)
				return &session->requests[i];
	return NULL;
}

static int set_maps(struct gapp_session *session, struct gapp_mappings *maps)
{
	struct pid *pid;
	int ret;

	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state == GAPP_SESSION_STOPPED)
		return -EBUSY;
	if (!gapp_unwinds_by_tables(&session->track))
		return -EOPNOTSUPP;
	pid = find_get_pid(maps->pid);
	if (!pid)
		return -ESRCH;
	ret = gapp_mappings_set(&session->track, pid, find_request(session, pid), maps);
	put_pid(pid);
	return ret;
}

int gapp_session_set_mappings(struct gapp_session *session, struct gapp_mappings *maps)
{
	int ret;

	mutex_lock(&session->lock);
	ret = set_maps(session, maps);
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
