// SPDX-License-Identifier: GPL-2.0
/*
 * A session's life: NEW -> READY (configured) -> RUNNING -> STOPPED, once. Every step is undone in
 * reverse, at the latest when the file is closed. The reader adds processes, files, tables and
 * mappings.
 */
#include <linux/capability.h>
#include <linux/cpumask.h>
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/memcontrol.h>
#include <linux/pid_namespace.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/user_namespace.h>

#include "callpath/address_spaces.h"
#include "compat/memcontrol.h"
#include "compat/workqueue.h"
#include "control.h"
#include "switch/switch.h"

/* Every context switch of the machine calls the probe of each session. */
#define MAX_SESSIONS 64
/* Of them as many are left to the privileged. */
#define MIN_PRIVILEGED 8
/* Sessions of one user without privilege. */
#define MAX_RESTRICTED 8

/* Protects the list of sessions, their number, and the id of the last one. */
static DEFINE_MUTEX(all_lock);
static LIST_HEAD(all_sessions);
static u32 session_count;
static u32 last_id;

/* Whether a user without privilege may open one more session. Under all_lock. */
static bool restricted_have_room(const struct cred *opener)
{
	const kuid_t user = gapp_user_of(opener);
	struct gapp_session *session;
	u32 all = 0, own = 0;

	list_for_each_entry(session, &all_sessions, all_sessions) {
		all += session->settings.restricted;
		own += session->settings.restricted &&
		       uid_eq(gapp_user_of(session->settings.opener), user);
	}
	return all < MAX_SESSIONS - MIN_PRIVILEGED && own < MAX_RESTRICTED;
}

/* Returns 0, or -EUSERS. */
static int enlist(struct gapp_session *session)
{
	bool room;

	mutex_lock(&all_lock);
	room = session_count < MAX_SESSIONS &&
	       (!session->settings.restricted || restricted_have_room(session->settings.opener));
	if (room) {
		session_count++;
		session->id = ++last_id;
		list_add_tail(&session->all_sessions, &all_sessions);
	}
	mutex_unlock(&all_lock);
	return room ? 0 : -EUSERS;
}

static void delist(struct gapp_session *session)
{
	mutex_lock(&all_lock);
	list_del(&session->all_sessions);
	session_count--;
	mutex_unlock(&all_lock);
}

static void put_request(const struct gapp_request *request)
{
	if (request->asked_mm)
		mmdrop(request->asked_mm);
	put_pid(request->tgid);
}

static void release(struct gapp_session *session)
{
	while (session->request_count)
		put_request(&session->requests[--session->request_count]);
	gapp_session_unmake(session);
	gapp_tables_destroy(&session->spaces);
	gapp_selections_free(&session->selections);
	while (session->exe_count)
		fput(session->exes[--session->exe_count]);
	gapp_payer_put(session->settings.payer);
	mem_cgroup_put(session->memcg);
	put_pid(session->awaited);
	put_cred(session->settings.opener);
	put_pid(session->settings.self);
	put_pid_ns(session->settings.ns);
	kvfree(session);
}

static void kick_worker(struct irq_work *irq_work)
{
	struct gapp_worker *worker = container_of(irq_work, struct gapp_worker, irq_work);

	queue_work(gapp_any_cpu_wq, &worker->work);
}

/*
 * The opener's memory cgroup is charged. The stock comes first: a target that creates threads does
 * not wait for a grace period.
 */
static void work(struct work_struct *work)
{
	struct gapp_session *session = container_of(work, struct gapp_session, worker.work);
	struct mem_cgroup *former = gapp_memcg_use(session->memcg);

	gapp_posts_wait(&session->threads.posts);
	gapp_targets_catch_up(&session->threads);
	gapp_threads_stock(&session->threads, GAPP_STOCK_THREADS);
	if (gapp_unwinds_by_tables(&session->settings))
		gapp_address_spaces_stock(&session->spaces, GAPP_STOCK_ADDRESS_SPACES);
	gapp_threads_reap(&session->threads);
	gapp_threads_stock(&session->threads, GAPP_STOCK_THREADS);
	gapp_address_spaces_reap(&session->spaces);
	gapp_memcg_use(former);
}

/* Whether the limit of locked memory holds for current: not for who may lock any, or may profile.
 */
static bool pays(const struct gapp_session *session)
{
	return session->settings.restricted && current->mm &&
	       !ns_capable_noaudit(&init_user_ns, CAP_IPC_LOCK);
}

static int set_payer(struct gapp_session *session)
{
	if (!pays(session))
		return 0;
	session->settings.payer = gapp_payer_create();
	return session->settings.payer ? 0 : -ENOMEM;
}

/**
 * gapp_session_create() - a new session of the caller
 *
 * Return: the session, or ERR_PTR of -ENOMEM, or of -EUSERS if there are too many.
 */
struct gapp_session *gapp_session_create(void)
{
	struct gapp_session *session = kvzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	int ret;

	if (!session)
		return ERR_PTR(-ENOMEM);
	mutex_init(&session->lock);
	init_irq_work(&session->worker.irq_work, kick_worker);
	INIT_WORK(&session->worker.work, work);
	gapp_threads_prepare(&session->threads, &session->settings, &session->worker);
	gapp_address_spaces_prepare(&session->spaces, &session->settings, &session->worker);
	gapp_watch_prepare(session);
	session->settings.ns = get_pid_ns(task_active_pid_ns(current));
	session->settings.ns_level = session->settings.ns->level;
	session->settings.self = get_pid(task_tgid(current));
	session->settings.opener = get_current_cred();
	session->settings.restricted = !perfmon_capable();
	session->memcg = get_mem_cgroup_from_mm(current->mm);
	ret = set_payer(session) ?: enlist(session);
	if (ret) {
		release(session);
		return ERR_PTR(ret);
	}
	gapp_clock_get();
	return session;
}

/* After the probes are gone. Afterwards nothing queues the worker: it does not queue itself. */
static void quiesce_worker(struct gapp_session *session)
{
	irq_work_sync(&session->worker.irq_work);
	cancel_work_sync(&session->worker.work);
	gapp_threads_reap(&session->threads);
}

/* After the probes are gone. */
static void quiesce(struct gapp_session *session)
{
	gapp_cpus_quiesce(session);
	quiesce_worker(session);
	gapp_threads_let_go(&session->threads);
	gapp_address_spaces_destroy(&session->spaces);
}

static void stop_events(struct gapp_session *session)
{
	gapp_marks_end(session);
	gapp_watch_end(session);
	gapp_exact_end(session);
	gapp_store_points_end(session);
	gapp_seat_leave(session);
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
	/* Also without a probe: SET_MAPPINGS queues the worker before START. */
	quiesce_worker(session);
	gapp_clock_put();
	release(session);
}

/* Whether CONFIGURE came and STOP has not come yet: 0 or an error. */
static int takes_input(const struct gapp_session *session)
{
	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	return session->state == GAPP_SESSION_STOPPED ? -EBUSY : 0;
}

static int takes_tables(const struct gapp_session *session)
{
	int error = takes_input(session);

	return error || gapp_unwinds_by_tables(&session->settings) ? error : -EOPNOTSUPP;
}

/* Threads of the kernel work for everybody: who may follow them may follow every process. */
static int may_add_kthread(const struct gapp_session *session, const struct task_struct *process)
{
	if (!(process->flags & PF_KTHREAD))
		return -EINVAL;
	return session->settings.restricted || !perfmon_capable() ? -EPERM : 0;
}

/* Checks the caller beside the opener: the caller may have got the file from the opener. */
static int may_add(struct gapp_session *session, struct task_struct *process, u32 flags)
{
	if (flags & GAPP_ADD_KTHREAD)
		return may_add_kthread(session, process);
	if (process->flags & PF_KTHREAD)
		return -EOPNOTSUPP;
	if (task_tgid(process) == session->settings.self || same_thread_group(process, current))
		return -ELOOP;
	if (READ_ONCE(process->exit_state))
		return -ESRCH;
	if (!gapp_may_follow(&session->settings, process))
		return -EPERM;
	if (perfmon_capable())
		return 0;
	/* it would go on to follow what the process executes for another user */
	if (!session->settings.restricted)
		return -EPERM;
	return gapp_cred_may_follow(current_cred(), process) ? 0 : -EPERM;
}

/* A thread of the process that has not exited, if there is one: the leader may have. */
static struct task_struct *running_thread(struct task_struct *leader)
{
	struct task_struct *thread;

	for_each_thread(leader, thread)
		if (!READ_ONCE(thread->exit_state))
			return thread;
	return leader;
}

static struct pid *find_process(struct gapp_session *session, pid_t nr, u32 flags, int *error)
{
	struct pid *tgid = NULL, *pid = find_get_pid(nr);
	struct task_struct *task;

	*error = -ESRCH;
	rcu_read_lock();
	task = pid_task(pid, PIDTYPE_PID);
	if (task && thread_group_leader(task))
		task = running_thread(task);
	if (task) {
		*error = may_add(session, task, flags);
		if (!*error)
			tgid = get_pid(task_tgid(task));
	}
	rcu_read_unlock();
	put_pid(pid);
	return tgid;
}

/* Starts the samplers now: a thread that runs already may have no switch-in for a long time. */
static void sample_from_now(struct gapp_session *session)
{
	if (session->settings.period_ns)
		gapp_cpus_call(session, gapp_sampler_arm_here);
}

/* What threads that run have done so far is added, or before session time forgotten. */
static void tally(struct gapp_session *session)
{
	if (session->settings.tallies)
		gapp_cpus_call(session, gapp_tallies_look);
}

/* Whether a process can be added with GAPP_ADD_AT_EXEC: 0 or an error. */
static int may_await(const struct gapp_session *session)
{
	if (session->settings.all || session->settings.per_process)
		return -EINVAL;
	if (session->state != GAPP_SESSION_READY)
		return -EBUSY;
	return session->awaited ? -ENOSPC : 0;
}

static bool is_added(const struct gapp_session *session, const struct pid *tgid)
{
	u32 i;

	for (i = 0; i < session->request_count; i++)
		if (session->requests[i].tgid == tgid)
			return true;
	return session->awaited == tgid;
}

static bool has_exited(struct pid *tgid)
{
	struct task_struct *task;
	bool exited;

	rcu_read_lock();
	task = pid_task(tgid, PIDTYPE_TGID);
	exited = !task || (READ_ONCE(task->exit_state) && thread_group_empty(task));
	rcu_read_unlock();
	return exited;
}

/* Makes room for one more process: those that have exited are forgotten. False: there are none. */
static bool make_room(struct gapp_session *session)
{
	const u32 count = session->request_count;
	u32 i;

	if (count < GAPP_MAX_ADDED_PROCESSES)
		return true;
	session->request_count = 0;
	for (i = 0; i < count; i++) {
		const struct gapp_request request = session->requests[i];

		if (has_exited(request.tgid))
			put_request(&request);
		else
			session->requests[session->request_count++] = request;
	}
	return session->request_count < count;
}

int gapp_session_add_process(struct gapp_session *session, const struct gapp_add_process *process)
{
	const u32 known = GAPP_ADD_NO_INHERIT | GAPP_ADD_AT_EXEC | GAPP_ADD_KTHREAD;
	const bool at_exec = process->flags & GAPP_ADD_AT_EXEC;
	const bool kthread = process->flags & GAPP_ADD_KTHREAD;
	const bool inherit = !kthread && !(process->flags & GAPP_ADD_NO_INHERIT);
	struct gapp_request *request;
	struct pid *tgid;
	int error;

	if (process->flags & ~known || (at_exec && kthread) || process->pid <= 0 ||
	    memchr_inv(process->reserved, 0, sizeof(process->reserved)))
		return -EINVAL;
	error = takes_input(session) ?: at_exec ? may_await(session) : 0;
	if (error)
		return error;
	tgid = find_process(session, process->pid, process->flags, &error);
	if (!tgid)
		return error ?: -ESRCH;
	if (is_added(session, tgid))
		error = -EEXIST;
	else if (!at_exec && !make_room(session))
		error = -ENOSPC;
	if (error) {
		put_pid(tgid);
		return error;
	}
	if (at_exec) {
		session->awaited = tgid;
		session->awaited_inherit = inherit;
		return 0;
	}

	request = &session->requests[session->request_count++];
	/* what stood there before was copied, or is of a process that is gone */
	*request = (struct gapp_request){ .tgid = tgid, .inherit = inherit };
	if (session->state != GAPP_SESSION_RUNNING)
		return 0;
	error = gapp_attach(session, request, 1);
	sample_from_now(session);
	tally(session);
	if (error)
		put_request(&session->requests[--session->request_count]);
	return error;
}

/*
 * Whether the caller may add processes that are still to come. Nobody knows yet whose these are, so
 * the strictest rule of may_add() holds.
 */
static int may_add_later(struct gapp_session *session)
{
	int error = takes_input(session);

	if (!error && !session->settings.restricted && !perfmon_capable())
		error = -EPERM;
	return error;
}

/* The caller can read the file. Processes that execute it are known by its inode. */
int gapp_session_add_executable(struct gapp_session *session, const struct gapp_add_executable *exe)
{
	struct file *file;
	int error;

	if (exe->flags & ~GAPP_ADD_NO_INHERIT || exe->fd < 0 ||
	    memchr_inv(exe->reserved, 0, sizeof(exe->reserved)))
		return -EINVAL;
	error = may_add_later(session);
	if (error)
		return error;
	if (session->exe_count == GAPP_MAX_EXECUTABLES)
		return -ENOSPC;
	file = fget(exe->fd);
	if (!file)
		return -EBADF;
	if (!S_ISREG(file_inode(file)->i_mode)) {
		fput(file);
		return -EINVAL;
	}
	session->exes[session->exe_count] = file;
	if (!(exe->flags & GAPP_ADD_NO_INHERIT))
		session->exe_inherit |= BIT(session->exe_count);
	/* Nobody knows yet which CPUs these processes may use. */
	gapp_targets_add_cpus(&session->threads, num_online_cpus());
	/* Pairs with the acquire in the probe of exec. */
	smp_store_release(&session->exe_count, session->exe_count + 1);
	return 0;
}

int gapp_session_add_selection(struct gapp_session *session,
			       const struct gapp_add_selection *selection)
{
	int error;

	if (memchr_inv(selection->reserved, 0, sizeof(selection->reserved)))
		return -EINVAL;
	error = may_add_later(session) ?: gapp_selections_add(&session->selections, selection);
	if (error)
		return error;
	/* Nobody knows yet which CPUs these processes may use. */
	gapp_targets_add_cpus(&session->threads, num_online_cpus());
	return 0;
}

/* Whether a session without any process may start: its processes are still to come. */
static bool may_come_later(const struct gapp_session *session)
{
	return session->settings.all || session->exe_count || session->selections.count ||
	       (session->awaited && !has_exited(session->awaited));
}

/* Why START finds none of the processes that were added. */
static int nobody_left(const struct gapp_session *session)
{
	return session->threads.not_followed[GAPP_NOT_FOLLOWED_DENIED] ? -EPERM : -ESRCH;
}

/* All threads that are there are followed: session time begins now, or at the awaited exec. */
static void begin(struct gapp_session *session)
{
	if (session->awaited) {
		/* Pairs with the acquire in the probe of exec. */
		smp_store_release(&session->awaits, true);
		return;
	}
	tally(session);
	gapp_targets_start(&session->threads);
	gapp_threads_begin(session);
	sample_from_now(session);
}

/* START failed with n half known, so there is no second try. No probe is registered. */
static void give_up(struct gapp_session *session)
{
	quiesce(session);
	gapp_buffers_end(session->buffers);
	session->state = GAPP_SESSION_STOPPED;
}

int gapp_session_start(struct gapp_session *session)
{
	int ret;

	if (session->state == GAPP_SESSION_NEW)
		return -ENOTCONN;
	if (session->state != GAPP_SESSION_READY)
		return -EBUSY;
	if (!session->request_count && !session->awaited && !may_come_later(session))
		return -ENODATA;
	ret = gapp_threads_stock(&session->threads,
				 min_t(u32, GAPP_STOCK_THREADS, session->settings.max_threads));
	if (ret)
		return ret;
	ret = gapp_seat_take(session);
	if (ret)
		return ret;
	ret = gapp_attach(session, session->requests, session->request_count);
	if (!ret && !READ_ONCE(session->threads.in_table) && !may_come_later(session))
		ret = nobody_left(session);
	if (ret) {
		gapp_seat_leave(session);
		give_up(session);
		return ret;
	}
	begin(session);
	gapp_marks_begin(session);
	session->state = GAPP_SESSION_RUNNING;
	return 0;
}

int gapp_session_stop(struct gapp_session *session)
{
	struct gapp_status *recount = &session->recount;
	int ret;
	u32 n;

	if (session->state != GAPP_SESSION_RUNNING)
		return -ENOTCONN;
	ret = gapp_recount(&session->threads, recount);
	if (ret)
		return ret;
	tally(session);
	n = gapp_targets_stop(&session->threads);
	/*
	 * At once, because the kernel's accounts go on growing. Events that still come only end
	 * open slices, with the integrals at the end of session time.
	 */
	gapp_cpus_call(session, gapp_between_stop);
	gapp_posts_wait(&session->threads.posts);
	recount->n_at_stop = gapp_threads_settle(session);
	stop_events(session);
	gapp_buffers_end(session->buffers);
	recount->flags = GAPP_STATUS_RECOUNTED;
	if (!recount->recount_differ && recount->n_at_stop == n)
		recount->flags |= GAPP_STATUS_RECOUNT_OK;
	session->state = GAPP_SESSION_STOPPED;
	return 0;
}

/**
 * gapp_session_end() - STOP, or the end of a session that has not been started
 * @session: the session, locked
 *
 * Return: 0, or a negative errno: there is nothing to end.
 */
int gapp_session_end(struct gapp_session *session)
{
	if (session->state != GAPP_SESSION_READY)
		return gapp_session_stop(session);
	give_up(session);
	return 0;
}

int gapp_session_load_table(struct gapp_session *session, struct gapp_table_load *load)
{
	const int error = takes_tables(session);

	if (error)
		return error;
	return gapp_tables_load(&session->spaces, load);
}

/* The request that added process @pid, before START; else NULL. */
static struct gapp_request *find_request(const struct gapp_session *session, struct pid *pid)
{
	u32 i;

	if (session->state == GAPP_SESSION_READY)
		for (i = 0; i < session->request_count; i++)
			if (session->requests[i].tgid == pid)
				return &session->requests[i];
	return NULL;
}

int gapp_session_set_mappings(struct gapp_session *session, struct gapp_mappings *maps)
{
	struct gapp_request *request;
	struct pid *pid;
	int ret;

	const int error = takes_tables(session);

	if (error)
		return error;
	pid = find_get_pid(maps->pid);
	if (!pid)
		return -ESRCH;
	request = find_request(session, pid);
	ret = gapp_mappings_set(&session->spaces, &session->threads, pid,
				request ? &request->asked_mm : NULL, maps);
	put_pid(pid);
	return ret;
}

void gapp_session_for_each(void (*show)(struct gapp_session *session, void *data), void *data)
{
	struct gapp_session *session;

	mutex_lock(&all_lock);
	list_for_each_entry(session, &all_sessions, all_sessions)
		show(session, data);
	mutex_unlock(&all_lock);
}
